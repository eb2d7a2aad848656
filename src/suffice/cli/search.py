"""`suffice search MODEL DATA --target NAME --try PARAMETER=VALUES`: the parameters that do best on rows left out."""

from __future__ import annotations

import sys
import warnings
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ..replacing import replace_text
from ._json import echo_json
from ._outputs import TABLES, FileOption, keeps_the_best, writes_a_file
from ._said import counted_once
from ._space import simpler, space_of, strategy_of
from ._tables import columns_of, divides_rows, names_in, path_of, reading, reads_a_file, say_how_read, use

if TYPE_CHECKING:
    from ..report.division import Division
    from ..report.rows import Rows
    from ..selection import SearchResult
    from ..typing import EstimatorLike


@click.command("search")
@click.argument("model")
@click.argument("data")
@click.option("--target", help="The column to predict.")
@click.option("--try", "tried", multiple=True, required=True, metavar="NAME=VALUES",
              help="What to try: alpha=0.1,1,10, or a range alpha=0.01..100, or alpha alone.")  # fmt: skip
@click.option("--strategy", type=click.Choice(["grid", "random", "halving", "bayesian"]), default=None,
              help="How to go through it; the grid where all values are listed, else 30 random draws.")  # fmt: skip
@click.option(
    "--candidates", type=click.IntRange(min=2), help="How many combinations are drawn; of a grid, points a range."
)
@click.option("--drop", help="Columns that nothing is learned from, with commas between.")
@divides_rows
@click.option("--folds", default=5, show_default=True, type=click.IntRange(min=2), help="Parts of the table.")
@click.option("--measure", help="What decides, such as accuracy, log_loss or r2; several with commas between.")
@click.option("--simpler", help="Take the simplest within one standard error of the best: alpha where larger values "
              "are simpler, -max_depth where smaller ones are.")  # fmt: skip
