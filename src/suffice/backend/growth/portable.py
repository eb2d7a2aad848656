"""The growth of trees in plain NumPy: readable, and the definition of what the kernels compute."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ...typing import Flags, Floats, Reals, Whole
from .decoding import decoded
from .medians import MedianSearch
from .scores import TIE, Node, weight_of
from .search import Search, next_random
from .values import (
    CATEGORICAL,
    CODES,
    MISSING,
    MISSING_LEFT,
    NO_PLACE,
    Bytes,
    Coded,
    Decoded,
    Decoding,
    Draws,
    Forest,
    Limits,
    Nodes,
    Places,
    Sorted,
    Targets,
)

Leaves = NDArray[np.int32]
Signs = NDArray[np.int8]
N = TypeVar("N", bound=np.generic)


def code_rows(X: Reals, edges: Floats, recode: Bytes, starts: Whole) -> Bytes:
    """The codes of the cells, (d, n): of a number, how many of the edges of its column, (d, 256), are below it.

    Of a category it is `recode` at its place, from `starts[j]` on. 255 is the code of missing cells and of categories
    that have none.
    """
    codes = np.empty(X.shape[::-1], dtype=np.uint8)
    for j, column in enumerate(np.asarray(X, dtype=np.float64).T):
        if starts[j] < starts[j + 1]:
            codes[j] = _recoded(column, recode[starts[j] : starts[j + 1]])
        else:
            found = np.searchsorted(edges[j], column, side="left")
            codes[j] = np.where(np.isnan(column), MISSING, found)
    return codes


def _recoded(column: Floats, codes: Bytes) -> Bytes:
    known = (column >= 0) & (column < len(codes))
    return np.where(known, codes[np.where(known, column, 0).astype(np.intp)], MISSING).astype(np.uint8)


def rank_rows(X: Reals, recode: Bytes, starts: Whole) -> tuple[Places, Places, tuple[Floats, ...]]:
    """The rank of each cell among the distinct values of its column, the rows in that order, (d, n), and the values.

    Missing cells have the rank 2³² − 1 and come last; the ranks of categories are their codes.
    """
    ranks, values = np.empty(X.shape[::-1], dtype=np.uint32), []
    for j, column in enumerate(np.asarray(X, dtype=np.float64).T + 0.0):
        if starts[j] < starts[j + 1]:
            codes = _recoded(column, recode[starts[j] : starts[j + 1]])
            ranks[j] = np.where(codes == MISSING, NO_PLACE, codes.astype(np.int64))
            values.append(np.arange(CODES, dtype=np.float64))
        else:
            own, places = np.unique(column[~np.isnan(column)], return_inverse=True)
            ranks[j] = NO_PLACE
            ranks[j, ~np.isnan(column)] = places
            values.append(own)
    return ranks, np.argsort(ranks, axis=1, kind="stable").astype(np.uint32), tuple(values)


def grow_coded(
    table: Coded, targets: Targets, limits: Limits, draws: Draws, monotone: Signs | None, leaves: bool
) -> tuple[Nodes, Leaves | None]:
    """Trees on codes, and, if asked for, the leaf k of each row in each, (trees, n), −1 − k where it does not count.

    A node is split where its score rises most; a tie is for the first column looked at and the lowest place. Every
    node draws its columns and cuts by a seed that follows from the tree's and the path to it.
    """
    return _grown(table, targets, limits, draws, monotone, leaves)


def grow_forest(
    table: Coded, targets: Targets, limits: Limits, draws: Draws, monotone: Signs | None, decoding: Decoding
) -> Decoded:
    """Trees on codes as models hold them."""
    return decoded(grow_coded(table, targets, limits, draws, monotone, False)[0], targets, decoding)


def grow_sorted(
    table: Sorted, targets: Targets, limits: Limits, draws: Draws, monotone: Signs | None, leaves: bool
) -> tuple[Nodes, Leaves | None]:
    """The same on sorted values: every value of a column can be cut from the next."""
    return _grown(table, targets, limits, draws, monotone, leaves)


def grow_boosted(
    table: Coded, targets: Targets, limits: Limits, draws: Draws, monotone: Signs | None, together: Flags | None
) -> tuple[Nodes, Leaves]:
    """A tree of Newton steps, and the leaf of each row, (n,), whether it counts or not.

    A split must raise the score; `together` (groups, d) says which columns may stand on one path.
    """
    times = np.ones(table.codes.shape[1], dtype=np.int64) if draws.times is None else draws.times[0].astype(np.int64)
    search = Search(table, targets, limits, monotone, times, together=together)
    tree = _one_tree(search, int(draws.seeds[0]) % 2**64)
    at = _leaves_of(search, tree)
    return _joined([tree.nodes], targets.k), np.where(at < 0, -1 - at, at).astype(np.int32)


def whole_steps(
    gradient: Floats, curvature: Floats | None, factor: Floats | None, times: Whole | None, first: float, second: float
) -> Whole:
    """−gradient · first, curvature · second and weight as whole numbers, (n, 3); no curvature is that of the weight.

    Where `factor` gives weights, numbers are rounded after them, else before `times`, how often each row counts.
    """
    counts = np.ones(len(gradient), dtype=np.int64) if times is None else times
    f, whole = (1.0, counts) if factor is None else (factor, 1)
    bend = counts if curvature is None else whole * np.rint(curvature * f * second).astype(np.int64)
    return np.column_stack([whole * np.rint(-gradient * f * first).astype(np.int64), bend, counts])


def drawn_rows(draws: Draws, t: int, n: int) -> Leaves:
    """How often tree t counts each of n rows, (n,): drawn one by one, or each kept with the chance that is left."""
    times, state = np.zeros(n, dtype=np.int32), int(draws.seeds[t]) ^ 0xD1B54A32D192ED03
    if draws.replace:
        for _ in range(draws.drawn):
            state, word = next_random(state)
            limit = n if draws.mass is None else int(draws.mass[-1])
            at = word * limit >> 64
            times[at if draws.mass is None else np.searchsorted(draws.mass, at, side="right")] += 1
        return times
    counts = np.arange(n) if draws.mass is None else np.flatnonzero(np.diff(draws.mass, prepend=0) > 0)
    needed = draws.drawn
    for left, i in zip(range(len(counts), 0, -1), counts, strict=True):
        if needed == 0:
            break
        state, word = next_random(state)
        times[i] = (word * left >> 64) < needed
        needed -= int(times[i])
    return times


def leaf_paths(leaf: Whole, parent: Leaves | Whole, ends: Whole) -> Leaves | Whole:
    """The nodes on the ways to leaves, one way after the other, each from its root and up to `ends`, (leaves,).

    `parent` (nodes,) is the node above each, −1 above roots.
    """
    found = np.empty(int(ends[-1]) if len(ends) else 0, dtype=parent.dtype)
    at: Leaves | Whole = leaf
    place = ends - 1
    while len(at):
        found[place] = at
        kept = parent[at] >= 0
        at, place = parent[at[kept]], place[kept] - 1
    return found


def leaf_quantiles(
    nodes: Leaves, starts: Whole, rank: Leaves, share: Floats, levels: Floats, quantiles: Floats
) -> Floats:
    """Quantiles of the targets in the leaves of rows, (n, quantiles): the least target up to which that share lies.

    Node k has the targets of ranks `rank[starts[k]:starts[k + 1]]` among `levels`, each with a share; `nodes` are the
    leaves of each row, (n, trees). Where none has any target, quantiles are NaN.
    """
    found = np.full((len(nodes), len(quantiles)), np.nan)
    for i, own in enumerate(nodes.astype(np.int64)):
        at = np.concatenate([np.arange(starts[k], starts[k + 1]) for k in own])
        if len(at):
            order = at[np.argsort(rank[at], kind="stable")]
            up_to = np.cumsum(share[order])
            place = np.searchsorted(up_to[:-1], quantiles * up_to[-1] - TIE * up_to[-1])
            found[i] = levels[rank[order[place]]]
    return found


def unseen_rows(draws: Draws, n: int) -> Bytes:
    """Which of n rows each tree does not draw, (trees, ⌈n / 8⌉): a bit a row, the lowest first."""
    times = np.array([drawn_rows(draws, t, n) for t in range(len(draws.seeds))]).reshape(-1, n)
    return np.packbits(times == 0, axis=1, bitorder="little")


def out_of_bag(
    X: Floats, forest: Forest, value: Floats, unseen: Bytes, total: Floats, count: Whole
) -> tuple[Floats, Whole]:
    """The sums of what trees say of rows that they did not see, (n, q), and how many trees that are, (n,).

    They begin with `total` and `count`, those of the trees before.
    """
    total, count = total.copy(), count.copy()
    at = leaves(X, forest)
    for t, bits in enumerate(unseen):
        rows = np.flatnonzero(np.unpackbits(bits, count=len(X), bitorder="little"))
        total[rows] += value[forest.starts[t] + at[rows, t]]
        count[rows] += 1
    return total, count


def leaves(X: Reals, forest: Forest) -> Whole:
    """The leaf of each row in each tree, (n, trees), by its number within the tree."""
    rows = np.asarray(X, dtype=np.float64)
    return np.column_stack([_fallen(rows, forest, t) for t in range(forest.trees)])


def leaf_sums(X: Reals, forest: Forest, value: Floats) -> Floats:
    """The sums over all trees of the values of each row's leaves, (n, q); `value` is (nodes, q)."""
    found = np.zeros((len(X), value.shape[1]))
    for t, own in enumerate(leaves(X, forest).T):
        found += value[forest.starts[t] + own]
    return found


