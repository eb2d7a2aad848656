"""Intervals of scores: models side by side, and what each is better or worse than the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..errors import InvalidData
from ..typing import Axes, AxesLike
from . import style
from .display import Columns, Display

Numbers = Sequence[float]


@dataclass(frozen=True, eq=False)
class Against:
    """Differences of models from one of them, with intervals; NaN for itself. Up to `zone` they do not matter."""

    name: str
    differences: Numbers
    low: Numbers
    high: Numbers
    zone: float = 0.0


@dataclass(eq=False, repr=False)
class IntervalsDisplay(Display):
    """A row a model: its score with an interval, the scores of folds, and beside it the difference from another model.

    In the panel of differences the grey band holds those that do not matter in practice. Dashes are the score of a
    model that knows nothing, diamonds the scores of training rows.

    >>> IntervalsDisplay(("a", "b"), (0.9, 0.8), (0.85, 0.7), (0.95, 0.9), "accuracy").table()["value"]
    array([0.9, 0.8])
    """

    names: Sequence[str]
    values: Numbers
    low: Numbers
    high: Numbers
    measure: str = "score"
    against: Sequence[Against] = ()
    folds: Sequence[Numbers] | None = None  # the scores of each model's folds
    reference: float | None = None  # the score of a model that knows nothing
    training: Numbers | None = None  # each model's score of the rows it learned from

    def __post_init__(self) -> None:
        lengths = {len(each) for each in (self.names, self.values, self.low, self.high)}
        lengths |= set() if self.training is None else {len(self.training)}
        lengths |= {len(each) for other in self.against for each in (other.differences, other.low, other.high)}
        if len(lengths) != 1 or 0 in lengths:
            raise InvalidData(
                f"IntervalsDisplay: names, values and ends of intervals have {sorted(lengths)} entries; "
                "give one of each a model, at least one."
            )

    @classmethod
    def from_comparison(cls, comparison: Any, *, dummy: bool = False, ax: AxesLike = None) -> Self:
        """What `compare` found, best first; with `dummy` also the differences from the model that knows nothing."""
        rows, measure = comparison.table(), comparison.measure.name
        names = [row["model"] for row in rows]
        wanted = [("best", comparison.best)] + ([("dummy", "dummy")] if dummy and "dummy" in names else [])
        against = [
            Against(
                name,
                _column(rows, f"difference_to_{to}"),
                _column(rows, f"low_to_{to}"),
                _column(rows, f"high_to_{to}"),
                comparison.zone,
            )
            for to, name in wanted
        ]
        values, low, high = (_column(rows, key) for key in ("value", "low", "high"))
        folds = [comparison.evaluations[name].scores[measure] for name in names]
        reference = values[names.index("dummy")] if "dummy" in names else None
        training = _column(rows, "training") if comparison.has_training else None
        return cls(names, values, low, high, measure, against, folds, reference, training).drawn(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure, or within the frame of `ax`; `ax_` holds the panels."""
        height = 0.8 + 0.28 * len(self.names)
        width = 3.2 if self.against else 4.6
        self.ax_ = style.grid(1, 1 + len(self.against), ax, (width, height))[0]
        self.figure_ = self.ax_[0].figure
        first, *others = self.ax_
        if self.reference is not None:
            first.axvline(self.reference, color=style.QUIET, linewidth=0.8, linestyle=style.DASHED, zorder=1)
        self._rows(first, self.values, self.low, self.high)
        if self.training is not None:
            places = np.arange(len(self.training)) - 0.22
            first.plot(self.training, places, "D", color=style.COLOURS[1], markersize=4, zorder=4)
        style.dress(first, x=style.short(self.measure, 40).replace("_", " "))
        style.names_beside(first, self.names, 28)
        for panel, other in zip(others, self.against, strict=True):
            panel.axvspan(-other.zone, other.zone, color=style.FAINT, linewidth=0, zorder=0)
            panel.axvline(0, color=style.QUIET, linewidth=0.8, zorder=1)
            self._rows(panel, other.differences, other.low, other.high)
            style.dress(panel, x=f"difference from {style.short(other.name)}")
            panel.set_yticks(range(len(self.names)), [""] * len(self.names))
        for panel in self.ax_:
            panel.grid(False)
            panel.grid(axis="x", color=style.FAINT, linewidth=0.6)
            panel.set_ylim(len(self.names) - 0.4, -0.6)
            panel.tick_params(axis="y", length=0)
            style.few_digits(panel.xaxis)
        return self

    def table(self) -> Columns:
        """One row a model."""
        columns = {"name": np.array(self.names), "value": self.values, "low": self.low, "high": self.high}
        columns |= {} if self.training is None else {"training": self.training}
        for other in self.against:
            ends = {"difference": other.differences, "low": other.low, "high": other.high}
            columns |= {f"{key} from {other.name}": values for key, values in ends.items()}
        return {key: np.asarray(values) for key, values in columns.items()}

    def _rows(self, ax: Axes, values: Numbers, low: Numbers, high: Numbers) -> None:
        for y, (value, left, right) in enumerate(zip(values, low, high, strict=True)):
            if ax is self.ax_[0] and self.folds is not None:
                scores = np.asarray(self.folds[y], dtype=float)
                look = {"s": 8, "color": style.QUIET, "alpha": 0.6, "linewidths": 0, "zorder": 2}
                ax.scatter(scores, np.full(len(scores), y + 0.22), **look)
            if np.isfinite(value):
                if np.isfinite([left, right]).all():
                    ax.plot([left, right], [y, y], color=style.COLOURS[0], linewidth=1.6, zorder=3)
                ax.plot([value], [y], "o", color=style.COLOURS[0], markersize=5, zorder=4)
            elif ax is not self.ax_[0]:
                ax.text(0, y, "–", ha="center", va="center", color=style.QUIET, fontsize=style.SMALL)


def _column(rows: Sequence[dict[str, Any]], key: str) -> list[float]:
    return [np.nan if row[key] is None else float(row[key]) for row in rows]
