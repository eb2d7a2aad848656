"""Loadings: how much each column has to do with each axis or factor, as a coloured table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..errors import InvalidParameter
from ..typing import Axes, AxesLike, Floats
from . import style, tables
from .display import Columns, Display


@dataclass(eq=False, repr=False)
class LoadingsDisplay(Display):
    """A matrix of loadings, blue above zero and vermilion below, with the figures where there is room.

    >>> LoadingsDisplay(np.array([[0.6, -0.8]]), ("width",)).table()["axis 2"]
    array([-0.8])
    """

    loadings: Floats  # (d, k)
    names: Sequence[str]
    axes: Sequence[str] | None = None
    note: str = ""

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, names: object = None, scaled: bool = False, most: int = 40, ax: AxesLike = None
    ) -> Self:
        """Anything with `components_`, (k, d): a PCA, a factor analysis. `scaled` multiplies each axis by its
        standard deviation; of many columns those with the largest loadings are shown."""
        who = cls.__name__
        V = np.asarray(tables.fitted(estimator, "components_", who), dtype=float).T  # (d, k)
        if scaled:
            if getattr(estimator, "explained_variance_", None) is None:
                raise InvalidParameter(
                    f"{who}: scaled=True needs explained_variance_; {type(estimator).__name__} has none."
                )
            V = V * np.sqrt(estimator.explained_variance_)
        known = names if names is not None else tables.names_of(estimator, len(V))
        known = tables.column_names(known, len(V), who)
        kept = np.sort(np.argsort(-np.abs(V).max(axis=1), kind="stable")[:most])
        few = V[kept][:, : min(V.shape[1], most)]
        note = "" if len(kept) == len(V) else f"{len(kept):,} of {len(V):,} columns"
        return cls(few, [known[j] for j in kept], None, note).drawn(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        d, k = self.loadings.shape
        self.ax_ = axes = style.new_axes(ax, (min(1.8 + 0.55 * k, 9.0), min(0.7 + 0.26 * d, 9.0)))
        self.figure_ = axes.figure
        top = float(np.nanmax(np.abs(self.loadings), initial=0.0)) or 1.0
        axes.imshow(self.loadings, cmap=style.diverging(), vmin=-top, vmax=top, aspect="auto", interpolation="nearest")
        style.dress(axes)
        style.matrix_axes(axes)
        axes.xaxis.tick_top()
        style.names_below(
            axes, self.axis_names() if k <= 4 else [name.removeprefix("axis ") for name in self.axis_names()]
        )
        style.names_beside(axes, self.names)
        if k > 4 and self.axes is None:
            axes.set_title("axis", fontsize=style.SMALL, loc="left")
        if k <= 15:
            for (i, j), value in np.ndenumerate(self.loadings):
                words = {"ha": "center", "va": "center", "fontsize": 7.0, "color": style.ink_on(abs(value) / top)}
                axes.text(j, i, style.number(value), **words)
        axes.set_xlabel(self.note, fontsize=style.SMALL, color=style.QUIET)
        return self

    def table(self) -> Columns:
        """One row a column of the data, and a column an axis."""
        return {"name": np.array(self.names), **dict(zip(self.axis_names(), self.loadings.T, strict=True))}

    def axis_names(self) -> list[str]:
        """The names of the axes: axis 1, axis 2, … where none were given."""
        k = self.loadings.shape[1]
        return [f"axis {j + 1}" for j in range(k)] if self.axes is None else list(self.axes)
