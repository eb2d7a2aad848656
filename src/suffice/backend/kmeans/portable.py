"""The operations of k-means in plain NumPy: readable, and the definition of what the kernels compute."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Reals
from ..arrays import Array
from ..weights import RunningMass, given_or_ones
from .rows import blocks, chosen_rows, is_csr, row_squares, squared_lengths
from .values import Assignment, Moved

if TYPE_CHECKING:
    from . import BoundedRows


def assign(X: Array, centres: Floats, shift: Floats, weight: Floats | None = None) -> Assignment:
    """Each row's nearest centre, the first of equally near ones, with the sums of the rows of each centre."""
    return Assignment.of(X, *nearest(X, centres, shift), centres, shift, weight)


def sums(X: Array, centres: Floats, shift: Floats, weight: Floats | None = None) -> tuple[Floats, Floats]:
    """The sums (k, d) of the rows nearest to each centre, about the shift, and their weights (k,).

    A row without a finite distance makes a sum that is not finite.
    """
    found = assign(X, centres, shift, weight)
    return found.sums, found.weight


def nearest(X: Array, centres: Floats, shift: Floats) -> tuple[NDArray[np.int32], Floats]:
    """The nearest centre (n,) of each row, and the squared distance (n,) to it."""
    if is_csr(X):
        return _nearest_sparse(X, centres)
    Z = np.asarray(X, dtype=np.float64)
    squared = np.stack([np.sum((Z - c) ** 2, axis=1) for c in centres], axis=1)  # (n, k)
    labels = np.argmin(squared, axis=1).astype(np.int32)
    return labels, squared[np.arange(len(Z)), labels]


def _nearest_sparse(X: Array, centres: Floats) -> tuple[NDArray[np.int32], Floats]:
    labels, least = np.empty(X.shape[0], np.int32), np.empty(X.shape[0])
    for start, rows in blocks(X, len(centres)):
        squared = row_squares(rows, centres)
        found = np.argmin(squared, axis=1)
        here = slice(start, start + len(found))
        labels[here], least[here] = found, squared[np.arange(len(found)), found]
    return labels, least


def labels_only(X: Array, centres: Floats, shift: Floats) -> NDArray[np.int32]:
    """Labels alone, which takes less time; -1 where no distance is finite: a cell is missing, infinite or too large."""
    found, squared = nearest(X, centres, shift)
    return np.where(np.isfinite(squared), found, np.int32(-1))


def distances(X: Array, centres: Floats, shift: Floats) -> Reals:
    """Distances (n, k) of rows from centres, in the precision of the rows; NaN where a cell is missing."""
    squared = row_squares(X, centres)
    return np.sqrt(squared, out=squared).astype(X.dtype, copy=False)


def bounded_round(rows: BoundedRows, centres: Floats, drift: Floats) -> Moved:
    """Assign every row, reading only those whose bounds do not settle it, and move the centres; see `BoundedRows`."""
    return rows.plain_round(centres)


def update(sums: Floats, mass: Floats, centres: Floats, shift: Floats, total: float) -> Moved:
    """Where centres go, to the means of their rows; a centre without rows stays.

    `sums` (k, d) are those of the rows of each centre about the shift, `mass` (k,) their weights, and `total` is
    Σ w ‖x − shift‖² of all rows. Weights that rounding left behind when all rows of a centre went are set to 0. How
    many rows changed is not known here.
    """
    mass[np.abs(mass) < 1e-12 * mass.sum()] = 0.0
    old, some = centres - shift, mass > 0
    means = np.where(some[:, None], sums / np.where(some, mass, 1.0)[:, None], old)
    moved = np.where(some[:, None], shift + means, centres)
    squared = np.sum((moved - centres) ** 2, axis=1)
    before, after = (total + float(np.sum(at * (mass[:, None] * at - 2 * sums))) for at in (old, means))
    empty = int(np.count_nonzero(mass == 0))
    return Moved(moved, np.sqrt(squared), 0, 0, empty, max(before, 0.0), max(after, 0.0), float(squared.sum()))


def seeds(X: Array, weight: Floats | None, uniform: Floats, farthest: bool = False) -> Floats:
    """The centres (k, d) of k-means++: each the best of a few rows drawn by weight times squared distance.

    `uniform` (k, candidates) are the random numbers that draw them. With `farthest`, each centre after the first is
    the row farthest from all before it.
    """
    n = X.shape[0]
    w = given_or_ones(weight, n)
    lengths = squared_lengths(X) if is_csr(X) else None
    chosen, squared = [int(_drawn(w, uniform[0, :1])[0])], np.full(n, np.inf)
    nearer = row_squares(X, chosen_rows(X, chosen), lengths)[:, 0]
    for draws in uniform[1:]:
        squared = np.minimum(squared, nearer)
        if farthest:
            picks = np.array([np.argmax(np.where(w > 0, squared, 0.0))])
        else:
            picks = _drawn(w * squared, draws) if (w * squared).any() else _drawn(w, draws[:1])
        from_picks = row_squares(X, chosen_rows(X, picks), lengths)
        best = int(np.argmin(w @ np.minimum(squared[:, None], from_picks)))
        nearer = from_picks[:, best]
        chosen.append(int(picks[best]))
    return chosen_rows(X, chosen)


def swaps(X: Array, centres: Floats, uniform: Floats) -> Floats:
    """Centres (k, d), k > 1, after exchanges: a row replaces the centre that is missed least, where the cost falls.

    Each number draws a row by its squared distance to its centre. Local search after Lattanzi & Sohler (2019): it
    mends the usual fault of a start, two groups with one centre between them and another group with two.
    """
    at = np.array(centres, np.float64)
    lengths = squared_lengths(X) if is_csr(X) else None
    squared = row_squares(X, at, lengths)  # (n, k)
    for number in uniform:
        near = squared.argmin(axis=1)
        first, second = np.partition(squared, 1, axis=1)[:, :2].T
        if not first.any():
            break
        row = chosen_rows(X, _drawn(first, np.array([number])))
        candidate = row_squares(X, row, lengths)[:, 0]
        nearer = np.minimum(candidate - first, 0)
        without = np.bincount(near, np.minimum(second, candidate) - first - nearer, minlength=len(at))
        gone = int(np.argmin(without))
        if nearer.sum() + without[gone] < -1e-6 * first.sum():
            at[gone], squared[:, gone] = row[0], candidate
    return at


def _drawn(mass: Floats, uniform: Floats) -> NDArray[np.intp]:
    """Rows with probability proportional to their mass, by the running sums in row order."""
    return RunningMass(mass).rows(uniform)
