"""Silhouettes: for each row how much nearer its own cluster is than the next, one block a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..typing import Axes, AxesLike, Floats, TableLike, TargetLike
from . import style, tables
from .display import Columns, Display


@dataclass(frozen=True, eq=False)
class Block:
    """The silhouettes of one cluster, largest first; the first row is drawn at `first`."""

    name: str
    first: float
    values: Floats

    @property
    def middle(self) -> float:
        """Where the name stands."""
        return self.first + len(self.values) / 2


@dataclass(eq=False, repr=False)
class SilhouetteDisplay(Display):
    """Silhouettes s = (b − a) / max(a, b), sorted within clusters; a row below 0 is nearer to another cluster.

    >>> SilhouetteDisplay(np.array([0.5, 0.7, -0.1]), np.array([0, 0, 1])).table()["mean"]
    array([ 0.6, -0.1])
    """

    values: Floats  # (shown,)
    labels: NDArray[np.generic]  # (shown,)
    note: str = ""

    @classmethod
    def from_estimator(cls, estimator: Any, X: TableLike, **more: Any) -> Self:
        """A fitted clustering and rows."""
        return cls.from_predictions(X, tables.labels_of(estimator, X, cls.__name__), **more)

    @classmethod
    def from_predictions(
        cls,
        X: TableLike,
        labels: TargetLike,
        *,
        metric: str = "euclidean",
        most_rows: int = tables.MOST_ROWS,
        ax: AxesLike = None,
    ) -> Self:
        """Rows and their clusters. Of many rows the silhouettes of a sample among itself; noise (-1) is left out."""
        from ..resampling.silhouettes import silhouettes_of_rows

        who = cls.__name__
        values = tables.read(X, None, who).values
        codes = np.asarray(labels)
        if codes.shape != (len(values),):
            raise InvalidData(f"{who}: there are {len(values)} rows but labels of shape {codes.shape}.")
        clustered = np.isfinite(values).all(axis=1) & (codes != -1 if codes.dtype.kind in "if" else True)
        shown = np.flatnonzero(clustered)[tables.some(int(clustered.sum()), most_rows)]
        k = len(np.unique(codes[shown]))
        if not 2 <= k < len(shown):
            raise InvalidData(
                f"{who}: there are {k} clusters in {len(shown)} rows without missing values; "
                "silhouettes need at least 2 clusters and more rows than clusters."
            )
        found = silhouettes_of_rows(values[shown], codes[shown], metric)
        return cls(found, codes[shown], tables.rows_note(len(shown), len(values))).drawn(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        blocks = self.blocks()
        self.ax_ = ax = style.new_axes(ax, (4.6, min(max(2.6, 0.22 * len(blocks) + 1.0), 9.0)))
        self.figure_ = ax.figure
        for k, block in enumerate(blocks):
            edges = block.first + np.arange(len(block.values) + 1)
            ax.stairs(block.values, edges, orientation="horizontal", fill=True, color=style.look(k)[0], alpha=0.75)
        ax.axvline(self.mean, color=style.INK, linewidth=1.0, linestyle=style.DASHED)
        ax.axvline(0, color=style.QUIET, linewidth=0.8)
        style.dress(ax, title=f"mean {style.number(self.mean)}", x="silhouette", y="cluster")
        ax.grid(False)
        ax.set_ylim(*self.height()[::-1])
        ax.set_xlim(self.least(), 1.0)
        ax.set_yticks([block.middle for block in blocks], style.shorts([block.name for block in blocks], 16))
        ax.tick_params(axis="y", length=0, labelsize=style.tick_size(len(blocks)))
        style.note(ax, self.note)
        return self

    @property
    def mean(self) -> float:
        """The mean of all rows."""
        return float(self.values.mean())

    def blocks(self) -> list[Block]:
        """The silhouettes of each cluster, largest first, and where they begin."""
        made, first = [], 0.0
        for name in np.unique(self.labels):
            own = np.sort(self.values[self.labels == name])[::-1]
            made.append(Block(tables.name_of(name.item()), first, own))
            first += len(own) + self._gap()
        return made

    def height(self) -> tuple[float, float]:
        """From where to where rows are drawn, with a gap on both sides."""
        last = self.blocks()[-1]
        return -self._gap(), last.first + len(last.values) + self._gap()

    def least(self) -> float:
        """From where silhouettes are drawn."""
        return min(-0.05, float(self.values.min()) * 1.05)

    def _gap(self) -> float:
        return max(1.0, 0.02 * len(self.values))

    def table(self) -> Columns:
        """One row a cluster."""
        names = np.unique(self.labels)
        own = [self.values[self.labels == name] for name in names]
        return {
            "cluster": names,
            "rows": np.array([len(each) for each in own]),
            "mean": np.array([each.mean() for each in own]),
            "below_zero": np.array([(each < 0).sum() for each in own]),
        }
