"""A mixture over one column: the histogram of the rows, the density, and what each component adds to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..data.validate import check_weight
from ..distributions import Mixture
from ..errors import InvalidData, InvalidParameter
from ..typing import Axes, AxesLike, Floats, TableLike, WeightLike
from . import marginals, style, tables
from .display import Columns, Display
from .histogram import MOST_BINS, bin_edges, whole_edges

_STEPS = 300  # points of a curve
_AROUND = np.linspace(-4, 4, 49)  # standard deviations from the mean of a component, where its curve has more points
_MOST_MARKERS = 60  # whole numbers, up to which each has a marker


@dataclass(eq=False, repr=False)
class DensityDisplay(Display):
    """A histogram of the rows as a density, and at places x (m,) the curve πⱼ p(x | θⱼ) of each component, (k, m).

    The sum of the curves is the density of the mixture. Where the column holds `whole` numbers, it has probabilities,
    at these numbers only.

    >>> ends = np.array([0.0, 1.0])
    >>> shown = DensityDisplay("age", ends, np.ones(1), ends, np.ones((2, 2)), (0.5, 0.5))
    >>> shown.density()
    array([2., 2.])
    """

    name: str
    edges: Floats  # (b + 1,)
    heights: Floats  # (b,): the fraction of the rows in a bin, divided by its width
    x: Floats  # (m,)
    components: Floats  # (k, m)
    weights: Sequence[float]  # (k,)
    whole: bool = False
    note: str = ""

    @classmethod
    def from_estimator(
        cls,
        model: object,
        X: TableLike,
        column: int | str = 0,
        *,
        sample_weight: WeightLike = None,
        bins: int | None = None,
        ax: AxesLike = None,
    ) -> Self:
        """Draw a fitted mixture of any family over a column of X, given by its place or name.

        Of several columns it is the marginal density, and missing cells of the column are left out.
        """
        who = cls.__name__
        if bins is not None and not 1 <= bins <= 1000:
            raise InvalidParameter(f"{who}: bins={bins!r} must be from 1 to 1000, or None for a rule.")
        mixture = marginals.mixture_of(model, who)
        known, d = marginals.known_names(model, X), marginals.columns_of(mixture)
        at = marginals.place_of(column, known, d, who)
        cells = marginals.cells_of(X, at, d, who)
        weight = np.ones(len(cells)) if sample_weight is None else check_weight(sample_weight, len(cells), who)
        here = np.isfinite(cells) & (weight > 0)
        name = marginals.name_of(at, known)
        if not here.any():
            raise InvalidData(f"{who}: the column {name!r} has no values with a weight above 0; choose another.")
        values, support = cells[here], mixture.supports()[at]
        edges = _edges(values, mixture, at, bins, support.whole)
        x = _places(edges, mixture, at, support.whole)
        heights = np.histogram(values, edges, weights=weight[here], density=True)[0]
        curves = marginals.weighted_densities(mixture, [at], x[:, None])
        note = tables.rows_note(len(values), len(cells))
        return cls(name, edges, heights, x, curves, tuple(mixture.weights), support.whole, note).drawn(ax)

    def density(self) -> Floats:
        """p(x) of the mixture, (m,)."""
        return np.asarray(self.components.sum(axis=0))

    def shown(self) -> list[int]:
        """The components that have a weight."""
        return [j for j, weight in enumerate(self.weights) if weight > 0]

    def label(self, j: int) -> str:
        """A component and its weight."""
        return f"component {j}: {100 * self.weights[j]:.3g} %"

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = ax = style.new_axes(ax, (5.0, 3.2))
        self.figure_ = ax.figure
        bars: dict[str, Any] = {"color": "#dddddd", "edgecolor": "white", "linewidth": 0.5, "zorder": 1}
        ax.bar(self.edges[:-1], self.heights, np.diff(self.edges), align="edge", **bars)
        marker = {"marker": "o", "markersize": 3.0} if self.whole and len(self.x) <= _MOST_MARKERS else {}
        if len(self.shown()) > 1:  # below the components, so that both are seen where only one of them counts
            ax.plot(self.x, self.density(), color=style.INK, linewidth=2.8, zorder=2.5, label="mixture")
        for j in self.shown():
            look: dict[str, Any] = {**style.line(j), **marker, "label": self.label(j)}
            if not self.whole:
                ax.fill_between(self.x, self.components[j], color=look["color"], alpha=0.12, linewidth=0, zorder=2)
            ax.plot(self.x, self.components[j], zorder=3, **look)
        style.dress(ax, x=style.short(self.name, 40), y="probability" if self.whole else "density")
        ax.set_xlim(min(self.edges[0], self.x[0]), max(self.edges[-1], self.x[-1]))
        ax.set_ylim(bottom=0)
        if self.whole:
            ax.xaxis.set_major_locator(style.few_ticks(9, integer=True))
        style.few_digits(ax.xaxis)
        style.legend(ax)
        style.note(ax, self.note)
        return self

    def table(self) -> Columns:
        """One row a place."""
        curves = {f"component {j}": curve for j, curve in enumerate(self.components)}
        return {"x": self.x, "density": self.density(), **curves}


def _edges(values: Floats, mixture: Mixture, column: int, bins: int | None, whole: bool) -> Floats:
    """√n bins, since quartiles give too few for several modes; about one value a bin as wide as the mixture."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        spread = None if whole else marginals.moments_in(mixture, column)
        edges = low + (0.0 if spread is None else 1.25 * spread[1]) * np.array([-1.0, 1.0])
        return np.asarray(edges) if edges[0] < low < edges[1] else bin_edges(values)
    wanted = bins or int(np.ceil(np.clip(np.sqrt(len(values)), 5, MOST_BINS)))
    few = max(abs(low), abs(high)) < 1e9
    if few and (whole or (bins is None and np.all(values == np.floor(values)))):
        return whole_edges(int(low), int(high), wanted)
    return bin_edges(values, wanted)


def _places(edges: Floats, mixture: Mixture, column: int, whole: bool) -> Floats:
    """Places of the curves: beyond the bins by some room, or the whole numbers in them, some of very many."""
    low, high = float(edges[0]), float(edges[-1])
    if not whole:
        return marginals.places(low, high, 0.8 if len(edges) == 2 else 0.08, mixture, column, _STEPS, _AROUND)
    low, high = np.ceil(low) + 0.0, np.floor(high)  # no -0
    if high - low < 2 * _STEPS:
        return np.arange(low, high + 1)
    return np.unique(np.rint(marginals.places(low, high, 0.0, mixture, column, 2 * _STEPS, _AROUND)))
