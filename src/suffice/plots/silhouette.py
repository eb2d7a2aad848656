"""Silhouettes: for each row how much nearer its own cluster is than the next, one block a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from . import style, tables
from .display import Columns, Display
from .tables import Floats


@dataclass(eq=False, repr=False)
class SilhouetteDisplay(Display):
    """Silhouettes s = (b − a) / max(a, b), sorted within clusters; a row below 0 is nearer to another cluster.

    >>> SilhouetteDisplay(np.array([0.5, 0.7, -0.1]), np.array([0, 0, 1])).table()["mean"]
    array([ 0.6, -0.1])
    """

    values: Floats  # (shown,)
    labels: NDArray[Any]  # (shown,)
    note: str = ""

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, **more: Any) -> Self:
        """A fitted clustering and rows."""
        return cls.from_predictions(X, tables.labels_of(estimator, X, cls.__name__), **more)

    @classmethod
    def from_predictions(
        cls, X: Any, labels: Any, *, metric: str = "euclidean", most_rows: int = tables.MOST_ROWS, ax: Any = None
    ) -> Self:
        """Rows and their clusters. Of many rows the silhouettes of a sample among itself; noise (-1) is left out."""
        from sklearn.metrics import silhouette_samples

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
                f"{who}: there are {k} clusters in {len(shown)} rows without gaps; "
                "silhouettes need at least 2 clusters and more rows than clusters."
            )
        found = silhouette_samples(values[shown], codes[shown], metric=metric)
        return cls(found, codes[shown], tables.rows_note(len(shown), len(values))).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        n, names = len(self.values), np.unique(self.labels)
        self.ax_ = ax = style.new_axes(ax, (4.6, min(max(2.6, 0.22 * len(names) + 1.0), 9.0)))
        self.figure_ = ax.figure
        gap, top, ticks = max(1.0, 0.02 * n), 0.0, []
        for k, name in enumerate(names):
            own = np.sort(self.values[self.labels == name])[::-1]
            where = top + np.arange(len(own) + 1)
            ax.stairs(own, where, orientation="horizontal", fill=True, color=style.look(k)[0], alpha=0.75)
            ticks.append(top + len(own) / 2)
            top += len(own) + gap
        mean = float(self.values.mean())
        ax.axvline(mean, color=style.INK, linewidth=1.0, linestyle=style.DASHED)
        ax.axvline(0, color=style.QUIET, linewidth=0.8)
        style.dress(ax, title=f"mean {style.number(mean)}", x="silhouette", y="cluster")
        ax.grid(False)
        ax.set_ylim(top, -gap)
        ax.set_xlim(min(-0.05, float(self.values.min()) * 1.05), 1.0)
        ax.set_yticks(ticks, style.shorts([tables.name_of(name) for name in names.tolist()], 16))
        ax.tick_params(axis="y", length=0, labelsize=style.tick_size(len(names)))
        style.note(ax, self.note)
        return self

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
