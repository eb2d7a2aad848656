"""A Gaussian process over one column: its mean, a band, draws of functions, and the rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol, Self, cast

import numpy as np

from ..errors import InvalidData, InvalidParameter
from ..typing import Axes, AxesLike, Floats, Reals, TableLike
from . import style, tables
from .display import Columns, Display


class _Process(Protocol):
    def predict(self, X: TableLike) -> Reals: ...
    def predict_interval(self, X: TableLike, level: float) -> Reals: ...
    def sample_y(self, X: TableLike, n_samples: int, random_state: int) -> Reals: ...


@dataclass(eq=False, repr=False)
class ProcessDisplay(Display):
    """The mean of f over a column, the band that holds f(x) with some probability, functions drawn from it, and rows.

    Of more than one column, one is chosen and the others stand at their means.

    >>> x = np.array([0.0, 1.0])
    >>> ProcessDisplay(x, x, x - 1, x + 1).table()["high"]
    array([1., 2.])
    """

    x: Floats  # (m,)
    mean: Floats  # (m,)
    low: Floats  # (m,)
    high: Floats  # (m,)
    draws: Floats = field(default_factory=lambda: np.empty((0, 0)))  # (m, draws)
    points: Floats | None = None  # (shown, 2)
    name: str = "x0"
    level: float = 0.95
    note: str = ""

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        X: TableLike,
        y: object = None,
        *,
        column: int = 0,
        names: object = None,
        level: float = 0.95,
        draws: int = 3,
        resolution: int = 200,
        most_rows: int = tables.MOST_ROWS,
        random_state: int = 0,
        ax: AxesLike = None,
    ) -> Self:
        """A fitted Gaussian process of one target, the rows that span the picture, and their targets."""
        who, model = cls.__name__, cast(_Process, estimator)
        tables.fitted(estimator, "kernel_", who)
        if not 2 <= resolution <= 2000 or not 0 <= draws <= 50:
            raise InvalidParameter(f"{who}: resolution must be from 2 to 2000 and draws from 0 to 50.")
        table = tables.read(X, names, who)
        if not 0 <= column < len(table.names):
            raise InvalidParameter(f"{who}: column={column!r} must be a place from 0 to {len(table.names) - 1}.")
        low, high = float(table.values[:, column].min()), float(table.values[:, column].max())
        room = 0.1 * (high - low) if high > low else 0.5
        x = np.linspace(low - room, high + room, resolution)
        grid = np.repeat([table.values.mean(axis=0)], resolution, axis=0)
        grid[:, column] = x
        rows = tables.like(X, grid)
        mean = np.asarray(model.predict(rows), dtype=np.float64)
        if mean.ndim != 1:
            raise InvalidData(f"{who}: the model has {mean.shape[1]} targets; a picture shows one. Fit one at a time.")
        ends = np.asarray(model.predict_interval(rows, level), dtype=np.float64)
        drawn = model.sample_y(rows, draws, random_state) if draws else np.empty((resolution, 0))
        shown = tables.some(len(table.values), most_rows)
        target = None if y is None else tables.numbers(y, who, "y", len(table.values))[shown]
        points = None if target is None else np.column_stack([table.values[shown, column], target])
        more = "" if len(table.names) == 1 else "other columns at their means"
        return cls(
            x, mean, ends[:, 0], ends[:, 1], np.asarray(drawn, dtype=np.float64), points, table.names[column], level,
            tables.rows_note(len(shown), len(table.values), more),
        ).drawn(ax)  # fmt: skip

    def lines(self) -> list[Floats]:
        """The mean, the ends of the band, and the draws, (m,) each."""
        return [self.mean, self.low, self.high, *self.draws.T]

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = ax = style.new_axes(ax, (4.6, 3.4))
        self.figure_ = ax.figure
        colour = style.look(0)[0]
        ax.fill_between(self.x, self.low, self.high, color=colour, alpha=0.18, linewidth=0, label=f"{self.level:.0%}")
        for k, line in enumerate(self.draws.T):
            ax.plot(self.x, line, color=style.QUIET, linewidth=0.7, label="draws" if k == 0 else None)
        ax.plot(self.x, self.mean, color=colour, linewidth=1.6, label="mean")
        if self.points is not None:
            style.points(ax, self.points[:, 0], self.points[:, 1], 1, len(self.points))
        style.dress(ax, x=style.short(self.name, 40), y="f(x)")
        style.few_digits(ax.yaxis)
        style.legend(ax)
        style.note(ax, self.note)
        return self

    def table(self) -> Columns:
        """One row a place of the column."""
        drawn = {f"draw {k + 1}": line for k, line in enumerate(self.draws.T)}
        return {"x": self.x, "mean": self.mean, "low": self.low, "high": self.high, **drawn}
