"""Trees that set rows apart by random cuts of random columns, in plain NumPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...typing import Floats, Reals
from .portable import drawn_rows
from .search import drawn_columns, next_random
from .values import Draws, Isolated


def grow_isolating(X: Reals, draws: Draws, of_tree: int, most_depth: int) -> Isolated:
    """Trees of random cuts of `of_tree` columns, drawn for each, down to a depth.

    A node is cut at a random place between the least and the greatest value of a column, drawn among those that hold
    more than one; missing cells go where more rows go. Every node draws by a seed that follows from the tree's and the
    path to it.
    """
    rows, trees = np.asarray(X, dtype=np.float64), []
    for t, seed in enumerate(draws.seeds.tolist()):
        drawn = np.repeat(np.arange(len(rows)), drawn_rows(draws, t, len(rows)))
        trees.append(_tree(rows[drawn], seed % 2**64, of_tree, most_depth))
    nodes = [node for tree in trees for node in tree]
    return Isolated(
        np.cumsum([0, *map(len, trees)]),
        np.array([node.column for node in nodes], dtype=np.int32),
        np.array([node.left for node in nodes], dtype=np.int32),
        np.array([node.threshold for node in nodes], dtype=np.float64),
        np.array([node.missing_left for node in nodes], dtype=bool),
        np.array([node.depth for node in nodes], dtype=np.int32),
        np.array([len(node.rows) for node in nodes], dtype=np.int64),
    )


@dataclass
class _Node:
    rows: Floats  # (m, d)
    depth: int
    seed: int
    column: int = -1
    left: int = -1
    threshold: float = 0.0
    missing_left: bool = False


def _tree(rows: Floats, seed: int, of_tree: int, most_depth: int) -> list[_Node]:
    pool, seed = drawn_columns(rows.shape[1], of_tree, seed)
    nodes = [_Node(rows, 0, seed)]
    open_ = [0]
    while open_:
        node = nodes[open_.pop()]
        if node.depth >= most_depth or len(node.rows) < 2 or not _cut(node, list(pool)):
            continue
        node.left = len(nodes)
        seed, right_seed = next_random(node.seed)
        _, left_seed = next_random(seed)
        x = node.rows[:, node.column]
        goes_left = (x <= node.threshold) | (np.isnan(x) & node.missing_left)
        nodes += [
            _Node(node.rows[goes_left], node.depth + 1, left_seed),
            _Node(node.rows[~goes_left], node.depth + 1, right_seed),
        ]
        open_ += [node.left + 1, node.left]
    return nodes


def _cut(node: _Node, columns: list[int]) -> bool:
    """Cut a node at random, if a column has more than one value in it."""
    for j in range(len(columns)):
        node.seed, word = next_random(node.seed)
        at = j + (word * (len(columns) - j) >> 64)
        columns[j], columns[at] = columns[at], columns[j]
        x = node.rows[:, columns[j]]
        known = x[~np.isnan(x)]
        if len(known) == 0 or not known.min() < known.max():
            continue
        node.seed, word = next_random(node.seed)
        share, low, high = (word >> 11) * 2.0**-53, float(known.min()), float(known.max())
        cut = low * (1 - share) + high * share
        node.column, node.threshold = columns[j], cut if low <= cut < high else low
        node.missing_left = bool(2 * np.count_nonzero(known <= node.threshold) > len(known))
        return True
    return False
