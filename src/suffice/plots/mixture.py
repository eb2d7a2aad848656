"""A mixture of Gaussians over two columns: rows coloured by their components, ellipses, and contours of the density."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidParameter
from ..typing import Axes, AxesLike, Floats, TableLike
from . import marginals, style
from .display import Columns, Display

_RADII = (1.0, 2.0)  # of the ellipses, in standard deviations
_INSIDE = (0.98, 0.9, 0.7, 0.4)  # shares of the rows that the contours hold
_GRID = 160  # points of a side


@dataclass(eq=False, repr=False)
class MixtureDisplay(Display):
    """Rows (n, 2), the responsibilities of k components (n, k), and each component's weight, mean and covariance there.

    A row has the mix of its components' colours. Ellipses are one and two standard deviations from the mean; contours
    of the density hold 98, 90, 70 and 40 % of the rows.

    >>> shown = MixtureDisplay(np.zeros((1, 2)), np.ones((1, 1)), [1.0], np.zeros((1, 2)), np.eye(2)[None])
    >>> shown.density(np.zeros((1, 2))).round(4)
    array([0.1592])
    """

    points: Floats
    responsibilities: Floats
    weights: Sequence[float]
    means: Floats
    covariances: Floats
    names: tuple[str, str] = ("x", "y")
    contours: bool = True

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: TableLike,
        columns: tuple[int | str, int | str] = (0, 1),
        ax: AxesLike = None,
        contours: bool = True,
    ) -> Self:
        """Draw a fitted mixture of Gaussians over two columns of X, given by their places or names."""
        known = marginals.known_names(model, X)
        parts = model.mixture_.parts
        if not all(hasattr(part, "spread") for part in parts):
            raise InvalidParameter(f"MixtureDisplay: model must be a mixture of Gaussians; got {model!r}.")
        at = [marginals.place_of(column, known, len(parts[0].mean), cls.__name__) for column in columns]
        across, up = (marginals.name_of(j, known) for j in at)
        rows = np.asarray(X, dtype=np.float64)[:, at]
        means = np.array([part.mean[at] for part in parts])
        covariances = np.array([_matrix(part.spread)[np.ix_(at, at)] for part in parts])
        responsibilities = np.asarray(model.predict_proba(X), dtype=np.float64)
        return cls(rows, responsibilities, tuple(model.weights_), means, covariances, (across, up), contours).drawn(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = style.new_axes(ax)
        self.figure_ = self.ax_.figure
        seen = self.seen()
        size = float(np.clip(6000 / max(1, seen.sum()), 3, 22))
        mixed = style.mixed(self.responsibilities[seen])
        self.ax_.scatter(*self.points[seen].T, c=mixed, s=size, linewidths=0, alpha=0.75, zorder=2)
        self.ax_.margins(0.1)
        self.ax_.autoscale_view()
        limits = self.ax_.get_xlim(), self.ax_.get_ylim()
        if self.contours:
            self._draw_contours(*limits)
        for j, weight in enumerate(self.weights):
            if weight > 0:
                self._draw_component(j, style.look(j)[0])
        self.ax_.set_xlim(limits[0])
        self.ax_.set_ylim(limits[1])
        style.dress(self.ax_, x=style.short(self.names[0], 40), y=style.short(self.names[1], 40))
        self.ax_.grid(visible=False)
        for axis in (self.ax_.xaxis, self.ax_.yaxis):
            style.few_digits(axis)
        return self

    def table(self) -> Columns:
        responsibilities = {f"component {j}": share for j, share in enumerate(self.responsibilities.T)}
        return {self.names[0]: self.points[:, 0], self.names[1]: self.points[:, 1], **responsibilities}

    def density(self, points: Floats) -> Floats:
        """p(x) of points (n, 2) under the mixture of these two columns."""
        total = np.zeros(len(points))
        for weight, mean, covariance in zip(self.weights, self.means, self.covariances, strict=True):
            apart = points - mean
            distance = np.einsum("ni,ni->n", apart, np.linalg.solve(covariance, apart.T).T)
            total += weight * np.exp(-0.5 * distance) / (2 * np.pi * np.sqrt(np.linalg.det(covariance)))
        return total

    def seen(self) -> NDArray[np.bool_]:
        """Which rows have both values, (n,)."""
        return np.asarray(~np.isnan(self.points).any(axis=1))

    def ellipses(self, j: int) -> list[Floats]:
        """The outlines of component j at one and at two standard deviations, (200, 2) each."""
        angle = np.linspace(0, 2 * np.pi, 200)
        values, vectors = np.linalg.eigh(self.covariances[j])
        circle = (np.sqrt(np.maximum(values, 0)) * np.column_stack([np.cos(angle), np.sin(angle)])) @ vectors.T
        return [self.means[j] + radius * circle for radius in _RADII]

    def levels(self) -> Floats:
        """The densities of the contours, rising."""
        return np.unique(np.quantile(self.density(self.points[self.seen()]), [1 - share for share in _INSIDE]))

    def density_grid(self, x: tuple[float, float], y: tuple[float, float], side: int) -> tuple[Floats, Floats, Floats]:
        """The places of a grid over a rectangle, (side,) each, and the density at them; rows are y."""
        across, up = np.linspace(*x, side), np.linspace(*y, side)
        places = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
        return across, up, self.density(places).reshape(side, side)

    def _draw_contours(self, x: tuple[float, float], y: tuple[float, float]) -> None:
        across, up, density = self.density_grid(x, y, _GRID)
        look: dict[str, Any] = {"colors": style.QUIET, "linewidths": 0.6, "alpha": 0.7, "zorder": 1}
        self.ax_.contour(across, up, density, levels=self.levels(), **look)

    def _draw_component(self, j: int, colour: object) -> None:
        for radius, outline in zip(_RADII, self.ellipses(j), strict=True):
            width = 1.6 if radius == min(_RADII) else 0.9
            self.ax_.plot(*outline.T, color=colour, linewidth=width, zorder=3)
        self.ax_.plot(*self.means[j][:, None], "+", color=style.INK, markersize=8, markeredgewidth=1.3, zorder=4)


def _matrix(spread: object) -> Floats:
    """A covariance matrix from one, or from variances."""
    found = np.asarray(spread, dtype=np.float64)
    return np.diag(found) if found.ndim == 1 else found
