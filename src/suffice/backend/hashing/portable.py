"""Hash tables in plain NumPy: readable, and the definition of what the kernels compute.

A bucket is a whole number made of the projections of a row: their signs (random hyperplanes, for angles), or the cells
of width 1 they fall in (p-stable, for Euclidean distances). A query looks into its own bucket of each table, and then
into those nearest to it, whatever the table, in the order of how far the projections would have to move (Lv et al.,
2007).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Singles, Whole
from ..neighbors.lists import Nearest, Within, nearest_of, within_of

if TYPE_CHECKING:
    from . import Hashing, HashTables

Cells = NDArray[np.int32]


def buckets(projected: Singles, hashing: Hashing) -> Cells:
    """The bucket of each row in each table, (n, tables)."""
    return _bucket_of(_cells_of(_by_table(projected, hashing), hashing), hashing)


def nearest(
    Q: Floats, single: Singles, projected: Singles, tables: HashTables, k: int, probes: int
) -> tuple[Nearest, Whole]:
    """The nearest of the rows in the `probes` best buckets, and how many these were; lists may not be full.

    `single` (m, d) and `projected` (m, tables projections) are those of the queries.
    """
    D = _distances(Q, projected, tables, probes)
    return nearest_of(D, k), np.isfinite(D).sum(axis=1)


def within(Q: Floats, single: Singles, projected: Singles, tables: HashTables, radius: float, probes: int) -> Within:
    """The rows within the radius among those in the best buckets, nearest first."""
    return within_of(_distances(Q, projected, tables, probes), radius)


def _distances(Q: Floats, projected: Singles, tables: HashTables, probes: int) -> Floats:
    """The squared distances (m, n) of the rows in the best buckets, the others infinitely far."""
    out = np.full((len(Q), len(tables.rows)), np.inf)
    rows = np.asarray(tables.rows, dtype=np.float64)
    for i, own in enumerate(_by_table(projected, tables.hashing)):
        found = _rows_in_best_buckets(own, tables, probes)
        out[i, found] = np.sum((rows[found] - Q[i]) ** 2, axis=1)
    return out


def _by_table(projected: Singles, hashing: Hashing) -> Singles:
    tables = projected.shape[1] // hashing.projections
    return projected.reshape(len(projected), tables, hashing.projections)


def _cells_of(projected: Singles, hashing: Hashing) -> Cells:
    return (projected >= 0 if hashing.by_sign else np.floor(projected)).astype(np.int32)


def _bucket_of(cells: Cells, hashing: Hashing) -> Cells:
    """From the cells of each projection, the last axis, a number below 2^bits."""
    mixed = np.zeros(cells.shape[:-1], dtype=np.uint64)
    with np.errstate(over="ignore"):
        for cell in np.moveaxis(cells.astype(np.uint32).astype(np.uint64), -1, 0):
            if hashing.by_sign:
                mixed = mixed << np.uint64(1) | cell & np.uint64(1)
            else:
                mixed = (mixed ^ cell) * np.uint64(0x9E3779B97F4A7C15)
                mixed ^= mixed >> np.uint64(29)
    return (mixed if hashing.by_sign else mixed >> np.uint64(64 - hashing.bits)).astype(np.int32)


def _rows_in_best_buckets(projected: Singles, tables: HashTables, probes: int) -> NDArray[np.generic]:
    """The rows that a query with these projections (tables, projections) is compared with, each once."""
    own = _cells_of(projected, tables.hashing)
    visits = [(t, own[t]) for t in range(len(own))]
    ways = heapq.merge(*(_other_cells(t, projected[t], own[t], tables.hashing) for t in range(len(own))))
    while len(visits) < probes and (way := next(ways, None)) is not None:
        visits.append((way[1], np.array(way[2], dtype=np.int32)))
    found = [tables.order[t, slice(*tables.starts[t, bucket : bucket + 2])]
             for t, cells in visits for bucket in [_bucket_of(cells, tables.hashing)]]  # fmt: skip
    return np.unique(np.concatenate(found))


def _other_cells(
    table: int, projected: Singles, own: Cells, hashing: Hashing
) -> Iterator[tuple[float, int, tuple[int, ...]]]:
    """The other cells of one table with the squared way to them, nearest first: ways of steps, the cheapest first."""
    steps = _steps(projected, own, hashing)  # by rising cost
    queue: list[tuple[Any, tuple[int, ...]]] = [(steps[0][0], (0,))]
    while queue:
        cost, chosen = heapq.heappop(queue)
        last = chosen[-1]
        if last + 1 < len(steps):  # one step more, or the last one exchanged for the next
            more = steps[last + 1][0]
            heapq.heappush(queue, (cost + more, (*chosen, last + 1)))
            heapq.heappush(queue, (cost - steps[last][0] + more, (*chosen[:-1], last + 1)))
        moved = [steps[i][1] for i in chosen]
        if len(set(moved)) == len(moved):  # a projection cannot move both ways
            cells = own.copy()
            for i in chosen:
                cells[steps[i][1]] += steps[i][2]
            yield float(cost), table, tuple(cells.tolist())


def _steps(projected: Singles, own: Cells, hashing: Hashing) -> list[tuple[np.float32, int, int]]:
    """What it costs to move a projection to a cell nearby: cost, projection, move."""
    if hashing.by_sign:
        return sorted((value * value, j, -1 if own[j] else 1) for j, value in enumerate(projected))
    below = projected - own.astype(np.float32)
    down = [(value * value, j, -1) for j, value in enumerate(below)]
    return sorted(down + [((1 - value) * (1 - value), j, 1) for j, value in enumerate(below)])
