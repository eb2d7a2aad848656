"""The kernels of trees; see `portable.py` for what each computes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Reals, Whole
from ..arrays import Array
from ..followed import sound
from ..native import kernels
from ..threads import thread_count
from .summed import Splits
from .values import (
    CODES,
    CRITERIA,
    Bytes,
    Coded,
    Decoded,
    Decoding,
    Draws,
    Forest,
    Isolated,
    Limits,
    Nodes,
    Places,
    Sorted,
    Targets,
)

Leaves = NDArray[np.int32]
Kinds = NDArray[np.uint16]
Coding = tuple[NDArray[np.uint64], Floats, Whole]  # nodes of eight bytes, thresholds by column, and where each starts

_WORTH_NODES = 4  # rows of all trees for a node, from which on its threshold is worth a code
_WORTH_CELLS = 6  # steps of a row through all trees for a cell, from which on it is worth a code
_coded: WeakKeyDictionary[Forest, Coding] = WeakKeyDictionary()
_kinds: WeakKeyDictionary[Forest, tuple[Floats, Kinds, Floats]] = WeakKeyDictionary()  # with the values they are of


def code_rows(X: Reals, edges: Floats, recode: Bytes, starts: Whole) -> Bytes:
    """The codes of the cells, (d, n)."""
    codes = np.empty(X.shape[::-1], dtype=np.uint8)
    kernels().code_rows(X, edges, recode, starts, codes, thread_count())
    return codes


def rank_rows(X: Reals, recode: Bytes, starts: Whole) -> tuple[Places, Places, tuple[Floats, ...]]:
    """Ranks, sorted rows and distinct values of the columns."""
    ranks, order = (np.empty(X.shape[::-1], dtype=np.uint32) for _ in range(2))
    values = kernels().rank_rows(X, recode, starts, ranks, order, thread_count())
    return ranks, order, tuple(values)


def grow_coded(
    table: Coded, targets: Targets, limits: Limits, draws: Draws, monotone: NDArray[np.int8] | None, leaves: bool
) -> tuple[Nodes, Leaves | None]:
    """Trees on codes."""
    found = _leaves(table.codes.shape[1], draws, leaves)
    nodes = kernels().grow_coded(
        np.ascontiguousarray(table.codes), table.categorical.view(np.uint8), table.values.reshape(-1, CODES),
        *_asked(targets, limits, draws, monotone), found, thread_count(),
    )  # fmt: skip
    return nodes_of(nodes, targets.k), found


def grow_forest(
    table: Coded,
    targets: Targets,
    limits: Limits,
    draws: Draws,
    monotone: NDArray[np.int8] | None,
    decoding: Decoding,
) -> Decoded:
    """Trees on codes as models hold them."""
    starts, column, left, threshold, missing_left, gain, weight, value, sets = kernels().grow_forest(
        np.ascontiguousarray(table.codes), table.categorical.view(np.uint8), decoding.high,
        *_asked(targets, limits, draws, monotone), decoding.edges, decoding.low, decoding.exact.view(np.uint8),
        decoding.recode, decoding.starts, decoding.centre, thread_count(),
    )  # fmt: skip
    flags, width = missing_left.view(np.bool_), len(value) // max(1, len(column))
    return Decoded(starts, column, left, threshold, flags, gain, weight, value.reshape(-1, width), sets)


def grow_sorted(
    table: Sorted, targets: Targets, limits: Limits, draws: Draws, monotone: NDArray[np.int8] | None, leaves: bool
) -> tuple[Nodes, Leaves | None]:
    """Trees on sorted values."""
    found = _leaves(table.ranks.shape[1], draws, leaves)
    starts = np.concatenate([[0], np.cumsum([len(own) for own in table.values])]).astype(np.int64)
    nodes = kernels().grow_sorted(
        table.ranks, table.order, table.categorical.view(np.uint8), np.concatenate(table.values), starts,
        *_asked(targets, limits, draws, monotone), found, thread_count(),
    )  # fmt: skip
    return nodes_of(nodes, targets.k), found


def grow_boosted(
    table: Coded,
    targets: Targets,
    limits: Limits,
    draws: Draws,
    monotone: NDArray[np.int8] | None,
    together: NDArray[np.bool_] | None,
) -> tuple[Nodes, Leaves]:
    """A tree of Newton steps."""
    leaves = np.empty(table.codes.shape[1], dtype=np.int32)
    nodes = kernels().grow_boosted(
        np.ascontiguousarray(table.codes), table.by_row, table.categorical.view(np.uint8), table.values, targets.sums,
        np.array([targets.first_unit, targets.second_unit, targets.weight_unit, targets.l2]), limits.numbers, monotone,
        None if together is None else together.view(np.uint8), None if draws.times is None else draws.times[0],
        int(draws.seeds[0]) % 2**64, leaves, thread_count(),
    )  # fmt: skip
    return nodes_of(nodes, 3), leaves


def whole_steps(
    gradient: Floats, curvature: Floats | None, factor: Floats | None, times: Whole | None, first: float, second: float
) -> Whole:
    """What rows add to a tree of Newton steps, (n, 3)."""
    found = np.empty((len(gradient), 3), dtype=np.int64)
    kernels().whole_steps(gradient, curvature, factor, times, first, second, found, thread_count())
    return found


def drawn_rows(draws: Draws, t: int, n: int) -> Leaves:
    """How often tree t counts each of n rows, (n,)."""
    times = np.empty(n, dtype=np.int32)
    kernels().draw_rows(int(draws.seeds[t]), draws.drawn, draws.replace, draws.mass, times)
    return times


def leaf_paths(leaf: Whole, parent: Leaves | Whole, ends: Whole) -> Leaves | Whole:
    """The nodes on the ways to leaves, one way after the other."""
    out = np.empty(int(ends[-1]) if len(ends) else 0, dtype=np.int32)
    kernels().leaf_paths(np.ascontiguousarray(leaf), parent, ends, out)
    return out


def leaf_quantiles(
    nodes: Leaves, starts: Whole, rank: Leaves, share: Floats, levels: Floats, quantiles: Floats
) -> Floats:
    """Quantiles of the targets in the leaves of rows, (n, quantiles)."""
    out = np.empty((len(nodes), len(quantiles)))
    own = (np.ascontiguousarray(one, dtype=kind) for one, kind in ((starts, np.int64), (rank, np.int32)))
    numbers = (np.ascontiguousarray(one, dtype=np.float64) for one in (share, levels, quantiles))
    kernels().leaf_quantiles(np.ascontiguousarray(nodes), *own, *numbers, out, thread_count())
    return out


def unseen_rows(draws: Draws, n: int) -> Bytes:
    """Which of n rows each tree does not draw, (trees, ⌈n / 8⌉)."""
    out = np.empty((len(draws.seeds), -(-n // 8)), dtype=np.uint8)
    kernels().unseen_rows(draws.seeds, draws.drawn, draws.replace, draws.mass, n, out, thread_count())
    return out


def out_of_bag(
    X: Floats, forest: Forest, value: Floats, unseen: Bytes, total: Floats, count: Whole
) -> tuple[Floats, Whole]:
    """The sums of what trees say of rows that they did not see, (n, q), and how many trees that are, (n,).

    They begin with `total` and `count`, those of the trees before.
    """
    total, count = total.copy(), count.copy()
    own = np.ascontiguousarray(value, dtype=np.float64)
    kernels().sum_out_of_bag(
        X, *sound(forest).as_read(), own, np.ascontiguousarray(unseen), total, count, thread_count()
    )  # fmt: skip
    return total, count


def grow_isolating(X: Reals, draws: Draws, of_tree: int, most_depth: int) -> Isolated:
    """Trees of random cuts."""
    starts, column, left, threshold, missing_left, depth, count = kernels().grow_isolating(
        X, draws.seeds, draws.drawn, draws.replace, draws.mass, of_tree, most_depth, thread_count()
    )
    return Isolated(starts, column, left, threshold, missing_left.view(np.bool_), depth, count)


def leaves(X: Reals, forest: Forest) -> Whole:
    """The leaf of each row in each tree, (n, trees)."""
    out = np.empty((len(X), forest.trees), dtype=np.int64)
    kernels().fall_to_leaves(X, *_fallen(forest, len(X)), out, thread_count())
    return out


def leaf_sums(X: Reals, forest: Forest, value: Floats) -> Floats:
    """The sums of the values of each row's leaves, (n, q)."""
    out = np.empty((len(X), value.shape[1]))
    kernels().sum_of_leaves(X, *_fallen(forest, len(X)), *_said(forest, value, len(X)), out, thread_count())
    return out


