"""Clusters in the plane: rows in the colours of their clusters, the centres, and the cells nearest to each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, InvalidParameter
from ..typing import Axes, AxesLike, Floats, NumberLike, TableLike, TargetLike
from . import style, tables
from .display import Columns, Display
from .plane import Plane

NOISE = -1
_STRAIGHT = ("euclidean", "l2", "sqeuclidean", "nan_euclidean")  # whose cells are those of Voronoi


@dataclass(eq=False, repr=False)
class ClusterDisplay(Display):
    """Rows by cluster, centres as white discs with numbers; with two columns the Voronoi cells of the centres.

    Cells are drawn where clusters are cells: where every row belongs to the nearest centre by Euclidean distance. Rows
    with more columns are seen along the two directions of their largest variance; the cells of that plane are not those
    of the clusters, so none are drawn. The label -1 is noise. With responsibilities each row has the mix of the colours
    of its clusters, and there are no cells, since a row is not of one alone.

    >>> shown = ClusterDisplay(np.array([[0.0, 0.0], [4.0, 1.0]]), np.array([0, 1]), np.array([[0.0, 0.0], [4.0, 1.0]]))
    >>> shown.table()["rows"], len(shown.cells())
    (array([1, 1]), 2)
    """

    points: Floats  # (shown, 2)
    labels: NDArray[np.generic]  # (shown,)
    centers: Floats | None = None  # (k, 2), in the order of the labels 0, 1, …
    names: Sequence[str] = ("x0", "x1")
    voronoi: bool = True
    note: str = ""
    responsibilities: Floats | None = None  # (shown, k): how much of each row belongs to each cluster

    @classmethod
    def from_estimator(
        cls, estimator: object, X: TableLike, *, soft: bool | None = None, ax: AxesLike = None, **drawing: Any
    ) -> Self:
        """A fitted clustering and rows: labels by `predict`, or `labels_` of the rows that it was fitted on.

        Colours are mixed by `predict_proba` where there is one (`SoftKMeans`, mixtures), unless `soft` is False.
        """
        who = cls.__name__
        if soft and not hasattr(estimator, "predict_proba"):
            raise InvalidParameter(f"{who}: {type(estimator).__name__} has no predict_proba; leave soft=True out.")
        shares = estimator.predict_proba(X) if soft is not False and hasattr(estimator, "predict_proba") else None
        labels = tables.labels_of(estimator, X, who)
        centers = next((getattr(estimator, a) for a in ("cluster_centers_", "means_") if hasattr(estimator, a)), None)
        drawing.setdefault(
            "voronoi", hasattr(estimator, "cluster_centers_") and _by_nearest(estimator, X, labels, centers)
        )
        return cls.from_predictions(X, labels, centers, responsibilities=shares, ax=ax, **drawing)

    @classmethod
    def from_predictions(
        cls,
        X: TableLike,
        labels: TargetLike,
        centers: NumberLike | None = None,
        *,
        responsibilities: NumberLike | None = None,
        names: object = None,
        voronoi: bool = True,
        most_rows: int = tables.MOST_ROWS,
        ax: AxesLike = None,
    ) -> Self:
        """Rows, a whole number for each, centres in the units of X, and the shares of each row in the clusters."""
        who = cls.__name__
        table = tables.read(X, names, who)
        codes = _whole(labels, len(table.values), who)
        whole = np.isfinite(table.values).all(axis=1)
        if not whole.any():
            raise InvalidData(f"{who}: every row has a missing value; fill the missing values first.")
        shown = np.flatnonzero(whole)[tables.some(int(whole.sum()), most_rows)]
        plane = Plane.of(table.values[whole], table.names)
        middle = None if centers is None else _centers(centers, table.values.shape[1], who)
        note = tables.rows_note(len(shown), len(codes))
        shares = None if responsibilities is None else _shares(responsibilities, codes, who)
        hard = table.values.shape[1] <= 2 and shares is None
        return cls(
            plane.places(table.values[shown]), codes[shown], None if middle is None else plane.places(middle),
            plane.names, voronoi and hard, note, None if shares is None else shares[shown],
        ).drawn(ax)  # fmt: skip

    def cells(self) -> list[Floats]:
        """The corners of the Voronoi cell of each centre, (m, 2), out to far beyond the rows."""
        if self.centers is None:
            return []
        from scipy.spatial import Voronoi

        every = np.vstack([self.points, self.centers])
        middle, reach = every.mean(axis=0), 1e3 * max(float(np.ptp(every, axis=0).max()), 1e-9)
        far = middle + reach * np.array([[-1, 0], [1, 0], [0, -1], [0, 1]])
        distinct, where = np.unique(self.centers, axis=0, return_inverse=True)
        diagram = Voronoi(np.vstack([distinct, far]))  # with four far centres every other cell is finite
        regions = [diagram.regions[diagram.point_region[i]] for i in where.reshape(-1)]
        return [diagram.vertices[region] for region in regions]

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = ax = style.new_axes(ax, (4.6, 3.8))
        self.figure_ = ax.figure
        for k in np.unique(self.labels):
            own = self.labels == k
            x, y = self.points[own].T
            colours = (
                style.look(int(k))[0] if self.responsibilities is None else style.mixed(self.responsibilities[own])
            )
            style.points(ax, x, y, int(k), len(self.points), c=colours)
        style.dress(ax, x=style.short(self.names[0], 40), y=style.short(self.names[1], 40))
        ax.grid(False)
        every = self.points if self.centers is None else np.vstack([self.points, self.centers])
        style.limits(ax, every)
        if not self.names[1]:
            ax.set_yticks([])
        if self.voronoi:
            self._cells()
        self._centers()
        codes = [int(k) for k in np.unique(self.labels)]
        if len(codes) <= 40:
            style.group_legend(ax, ["noise" if k == NOISE else f"{k}" for k in codes], codes, "cluster")
        style.note(ax, self.note)
        return self

    def table(self) -> Columns:
        """One row a cluster: how many of the rows shown, and its centre (their mean where none was given)."""
        codes, counts = np.unique(self.labels, return_counts=True)
        inside = codes[codes != NOISE]
        centers = self.centers
        if centers is None:
            centers = np.array([self.points[self.labels == k].mean(axis=0) for k in inside]).reshape(-1, 2)
            rows = counts[codes != NOISE]
        else:
            inside = np.arange(len(centers))
            rows = np.array([(self.labels == k).sum() for k in inside])
        return {"cluster": inside, "rows": rows, "x": centers[:, 0], "y": centers[:, 1]}

    def _cells(self) -> None:
        from matplotlib.patches import Polygon

        for k, corners in enumerate(self.cells()):
            colour = style.look(k)[0]
            self.ax_.add_patch(
                Polygon(corners, facecolor=(colour, 0.08), edgecolor=style.QUIET, linewidth=0.8, zorder=0)
            )

    def _centers(self) -> None:
        for k, (x, y) in enumerate(self.centers if self.centers is not None else ()):
            edge = style.look(k)[0]
            self.ax_.scatter([x], [y], s=90, c="white", edgecolors=edge, linewidths=1.6, zorder=4)
            words = {"ha": "center", "va": "center_baseline", "fontsize": 6.5, "color": style.INK, "zorder": 5}
            self.ax_.text(x, y, str(k), **words)


def _by_nearest(estimator: object, X: TableLike, labels: TargetLike, centers: Floats | None) -> bool:
    """Whether clusters are the cells of the centres: rows belong to the nearest one by Euclidean distance."""
    metric = getattr(estimator, "metric", "euclidean")
    if not isinstance(metric, str) or metric not in _STRAIGHT:
        return False
    rows, middle, own = tables.read(X, None, "ClusterDisplay").values, np.asarray(centers), np.asarray(labels)
    if middle.dtype.kind not in "fiu" or middle.shape[1:] != rows.shape[1:] or rows.shape[1] > 2:
        return False
    if own.dtype.kind not in "iu" or own.shape != (len(rows),) or own.max(initial=0) >= len(middle):
        return False
    far = np.stack([np.linalg.norm(rows - centre, axis=1) for centre in middle.astype(float)], axis=1)  # (n, k)
    inside = np.isfinite(far).all(axis=1) & (own != NOISE)
    at = far[inside, own[inside]]
    return bool(np.all(at <= far[inside].min(axis=1) * (1 + 1e-6)))


def _whole(labels: TargetLike, n: int, who: str) -> NDArray[np.int64]:
    codes = np.asarray(labels)
    if codes.shape != (n,):
        raise InvalidData(f"{who}: there are {n} rows but labels of shape {codes.shape}; give one label a row.")
    if codes.dtype.kind not in "iu":
        raise InvalidData(f"{who}: labels are of type {codes.dtype}; give clusters as whole numbers, -1 for noise.")
    return codes.astype(np.int64)


def _shares(responsibilities: NumberLike, codes: NDArray[np.int64], who: str) -> Floats:
    shares = np.asarray(responsibilities, dtype=float)
    if shares.ndim != 2 or len(shares) != len(codes) or codes.max(initial=-1) >= shares.shape[1]:
        raise InvalidData(
            f"{who}: responsibilities have the shape {shares.shape}; {len(codes)} rows and a column for each cluster, "
            f"at least {codes.max(initial=-1) + 1}, are needed."
        )
    if not ((shares >= 0) & (shares <= 1)).all():
        raise InvalidData(f"{who}: responsibilities must be from 0 to 1 and none missing.")
    return shares


def _centers(centers: NumberLike, d: int, who: str) -> Floats:
    middle = np.asarray(centers, dtype=float)
    if middle.ndim != 2 or middle.shape[1] != d:
        raise InvalidData(
            f"{who}: centers have the shape {middle.shape}; one row a cluster and {d} columns are needed."
        )
    return middle
