"""Scree: the variance along each principal axis, and how much the first ones explain together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ..typing import Axes, AxesLike, Floats
from . import style, tables
from .display import Columns, Display


@dataclass(eq=False, repr=False)
class ScreeDisplay(Display):
    """Bars are shares of the whole variance, the line their sum so far, dashes the lengths of a broken stick.

    An axis whose share is above bⱼ = (1/d) Σ 1/i over i ≥ j, the mean length of piece j of a stick that is broken at
    random, holds more than chance would give it.

    >>> ScreeDisplay([0.7, 0.2, 0.1], n_columns=3).table()["broken_stick"].round(3)
    array([0.611, 0.278, 0.111])
    """

    share: Sequence[float] | Floats  # of the axes that were kept
    n_columns: int | None = None
    note: str = ""

    @classmethod
    def from_estimator(cls, estimator: object, *, most: int = 30, ax: AxesLike = None) -> Self:
        """A fitted PCA: anything with `explained_variance_ratio_`, and `components_` for the broken stick."""
        share = tables.fitted(estimator, "explained_variance_ratio_", cls.__name__)
        axes = getattr(estimator, "components_", None)
        note = "" if len(share) <= most else f"{most:,} of {len(share):,} axes"
        return cls(np.asarray(share, float)[:most], None if axes is None else np.shape(axes)[1], note).drawn(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        columns = self.table()
        at = columns["component"]
        self.ax_ = axes = style.new_axes(ax, (min(max(4.2, 0.3 * len(at) + 1.0), 8.0), 2.8))
        self.figure_ = axes.figure
        axes.bar(at, columns["share"], width=0.7, color=style.COLOURS[0], alpha=0.75, label="share")
        look = {"color": style.COLOURS[1], "linewidth": 1.4, "marker": "o", "markersize": 3.5}
        axes.plot(at, columns["cumulative"], label="so far", **look)
        if "broken_stick" in columns:
            stick = {"color": style.INK, "linewidth": 1.0, "linestyle": style.DASHED}
            axes.plot(at, columns["broken_stick"], label="broken stick", **stick)
        style.dress(axes, x="principal axis", y="share of the variance")
        axes.set_xlim(0.4, len(at) + 0.6)
        axes.set_ylim(0, 1.04)
        axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.0f}%")
        if len(at) <= 12:
            axes.set_xticks(at)
        style.note(axes, self.note)
        handles, names = axes.get_legend_handles_labels()
        style.legend(axes, handles[-1:] + handles[:-1], names[-1:] + names[:-1])  # bars come last there
        return self

    def table(self) -> Columns:
        """One row an axis."""
        share = np.asarray(self.share, dtype=float)
        k, d = len(share), self.n_columns
        columns = {"component": np.arange(1, k + 1), "share": share, "cumulative": np.cumsum(share)}
        if d is not None and d > 1:
            columns["broken_stick"] = np.cumsum(1 / np.arange(d, 0, -1))[::-1][:k] / d
        return columns
