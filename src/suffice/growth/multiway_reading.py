"""The ways of rows through trees with many branches, and what each column adds to what they say."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from ..typing import Floats
from .multiway import MultiwayTree
from .products import Branch, add_shapley, leaf_factors, unknown_share

_CELLS = 1 << 22  # parts of rows, by branch, that are held at once


def passed(tree: MultiwayTree, X: Floats) -> csr_matrix:
    """The part of each row that passes each node, (n, nodes): 1 for all of it."""
    nodes, rows, parts = [], [], []
    above = np.full(len(tree), -1)
    for i in np.flatnonzero(~tree.is_leaf):
        above[tree.first[i] : tree.first[i] + tree.branches[i]] = i
    for leaf, own, part in tree.parts(X):
        at = leaf
        while at >= 0:
            nodes.append(np.full(len(own), at))
            rows.append(own)
            parts.append(part)
            at = int(above[at])
    cells = np.concatenate(parts), (np.concatenate(rows), np.concatenate(nodes))  # equal places are added up
    return csr_matrix(cells, shape=(len(X), len(tree)))


def column_contributions(tree: MultiwayTree, X: Floats) -> Floats:
    """Shapley values of the columns for the shares of the classes, (n, d, k).

    A column that is not known sends a row to all branches, by their weights in the fit. So does a cell that is missing,
    where parts of rows go to all branches: such a column adds nothing.
    """
    height = max(1, _CELLS // int(tree.branches.sum() + 1))
    return np.concatenate([_of_rows(tree, X[i : i + height]) for i in range(0, max(1, len(X)), height)])


def base_shares(tree: MultiwayTree) -> Floats:
    """What a tree says of a row of which nothing is known, (k,)."""
    parts = leaf_factors(lambda node: _split(tree, node, np.zeros((0, 1 + int(tree.column.max(initial=0))))), 0)
    return np.asarray(sum((unknown_share(own) * tree.shares[leaf] for leaf, own in parts), np.zeros(())))


def _of_rows(tree: MultiwayTree, X: Floats) -> Floats:
    total, shares = np.zeros((*X.shape, tree.counts.shape[1])), tree.shares
    for leaf, factors in leaf_factors(lambda node: _split(tree, node, X), len(X)):
        add_shapley(total, factors, shares[leaf])
    return total


def _split(tree: MultiwayTree, node: int, X: Floats) -> tuple[int, list[Branch]] | None:
    column = int(tree.column[node])
    if column < 0:
        return None
    first, stop = int(tree.first[node]), int(tree.first[node] + tree.branches[node])
    mass, part = tree.counts[first:stop].sum(axis=1), np.zeros((stop - first, len(X)))
    for child, own, share in tree.sent(node, X[:, column]):
        part[child - first, own] = share
    return column, [(first + k, part[k], float(mass[k] / mass.sum())) for k in range(stop - first)]
