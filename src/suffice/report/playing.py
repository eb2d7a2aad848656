"""The player: recorded fits replayed in a page, with nothing but the estimator's own numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..engine.trace import FitTrace, Trace
from ..errors import InvalidData
from ..replacing import replace_text
from ..text import counted
from ..text import figure as figure_of
from ..typing import Reals, TableLike
from .frames import MOST_LEAVES, film
from .scenes import View
from .templating import framed, render


@dataclass(frozen=True, eq=False)
class Player:
    """Films of fits; show it in a notebook, or `save` it as one page that needs nothing else."""

    films: tuple[dict[str, object], ...]
    title: str = "Recorded fits"

    def to_html(self) -> str:
        """The page: one file without any reference to another."""
        return render("player.html.j2", title=self.title, films=self._figures())

    def widget(self) -> object:
        """The films as a live widget of a notebook, played by the same scripts; needs anywidget."""
        from .widget import widget_of

        return widget_of(render("films.html.j2", films=self._figures()))

    def _figures(self) -> list[dict[str, object]]:
        return [figure(one, number) for number, one in enumerate(self.films)]

    def save(self, path: str | Path) -> Path:
        """Write the page, whole or not at all, and give its path."""
        replace_text(path, self.to_html())
        return Path(path)

    def _repr_html_(self) -> str:
        return framed(self.to_html(), self.title, f"{60 + 540 * len(self.films)}px")


def player(
    trace: Trace,
    X: TableLike | None = None,
    *,
    names: Sequence[str] | None = None,
    row_names: Sequence[str] | None = None,
    title: str = "Recorded fits",
) -> Player:
    """Replay the fits of a trace: centres that move, ellipses that breathe, trees that grow, with the objective beside.

    `X` are the rows that were fitted, for the fits that can be seen among them: as they are with two columns, and in
    the plane of their first two components with more. Of more than 400 rows, 400 are shown. `names` are those of the
    columns, by default the names of a frame, and `row_names` those of the rows, which are shown where one is pointed
    at. Space plays and pauses, the arrows step, Home and End jump.

    Examples
    --------
    >>> import suffice as sf
    >>> X = sf.datasets.load("faithful").matrix()
    >>> with sf.recording() as trace:
    ...     model = sf.KMeans(2, random_state=0).fit(X)
    >>> film = sf.player(trace, X).films[0]
    >>> film["kind"], film["iterations"][-1]["objective"] == model.history_.iterations[-1].objective
    ('centres', True)
    """
    if not isinstance(trace, Trace):
        raise InvalidData(
            f"player: a trace is needed, as `with sf.recording() as trace:` gives; got {type(trace).__name__}."
        )
    view = tree_view = None
    if X is not None:
        rows, own = _rows(X)
        names = own if names is None else names
        if row_names is not None and len(row_names) != len(rows):
            raise InvalidData(f"player: row_names has {len(row_names)} entries, and X has {len(rows)} rows.")
        view = View.of(rows, names, row_names=row_names)
        tree_view = View.of(rows, names, MOST_LEAVES, row_names) if len(rows) <= MOST_LEAVES else None
    films = films_of(trace, view, tree_view)
    if not films:
        raise InvalidData("player: the trace has no iterations; fit a model within `with sf.recording() as trace:`.")
    return Player(tuple(films), title)


def films_of(trace: Trace, view: View | None, tree_view: View | None = None) -> list[dict[str, object]]:
    """A film of each fit; one within another only where that has nothing to show but its objective."""
    made: list[dict[str, object]] = []
    closed: set[int | None] = set()  # fits whose inner ones are not shown
    for number, fit in enumerate(trace.fits):
        if fit.within in closed:
            closed.add(number)
        elif fit.iterations:
            made.append(film(fit, tree_view if _is_tree(fit) else view))
            if made[-1]["kind"] != "curve":
                closed.add(number)
    return made


def _is_tree(fit: FitTrace) -> bool:
    return "children_" in fit.snapshots[0]


def _rows(X: TableLike) -> tuple[Reals, Sequence[str]]:
    """The rows, and the names of their columns."""
    from ..data.memory import to_matrix
    from ..data.source import Needs
    from ..models.neural.images import as_images

    rows, schema = to_matrix(as_images(X, "player"), Needs(owner="player", missing=True))
    return np.asarray(rows), schema.names


def figure(one: dict[str, object], number: int) -> dict[str, Any]:
    """What the template needs of a film: words, and its data as JSON that no HTML parser can end early."""
    data = json.dumps(one, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for letter, code in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")):
        data = data.replace(letter, code)
    return {
        "id": f"film-{number}",
        "name": one["name"],
        "kind": one["kind"],
        "data": data,
        "last": _words(one),
        "caption": _caption(one),
    }


def _caption(one: dict[str, Any]) -> str:
    shown, total = len(one.get("points", ())), one.get("total", 0)
    if "note" in one:
        return str(one["note"])
    return f"{one['name']}: {shown:,} of {total:,} rows shown" if shown < total else str(one["name"])


def _words(one: dict[str, Any]) -> str:
    """What the film ends with, for those who cannot play it."""
    iterations = one["iterations"]
    ended = f"{one['status']} after {counted(len(iterations), 'iteration')}"
    objective = iterations[-1]["objective"]
    return f"{one['name']}: {ended}, objective {'not finite' if objective is None else figure_of(objective, 6)}"
