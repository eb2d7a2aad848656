"""Trees over rows that lie in files, in plain NumPy: rows fall to nodes, whose sums say how they are split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...typing import Flags, Floats, Whole
from .scores import TIE, Node, node_score
from .search import Places, Search
from .values import CODES, MISSING, Bytes, Coded, Limits, Targets

Numbers32 = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Split:
    """How a node is split; see `Nodes`."""

    column: int
    last: int
    next: int
    missing_left: bool
    left: Flags  # (256,): the codes that go left, of categories
    gain: float
    is_set: bool  # whether its column holds categories


@dataclass(frozen=True, eq=False)
class Splits:
    """How nodes are split, −1 in `column` where they are not, and the states of random numbers that come next."""

    column: Numbers32
    last: Whole
    next: Whole
    missing_left: Flags
    left: Flags  # (nodes, 256): the codes that go left, of categories
    gain: Floats
    seeds: Whole

    def at(self, node: int, categorical: Flags) -> Split:
        """How one of them is split, where `categorical` (d,) says which columns hold categories."""
        return Split(
            int(self.column[node]), int(self.last[node]), int(self.next[node]), bool(self.missing_left[node]),
            self.left[node], float(self.gain[node]), bool(categorical[self.column[node]]),
        )  # fmt: skip

    def comparable(self) -> dict[str, object]:
        """What does not depend on the code that found them."""
        there = self.column >= 0
        names = ("last", "next", "missing_left", "left", "gain")
        return {"column": self.column, "seeds": self.seeds, **{name: getattr(self, name)[there] for name in names}}


def fall_to_children(codes: Bytes, column: Numbers32, left: Bytes, child: Numbers32, at: Numbers32) -> Numbers32:
    """Send rows, codes (n, d), from their nodes `at` (n,), in place, to children, where there are some.

    A node cuts `column`, −1 where rows stay; `left` (nodes, 256) says which codes go left, to `child`, and others to
    the node after it. Rows at −1 stay.
    """
    rows = np.flatnonzero((at >= 0) & (column[np.maximum(at, 0)] >= 0))
    node = at[rows]
    at[rows] = child[node] + (left[node, codes[rows, column[node]]] == 0)
    return at


def add_to_nodes(
    codes: Bytes, targets: Targets, times: Numbers32 | None, at: Numbers32, slot: Numbers32, columns: Whole,
    cells: Whole, counts: Whole,
) -> tuple[Whole, Whole]:  # fmt: skip
    """Add rows, codes (n, d), to the sums of their nodes `at`: `cells` (parts, summed, looked, 256, k), in place.

    `slot` says where a node is counted, −1 nowhere. The first slots are summed up, in their `columns` (summed, looked).
    `counts` (parts, slots, 3) has the number of rows, and the least and the greatest of what is the same where targets
    are. Any part may get a row.
    """
    rows = np.flatnonzero((at >= 0) & (slot[np.maximum(at, 0)] >= 0))
    where, same = slot[at[rows]], targets.same[rows]
    blank = Coded(codes.T, np.zeros(codes.shape[1], bool), np.zeros((0, CODES)))
    each = np.ones(len(codes), np.int64) if times is None else times.astype(np.int64)
    adds = Search(blank, targets, Limits(1), None, each).each(rows)
    for s in np.unique(where):
        here, seen = where == s, counts[0, s]
        low, high = (seen[1], seen[2]) if seen[0] else (same[here][0], same[here][0])
        seen[:] = seen[0] + here.sum(), min(low, same[here].min()), max(high, same[here].max())
        for j, column in enumerate(columns[s] if s < len(columns) else ()):
            np.add.at(cells[0, s, j], codes[rows[here], column], adds[here])
    return cells, counts


class _NotSummedError(LookupError):
    """A column that was drawn was not summed up."""


@dataclass(frozen=True)
class _SummedSearch(Search):
    """Looks for splits of a node whose sums, (looked, 256, k), are known in some columns."""

    cells: Whole = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    columns: tuple[int, ...] = ()

    def places_of(self, column: int, rows: Whole) -> Places | None:
        if column not in self.columns:
            raise _NotSummedError
        own = self.cells[self.columns.index(column)]
        there = own.any(axis=1)
        places = np.flatnonzero(there[:MISSING])
        if len(places) + there[MISSING] < 2:
            return None
        return Places(places, own[places], own[MISSING], bool(there[MISSING]), np.zeros(len(places)))


def split_from_sums(
    table: Coded, targets: Targets, limits: Limits, cells: Whole, columns: Whole, sums: Whole, seeds: Whole,
    pool: Sequence[int], weight: float,
) -> Splits:  # fmt: skip
    """The best splits of nodes from their sums, `cells` (nodes, looked, 256, k) of `columns` (nodes, looked).

    They are those that the growth finds from rows. `sums` (nodes, k) are those of all rows of a node, `pool` the
    columns of the tree, and `weight` is that of its root. Where a node draws a column that was not summed up, −2 stands
    for its column.
    """
    blank = Coded(np.zeros((len(table.categorical), 0), dtype=np.uint8), table.categorical, table.values)
    nodes, after = [], []
    for own, looked, total, seed in zip(cells, columns.tolist(), sums, seeds.tolist(), strict=True):
        none = np.zeros(0, np.int64)
        search = _SummedSearch(blank, targets, limits, None, none, tuple(pool), cells=own, columns=tuple(looked))
        try:
            split, state = search.best(none, Node(total), seed % 2**64)
        except _NotSummedError:
            split, state = Node(total, column=-2), 0
        tie = TIE * abs(node_score(targets, total))
        least = tie if targets.is_newton else (1 - TIE) * limits.least_gain * weight - tie
        gains = split is not None and (split.gain > least if targets.is_newton else split.gain >= least)
        if split is None or (split.column >= 0 and not gains):
            split = Node(total)
        nodes.append(split)
        after.append(state)
    return Splits(
        np.array([node.column for node in nodes], dtype=np.int32),
        np.array([node.last for node in nodes]),
        np.array([node.next for node in nodes]),
        np.array([node.missing_left for node in nodes], dtype=bool),
        np.array([np.zeros(CODES, bool) if node.left_codes is None else node.left_codes for node in nodes]),
        np.array([node.gain for node in nodes]),
        np.array(after, dtype=np.uint64).view(np.int64),
    )
