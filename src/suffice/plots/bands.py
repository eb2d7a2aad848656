"""Lines with bands: what a figure is along another, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from ..errors import InvalidData
from ..typing import ArrayLike, Axes, AxesLike, Floats, Whole
from . import style
from .display import Columns, Display


@dataclass(frozen=True, eq=False)
class Band:
    """A line through (x, y), and the ends of its band, where it has one; NaN where nothing is known."""

    name: str
    x: Sequence[float] | Floats
    y: Sequence[float] | Floats
    low: Sequence[float] | Floats | None = None
    high: Sequence[float] | Floats | None = None
    dashed: bool = False


class Steps(Protocol):
    """What a search for columns says, such as a `SelectionPath`."""

    @property
    def measure(self) -> str: ...
    @property
    def chosen(self) -> int: ...
    @property
    def value(self) -> Floats: ...
    @property
    def sizes(self) -> Whole: ...
    @property
    def standard_error(self) -> Floats: ...


class Named(Protocol):
    """A measure."""

    @property
    def name(self) -> str: ...


class Queries(Protocol):
    """What a learner is worth after each label, such as a `QueryCurve`."""

    @property
    def labels(self) -> Whole: ...
    @property
    def values(self) -> Mapping[str, Floats]: ...
    @property
    def measure(self) -> Named: ...


@dataclass(eq=False, repr=False)
class BandsDisplay(Display):
    """Lines with bands over one axis: curves of learning and validation, of selections, of bias and variance.

    With `log` places are the logarithms of x to base 10; with `ticks` x counts from 0 and each place has a name. A thin
    line stands at `marked`, what was chosen.

    >>> shown = BandsDisplay([Band("new rows", [10, 20], [0.5, 0.4], [0.4, 0.35], [0.6, 0.45])], "rows", "error")
    >>> shown.table()["low"]
    array([0.4 , 0.35])
    """

    bands: Sequence[Band]
    x_name: str
    y_name: str
    marked: float | None = None
    log: bool = False
    ticks: Sequence[str] = ()
    note: str = ""

    def __post_init__(self) -> None:
        for band in self.bands:
            ends = [band.x, band.y, *(end for end in (band.low, band.high) if end is not None)]
            if len({len(end) for end in ends}) > 1 or (band.low is None) != (band.high is None):
                raise InvalidData(f"BandsDisplay: {band.name!r} needs x, y and both ends of its band of one length.")
        if self.log and any(np.any(np.asarray(band.x, dtype=float) <= 0) for band in self.bands):
            raise InvalidData("BandsDisplay: logarithms need x above 0; leave log out.")

    @classmethod
    def from_selection(cls, path: Steps, *, ax: AxesLike = None) -> Self:
        """A `SelectionPath`: the measure over the number of columns, within one standard error."""
        error = path.standard_error
        line = Band(path.measure, path.sizes.astype(np.float64), path.value, path.value - error, path.value + error)
        chosen = int(path.sizes[path.chosen])
        return cls([line], "columns", path.measure, chosen, note=f"chosen: {chosen}").drawn(ax)

    @classmethod
    def from_learning(cls, curve: Any, *, ax: AxesLike = None) -> Self:
        """A `LearningCurve`: the measure of training rows and of new rows over the number of rows, within one standard
        error."""
        lines = [
            _within("new rows", curve.rows, curve.value, curve.error),
            _within("training rows", curve.rows, curve.training, curve.training_error),
        ]
        return cls(lines, "rows learned from", curve.measure.name, log=True).drawn(ax)

    @classmethod
    def from_validation(cls, curve: Any, *, ax: AxesLike = None) -> Self:
        """A `ValidationCurve`: the measure of training rows and of new rows over a parameter, the best value marked."""
        x, names, log = _along(curve.values, curve.is_logarithmic)
        lines = [
            _within("new rows", x, curve.value, curve.error),
            _within("training rows", x, curve.training, curve.training_error),
        ]
        best = float(x[curve.candidates.index(curve.best)])
        return cls(lines, curve.knob.name, curve.measure.name, best, log, names).drawn(ax)

    @classmethod
    def from_decomposition(cls, curve: Any, *, ax: AxesLike = None) -> Self:
        """A `DecompositionCurve`: error, bias, variance and noise over a parameter, the least error marked."""
        table, knob = curve.table(), curve.knob.name
        x, names, log = _along(curve.values, _spans(curve.values))
        terms = [name for name in ("error", *table[0]) if name not in (knob, "error")]
        lines = [Band(name, x, np.array([row[name] for row in table])) for name in ("error", *terms)]
        note = f"least error at {curve.values[curve.best]}"
        return cls(lines, knob, "error", float(x[curve.best]), log, names, note).drawn(ax)

    @classmethod
    def from_queries(cls, curve: Queries, *, ax: AxesLike = None) -> Self:
        """A `QueryCurve`: means over repeats after each number of labels; within the bands are 80 % of the repeats."""
        lines = []
        for name, values in curve.values.items():
            low, high = np.quantile(values, (0.1, 0.9), axis=0)
            lines.append(Band(name.replace("_", " "), curve.labels.astype(np.float64), values.mean(axis=0), low, high))
        return cls(lines, "labels", curve.measure.name).drawn(ax)

    def places(self, x: ArrayLike) -> Floats:
        """Where numbers stand across."""
        found = np.asarray(x, dtype=float)
        return np.log10(found) if self.log else found

    @property
    def x_words(self) -> str:
        """What stands below the axis."""
        return f"log₁₀ {self.x_name}" if self.log else self.x_name

    def _counts(self) -> bool:
        """Whether x are whole numbers, and shown as they are."""
        return not self.log and all(np.all(np.mod(np.asarray(band.x, dtype=float), 1) == 0) for band in self.bands)

    def ends(self) -> Iterator[tuple[int, Band, Floats, Floats]]:
        """The bands that have ends: their number, themselves, low and high."""
        for k, band in enumerate(self.bands):
            if band.low is not None and band.high is not None:
                yield k, band, np.asarray(band.low, dtype=float), np.asarray(band.high, dtype=float)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        made = self.ax_ = style.new_axes(ax, (5.0, 3.2))
        self.figure_ = made.figure
        for k, band, low, high in self.ends():
            colour = style.COLOURS[k % len(style.COLOURS)]
            made.fill_between(self.places(band.x), low, high, color=colour, alpha=0.16, linewidth=0)
        for k, band in enumerate(self.bands):
            look = style.line(k) | ({"linestyle": style.DASHED} if band.dashed else {})
            dots = {"marker": "o", "markersize": 3} if len(band.x) <= 30 else {}
            made.plot(self.places(band.x), np.asarray(band.y, dtype=float), label=band.name, **look, **dots)
        if self.marked is not None:
            made.axvline(
                float(self.places(self.marked)), color=style.QUIET, linewidth=0.9, linestyle=style.DASHED, zorder=1
            )
        style.dress(made, x=self.x_words, y=self.y_name)
        if self.ticks:
            style.names_below(made, self.ticks, 16)
        else:
            made.xaxis.set_major_locator(style.few_ticks(6, integer=self._counts()))
            style.few_digits(made.xaxis)
        style.few_digits(made.yaxis)
        style.note(made, self.note)
        if len(self.bands) > 1:
            style.legend(made)
        return self

    def table(self) -> Columns:
        """One row a place of a line."""
        sizes = [len(band.x) for band in self.bands]
        columns: Columns = {"name": np.repeat(np.array([band.name for band in self.bands], dtype=object), sizes)}
        for name in ("x", "y", "low", "high"):
            ends = [getattr(band, name) for band in self.bands]
            parts = [
                np.full(n, np.nan) if e is None else np.asarray(e, float) for n, e in zip(sizes, ends, strict=True)
            ]
            columns[name] = np.concatenate(parts)
        return columns


def _within(name: str, x: Floats, y: Floats, error: Floats) -> Band:
    """A line within one standard error."""
    return Band(name, x, y, y - error, y + error)


def _along(values: Sequence[object], log: bool) -> tuple[Floats, tuple[str, ...], bool]:
    """Where values stand: numbers where they are, others one after the other, with names."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return np.array(values, dtype=float), (), log
    return np.arange(len(values), dtype=float), tuple(str(value) for value in values), False


def _spans(values: Sequence[object]) -> bool:
    """Whether all values are numbers above 0, many times apart."""
    numbers = [value for value in values if isinstance(value, int | float) and value > 0]
    return len(numbers) == len(values) and max(numbers) >= 20 * min(numbers)
