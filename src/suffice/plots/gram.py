"""Gram matrices: how similar rows are, group by group, as a coloured square."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ..errors import InvalidData
from ..typing import Axes, AxesLike, Floats, NumberLike, TargetLike, Whole
from . import style, tables
from .display import Columns, Display


@dataclass(eq=False, repr=False)
class GramDisplay(Display):
    """A kernel (Gram) matrix, blue above zero and vermilion below; many rows are averaged in blocks.

    With groups their rows stand together: a kernel that tells them apart has dark squares along the diagonal.

    >>> K = [[1.0, 0.1, 0.9], [0.1, 1.0, 0.2], [0.9, 0.2, 1.0]]
    >>> GramDisplay.from_gram(K, groups=["a", "b", "a"], ax=False).values
    array([[1. , 0.9, 0.1],
           [0.9, 1. , 0.2],
           [0.1, 0.2, 1. ]])
    """

    values: Floats  # (m, m), means over blocks of rows
    names: Sequence[str] = ("",)  # of the groups
    ends: Sequence[int] = ()  # where each group ends, in cells
    note: str = ""

    @classmethod
    def from_gram(cls, gram: NumberLike, *, groups: TargetLike = None, most: int = 40, ax: AxesLike = None) -> Self:
        """The matrix of a kernel among rows, and perhaps the group of each row; at most `most` cells a side."""
        who, K = cls.__name__, np.asarray(gram)
        if K.ndim != 2 or K.dtype.kind not in "biuf" or K.shape[0] != K.shape[1] or not len(K):
            raise InvalidData(f"{who}: a Gram matrix is square, of numbers; got {K.dtype} of shape {K.shape}.")
        K = K.astype(np.float64, copy=False)
        if not np.isfinite(K).all():
            raise InvalidData(f"{who}: the Gram matrix holds NaN or infinity; look at the rows it is of.")
        known = tables.groups(groups, len(K), who)
        order = np.argsort(known.codes, kind="stable")
        counts = np.bincount(known.codes, minlength=len(known.names))
        before = np.cumsum(counts) - counts
        first = np.concatenate([_starts(int(n), most, len(K)) + at for n, at in zip(counts, before, strict=True)])
        height = np.diff(np.append(first, len(K)))
        sums = np.add.reduceat(np.add.reduceat(K[np.ix_(order, order)], first, axis=0), first, axis=1)
        ends = np.searchsorted(first, np.cumsum(counts))
        note = "" if len(first) == len(K) else f"means over blocks of {len(K):,} rows"
        return cls(sums / np.outer(height, height), known.names, ends.tolist(), note).drawn(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = square = style.new_axes(ax, (4.2, 4.0))
        self.figure_ = square.figure
        top = float(np.abs(self.values).max(initial=0.0)) or 1.0
        square.imshow(self.values, cmap=style.diverging(), vmin=-top, vmax=top, interpolation="nearest")
        style.dress(square)
        style.matrix_axes(square)
        for at in self.ends[:-1]:
            square.axhline(at - 0.5, color=style.FAINT, linewidth=0.6)
            square.axvline(at - 0.5, color=style.FAINT, linewidth=0.6)
        square.set_xticks([])
        square.set_yticks(*self._labels(), fontsize=style.SMALL)
        style.note(square, self.note)
        return self

    def _labels(self) -> tuple[list[float], list[str]]:
        """Where the names of groups stand, those that have room beside the one before."""
        places: list[float] = []
        shown: list[str] = []
        for name, (begin, end) in zip(style.shorts(self.names), self.spans(), strict=False):
            middle = (begin + end - 1) / 2
            if len(self.names) > 1 and (not places or middle - places[-1] > len(self.values) / 14):
                places.append(middle)
                shown.append(name)
        return places, shown

    def spans(self) -> list[tuple[int, int]]:
        """The first cell of each group, and the one after its last."""
        return list(zip([0, *self.ends[:-1]], self.ends, strict=True))

    def table(self) -> Columns:
        """One row a cell."""
        m = len(self.values)
        return {"row": np.repeat(np.arange(m), m), "column": np.tile(np.arange(m), m), "value": self.values.ravel()}


def _starts(n: int, most: int, of: int) -> Whole:
    """Where the blocks of n rows begin, so many that all rows have about `most`."""
    blocks = min(n, max(1, round(n * most / of))) if of > most else n
    return (np.arange(blocks) * n // max(1, blocks)).astype(np.int64)
