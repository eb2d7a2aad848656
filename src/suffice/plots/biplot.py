"""Biplot: rows as points and columns as arrows in the plane of two axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, InvalidParameter
from ..typing import Axes, AxesLike, Floats, Numbers
from . import style, tables
from .display import Columns, Display

MOST_ARROWS = 25


@dataclass(eq=False, repr=False)
class BiplotDisplay(Display):
    """Rows as points Z Λ^(−α/2) and columns as arrows V Λ^(α/2), as in Gabriel (1971).

    Z are the scores of a PCA, V its axes and Λ the variances along them; of a `TruncatedSVD`, which does not centre,
    U Σ, its axes and the mean squares; of a `ClassicalMDS`, or any other map, its coordinates, the slopes of the
    centred columns on them, and their variances. For Euclidean distances classical MDS is PCA.

    Their inner products are the centred cells (of the SVD the cells), as far as two axes go, for any α. With α = 1, as
    in R's `biplot`, points are uncorrelated with variance 1, the length of an arrow is the standard deviation of its
    column and the cosine of an angle a correlation; with α = 0 distances between points are those between rows. Arrows
    are drawn `stretch` times as long, so that both can be seen.

    >>> shown = BiplotDisplay(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([[2.0, 0.0], [0.0, 1.0]]), ("a", "b"))
    >>> shown.table()["length"]
    array([2., 1.])
    """

    scores: Floats  # (shown, 2)
    arrows: Floats  # (d, 2)
    names: Sequence[str]
    axes: Sequence[str] = ("axis 1", "axis 2")
    codes: NDArray[np.int64] | None = None  # (shown,)
    groups: Sequence[str] = ("",)
    labels: Sequence[str] | None = None  # (shown,): names of the rows
    note: str = ""

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        alpha: float = 1.0,
        components: tuple[int, int] = (0, 1),
        groups: Numbers | None = None,
        names: object = None,
        labels: Numbers | None = None,
        columns: Numbers | None = None,
        most_rows: int = tables.MOST_ROWS,
        ax: AxesLike = None,
    ) -> Self:
        """A fitted PCA, TruncatedSVD or map, and rows; `names` are those of the columns, `labels` those of the rows.

        A map of given dissimilarities knows no columns: those of the same rows, (n, d), are given as `columns`.
        """
        who = cls.__name__
        if not isinstance(alpha, Real) or not 0 <= alpha <= 1:
            raise InvalidParameter(f"{who}: alpha={alpha!r} must be a number from 0 to 1.")
        n = _count(X)
        found = _Arrows.of(estimator, X, columns, names, who)
        V, spread = found.slopes, found.spread
        chosen = _two(components, len(V), who)
        shown = tables.some(n, most_rows)
        parts = tables.groups(groups, n, who)
        spread = spread[chosen]
        positive = np.where(spread > 0, spread, 1.0)
        Z = np.asarray(estimator.transform(tables.take(X, shown)), dtype=float)[:, chosen]
        if getattr(estimator, "whiten", False):
            Z = Z * spread
        shares = getattr(estimator, "explained_variance_ratio_", None)
        return cls(
            Z * positive**-alpha,
            V[chosen].T * positive**alpha,
            tables.column_names(names if names is not None else found.names, V.shape[1], who),
            [f"axis {c + 1}" + ("" if shares is None else f" ({100 * shares[c]:.1f}%)") for c in chosen],
            parts.codes[shown],
            parts.names,
            None if labels is None else [str(np.asarray(labels)[i]) for i in shown],
            tables.rows_note(len(shown), n),
        ).drawn(ax)

    @property
    def stretch(self) -> float:
        """How many times as long arrows are drawn: the longest reaches as far as most points."""
        reach = np.quantile(np.hypot(*self.scores.T), 0.95) if len(self.scores) else 1.0
        longest = float(np.hypot(*self.arrows.T).max(initial=0.0))
        return float(reach / longest) if longest > 0 and reach > 0 else 1.0

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = style.new_axes(ax, (5.0, 4.4))
        self.figure_ = self.ax_.figure
        self._points()
        kept, ends = self.longest(), self.arrows * self.stretch
        both = np.vstack([self.scores, ends * 1.15, np.zeros((1, 2))])
        style.dress(self.ax_, x=self.axes[0], y=self.axes[1])
        self.ax_.grid(False)
        self.ax_.axhline(0, color=style.FAINT, linewidth=0.8, zorder=0)
        self.ax_.axvline(0, color=style.FAINT, linewidth=0.8, zorder=0)
        style.square_limits(self.ax_, both)
        style.group_legend(self.ax_, self.groups)
        style.note(self.ax_, self.remark())
        self._arrows(ends[kept], [self.names[j] for j in kept])
        return self

    def longest(self) -> NDArray[np.int64]:
        """The columns whose arrows are drawn: the longest where there are many."""
        return np.sort(np.argsort(-np.hypot(*self.arrows.T), kind="stable")[:MOST_ARROWS])

    def row_codes(self) -> NDArray[np.int64]:
        """The group of each row that is shown."""
        return tables.codes_or_zeros(self.codes, len(self.scores))

    def remark(self) -> str:
        """By how much arrows are stretched, and what is left out."""
        kept, d = len(self.longest()), len(self.arrows)
        arrows = f"{kept} of {d} arrows" if kept < d else ""
        return ", ".join(part for part in (f"arrows × {self.stretch:.3g}", self.note, arrows) if part)

    def table(self) -> Columns:
        """One row an arrow; `scores` has the points."""
        x, y = self.arrows.T
        return {"name": np.array(self.names), "x": x, "y": y, "length": np.hypot(x, y)}

    def _points(self) -> None:
        codes = self.row_codes()
        for k in range(len(self.groups)):
            own = self.scores[codes == k]
            faint = {} if self.labels is None else {"s": 5.0, "alpha": 0.6}
            style.points(self.ax_, own[:, 0], own[:, 1], k, len(codes), **faint)

    def _words(self) -> list[object]:
        """The names of rows, those far from the middle first."""
        codes = self.row_codes()
        words = {"ha": "center", "va": "center", "fontsize": 6.5, "clip_on": True, "zorder": 3}
        return [
            self.ax_.text(*self.scores[i], style.short(self.labels[i], 16), color=style.look(codes[i])[0], **words)
            for i in np.argsort(-np.hypot(*self.scores.T))
            if self.labels is not None
        ]

    def _arrows(self, ends: Floats, names: Sequence[str]) -> None:
        texts = []
        white = {"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.8}
        for (x, y), name in zip(ends, style.shorts(names), strict=True):
            arrow = {"arrowstyle": "-|>", "color": style.INK, "linewidth": 1.1, "shrinkA": 0, "shrinkB": 0}
            self.ax_.annotate("", (x, y), (0, 0), arrowprops=arrow, zorder=4)
            side = "left" if x >= 0 else "right"
            words = {
                "ha": side,
                "va": "center",
                "fontsize": style.SMALL,
                "color": style.INK,
                "zorder": 5,
                "bbox": white,
            }
            texts.append(self.ax_.text(x * 1.04, y * 1.06, name, **words))
        style.separate(self.ax_, texts)
        style.without_overlap(self.ax_, [*texts, *self._words()])


def _two(components: Any, k: int, who: str) -> list[int]:
    chosen = [int(c) for c in components]
    if len(chosen) != 2 or not all(0 <= c < k for c in chosen):
        raise InvalidData(f"{who}: components={components!r} must be two of the {k} components that were kept, from 0.")
    return chosen


@dataclass(frozen=True)
class _Arrows:
    """What each coordinate says of each column, (k, d), how far rows spread along it, (k,), and names of columns."""

    slopes: Floats
    spread: Floats
    names: Sequence[str] | None

    @classmethod
    def of(cls, estimator: Any, X: Any, columns: Any, names: object, who: str) -> _Arrows:
        """Of a projection its axes, of a map least squares of the columns on its coordinates."""
        if columns is None and not hasattr(estimator, "embedding_"):
            return cls._axes(estimator, X, who)
        if columns is None and getattr(estimator, "metric", None) == "precomputed":
            raise InvalidData(
                f"{who}: {type(estimator).__name__} was fitted to dissimilarities and knows no columns; give those of "
                "the same rows: columns=…."
            )
        Z = np.asarray(estimator.transform(X), dtype=float)
        table = tables.read(X if columns is None else columns, names, who)
        if len(table.values) != len(Z):
            raise InvalidData(f"{who}: columns must have one row a row of X, {len(Z)}; got {len(table.values)}.")
        centred = Z - Z.mean(axis=0)
        slopes = np.linalg.lstsq(centred, table.values - table.values.mean(axis=0), rcond=None)[0]
        return cls(slopes, np.sqrt(np.mean(centred**2, axis=0)), table.names)

    @classmethod
    def _axes(cls, estimator: Any, X: Numbers, who: str) -> _Arrows:
        V = np.asarray(tables.fitted(estimator, "components_", who), dtype=float)
        if hasattr(estimator, "mean_") or not hasattr(estimator, "singular_values_"):
            spread = np.sqrt(np.asarray(tables.fitted(estimator, "explained_variance_", who), dtype=float))
        else:  # not centred
            spread = np.asarray(estimator.singular_values_, dtype=float) / np.sqrt(_count(X))
        return cls(V, spread, tables.names_of(estimator, V.shape[1]))


def _count(X: Numbers) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)