def _fallen(rows: Floats, forest: Forest, t: int) -> Whole:
    nodes, at = forest.nodes[forest.starts[t] : forest.starts[t + 1]], np.zeros(len(rows), dtype=np.int64)
    while True:
        own = nodes[at]
        column = own["column"] >> 2
        x = rows[np.arange(len(rows)), column]
        missing_left = (own["column"] & MISSING_LEFT) > 0
        left = np.where(np.isnan(x), missing_left, x <= own["threshold"])
        for i in np.flatnonzero(((own["column"] & CATEGORICAL) > 0) & ~np.isnan(x)):
            seen = 0 <= x[i] < 64 * forest.words[column[i]]
            code = int(x[i]) if seen else 0
            word = forest.sets[int(own["threshold"][i]) + (code >> 6)] if seen else 0
            left[i] = bool(int(word) >> (code & 63) & 1) if seen else missing_left[i]
        below = own["left"].astype(np.int64) + ~left
        if np.array_equal(below, at):
            return at
        at = below


@dataclass
class _Tree:
    """A tree while it grows: its nodes, and the rows (and how often they count) of each."""

    nodes: list[Node] = field(default_factory=list)
    rows: list[Whole] = field(default_factory=list)


def _grown(
    table: Coded | Sorted,
    targets: Targets,
    limits: Limits,
    draws: Draws,
    monotone: Signs | None,
    leaves: bool,
) -> tuple[Nodes, Leaves | None]:
    n = table.places.shape[1]
    found = np.full((len(draws.seeds), n), -1, dtype=np.int32) if leaves else None
    trees = []
    for t, seed in enumerate(draws.seeds.tolist()):
        times = np.ones(n, dtype=np.int64)
        if draws.drawn or draws.times is not None:
            times = (drawn_rows(draws, t, n) if draws.times is None else draws.times[t]).astype(np.int64)
        kind = MedianSearch if targets.criterion == "absolute" else Search
        search = kind(table, targets, limits, monotone, times)
        tree = _one_tree(search, seed % 2**64)
        if found is not None:
            found[t] = _leaves_of(search, tree)
        trees.append(tree.nodes)
    return _joined(trees, targets.k), found


