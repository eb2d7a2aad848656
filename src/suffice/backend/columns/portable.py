"""Operations column by column in plain array code: readable, and the definition of what the kernels compute."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, Reals, Whole
from ..arrays import Array, as_double, beside, namespace
from ..weights import given_or_ones

LEAST_GAIN = 1e-9  # of its weight: what a row must gain by a move, far above rounding


def column_distances(X: Array, centres: Floats, numbers: int, squared: bool = False, gamma: float = 1.0) -> Array:
    """The distances (n, k) of rows from centres: Σ over columns; a NaN on either side adds nothing.

    The first `numbers` columns add |x − c|, or (x − c)² where `squared`; the others hold codes and add `gamma`
    where they differ.
    """
    xp, Z = namespace(X), as_double(X)
    columns = []
    for centre in centres:
        step = Z[:, :numbers] - beside(X, centre[:numbers])
        apart = xp.where(xp.isnan(step), xp.zeros_like(step), step**2 if squared else xp.abs(step))
        codes, mode = Z[:, numbers:], beside(X, centre[numbers:])
        differ = xp.astype((codes < mode) | (codes > mode), xp.float64)
        columns.append(xp.sum(apart, axis=1) + gamma * xp.sum(differ, axis=1))
    return xp.stack(columns, axis=1)


def column_nearest(
    X: Array, centres: Floats, numbers: int, squared: bool = False, gamma: float = 1.0
) -> tuple[Array, Array]:
    """The nearest centre (n,) of every row, the first among equals, and its distance (n,); see `column_distances`."""
    xp, found = namespace(X), column_distances(X, centres, numbers, squared, gamma)
    return xp.argmin(found, axis=1), xp.min(found, axis=1)


def category_counts(X: Array, group: Array, groups: int, offsets: Whole, weight: Array | None = None) -> Array:
    """The weight (groups, C) of each category in each group of rows.

    The counts of column j stand at offsets[j] to offsets[j + 1]; codes that are NaN or negative are not counted.
    """
    xp, Z, group, weight = namespace(X), as_double(X), beside(X, group), beside(X, weight)
    w = xp.ones(Z.shape[0], dtype=xp.float64, device=Z.device) if weight is None else as_double(weight)
    counts = xp.zeros((groups, int(offsets[-1])), dtype=xp.float64, device=Z.device)
    for g in range(groups):
        own = xp.where(group == g, w, xp.zeros_like(w))
        for j in range(Z.shape[1]):
            for code in range(int(offsets[j + 1] - offsets[j])):
                cells = xp.where(Z[:, j] == code, own, xp.zeros_like(own))
                counts[g, int(offsets[j]) + code] = xp.sum(cells)
    return counts


def category_terms(X: Array, offsets: Whole, table: Floats, others: Floats) -> Array:
    """The sums (n, k) over columns of the entries (C, k) that a table holds for the codes of a row.

    The entries of column j stand at offsets[j] to offsets[j + 1]; any other number has those of `others` (d, k), and a
    cell that is NaN adds nothing.
    """
    xp, Z = namespace(X), as_double(X)
    entries = xp.concat([beside(X, others), beside(X, table)], axis=0)
    total = xp.zeros((Z.shape[0], table.shape[1]), dtype=xp.float64, device=Z.device)
    for j in range(Z.shape[1]):
        code, first = Z[:, j], Z.shape[1] + int(offsets[j])
        known = (code >= 0) & (code < int(offsets[j + 1] - offsets[j]))
        place = xp.where(known, code + first, xp.full_like(code, j))
        terms = xp.take(entries, xp.astype(place, xp.int64), axis=0)
        total = total + xp.where(xp.isnan(code)[:, None], xp.zeros_like(terms), terms)
    return total


def largest_codes(X: Array) -> Array:
    """The largest code (d,) of each column: −1 where all cells are missing, NaN where one is no 0, 1, 2, …"""
    xp, Z = namespace(X), as_double(X)
    missing = xp.isnan(Z)
    cells = xp.where(missing, xp.full_like(Z, -1.0), Z)
    least = xp.zeros((1, Z.shape[1]), dtype=xp.float64, device=Z.device) - 1
    wrong = ~missing & ~((cells >= 0) & xp.isfinite(cells) & (xp.floor(cells) == cells))
    largest = xp.max(xp.concat([cells, least], axis=0), axis=0)
    return xp.where(xp.any(wrong, axis=0), xp.full_like(largest, xp.nan), largest)


def count_logs(X: Reals) -> tuple[Floats, Floats]:
    """Of the counts x that are there in each row, N in all, log N! and Σ log x!, (n,) each; x! is Γ(x + 1)."""
    from scipy.special import gammaln

    counts = np.nan_to_num(np.asarray(X, dtype=np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf)
    return gammaln(counts.sum(axis=1) + 1), gammaln(counts + 1).sum(axis=1)


def count_terms(X: Reals, matrix: Floats, offset: Floats, arranged: bool) -> tuple[Floats, float]:
    """X matrix + offset of rows of counts, (n, k), in double; and the least of 0 and the counts that are there.

    Where `arranged` log N! − Σ log x!, of the counts of a row, N in all, is added to all of its terms.
    """
    terms = np.asarray(X, dtype=np.float64) @ matrix + offset
    if arranged:
        of_sums, logs = count_logs(X)
        terms += (of_sums - logs)[:, None]
    return terms, float(np.fmin.reduce(X, axis=None, initial=0.0))


def group_medians(
    X: Reals, order: tuple[Whole, Whole], group: Whole, groups: int, weight: Floats | None = None
) -> Floats:
    """The lower weighted median (groups, d) of what is not NaN; NaN where a group has nothing.

    `order` is `column_order(X)`, which does not change while the groups do.
    """
    medians = np.full((groups, X.shape[1]), np.nan)
    w = given_or_ones(weight, len(X))
    for g in range(groups):
        for j in range(X.shape[1]):
            rows = order[0].reshape(X.shape[1], -1)[j, : order[1][j]]
            rows = rows[(group[rows] == g) & (w[rows] > 0)]
            if len(rows):
                below = np.cumsum(w[rows])
                medians[g, j] = X[rows[np.searchsorted(2 * below, below[-1])], j]
    return medians


def mode_moves(
    codes: Whole, weight: Floats, offsets: Whole, labels: Whole, counts: Floats
) -> tuple[Whole, Floats, int]:
    """One pass over rows (n, d) in which each goes where the cost of k-modes falls most, the modes going with it.

    `counts` (k, C) is the weight of each category in each cluster, `codes` -1 where a cell is missing. The cost is the
    weight that does not have the most frequent category of its cluster and column. Gives the labels and counts after
    the pass, and how many rows moved.
    """
    labels, counts, moved = labels.astype(np.int64), np.array(counts, dtype=np.float64), 0
    for i, row in enumerate(codes):
        there = np.flatnonzero(row >= 0)
        at, own = offsets[there] + row[there], labels[i]
        less, more = counts[own].copy(), counts.copy()
        less[at] -= weight[i]
        more[:, at] += weight[i]
        lost = sum(counts[own, a:b].max() - less[a:b].max() for a, b in _spans(offsets, there))
        won = sum(more[:, a:b].max(axis=1) - counts[:, a:b].max(axis=1) for a, b in _spans(offsets, there)) - lost
        if not len(there):
            continue
        won[own] = LEAST_GAIN * weight[i]
        to = int(np.flatnonzero(won == won.max())[0]) if won.max() > won[own] else own
        if to != own:
            counts[own], counts[to], labels[i], moved = less, more[to], to, moved + 1
    return labels, counts, moved


def _spans(offsets: Whole, columns: Whole) -> list[tuple[int, int]]:
    return [(int(offsets[j]), int(offsets[j + 1])) for j in columns]
