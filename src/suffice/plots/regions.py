"""Decision regions: what a classifier says everywhere in the plane of two columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, cast

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, InvalidParameter
from ..typing import Axes, AxesLike, Floats, Labels, TableLike
from . import style, tables
from .display import Columns, Display


class _Machine(Protocol):
    """A support vector machine for classes."""

    classes_: Labels

    def decision_function(self, X: TableLike) -> Floats: ...


@dataclass(eq=False, repr=False)
class DecisionRegionsDisplay(Display):
    """The predicted class on a grid, paler where the model is less sure, with the rows and their true classes.

    Of more than two columns, two are chosen and the others stand at their means: the picture is a slice. Of a support
    vector machine for two classes it shows the margins, where decisions are ±1, and rings around support vectors.

    >>> codes = np.array([[0, 1], [0, 1]])
    >>> DecisionRegionsDisplay(np.array([0.0, 1.0]), np.array([0.0, 1.0]), codes, ("a", "b")).table()["class"]
    array(['a', 'b', 'a', 'b'], dtype='<U1')
    """

    x: Floats  # (m,)
    y: Floats  # (m,)
    codes: NDArray[np.int64]  # (m, m): rows are y, columns are x
    classes: Sequence[str]
    sure: Floats | None = None  # (m, m): the probability of the predicted class
    lead: Floats | None = None  # (m, m): how far it is above the second
    points: Floats | None = None  # (shown, 2)
    truth: NDArray[np.int64] | None = None  # (shown,)
    names: Sequence[str] = ("x0", "x1")
    note: str = ""
    decision: Floats | None = None  # (m, m): of a support vector machine for two classes
    support: Floats | None = None  # (s, 2): its support vectors

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        X: TableLike,
        y: object = None,
        *,
        columns: tuple[int, int] | None = None,
        names: object = None,
        resolution: int = 200,
        most_rows: int = tables.MOST_ROWS,
        ax: AxesLike = None,
    ) -> Self:
        """A fitted classifier, the rows that span the picture, and their classes where they are known."""
        who = cls.__name__
        if not 2 <= resolution <= 2000:
            raise InvalidParameter(f"{who}: resolution={resolution!r} must be from 2 to 2000.")
        table = tables.read(X, names, who)
        across, up = _two(columns, table.values.shape[1], who)
        x, y_ = (_steps(table.values[:, j], resolution, table.names[j], who) for j in (across, up))
        grid = np.repeat([np.nan_to_num(_means(table.values))], resolution**2, axis=0)
        grid[:, across], grid[:, up] = np.tile(x, resolution), np.repeat(y_, resolution)
        classes = list(np.asarray(tables.fitted(estimator, "classes_", who)).tolist())
        codes, *more = _answers(estimator, tables.like(X, grid), classes)
        sure, lead = (None if part is None else part.reshape(resolution, -1) for part in more)
        decision, support = _margins(cast(_Machine, estimator), tables.like(X, grid), table.values.shape[1])
        shown = tables.some(len(table.values), most_rows)
        slice_note = "" if len(table.names) == 2 else "other columns at their means"
        return cls(
            x, y_, codes.reshape(resolution, -1), [tables.name_of(name) for name in classes], sure, lead,
            table.values[shown][:, [across, up]],
            None if y is None else _codes(np.asarray(y), classes, len(table.values), who)[shown],
            (table.names[across], table.names[up]), tables.rows_note(len(shown), len(table.values), slice_note),
            None if decision is None else decision.reshape(resolution, -1),
            None if support is None else support[:, [across, up]],
        ).drawn(ax)  # fmt: skip

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = ax = style.new_axes(ax, (4.6, 3.8))
        self.figure_ = ax.figure
        ends = self.extent()
        ax.imshow(self._shades(), extent=ends, origin="lower", aspect="auto", interpolation="nearest", zorder=0)
        for k in range(len(self.classes)):
            inside = self.codes == k
            if inside.any() and not inside.all():
                height = np.where(inside, 1.0, -1.0) * (1.0 if self.lead is None else self.lead + 1e-9)
                ax.contour(self.x, self.y, height, [0.0], colors=style.INK, linewidths=0.7, zorder=1)
        for k in range(-1, len(self.classes)):
            if self.points is not None and self.truth is not None:
                own = self.points[self.truth == k]
                style.points(ax, own[:, 0], own[:, 1], k, len(self.points))
        if self.decision is not None:
            ax.contour(
                self.x, self.y, self.decision, [-1.0, 1.0], colors=style.INK, linewidths=0.7, linestyles="dashed"
            )
        if self.support is not None:
            ax.scatter(
                self.support[:, 0],
                self.support[:, 1],
                s=42,
                facecolors="none",
                edgecolors=style.INK,
                linewidths=0.7,
                zorder=3,
            )
        style.dress(ax, x=style.short(self.names[0], 40), y=style.short(self.names[1], 40))
        ax.grid(False)
        ax.set_xlim(ends[:2])
        ax.set_ylim(ends[2:])
        style.group_legend(ax, self.classes)
        style.note(ax, self.note)
        return self

    def table(self) -> Columns:
        """One row a point of the grid."""
        across, up = np.meshgrid(self.x, self.y)
        columns = {"x": across.ravel(), "y": up.ravel(), "class": np.array(self.classes)[self.codes.ravel()]}
        more = {"probability": self.sure, "decision": self.decision}
        return {**columns, **{name: values.ravel() for name, values in more.items() if values is not None}}

    def strength(self) -> Floats:
        """How strong the colour is, (m, m): as sure as the answer is beyond chance."""
        if self.sure is None:
            return np.full(self.codes.shape, 0.25)
        chance = 1 / max(2, len(self.classes))
        return np.asarray(0.06 + 0.28 * np.clip((self.sure - chance) / (1 - chance), 0, 1))

    def extent(self) -> tuple[float, float, float, float]:
        """The ends of the grid: left, right, bottom, top, half a step beyond its points."""
        right, up = (self.x[1] - self.x[0]) / 2, (self.y[1] - self.y[0]) / 2
        return self.x[0] - right, self.x[-1] + right, self.y[0] - up, self.y[-1] + up

    def _shades(self) -> Floats:
        """Colours mixed with white."""
        from matplotlib.colors import to_rgb

        colours = np.array([to_rgb(style.look(k)[0]) for k in range(len(self.classes))])[self.codes]  # (m, m, 3)
        return np.asarray(1 - self.strength()[..., None] * (1 - colours))


def _two(columns: Any, d: int, who: str) -> tuple[int, int]:
    chosen = (0, 1) if columns is None else tuple(columns)
    if d < 2:
        raise InvalidData(f"{who}: the table has {d} column; a plane needs 2.")
    if len(chosen) != 2 or not all(isinstance(j, int) and 0 <= j < d for j in chosen) or chosen[0] == chosen[1]:
        raise InvalidParameter(f"{who}: columns={columns!r} must be two different places from 0 to {d - 1}.")
    return chosen[0], chosen[1]


def _steps(values: Floats, resolution: int, name: str, who: str) -> Floats:
    known = values[np.isfinite(values)]
    if not len(known):
        raise InvalidData(f"{who}: column {name!r} has no values; choose two others with columns=(i, j).")
    low, high = known.min(), known.max()
    room = 0.06 * (high - low) if high > low else 0.5
    return np.linspace(low - room, high + room, resolution)


def _means(values: Floats) -> Floats:
    known = np.isfinite(values)
    return np.asarray(np.where(known, values, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1))


def _answers(
    estimator: Any, grid: Any, classes: list[object]
) -> tuple[NDArray[np.int64], Floats | None, Floats | None]:
    """For each row the code of its class, the probability of it, and how far that is above the second."""
    if hasattr(estimator, "predict_proba"):
        probability = np.asarray(estimator.predict_proba(grid), dtype=float)
        best = np.sort(probability, axis=1)
        lead = best[:, -1] - best[:, -2] if best.shape[1] > 1 else best[:, -1]
        return probability.argmax(axis=1), best[:, -1], lead
    place = {name: k for k, name in enumerate(classes)}
    return np.array([place[name] for name in np.asarray(estimator.predict(grid)).tolist()]), None, None


def _margins(estimator: _Machine, grid: TableLike, d: int) -> tuple[Floats | None, Floats | None]:
    """Decisions and support vectors of a machine for two classes."""
    support = getattr(estimator, "support_vectors_", None)  # also asked of models that have none
    if not isinstance(support, np.ndarray) or support.shape[1:] != (d,) or len(estimator.classes_) != 2:
        return None, None
    return np.asarray(estimator.decision_function(grid), dtype=float), np.asarray(support, dtype=float)


def _codes(y: Labels, classes: list[object], n: int, who: str) -> NDArray[np.int64]:
    """The place of each class among those of the model; -1 for one that it does not know."""
    if y.shape != (n,):
        raise InvalidData(f"{who}: there are {n} rows but classes of shape {y.shape}; give one class a row.")
    place = {name: k for k, name in enumerate(classes)}
    return np.array([place.get(name, -1) for name in y.tolist()], dtype=np.int64)