def _one_tree(search: Search, seed: int) -> _Tree:
    limits, tree = search.limits, _Tree()
    open_: list[tuple[int, int, int, Node]] = []  # node, depth, seed after its draws, and how it is split

    def consider(rows: Whole, depth: int, seed: int, low: float, high: float, groups: Flags | None) -> None:
        node = Node(search.sums(rows), low=low, high=high, groups=groups)
        tree.nodes.append(node)
        tree.rows.append(rows)
        weight = weight_of(search.targets, node.sums)
        if depth >= limits.most_depth or len(rows) < 2 or search.is_pure(rows):
            return
        if weight < max(limits.least_split, 2 * limits.least_leaf):
            return
        split, seed = search.best(rows, node, seed)
        whole = weight_of(search.targets, tree.nodes[0].sums)
        tie = TIE * abs(search.score(rows, node))
        if split is not None and search.targets.is_newton and not split.gain > tie:
            return
        if split is not None and split.gain >= (1 - TIE) * limits.least_gain * whole - tie:
            open_.append((len(tree.nodes) - 1, depth, seed, split))

    search, seed = search.for_tree(seed)
    all_groups = None if search.together is None else np.ones(len(search.together), dtype=bool)
    consider(np.flatnonzero(search.times > 0), 0, seed, -np.inf, np.inf, all_groups)
    leaves = 1
    while open_ and leaves < limits.most_leaves:
        best = max(range(len(open_)), key=lambda i: (open_[i][3].gain, -open_[i][0])) if limits.best_first else -1
        at, depth, seed, split = open_.pop(best)
        seed, right_seed = next_random(seed)
        _, left_seed = next_random(seed)
        rows, goes_left = tree.rows[at], search.sends_left(split, tree.rows[at])
        tree.nodes[at] = replace(split, left=len(tree.nodes))
        (left_low, left_high), (right_low, right_high) = search.halves(split)
        # The right child is looked at first, as by the kernels; the left one stands before it.
        before, groups = len(tree.nodes), search.narrowed(split)
        consider(rows[goes_left], depth + 1, left_seed, left_low, left_high, groups)
        consider(rows[~goes_left], depth + 1, right_seed, right_low, right_high, groups)
        new = [entry for entry in open_ if entry[0] >= before]
        open_[len(open_) - len(new) :] = sorted(new, key=lambda entry: -entry[0])
        leaves += 1
    return tree