def fall_to_children(codes: Bytes, column: Leaves, left: Bytes, child: Leaves, at: Leaves) -> Leaves:
    """Send rows to the children of their nodes."""
    kernels().fall_to_children(codes, column, left, child, at, thread_count())
    return at


def add_to_nodes(
    codes: Bytes, targets: Targets, times: Leaves | None, at: Leaves, slot: Leaves, columns: Whole, cells: Whole,
    counts: Whole,
) -> tuple[Whole, Whole]:  # fmt: skip
    """Add rows to the sums of their nodes."""
    kernels().add_to_nodes(
        codes, targets.sums, targets.same, times, at, slot, columns, targets.of_several, targets.k, cells, counts,
        *counts.shape[:2], thread_count(),
    )  # fmt: skip
    return cells, counts


def split_from_sums(
    table: Coded, targets: Targets, limits: Limits, cells: Whole, columns: Whole, sums: Whole, seeds: Whole,
    pool: Sequence[int], weight: float,
) -> Splits:  # fmt: skip
    """The best splits of nodes from their sums."""
    whole, gain = np.zeros((len(seeds), 9), dtype=np.int64), np.zeros(len(seeds))
    kernels().split_from_sums(
        table.categorical.view(np.uint8), table.values, cells.reshape(len(seeds), -1), columns, sums, seeds,
        np.array(pool, dtype=np.int64), weight, -1 if targets.is_newton else CRITERIA[targets.criterion],
        targets.of_several, np.append(targets.units, targets.second_unit), limits.numbers, whole, gain, thread_count(),
    )  # fmt: skip
    column, last, after, missing_left, state, *_ = whole.T.copy()
    left = np.unpackbits(np.ascontiguousarray(whole[:, 5:]).view(np.uint8), axis=1, bitorder="little").view(bool)
    return Splits(column.astype(np.int32), last, after, missing_left.astype(bool), left, gain, state)


