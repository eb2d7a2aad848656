"""A map: the places of rows, coloured by class or by a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..typing import Axes, AxesLike, Floats, NumberLike, TargetLike
from . import style, tables
from .display import Columns, Display

_STEPS = 8  # of a column's values, from the least to the largest


@dataclass(eq=False, repr=False)
class EmbeddingDisplay(Display):
    """Rows where a map puts them, in equal units: in the colour of their class, or darker the larger a column is.

    With `labels` each row has its name beside it, as far as names do not cover each other.

    >>> shown = EmbeddingDisplay(np.array([[0.0, 1.0], [2.0, 0.0]]), codes=np.array([0, 1]), groups=("a", "b"))
    >>> shown.table()["group"]
    array(['a', 'b'], dtype=object)
    """

    places: Floats  # (shown, 2)
    names: Sequence[str] = ("coordinate 1", "coordinate 2")
    codes: NDArray[np.int64] | None = None  # (shown,)
    groups: Sequence[str] = ("",)
    values: Floats | None = None  # (shown,), of a column; NaN where it is missing
    column: str = ""
    note: str = ""
    labels: Sequence[str] | None = None  # (shown,), the names of the rows

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        groups: TargetLike = None,
        values: NumberLike | None = None,
        column: str = "",
        labels: Sequence[object] | None = None,
        components: tuple[int, int] = (0, 1),
        ax: AxesLike = None,
    ) -> Self:
        """A fitted map, with a class or a number for each row of the fit, and their names."""
        places = tables.fitted(estimator, "embedding_", cls.__name__)
        return cls.from_places(
            places, groups=groups, values=values, column=column, labels=labels, components=components, ax=ax
        )

    @classmethod
    def from_places(
        cls,
        Z: NumberLike,
        *,
        groups: TargetLike = None,
        values: NumberLike | None = None,
        column: str = "",
        labels: Sequence[object] | None = None,
        components: tuple[int, int] = (0, 1),
        most_rows: int = tables.MOST_ROWS,
        ax: AxesLike = None,
    ) -> Self:
        """Places (n, k) of any map; one with a single coordinate is drawn as a line of dots."""
        who = cls.__name__
        Z = np.asarray(Z, dtype=np.float64)
        if Z.ndim != 2 or not len(Z) or not np.isfinite(Z).all():
            raise InvalidData(f"{who}: places must be rows of finite numbers, (n, k); got shape {Z.shape}.")
        if groups is not None and values is not None:
            raise InvalidData(f"{who}: rows have one colour; give groups or values, not both.")
        if labels is not None and len(labels) != len(Z):
            raise InvalidData(f"{who}: labels has {len(labels)} names; one for each of {len(Z)} rows is needed.")
        i, j = components
        if not 0 <= i < max(2, Z.shape[1]) or not 0 <= j < max(2, Z.shape[1]):
            raise InvalidData(f"{who}: components must be two of the {Z.shape[1]} coordinates; got {components!r}.")
        Z = np.pad(Z, ((0, 0), (0, max(0, 2 - Z.shape[1]))))
        known, shown = tables.groups(groups, len(Z), who), tables.some(len(Z), most_rows)
        numbers = None if values is None else _numbers(values, len(Z), who)[shown]
        names = f"coordinate {i + 1}", f"coordinate {j + 1}"
        return cls(
            Z[shown][:, [i, j]], names, known.codes[shown], known.names, numbers, column,
            tables.rows_note(len(shown), len(Z)), None if labels is None else [str(labels[at]) for at in shown],
        ).drawn(ax)  # fmt: skip

    def group_codes(self) -> NDArray[np.int64]:
        """The group of each row that is shown; the only one where there are none."""
        return tables.codes_or_zeros(self.codes, len(self.places))

    def shades(self) -> Floats:
        """How dark each row is, from 0 to 1 in steps, by its rank among the values; NaN where its value is missing."""
        assert self.values is not None
        out, known = np.full(len(self.values), np.nan), np.isfinite(self.values)
        distinct, place = np.unique(self.values[known], return_inverse=True)
        last = max(1, len(distinct) - 1)
        out[known] = np.rint(place.ravel() / last * _STEPS) / _STEPS
        return out

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = ax = style.new_axes(ax, (4.4, 3.8))
        self.figure_ = ax.figure
        x, y = self.places.T
        if self.values is None:
            codes = self.group_codes()
            for k in np.unique(codes).tolist():
                style.points(ax, x[codes == k], y[codes == k], k, len(x))
        else:
            shade = self.shades()
            known = np.isfinite(shade)
            style.points(ax, x[~known], y[~known], -1, len(x))
            look = {"c": shade[known], "cmap": style.shades(pale="#cfe3f1"), "vmin": 0, "vmax": 1, "linewidths": 0.0}
            ax.scatter(x[known], y[known], s=14.0 if len(x) <= 300 else 6.0, zorder=2.0, **look)
        style.dress(ax, x=self.names[0], y=self.names[1])
        ax.set_aspect("equal", adjustable="datalim")
        ax.grid(False)
        style.note(ax, self.remark())
        if self.values is None:
            style.group_legend(ax, self.groups)
        self._name()
        return self

    def _name(self) -> None:
        """Names beside the rows, those far from the middle first."""
        if self.labels is None:
            return
        self.ax_.margins(x=0.16)
        look = {"textcoords": "offset points", "va": "center", "fontsize": style.SMALL, "color": style.INK, "zorder": 3}
        style.without_overlap(
            self.ax_,
            [self.ax_.annotate(style.short(self.labels[i]), self.places[i], (4, 0), **look) for i in self.outermost()],
        )

    def outermost(self) -> NDArray[np.int64]:
        """The rows in the order in which their names are drawn: those far from the middle first."""
        away = np.hypot(*(self.places - self.places.mean(axis=0)).T)
        return np.argsort(-away, kind="stable")

    def remark(self) -> str:
        """What the colours mean, and how many rows are shown."""
        if self.values is None or not np.isfinite(self.values).any():
            return self.note
        low, high = np.nanmin(self.values), np.nanmax(self.values)
        said = f"dark: {self.column or 'large'}, {low:.3g} to {high:.3g}"
        return ", ".join(part for part in (said, self.note) if part)

    def table(self) -> Columns:
        """One row a place."""
        columns: dict[str, Any] = {"x": self.places[:, 0], "y": self.places[:, 1]}
        if self.labels is not None:
            columns = {"name": np.array(self.labels, dtype=object)} | columns
        if self.values is not None:
            return columns | {self.column or "value": self.values}
        return columns | {"group": np.array(self.groups, dtype=object)[self.group_codes()]}


def _numbers(values: NumberLike, n: int, who: str) -> Floats:
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidData(f"{who}: values must be numbers; give classes as groups.") from None
    if found.shape != (n,):
        raise InvalidData(f"{who}: values has the shape {found.shape}; one number for each of {n} rows is needed.")
    return np.where(np.isfinite(found), found, np.nan)