def _leaves_of(search: Search, tree: _Tree) -> Whole:
    at = np.zeros(len(search.times), dtype=np.int64)
    for k, node in enumerate(tree.nodes):  # children come after their parents
        rows = np.flatnonzero(at == k)
        if node.left >= 0 and len(rows):
            at[rows] = node.left + np.logical_not(search.sends_left(node, rows))
    return np.where(search.times > 0, at, -1 - at)


def _joined(trees: list[list[Node]], k: int) -> Nodes:
    nodes = [node for tree in trees for node in tree]
    sets = [node.left_codes for node in nodes if node.left >= 0 and node.left_codes is not None]
    number = np.cumsum([node.left >= 0 and node.left_codes is not None for node in nodes]) - 1
    has_set = np.array([node.left >= 0 and node.left_codes is not None for node in nodes])
    starts = np.concatenate([[0], np.cumsum([len(tree) for tree in trees])]).astype(np.int64)
    return Nodes(
        starts,
        _of(nodes, "column", np.int32),
        _of(nodes, "left", np.int32),
        _of(nodes, "last", np.uint32),
        _of(nodes, "next", np.uint32),
        _of(nodes, "missing_left", np.uint8),
        np.where(has_set, number, -1).astype(np.int32),
        np.array([_words(own) for own in sets], dtype=np.uint64).reshape(-1, 4),
        _of(nodes, "gain", np.float64),
        np.array([node.sums for node in nodes], dtype=np.int64).reshape(-1, k),
    )


def _of(nodes: list[Node], name: str, dtype: type[N]) -> NDArray[N]:
    blank = Node(nodes[0].sums)
    return np.array([getattr(node if node.left >= 0 else blank, name) for node in nodes], dtype=dtype)


def _words(codes: Flags) -> tuple[int, ...]:
    """A set of codes, (256,), as four words."""
    return tuple(sum(1 << b for b in np.flatnonzero(codes[64 * w : 64 * w + 64]).tolist()) for w in range(4))
