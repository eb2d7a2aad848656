"""Non-negative factors by the generalised Kullback–Leibler divergence: multiplicative updates, which are EM."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...backend.factors import mix_rows, ratio_sums
from ...typing import Floats
from .documents import Documents, Pieces

_SWEEPS = 2  # of the rows in each iteration, for one of the columns
_OTHERS = 0.1  # the part of what is expected of a new cell that is not the model's own


@dataclass(frozen=True)
class RatioSums:
    """What the columns of H are made of over some rows, and the divergence and log likelihood there."""

    ratios: Floats  # (d, k)
    less: Floats  # (k,) or (d, k)
    apart: float
    logs: float

    def __add__(self, other: RatioSums) -> RatioSums:
        return RatioSums(
            self.ratios + other.ratios, self.less + other.less, self.apart + other.apart, self.logs + other.logs
        )

    @classmethod
    def of(cls, found: Documents, W: Floats, columns: Floats) -> RatioSums:
        """Of rows with factors W (n, k), given the factors of columns, (d, k)."""
        starts, rows, values = found.turned
        by_column = ratio_sums(columns, W, starts, rows, values)
        weighted = found.weighted(W)
        totals = weighted.sum(axis=0)
        less = totals if found.gone is None else totals - np.asarray(found.gone.T @ weighted)
        # Columns have cells of rows that count their weight; what is expected of these is counted row by row.
        own = ratio_sums(W, columns, found.cells.starts, found.cells.columns, found.cells.values)
        zero = W @ columns.sum(axis=0) - own.expected
        if found.gone is not None:
            zero = zero - np.einsum("nk,nk->n", np.asarray(found.gone @ columns), W)
        each = own.apart + np.maximum(zero, 0.0)
        weight = np.ones(len(W)) if found.weight is None else found.weight
        return cls(by_column.sums, less, float(each @ weight), float(own.logs @ weight))


def rows_given(found: Documents, columns: Floats, W: Floats, sweeps: int, tolerance: float = 0.0) -> Floats:
    """Better factors of rows, (n, k)."""
    totals = columns.sum(axis=0)
    less = found.less(totals, columns)
    if less is None:
        less = np.broadcast_to(totals, W.shape)
    cells = found.cells
    return mix_rows(
        columns, cells.starts, cells.columns, cells.values, W, None, np.ascontiguousarray(less), sweeps, tolerance
    )


def started(found: Documents, columns: Floats) -> Floats:
    """Factors of rows that are all equal, and add up to what the row does."""
    total = max(float(columns.sum()), 1e-300)
    each = found.cells.row_sums(found.cells.values) / total
    return np.tile(each[:, None], (1, columns.shape[1]))


def folded_in(found: Documents, columns: Floats, most: int, tolerance: float) -> Floats:
    """The best factors of rows that no fit saw, (n, k); the divergence is convex in them."""
    return rows_given(found, columns, started(found, columns), most, tolerance)


def smoothed(own: Floats, others: Floats | float) -> Floats:
    """What is expected of new cells: nine parts of a model's own and one of others', that nothing is impossible."""
    return (1 - _OTHERS) * own + _OTHERS * others


class Divergence:
    """A fit: the factors of rows go from one iteration to the next with those of columns."""

    def __init__(self, passes: Pieces) -> None:
        self.passes = passes

    def over(self, pieces: Pieces) -> Divergence:
        """The same of other rows."""
        return Divergence(pieces)

    def started(self, columns: Floats, sweeps: int = 0) -> Floats:
        """Factors of all rows to begin with, (n, k)."""
        pieces = self.passes.pieces()
        return np.concatenate([rows_given(one, columns, started(one, columns), sweeps) for _, one in pieces])

    def improved(self, columns: Floats, rows: Floats) -> tuple[Floats, Floats, RatioSums]:
        """Better factors of columns, (d, k), and of rows, (n, k), and what the former were made of."""
        total, W = None, np.empty_like(rows)
        for at, found in self.passes.pieces():
            W[at] = rows_given(found, columns, rows[at], _SWEEPS)
            own = RatioSums.of(found, W[at], columns)
            total = own if total is None else total + own
        assert total is not None
        less = total.less if total.less.ndim == 2 else total.less[None]
        less = np.broadcast_to(less, columns.shape)
        return np.divide(columns * total.ratios, less, out=np.zeros(columns.shape), where=less > 0), W, total
