"""Which rows the trees of a forest have seen, and what those that have not say of a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from ...backend.growth import Draws, drawn_rows, out_of_bag, unseen_rows
from ...backend.growth.values import Bytes
from ...backend.weights import given_or_ones
from ...data.scratch import IN_MEMORY, Room
from ...growth import TreeRows, Trees
from ...growth.trees import Numbers32
from ...typing import Floats, Whole

_TREES = 32  # whose rows are known at once, a bit a row and tree
_NODES, _CELLS_OF_NODE = 1 << 14, 10  # nodes of trees that are asked at once: so many, or one for so many cells
_AT_ONCE = 16  # trees to whose leaves all rows fall
_ROWS = 1 << 13  # of a block; whole bytes of bits


def bags_of(draws: Draws, n: int) -> Whole:
    """How the rows of each tree were drawn, (trees, 4): the seed, of how many rows, how many, and whether again."""
    bags = np.empty((len(draws.seeds), 4), dtype=np.int64)
    bags[:, 0], bags[:, 1:] = draws.seeds, (n, draws.drawn, draws.replace)
    return bags


def all_seen(trees: int, n: int) -> Whole:
    """The same of trees that have seen every row."""
    return np.tile(np.array([[0, n, 0, 0]], dtype=np.int64), (trees, 1))


def said_out_of_bag(
    rows: Callable[[slice], Floats], n: int, trees: Trees, bags: Whole, mass: Whole | None, room: Room = IN_MEMORY
) -> tuple[Floats, Whole]:
    """The sums of what trees say of the n rows that they have not seen, (n, q), and how many trees these are, (n,).

    `rows` gives some of the rows, (m, d); `mass` are the weights of the rows up to each, by which they were drawn.
    Trees that learned from another number of rows have seen none of these.
    """
    total, seen = np.zeros((n, trees.value.shape[1])), np.zeros(n, dtype=np.int64)
    for part in _alike(bags, np.diff(trees.starts), max(_NODES, n * len(trees.words) // _CELLS_OF_NODE)):
        own, unseen = trees[part], _unseen(bags[part], n, mass)
        for block in room.blocks(n, _ROWS):
            bits = unseen[:, block.start // 8 : -(-block.stop // 8)]
            said = out_of_bag(rows(block), own.forest, own.value, bits, total[block], seen[block])
            total[block], seen[block] = said
    return total, seen


def _alike(bags: Whole, sizes: Whole, nodes: int) -> Iterator[slice]:
    """Trees side by side whose rows were drawn in the same way, not too many at once, nor with more nodes than so."""
    turns = np.flatnonzero((bags[1:, 1:] != bags[:-1, 1:]).any(axis=1)) + 1
    for begin, end in zip([0, *turns.tolist()], [*turns.tolist(), len(bags)], strict=True):
        first = begin
        while first < end:
            fit = int(np.searchsorted(np.cumsum(sizes[first : first + _TREES]), nodes, side="right"))
            last = min(first + max(1, fit), end)
            yield slice(first, last)
            first = last


def _unseen(bags: Whole, n: int, mass: Whole | None) -> Bytes:
    """Which rows each tree has not seen, (trees, ⌈n / 8⌉): a bit a row."""
    of, drawn, again = bags[0, 1:].tolist()
    if of != n or not drawn:
        return np.full((len(bags), -(-n // 8)), 255 if of != n else 0, dtype=np.uint8)
    seeds = np.ascontiguousarray(bags[:, 0])
    return unseen_rows(replace(Draws(seeds), drawn=drawn, replace=bool(again), mass=mass), n)


def ends_of_rows(rows: TreeRows, trees: Trees, bags: Whole, mass: Whole | None) -> Iterator[tuple[Numbers32, Floats]]:
    """The leaf of each row in each tree in turn, −1 of rows that it has not seen, and what each counts, (n,)."""
    n, weight = len(rows), given_or_ones(rows.weight, len(rows))
    for begin in range(0, len(trees), _AT_ONCE):
        part = trees[begin : begin + _AT_ONCE]
        leaves = np.concatenate([part.leaves(rows.represented(slice(at, at + _ROWS))) for at in range(0, n, _ROWS)])
        for t, (seed, _, drawn, again) in enumerate(bags[begin : begin + _AT_ONCE].tolist()):
            times = np.ones(n, dtype=np.int32)
            if drawn:
                times = drawn_rows(Draws(np.array([seed]), None, drawn, bool(again), mass), 0, n)
            counts = times.astype(np.float64) if again and drawn else times * weight
            yield np.where(counts > 0, leaves[:, t], -1).astype(np.int32), counts
