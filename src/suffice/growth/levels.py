"""Trees on rows that lie in files: large nodes are split from sums of all rows, the others are gathered and grown.

A tree is the one that grows in memory, bit for bit: sums are whole numbers, and the random numbers of a node follow
from its path.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np

from .. import backend
from ..backend.boosting import joined_nodes
from ..backend.growth import (
    CODES,
    MISSING,
    Coded,
    Draws,
    Limits,
    Nodes,
    Split,
    Splits,
    Targets,
    add_to_nodes,
    drawn_rows,
    fall_to_children,
    grow_boosted,
    grow_coded,
    split_from_sums,
)
from ..backend.growth.scores import weight_of
from ..backend.growth.search import drawn_columns, next_random
from ..backend.growth.values import Bytes
from ..backend.threads import thread_count
from ..data.scratch import Room
from ..data.side_by_side import side_by_side
from ..typing import Flags, Whole
from .joining import TopNode, joined_tree
from .trees import Numbers32

_BLOCK_BYTES = 32 << 20  # of rows that are read at once
_GROWER_BYTES = 100  # of a row, beside its codes, while a tree grows in memory
_MOST_NODES = (1 << 15) - 1  # gathered at once


@dataclass(frozen=True, eq=False)
class Stored(Coded):
    """Codes that lie row by row in a file, and the bytes that the growth of trees on them may take in memory."""

    room: Room
    memory: int

    @property
    def rows(self) -> int:
        """How many there are."""
        return int(self.codes.shape[1])

    def blocks(self) -> Iterator[slice]:
        """All rows, as many at once as may be read."""
        return self.room.blocks(self.rows, max(1, _BLOCK_BYTES // (self.codes.shape[0] + 40)))


def grow_stored(
    table: Stored, targets: Targets, limits: Limits, draws: Draws, at: Numbers32 | None = None
) -> Nodes:  # fmt: skip
    """Trees on rows that lie in a file, as `grow_coded` or `grow_boosted` grow them; `at` (n,) is written over."""
    at = table.room.empty((table.rows,), np.int32) if at is None else at
    return joined_nodes([_Tree(table, targets, limits, draws, t, at).grown() for t in range(len(draws.seeds))])


class _Tree:
    """One tree: nodes of many rows above, and the trees that were grown in memory below them."""

    def __init__(self, table: Stored, targets: Targets, limits: Limits, draws: Draws, t: int, at: Numbers32) -> None:
        self.table, self.targets, self.limits, self.at = table, targets, limits, at
        self.times = _times(draws, t, table.rows)
        d, k = table.codes.shape[0], targets.k
        self.pool, seed = drawn_columns(d, limits.of_tree, int(draws.seeds[t]) % 2**64)
        self.nodes = [TopNode(0, seed, self._all_sums())]
        self.most_cells = table.memory // 4 // (8 * CODES * k)  # columns of nodes that are summed up in a pass
        self.most_rows = max(2, table.memory // 3 // (2 * d + _GROWER_BYTES + 8 * k))  # gathered in a pass
        self.few_rows = max(2, self.most_rows // thread_count())  # of a node that is grown in memory

    def grown(self) -> Nodes:
        """The whole tree."""
        for block in self.table.blocks():
            self.at[block] = 0 if self.times is None else np.where(self.times[block] > 0, 0, -1)
        fresh, split = [0], [0][:0]
        while fresh := [node for node in fresh if self._may_split(self.nodes[node])]:
            split = self._split(fresh, split)
            least = self._least_path_gain()
            split = [node for node in split if self.nodes[node].path_gain >= least]
            fresh = [child for node in split for child in (self.nodes[node].child, self.nodes[node].child + 1)]
        for group in self._groups():
            self._grow(group)
        return joined_tree(self.nodes, self.limits)

    # ---- nodes of many rows, from sums ----

    def _all_sums(self) -> Whole:
        """The sums of the root."""
        one = np.zeros((1, 1), dtype=np.int64)
        cells, counts = np.zeros((1, 1, 1, CODES, self.targets.k), np.int64), np.zeros((1, 1, 3), np.int64)
        for block in self.table.blocks():
            at = np.zeros(block.stop - block.start, dtype=np.int32)
            times = None if self.times is None else self.times[block]
            add_to_nodes(self.table.codes.T[block], self._targets_of(block), times, at, at[:1], one, cells, counts)
        return np.asarray(cells[0, 0, 0].sum(axis=0))

    def _may_split(self, node: TopNode) -> bool:
        least = max(self.limits.least_split, 2 * self.limits.least_leaf)
        return node.depth < self.limits.most_depth and weight_of(self.targets, node.sums) >= least

    def _least_path_gain(self) -> float:
        """Below it, nodes are not split before there are enough leaves: the best come first, none before its parent."""
        gains = sorted((node.path_gain for node in self.nodes if node.split is not None), reverse=True)
        is_enough = self.limits.best_first and len(gains) >= self.limits.most_leaves - 1
        return gains[int(self.limits.most_leaves) - 2] if is_enough else -np.inf

    def _split(self, fresh: list[int], split: list[int]) -> list[int]:
        """Split what is large of nodes, after the rows of those that were split before have fallen to them."""
        few = [node for node in fresh if _most_rows(self.nodes[node], self.targets) <= self.few_rows]
        many, found = [node for node in fresh if node not in set(few)], []
        looked = len(self.pool) if self.limits.random_cuts else min(int(self.limits.tried), len(self.pool))
        step = max(1, self.most_cells // looked)
        for begin in range(0, max(1, len(many)), step):
            own = many[begin : begin + step]
            columns = np.array([self._drawn(self.nodes[node], looked) for node in own], dtype=np.int64)
            columns = columns.reshape(len(own), looked)
            done, left = self._looked_at(own, columns, few if begin == 0 else [], split if begin == 0 else [])
            found += done
            for node in left:  # the columns that it drew have nothing to cut
                found += self._looked_at([node], np.array([self.pool]), [], [])[0]
        return found

    def _drawn(self, node: TopNode, count: int) -> list[int]:
        """The columns that a node draws first."""
        drawn, seed, d = list(self.pool), node.seed, len(self.pool)
        for j in range(count if self.limits.tried < d and not self.limits.random_cuts else 0):
            seed, word = next_random(seed)
            at = j + (word * (d - j) >> 64)
            drawn[j], drawn[at] = drawn[at], drawn[j]
        return drawn[:count]

    def _looked_at(
        self, own: list[int], columns: Whole, few: list[int], split: list[int]
    ) -> tuple[list[int], list[int]]:
        """Which nodes are split from the sums of columns, and which need others; those of few rows are counted."""
        cells, counts = self._summed(own, columns, few, split)
        for node, (rows, least, most) in zip([*own, *few], counts.tolist(), strict=True):
            self.nodes[node].rows, self.nodes[node].is_open = rows, least < most
        large = [i for i, node in enumerate(own) if self.nodes[node].is_open and counts[i, 0] > self.few_rows]
        if not large:
            return [], []
        nodes = [self.nodes[own[i]] for i in large]
        seeds = np.array([node.seed for node in nodes], dtype=np.uint64).view(np.int64)
        splits = split_from_sums(
            self.table, self.targets, self.limits, cells[large], columns[large],
            np.array([node.sums for node in nodes]), seeds, self.pool, self._weight(),
        )  # fmt: skip
        for at, i in enumerate(large):
            if splits.column[at] >= -1:
                self._take(nodes[at], splits, at, cells[i], columns[i])
        where = splits.column
        return [own[i] for i, c in zip(large, where, strict=True) if c >= 0], [
            own[i] for i, c in zip(large, where, strict=True) if c < -1
        ]

    def _weight(self) -> float:
        return weight_of(self.targets, self.nodes[0].sums)

    def _take(self, node: TopNode, splits: Splits, at: int, cells: Whole, columns: Whole) -> None:
        """Split a node, or leave it a leaf."""
        node.is_open = False
        if splits.column[at] < 0:
            return
        node.split, node.child = splits.at(at, self.table.categorical), len(self.nodes)
        node.path_gain = min(node.path_gain, node.split.gain)
        goes_left = _codes_left(node.split)
        left = cells[list(columns).index(node.split.column)][goes_left].sum(axis=0)
        state, right_seed = next_random(int(splits.seeds[at]) % 2**64)
        left_seed = next_random(state)[1]
        self.nodes += [
            TopNode(node.depth + 1, left_seed, left, path_gain=node.path_gain),
            TopNode(node.depth + 1, right_seed, node.sums - left, path_gain=node.path_gain),
        ]

    def _summed(self, own: list[int], columns: Whole, few: list[int], split: list[int]) -> tuple[Whole, Whole]:
        """The sums of nodes, (own, looked, 256, k), and numbers of rows, and what is the same there, (own + few, 3)."""
        shape = (*columns.shape, CODES, self.targets.k)
        parts = min(thread_count(), max(1, self.most_cells // max(1, columns.size)))
        cells = np.zeros((parts, *shape), dtype=np.int64)
        counts = np.zeros((parts, len(own) + len(few), 3), dtype=np.int64)
        slot = np.full(len(self.nodes), -1, dtype=np.int32)
        slot[[*own, *few]] = np.arange(counts.shape[1])
        falls = self._falls(split) if split else None
        for block in self.table.blocks():
            codes, at = self.table.codes.T[block], self.at[block]
            if falls is not None:
                fall_to_children(codes, *falls, at)
            times = None if self.times is None else self.times[block]
            add_to_nodes(codes, self._targets_of(block), times, at, slot, columns, cells, counts)
        return _merged(cells, counts)

    def _falls(self, split: list[int]) -> tuple[Numbers32, Bytes, Numbers32]:
        column, child = (np.full(len(self.nodes), -1, dtype=np.int32) for _ in range(2))
        left = np.zeros((len(self.nodes), CODES), dtype=np.uint8)
        for node in split:
            own = self.nodes[node].split
            assert own is not None
            column[node], child[node] = own.column, self.nodes[node].child
            left[node] = _codes_left(own)
        return column, left, child

    def _targets_of(self, rows: slice | Whole) -> Targets:
        return replace(self.targets, sums=self.targets.sums[rows], same=self.targets.same[rows])

    # ---- nodes of few rows, in memory ----

    def _groups(self) -> Iterator[list[int]]:
        """The nodes that are not yet split, as many at once as can be gathered."""
        group: list[int] = []
        rows, least = 0, self._least_path_gain()
        for node, own in enumerate(self.nodes):
            if not own.is_open or own.path_gain < least:
                continue
            if group and (rows + own.rows > self.most_rows or len(group) == _MOST_NODES):
                yield group
                group, rows = [], 0
            group.append(node)
            rows += own.rows
        if group:
            yield group

    def _grow(self, group: list[int]) -> None:
        """Gather the rows of some nodes, and grow the trees below them."""
        codes, targets, times, ends = self._gathered(group)
        weight, columns = self._weight(), list(self.pool)

        def grown(i: int) -> Nodes:
            node = self.nodes[group[i]]
            rows = slice(0 if i == 0 else ends[i - 1], ends[i])
            table = Coded(
                np.ascontiguousarray(codes[rows].T[columns]), self.table.categorical[columns],
                self.table.values[columns],
            )  # fmt: skip
            own = replace(targets, sums=targets.sums[rows], same=targets.same[rows])
            gain = self.limits.least_gain * weight / max(weight_of(targets, node.sums), 1e-300)
            limits = replace(
                self.limits, of_tree=np.inf, most_depth=self.limits.most_depth - node.depth, least_gain=gain
            )
            draws = Draws(np.array([node.seed], dtype=np.uint64).view(np.int64), times[None, rows])
            with backend.threads(1):
                if targets.is_newton:
                    nodes, _ = grow_boosted(table, own, limits, draws, None, None)
                else:
                    nodes, _ = grow_coded(table, own, limits, draws, None, False)
            column = np.where(nodes.column < 0, -1, np.take(columns, np.maximum(nodes.column, 0)))
            return replace(nodes, column=column.astype(np.int32))

        threads = min(thread_count(), len(group))
        with closing(side_by_side(range(len(group)), grown, threads, threads)) as results:
            for node, nodes in zip(group, results, strict=True):
                self.nodes[node].below = nodes

    def _gathered(self, group: list[int]) -> tuple[Bytes, Targets, Numbers32, Whole]:
        """Codes (m, d), targets and repetitions of the rows of some nodes, one node after the other, and their ends."""
        ends = np.cumsum([self.nodes[node].rows for node in group])
        m, places = int(ends[-1]), np.concatenate([[0], ends[:-1]])
        codes = np.empty((m, self.table.codes.shape[0]), dtype=np.uint8)
        sums, same = np.empty((m, self.targets.sums.shape[1]), dtype=np.int64), np.empty(m, dtype=np.int64)
        times = np.ones(m, dtype=np.int32)
        slot = np.full(len(self.nodes) + 1, -1, dtype=np.int16)  # the last is that of rows that do not count
        slot[group] = np.arange(len(group))
        for block in self.table.blocks():
            own = slot[self.at[block]]
            rows = np.flatnonzero(own >= 0)
            rows = rows[np.argsort(own[rows], kind="stable")]
            counts = np.bincount(own[rows], minlength=len(group))
            to = np.repeat(places - np.cumsum(counts) + counts, counts) + np.arange(len(rows))
            places = places + counts
            codes[to] = self.table.codes.T[block][rows]
            sums[to], same[to] = self.targets.sums[block][rows], self.targets.same[block][rows]
            if self.times is not None:
                times[to] = self.times[block][rows]
        return codes, replace(self.targets, sums=sums, same=same), times, ends


def _codes_left(split: Split) -> Flags:
    """Which codes go left, (256,)."""
    found = split.left.copy() if split.is_set else np.arange(CODES) <= split.last
    found[MISSING] = split.missing_left
    return found


def _most_rows(node: TopNode, targets: Targets) -> int:
    """How many rows a node may have: each adds at least 1 to its weight."""
    return int(node.sums.sum() if targets.of_several else node.sums[-1])


def _times(draws: Draws, t: int, n: int) -> Numbers32 | None:
    """How often each row counts; None where all do once."""
    if draws.drawn:
        return drawn_rows(draws, t, n)
    return None if draws.times is None else draws.times[t]


def _merged(cells: Whole, counts: Whole) -> tuple[Whole, Whole]:
    """The sums of all parts."""
    if len(cells) == 1:
        return cells[0], counts[0]
    there = counts[:, :, 0] > 0
    least = np.where(there, counts[:, :, 1], np.iinfo(np.int64).max).min(axis=0)
    most = np.where(there, counts[:, :, 2], np.iinfo(np.int64).min).max(axis=0)
    total = cells[0]
    for part in cells[1:]:
        total += part
    return total, np.column_stack([counts[:, :, 0].sum(axis=0), least, most])
