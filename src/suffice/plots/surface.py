"""The density of a mixture over two columns, as a surface above its contours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..distributions import Mixture
from ..errors import InvalidData, InvalidParameter
from ..typing import Axes, AxesLike, Floats, TableLike
from . import marginals, style
from .display import Columns, Display

_FLOOR = 0.9  # how far below 0 the contours lie, as a share of the height
_CONTOURS = 8
_AROUND = np.linspace(-3, 3, 7)  # standard deviations about a narrow component, where the grid is finer


@dataclass(eq=False, repr=False)
class SurfaceDisplay(Display):
    """The density at the points of a grid: x (m,), y (p,), and heights (p, m), whose rows are y.

    >>> shown = SurfaceDisplay(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    >>> shown.table()["density"], shown.cells()
    (array([1., 2., 3., 4.]), array([[2.5]]))
    """

    x: Floats
    y: Floats
    density: Floats
    names: tuple[str, str] = ("x", "y")

    @classmethod
    def from_estimator(
        cls,
        model: object,
        X: TableLike,
        columns: tuple[int | str, int | str] = (0, 1),
        *,
        resolution: int = 60,
        ax: AxesLike = None,
    ) -> Self:
        """Draw a fitted mixture over two columns of X, given by their places or names; X gives the range.

        `resolution` is the number of points along a column; narrow components get more. Of more columns it
        is the marginal density of two.
        """
        who = cls.__name__
        if not 2 <= resolution <= 500:
            raise InvalidParameter(f"{who}: resolution={resolution!r} must be from 2 to 500.")
        mixture = marginals.mixture_of(model, who, columns=2)
        known, d = marginals.known_names(model, X), marginals.columns_of(mixture)
        at = [marginals.place_of(column, known, d, who) for column in columns]
        if len(at) != 2 or at[0] == at[1]:
            raise InvalidParameter(f"{who}: columns={columns!r} must be two different columns of {d}.")
        across, up = (_steps(X, mixture, j, marginals.name_of(j, known), resolution, who) for j in at)
        places = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
        density = marginals.weighted_densities(mixture, at, places).sum(axis=0).reshape(len(up), len(across))
        return cls(across, up, density, (marginals.name_of(at[0], known), marginals.name_of(at[1], known))).drawn(ax)

    def cells(self) -> Floats:
        """The mean density of the corners of each cell of the grid, (p − 1, m − 1): the colours of the surface."""
        z = self.density
        return np.asarray((z[:-1, :-1] + z[:-1, 1:] + z[1:, :-1] + z[1:, 1:]) / 4)

    def ridges(self, most: int = 30) -> list[int]:
        """Rows of the grid, evenly, of which a drawing by lines shows the profiles."""
        return [int(row) for row in np.unique(np.linspace(0, len(self.y) - 1, most).astype(int))]

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure, on `ax` if it has three dimensions, or in its place; `ax_` and `figure_` hold them."""
        self.ax_ = drawing = _in_three_dimensions(ax)
        self.figure_ = drawing.figure
        x, y = np.meshgrid(self.x, self.y)
        top = float(self.density.max()) or 1.0
        colours = style.shades(pale="#d6e4ee")
        look: dict[str, object] = {"rstride": 1, "cstride": 1, "cmap": colours}
        drawing.plot_surface(x, y, self.density, linewidth=0, antialiased=False, **look)
        if np.ptp(self.density) > 0:
            levels = np.linspace(0, top, _CONTOURS + 2)[1:-1]
            drawing.contour(x, y, self.density, levels, zdir="z", offset=-_FLOOR * top, cmap=colours, linewidths=1.0)
        drawing.set_zlim(-_FLOOR * top, top)
        self._dress(top)
        return self

    def _dress(self, top: float) -> None:
        ax = self.ax_
        ax.view_init(elev=24, azim=-60)
        ax.set_box_aspect((1, 1, 0.95), zoom=0.9)
        for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
            axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
            axis.set_major_locator(style.few_ticks())
        ax.grid(False)
        for axis in (ax.xaxis, ax.yaxis):
            style.few_digits(axis)
        ax.set_zticks([tick for tick in ax.get_zticks() if 0 <= tick <= 1.001 * top])
        ax.tick_params(colors=style.INK, labelsize=style.SMALL - 1, pad=0)
        words: dict[str, object] = {"fontsize": style.TEXT, "color": style.INK, "labelpad": 2}
        ax.set_xlabel(style.short(self.names[0], 20), **words)
        ax.set_ylabel(style.short(self.names[1], 20), **words)
        ax.set_zlabel("density", **words)
        ax.zaxis.get_offset_text().set_fontsize(style.SMALL)

    def table(self) -> Columns:
        """One row a point of the grid."""
        across, up = np.meshgrid(self.x, self.y)
        return {"x": across.ravel(), "y": up.ravel(), "density": self.density.ravel()}


def _steps(X: TableLike, mixture: Mixture, column: int, name: str, resolution: int, who: str) -> Floats:
    """Places along a column: the range of its values and some room, within the support."""
    support = mixture.supports()[column]
    if support.whole:
        raise InvalidParameter(f"{who}: the column {name!r} holds {support}; a surface needs numbers with a density.")
    cells = marginals.cells_of(X, column, marginals.columns_of(mixture), who)
    values = cells[np.isfinite(cells)]
    if not len(values):
        raise InvalidData(f"{who}: the column {name!r} has no values; choose another.")
    low, high = float(values.min()), float(values.max())
    return marginals.places(low, high, 0.15, mixture, column, resolution, _AROUND)


def _in_three_dimensions(ax: Any) -> Any:
    """Axes with a height: in a new figure, the given one, or one in its place."""
    if ax is None:
        figure = style.pyplot().figure(figsize=(4.8, 3.9), layout="constrained")
        figure.set_label(style.OWN)
        return figure.add_subplot(projection="3d")
    if hasattr(ax, "get_zlim"):
        return ax
    ax.set_axis_off()
    place = ax.get_subplotspec()
    figure = ax.get_figure()
    return (figure.add_axes(ax.get_position(), projection="3d") if place is None
            else figure.add_subplot(place, projection="3d"))  # fmt: skip