@click.option("--nested", type=click.IntRange(min=2), help="Measure the whole search on so many other folds.")
@click.option(
    "--rows", default=10_000, show_default=True, type=click.IntRange(min=10), help="The most rows to search on."
)
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="About how long the search may take.")
@click.option(
    "--journal", cls=FileOption, help="A file that keeps finished folds, so that a search that was stopped goes on."
)
@click.option("--jobs", type=int, help="How many processes fit folds of models of other libraries; -1: one a core.")
@click.option("--code", cls=FileOption, help="Where to write Python that makes the search, and the model, again.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(min=0), help="Of random numbers.")
@keeps_the_best
@writes_a_file("Where to write the table, as .csv, .tsv, .parquet or .json.", endings=TABLES)
@click.option("--json", "as_json", is_flag=True, help="Write what was found as JSON.")
@reads_a_file
def command(model: str, data: str, output: str | None, save: str | None, code: str | None, as_json: bool,
            threads: int | None, progress: bool, **options: Any) -> None:  # fmt: skip
    """Search the parameters of a model that do best on rows left out.

    MODEL is a name as in `suffice models`, DATA a CSV or Parquet file, a bundled table such as crabs, or - for standard
    input. The model gets the preparation that it needs, each time by the rows that are learned from. A range that
    spans two powers of ten or more is searched on a logarithmic scale.
    """
    if code is not None and data == "-":
        raise click.UsageError("--code reads the table again; give it as a file.")
    with ExitStack() as stack:
        use(stack, threads, progress and sys.stderr.isatty())
        table = path_of(stack, data) if data == "-" else data
        asked = _Asked.of(model, table, options)
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            found = asked.found()
            kept = "" if save is None else asked.kept(found, save)
        if code is not None:
            replace_text(code, asked.code(found))
    if as_json:
        echo_json(_plain(found, save))
    else:
        click.echo(str(found))
    for line in [*asked.notes, *counted_once([str(one.message) for one in given])]:
        click.echo(line, err=True)
    if output is not None:
        from ._tables import write_columns

        rows = found.table()
        write_columns({key: _column([row[key] for row in rows]) for key in rows[0]}, output)
    if kept:
        click.echo(f"kept in {save}: {kept}", err=True)


@dataclass(frozen=True, eq=False)
class _Asked:
    """What the options ask for: the rows, the model with its preparation, and how it is searched."""

    table: str
    model: EstimatorLike
    rows: Rows
    y: Any
    settings: dict[str, Any]  # of the reading
    arguments: dict[str, Any]  # of `search`
    space: dict[str, object] | list[str]
    notes: list[str]
    division: Division

    @classmethod
    def of(cls, name: str, table: str, options: dict[str, Any]) -> _Asked:
        from ..models.registry import estimator_named
        from ..pipeline import prepared
        from ..report.division import division
        from ..report.learnable import learnable
        from ..report.measuring import measures_of, rare_class, why_measured
        from ..report.rows import read_rows

        own = {key: options.pop(key) for key in _OWN}
        read = reading(options)
        divided = division(own["time"], own["groups"])
        settings = {"leave_out": (*columns_of(own["drop"], table, read), *divided.unused), **read}
        model = estimator_named(name)()
        if own["target"] is None:
            raise click.UsageError("name the column to predict with --target.")
        every = read_rows(table, own["target"], rows=own["rows"], **settings)
        say_how_read(every.description.notes, ())
        rows, y, kind, notes = learnable(every, _task_of(model))
        divided.check(every)
        parts = divided.divide(rows, y, kind, own["folds"])
        rows, y = parts.rows, parts.y
        whole = prepared(model, rows.table())
        measures = names_in(own["measure"]) or measures_of(y, kind, [model])
        notes += parts.notes + ([] if own["measure"] else why_measured(y, kind, measures))
        space = space_of(own["tried"], model, whole)
        arguments: dict[str, Any] = {
            "strategy": strategy_of(own["strategy"], own["candidates"], space), **parts.arguments,
            "measures": measures, "positive": rare_class(y, kind), "seconds": own["seconds"], "nested": own["nested"],
            "journal": own["journal"], "n_jobs": own["jobs"], "random_state": own["seed"],
        }  # fmt: skip
        if own["simpler"] is not None:
            arguments |= {"rule": "one_se", "simpler": simpler(own["simpler"], model, whole)}
        return cls(table, whole if len(whole) > 1 else model, rows, y, settings, arguments, space, notes, divided)

    def found(self) -> SearchResult:
        """The search."""
        from ..selection import search

        return search(self.model, self.space, self.rows.table(), self.y, **self.arguments)

    def kept(self, found: SearchResult, path: str) -> str:
        """The best model, fitted to all rows of the table and written to a file."""
        import numpy as np

        from ..persist import Training, save
        from ..report.keeping import described_in_full
        from ..report.rows import read_rows

        columns = self.rows.table().column_names
        whole = read_rows(self.table, self.rows.target, **self.settings, **described_in_full())
        task = _task_of(self.model)
        labelled, y, kind = whole.labelled(task)
        if kind == "classes":
            known = np.isin(y, np.unique(self.y))
            labelled, y = labelled.only(known), y[known]
        model = found.unfitted.fit(labelled.table(columns), y)
        described = {column.name for column in whole.description.columns}
        own = [name for name in columns if name in described]
        save(model, path, Training.of(whole.description, own, self.rows.target))
        return f"{_name(self.model)} with {_said(found)}, fitted to all rows"

    def code(self, found: SearchResult) -> str:
        """Python that reads the table, fits the chosen model, and makes the search again."""
        more = "".join(f", {name}={value!r}" for name, value in self.settings.items() if value not in ((), None))
        task = "" if _task_of(self.model) == "auto" else f", {_task_of(self.model)!r}"
        keeping, divides = self.division.keeping("rows"), self.division.argument("rows")
        lines = [
            *(["import numpy as np"] if keeping else []),
            "from suffice.report import read_rows\nfrom suffice.report.learnable import learnable\n",
            f"rows = read_rows({self.table!r}, {self.rows.target!r}{more})",
            f"rows, y, kind, notes = learnable(rows{task})",
            *keeping,
            *([divides.replace("=", " = ", 1)] if divides else []),
            "X = rows.table()",
        ]
        return "\n".join([*lines, "", found.code()])


_OWN = ("target", "tried", "strategy", "candidates", "drop", "time", "groups", "folds", "measure", "simpler", "nested",
        "rows", "seconds", "journal", "jobs", "seed")  # fmt: skip


def _task_of(model: EstimatorLike) -> Any:
    """What a model predicts, as `read_rows` calls it."""
    from ..resampling.problem import task_of

    task = task_of(model, "suffice search")
    if task not in ("classes", "numbers"):
        raise click.ClickException(
            f"{_name(model)} gives {task}, which no target is compared with; search a model that predicts one."
        )
    return task


def _name(model: Any) -> str:
    return type(model[-1] if hasattr(model, "steps") else model).__name__


def _said(found: SearchResult) -> str:
    from ..selection.searching.candidates import described

    return described({name.rpartition("__")[2]: value for name, value in found.params.items()})


def _plain(found: SearchResult, save: str | None) -> dict[str, object]:
    nested = None
    if found.nested is not None:
        own = found.nested.intervals[found.measure.name]
        nested = {"value": own.value, "low": own.low, "high": own.high, "level": own.level}
    return {
        "model": repr(found.unfitted), "params": found.params, "measure": found.measure.name, "value": found.value,
        "status": found.status, "nested": nested, "table": found.table(), "save": save,
    }  # fmt: skip


def _column(values: list[object]) -> list[object]:
    """A column that can be written: values of several kinds as text."""
    kinds = {type(value) for value in values if value is not None}
    return (
        values
        if kinds <= {int, float} or (len(kinds) <= 1 and kinds <= {str, bool})
        else [None if value is None else str(value) for value in values]
    )
