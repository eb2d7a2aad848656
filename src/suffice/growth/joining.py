"""Nodes that were split from sums, and the trees below them, as one tree: in the order in which it would have grown."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..backend.growth import Limits, Nodes, Split
from ..typing import Flags, Whole

N = TypeVar("N", bound=np.generic)
_OF_NODES = ("column", "left", "last", "next", "missing_left", "set", "gain", "sums")


@dataclass(eq=False)
class TopNode:
    """A node of a tree above those that are grown in memory; `child` is the first of two."""

    depth: int
    seed: int  # of its random numbers
    sums: Whole  # (k,)
    rows: int = 0
    is_open: bool = False  # whether a tree may be grown from it
    split: Split | None = None
    child: int = -1
    below: Nodes | None = None  # the tree that was grown from it
    path_gain: float = np.inf  # the least gain of the splits above it and of its own


def joined_tree(top: list[TopNode], limits: Limits) -> Nodes:
    """The whole tree, from its root on."""
    pool, firsts = _pooled(top)
    order, inner = _best_first(pool, limits.most_leaves) if limits.best_first else _depth_first(pool, firsts)
    place = np.full(len(pool.column), -1, dtype=np.int32)
    place[order] = np.arange(len(order))
    is_set = inner[order] & (pool.set[order] >= 0)

    def own(values: NDArray[N]) -> NDArray[N]:
        found = values[order]
        found[~inner[order]] = 0
        return found

    return Nodes(
        np.array([0, len(order)]),
        np.where(inner[order], pool.column[order], -1).astype(np.int32),
        np.where(inner[order], place[pool.left[order]], -1).astype(np.int32),
        own(pool.last), own(pool.next), own(pool.missing_left),
        np.where(is_set, np.cumsum(is_set) - 1, -1).astype(np.int32),
        pool.sets[pool.set[order][is_set]], own(pool.gain), pool.sums[order],
    )  # fmt: skip


def _pooled(top: list[TopNode]) -> tuple[Nodes, dict[int, tuple[int, int]]]:
    """All nodes, those above first, then those of each tree below but its root; and where these are, by its root."""
    parts, firsts = [_of_top(top)], {}
    count, sets = len(top), len(parts[0].sets)
    for at, node in enumerate(top):
        if node.below is None:
            continue
        own = replace(
            node.below,
            left=np.where(node.below.left < 0, -1, node.below.left - 1 + count).astype(np.int32),
            set=np.where(node.below.set < 0, -1, node.below.set + sets).astype(np.int32),
        )
        for name in _OF_NODES:
            getattr(parts[0], name)[at] = getattr(own, name)[0]
        parts.append(replace(own, **{name: getattr(own, name)[1:] for name in _OF_NODES}))
        firsts[at] = count, len(own.column) - 1
        count, sets = count + len(own.column) - 1, sets + len(own.sets)
    joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in (*_OF_NODES, "sets")}
    return replace(parts[0], starts=np.array([0, count]), **joined), firsts


def _of_top(top: list[TopNode]) -> Nodes:
    n = len(top)
    found = Nodes(
        np.array([0, n]), np.full(n, -1, np.int32), np.array([node.child for node in top], np.int32),
        np.zeros(n, np.uint32), np.zeros(n, np.uint32), np.zeros(n, np.uint8), np.full(n, -1, np.int32),
        np.zeros((sum(node.split is not None for node in top), 4), np.uint64), np.zeros(n),
        np.array([node.sums for node in top]),
    )  # fmt: skip
    for number, at in enumerate(at for at, node in enumerate(top) if node.split is not None):
        own = top[at].split
        assert own is not None
        for name in ("column", "last", "next", "missing_left", "gain"):
            getattr(found, name)[at] = getattr(own, name)
        if own.is_set:
            found.set[at] = number
            found.sets[number] = np.packbits(own.left, bitorder="little").view(np.uint64)
    return found


def _depth_first(pool: Nodes, firsts: dict[int, tuple[int, int]]) -> tuple[Whole, Flags]:
    """The nodes in the order in which they are made where the last node that was made is split first."""
    order, waiting = [np.array([0])], [0]
    while waiting:
        node = waiting.pop()
        if node in firsts:
            order.append(firsts[node][0] + np.arange(firsts[node][1]))
        elif pool.left[node] >= 0:
            left = int(pool.left[node])
            order.append(np.array([left, left + 1]))
            waiting += [left + 1, left]
    return np.concatenate(order), pool.left >= 0


def _best_first(pool: Nodes, most_leaves: float) -> tuple[Whole, Flags]:
    """The same where the node that gains most is split first, of equals the one that was made first."""
    order, inner = [0], np.zeros(len(pool.column), dtype=bool)
    waiting = [(-float(pool.gain[0]), 0)] if pool.left[0] >= 0 else []
    leaves = 1
    while waiting and leaves < most_leaves:
        node = order[heapq.heappop(waiting)[1]]
        inner[node] = True
        for child in (int(pool.left[node]), int(pool.left[node]) + 1):
            if pool.left[child] >= 0:
                heapq.heappush(waiting, (-float(pool.gain[child]), len(order)))
            order.append(child)
        leaves += 1
    return np.array(order), inner
