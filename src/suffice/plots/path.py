"""A regularisation path: coefficients against the strength of the penalty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ..params import check_argument
from ..typing import Axes, AxesLike, Floats
from . import style, tables
from .display import Columns, Display


@dataclass(eq=False, repr=False)
class PathDisplay(Display):
    """Lines are coefficients over −log₁₀ λ: the penalty is strongest on the left, where all slopes are 0.

    >>> PathDisplay([1.0, 0.1], [[0.0, 0.0], [0.5, -0.2]], ("age", "height")).table()["coefficient"]
    array([ 0. ,  0.5,  0. , -0.2])
    """

    alphas: Sequence[float] | Floats  # (k,), above 0
    coef: Sequence[Sequence[float]] | Floats  # (k, lines)
    names: Sequence[str]
    note: str = ""

    @classmethod
    def from_path(cls, path: object, *, most: int = 10, ax: AxesLike = None) -> Self:
        """A path with `alphas` (k,), `coef` (k, d) and `names`: the `most` columns whose slopes matter most at its end.

        They are those with the largest slopes; put columns on one scale first, where their units differ. Of several
        `classes`, with `coef` (k, classes, d), each has slopes of its own.
        """
        check_argument(cls.__name__, "most", most, integer=True, at_least=1)
        alphas, coef, names = (tables.fitted(path, name, cls.__name__) for name in ("alphas", "coef", "names"))
        alphas, coef = np.asarray(alphas, dtype=float), np.asarray(coef, dtype=float)
        if coef.ndim == 3:
            names = [f"{label}: {name}" for label in tables.fitted(path, "classes", cls.__name__) for name in names]
            coef = coef.reshape(len(coef), -1)
        some = np.flatnonzero(alphas > 0)
        size = np.abs(coef[some]).max(axis=0, initial=0.0)
        moved = int(np.count_nonzero(size))
        shown = np.sort(np.argsort(-size, kind="stable")[: min(most, max(moved, 1))])
        note = f"{len(shown):,} of {moved:,} slopes that are not 0" if moved > len(shown) else ""
        return cls(
            alphas[some],
            coef[np.ix_(some, shown)],
            tuple(names[j] for j in shown),
            note,
        ).drawn(ax)

    @property
    def places(self) -> Floats:
        """Where the strengths stand across, −log₁₀ λ."""
        return np.asarray(-np.log10(np.asarray(self.alphas, dtype=float)))

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = ax = style.new_axes(ax, (5.0, 3.2))
        self.figure_ = ax.figure
        for k, (name, values) in enumerate(zip(style.shorts(self.names), np.asarray(self.coef, float).T, strict=True)):
            dashes = "-" if k < len(style.COLOURS) else style.DASHED
            ax.plot(self.places, values, color=style.look(k)[0], linewidth=1.3, linestyle=dashes, label=name)
        style.dress(ax, x="−log₁₀ λ", y="coefficient")
        style.few_digits(ax.yaxis)
        style.note(ax, self.note)
        style.legend(ax)
        return self

    def table(self) -> Columns:
        """One row a strength and a column."""
        coef = np.asarray(self.coef, dtype=float)
        return {
            "name": np.repeat(np.array(self.names, dtype=object), len(coef)),
            "alpha": np.tile(np.asarray(self.alphas, dtype=float), len(self.names)),
            "coefficient": coef.T.ravel(),
        }
