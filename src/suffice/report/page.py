"""`report`: a table from end to end, as one page that needs nothing else."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from ..description.text import printable
from ..errors import InvalidParameter, needed
from ..params import check_argument
from ..replacing import replace_text
from ..resampling.costs import CostsLike
from ..typing import EstimatorLike, TableLike
from .acting import Acting, deciding_section
from .division import division
from .keeping import Winner, described_in_full, winner_of
from .parts import Section
from .prediction import prediction_section
from .rows import MOST_ROWS, Rows, Task, read_rows
from .structure import structure_section
from .study import Study
from .templating import environment, framed, render
from .the_table import table_section

TASKS = ("auto", "classes", "numbers")


@dataclass(frozen=True, eq=False)
class Report:
    """A report: `save` it, show it in a notebook, or take the library's own objects from `results`."""

    title: str
    short: tuple[str, ...]
    """What was found, in a few sentences."""
    sections: tuple[Section, ...]
    code: str
    """Python that gives every number of the report again."""
    results: Mapping[str, Any]
    html: str
    winner: Winner | None = None
    """The best model, to be fitted to all rows and kept in a file; None where no models were compared."""

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page, whole or not at all, and give its path."""
        replace_text(path, self.html)
        return Path(path)

    def __str__(self) -> str:
        return "\n".join([self.title, *(f"  {printable(line)}" for line in self.short)])

    def _repr_html_(self) -> str:
        return framed(self.html, self.title, "80vh")


def report(
    data: TableLike,
    target: str | None = None,
    *,
    task: Task = "auto",
    models: Mapping[str, EstimatorLike] | None = None,
    leave_out: Sequence[str] = (),
    time: str | None = None,
    groups: str | None = None,
    costs: CostsLike = None,
    doubt: float | None = None,
    rows: int = MOST_ROWS,
    seconds: float = 10.0,
    title: str | None = None,
    random_state: int = 0,
    **options: Any,
) -> Report:
    """Describe a table, look for structure in it, and see how well a target can be told: one page, with its code.

    data, options
        A file of any size, a frame, an array, a bundled table or its name, and how a file is read, as in `describe`.
    target, task
        The column to predict, and whether it holds "classes" or "numbers"; "auto" takes text, yes and no, and up to ten
        whole numbers as classes, where these have three rows each on average.
    models
        Estimators to compare, by name; by default all of the library that can learn from the table, and a dummy.
    leave_out
        Columns that are described, but that nothing is learned from.
    time
        A column of dates or numbers: every row is then predicted by models that learned from earlier rows alone.
    groups
        A column that says which rows belong together, such as those of one patient: they are then predicted by models
        that saw none of them, and nothing is learned from the column.
    costs, doubt
        What actions cost where classes are true, as `Decide` takes it: a mapping, a frame or a file; and what it costs
        to leave a row to somebody else. Then the report says what to do, and what that costs on rows left out.
    rows
        The description is of all rows. Everything else looks at no more than so many, drawn at random.
    seconds
        About how long all models together may be fitted; the slowest are left out beyond that, and named.

    >>> import suffice as sf
    >>> found = sf.report("iris", target="species")
    >>> print(found.short[0])
    iris: 150 rows, 5 columns (4 of numbers, 1 of categories); no cell is missing.
    >>> found.results["comparison"].best in found.results["comparison"].evaluations
    True
    """
    if task not in TASKS:
        raise InvalidParameter(f"report: task must be one of {', '.join(TASKS)}; got {task!r}.")
    if models is not None and not models:
        raise InvalidParameter("report: models must map names to models, at least one; leave it out for all.")
    environment(), needed("pyarrow", "report")  # before any work is done
    divided = division(time, groups)
    settings = {"leave_out": (*leave_out, *divided.unused), "rows": rows, "random_state": random_state, **options}
    read = read_rows(data, target, **settings)
    divided.check(read)
    acting = _acting(costs, doubt, read, target, task)
    title = title or printable(os.path.basename(read.name) or read.name)
    of_all = {**settings, **described_in_full()}
    path = os.fspath(data) if isinstance(data, str | os.PathLike) else None
    opening = _opening(data, target, of_all, "every")
    study = Study(read, title, task, models, seconds, random_state, divided, opening, path)
    sections = [table_section(study), structure_section(study)]
    if target is not None:
        sections.append(prediction_section(study))
    if acting is not None:
        sections.append(deciding_section(study, acting))
    code = _code(_opening(data, target, settings), sections)
    html = _page(title, study, sections, code)
    results = {"rows": read, "description": read.description, **study.results}
    winner = winner_of(study, lambda: read_rows(data, target, **of_all))
    return Report(title, tuple(study.short), tuple(sections), code, results, html, winner)


def _acting(costs: CostsLike, doubt: float | None, rows: Rows, target: str | None, task: Task) -> Acting | None:
    """What costs say, checked before any work."""
    if costs is None and doubt is None:
        return None
    if target is None:
        raise InvalidParameter("report: costs say what to do by the classes of a target; name the target as well.")
    if doubt is not None:
        check_argument("report", "doubt", doubt, number=True, at_least=0)
    return Acting.of(costs, doubt, rows, task)


def _opening(data: TableLike, target: str | None, settings: Mapping[str, object], name: str = "rows") -> str:
    """The line that reads the table again."""
    is_path = isinstance(data, str | os.PathLike) or (
        isinstance(data, list | tuple) and all(isinstance(x, str) for x in data)
    )
    shown = repr(os.fspath(data) if isinstance(data, os.PathLike) else data) if is_path else "data"
    more = "".join(f", {name}={value!r}" for name, value in settings.items() if value != ())
    before = "" if is_path else "# `data` is the table that the report was made from\n"
    return f"{before}{name} = read_rows({shown}, target={target!r}{more})"


def _code(opening: str, sections: list[Section]) -> str:
    own = "associations, findings, read_rows"
    head = f"import numpy as np\nimport suffice as sf\nfrom suffice.report import {own}\n"
    blocks = [f"# {part.title}\n{part.code}" for section in sections for part in section.parts if part.code]
    return "\n\n".join([f"{head}\n{opening}", *blocks]) + "\n"


def _page(title: str, study: Study, sections: list[Section], code: str) -> str:
    from .. import __version__

    return render(
        "report.html.j2",
        title=title,
        about=study.rows.description,
        target=study.rows.target,
        short=study.short,
        sections=sections,
        code=code,
        version=__version__,
        day=date.today().isoformat(),
        has_films=any(part.films for section in sections for part in section.parts),
    )