def _leaves(n: int, draws: Draws, asked: bool) -> Leaves | None:
    return np.full((len(draws.seeds), n), -1, dtype=np.int32) if asked else None


def _asked(targets: Targets, limits: Limits, draws: Draws, monotone: NDArray[np.int8] | None) -> tuple[object, ...]:
    return (
        np.ascontiguousarray(targets.sums), targets.same, CRITERIA[targets.criterion], targets.of_several, targets.k,
        targets.units, limits.numbers, monotone, draws.times, draws.seeds,
        draws.drawn, draws.replace, draws.mass,
    )  # fmt: skip


def nodes_of(found: Sequence[Array], k: int) -> Nodes:
    """What a kernel gives of grown trees."""
    starts, column, left, last, after, missing_left, number, sets, gain, sums = found
    return Nodes(
        starts, column, left, last, after, missing_left, number, sets.reshape(-1, 4), gain, sums.reshape(-1, k)
    )


def _fallen(forest: Forest, rows: int) -> tuple[object, ...]:
    """As the kernels read them, with the codes of their thresholds where there are rows enough."""
    own = sound(forest).as_read()
    if not _is_worth_codes(forest, rows):
        return *own, None, None, None
    if forest not in _coded:
        _coded[forest] = kernels().code_forest(*own, thread_count())
    codes = _coded[forest]
    return *own, *(codes if len(codes[0]) else (None, None, None))


def _said(forest: Forest, value: Floats, rows: int) -> tuple[Floats, Kinds | None]:
    """What nodes say, or what kinds of leaves say and the kind of each node, where rows are many and kinds few."""
    value = np.ascontiguousarray(value, dtype=np.float64)
    known = _kinds.get(forest)
    if known is None or known[0] is not value:
        if rows * forest.trees < _WORTH_NODES * len(forest.nodes):
            return value, None
        kind, said = kernels().leaf_kinds(*sound(forest).as_read(), value)
        known = _kinds[forest] = value, kind, said.reshape(-1, value.shape[1])
    return (known[2], known[1]) if len(known[1]) else (value, None)


def _is_worth_codes(forest: Forest, rows: int) -> bool:
    """Whether rows fall faster by codes; there are none of sets."""
    nodes, trees = len(forest.nodes), forest.trees
    steps = trees * math.log2(1 + nodes / trees)
    if len(forest.sets) or steps < _WORTH_CELLS * len(forest.words):
        return False
    return forest in _coded or rows * trees >= _WORTH_NODES * nodes
