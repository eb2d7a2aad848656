"""The ways of rows through trees."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from ..typing import Whole
from .trees import Trees


def parents(trees: Trees) -> Whole:
    """The node above each among all nodes, (nodes,), −1 for roots."""
    sizes = np.diff(trees.starts)
    first = np.repeat(trees.starts[:-1], sizes)
    found = np.full(len(trees.column), -1, dtype=np.int64)
    inner = np.flatnonzero(trees.is_inner)
    left = first[inner] + trees.left[inner]
    found[left] = found[left + 1] = inner
    return found


def decision_path(trees: Trees, leaves: Whole) -> csr_matrix:
    """Which nodes rows pass, (n, nodes): 1 for those from the roots to their leaves, (n, trees)."""
    leaf = leaves + trees.starts[:-1]
    lengths = trees.depths[leaf] + 1
    ends = np.cumsum(lengths.reshape(-1))
    indices, above = np.empty(int(ends[-1]) if len(ends) else 0, dtype=np.int64), parents(trees)
    at, place = leaf.reshape(-1), ends - 1
    while len(at):
        indices[place] = at
        kept = above[at] >= 0
        at, place = above[at[kept]], place[kept] - 1
    starts = np.concatenate([[0], np.cumsum(lengths.sum(axis=1))])
    ones = np.ones(len(indices), dtype=np.int64)
    return csr_matrix((ones, indices, starts), shape=(len(leaf), len(trees.column)))
