"""Trees whose splits have as many branches as a column has categories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import ClassVar

import numpy as np

from ..holds import floats, integers, require
from ..registry import registered
from ..typing import Flags, Floats, Whole

NUMBER = -1.0  # the category of branches that are told by a threshold
MISSING = -2.0  # the category of a branch of missing cells


@registered("growth/MultiwayTree")
@dataclass(frozen=True, eq=False)
class MultiwayTree:
    """A tree whose nodes have any number of branches; the root is the first node, and children follow one another.

    Node i is split by `column[i]` (−1: a leaf) into the nodes from `first[i]` on, `branches[i]` of them. A branch is
    told by its own `category`, or, of a number, by being the first (x ≤ `threshold` of its parent) or the second. Where
    a cell is missing or its category has no branch, a row goes to branch `other`; −1: to all, with parts of its weight.
    `counts` (nodes, k) are the weights of the classes, `gain` (bits) and `p` are those of the split.
    """

    column: Whole
    first: Whole
    branches: Whole
    threshold: Floats
    other: Whole
    category: Floats
    counts: Floats
    gain: Floats
    ratio: Floats
    p: Floats

    holds: ClassVar = {
        "column": integers("nodes", at_least=-1),
        "first": integers("nodes", at_least=0),
        "branches": integers("nodes", at_least=0),
        "threshold": floats("nodes"),
        "other": integers("nodes", at_least=-1),
        "category": floats("nodes", at_least=MISSING),
        "counts": floats("nodes", "k", at_least=0),
        "gain": floats("nodes"),
        "ratio": floats("nodes"),
        "p": floats("nodes", at_least=0, at_most=1),
    }

    def check_loaded(self) -> None:
        """Raise an error unless every branch leads to a node that comes later."""
        place, inner = np.arange(len(self.column)), self.column >= 0
        require(len(self.column) > 0, "a tree needs a root")
        require(np.array_equal(inner, self.branches > 0), "column and branches must agree on the leaves")
        require(np.all(self.first[inner] > place[inner]), "children must come after their parents")
        require(np.all(self.first + self.branches <= len(self.column)), "children must be nodes")
        require(np.all(self.other < np.maximum(self.branches, 1)), "other must be a branch")

    def __len__(self) -> int:
        return len(self.column)

    @property
    def is_leaf(self) -> Flags:
        """Which nodes have no branches, (nodes,)."""
        return np.asarray(self.column < 0)

    @property
    def shares(self) -> Floats:
        """The share of each class in each node, (nodes, k)."""
        return np.asarray(self.counts / self.counts.sum(axis=1, keepdims=True))

    @property
    def depths(self) -> Whole:
        """The depth of each node, (nodes,)."""
        found = np.zeros(len(self), dtype=np.int64)
        for i in np.flatnonzero(~self.is_leaf):
            found[self.first[i] : self.first[i] + self.branches[i]] = found[i] + 1
        return found

    def parts(self, X: Floats) -> Iterator[tuple[int, Whole, Floats]]:
        """The leaves with the rows that come to them, and the parts of them that do."""
        at = [(0, np.arange(len(X)), np.ones(len(X)))]
        while at:
            node, rows, part = at.pop()
            if self.column[node] < 0:
                yield node, rows, part
                continue
            for child, own, share in self.sent(node, X[rows, self.column[node]]):
                if len(own):
                    at.append((child, rows[own], part[own] * share))

    def sent(self, node: int, x: Floats) -> Iterator[tuple[int, Whole, float]]:
        """The branches of a node, which of its cells go there, and with which part of their weight."""
        children = np.arange(self.first[node], self.first[node] + self.branches[node])
        branch = branch_of(x, self.category[children], self.threshold[node], int(self.other[node]))
        mass = self.counts[children].sum(axis=1)
        for k, child in enumerate(children.tolist()):
            yield child, np.flatnonzero(branch == k), 1.0
            yield child, np.flatnonzero(branch < 0), float(mass[k] / mass.sum())

    def probabilities(self, X: Floats) -> Floats:
        """The shares of the classes in the leaves of rows, (n, k)."""
        found, shares = np.zeros((len(X), self.counts.shape[1])), self.shares
        for node, rows, part in self.parts(X):
            found[rows] += part[:, None] * shares[node]
        return found


def branch_of(x: Floats, category: Floats, threshold: float, other: int) -> Whole:
    """The branch of each cell, where branches have these categories; `other` where there is none."""
    found = np.full(len(x), other, dtype=np.int64)
    missing, own = np.isnan(x), np.flatnonzero(category == MISSING)
    if (category == NUMBER).any():
        found[~missing] = (x[~missing] > threshold).astype(np.int64)
    else:
        order = np.argsort(category, kind="stable")
        place = np.minimum(np.searchsorted(category[order], x), len(category) - 1)
        same = category[order[place]] == x
        found[same] = order[place[same]]
    if len(own):
        found[missing] = own[0]
    return found


def pruned(tree: MultiwayTree, error: Floats) -> tuple[MultiwayTree, Whole]:
    """The tree without branches whose parent errs no more by itself, and the former numbers of its nodes.

    `error` (nodes,) is that of each node if it were a leaf.
    """
    lost, cut = error.astype(np.float64), np.zeros(len(tree), dtype=bool)
    slack = 1e-12 * float(np.abs(error).max(initial=0.0))
    for i in np.flatnonzero(~tree.is_leaf)[::-1]:
        below = float(lost[tree.first[i] : tree.first[i] + tree.branches[i]].sum())
        cut[i] = below >= error[i] - slack
        lost[i] = error[i] if cut[i] else below
    kept = np.zeros(len(tree), dtype=bool)
    kept[0] = True
    for i in np.flatnonzero(~tree.is_leaf):
        kept[tree.first[i] : tree.first[i] + tree.branches[i]] = kept[i] and not cut[i]
    former, number = np.flatnonzero(kept), np.cumsum(kept) - 1
    parts = {name: getattr(tree, name)[former] for name in (own.name for own in fields(tree))}
    leaf = cut[former] | tree.is_leaf[former]
    blank = {
        "column": -1,
        "first": 0,
        "branches": 0,
        "threshold": 0.0,
        "other": -1,
        "gain": 0.0,
        "ratio": 0.0,
        "p": 1.0,
    }
    found = {name: np.where(leaf, blank[name], own) if name in blank else own for name, own in parts.items()}
    found["first"] = np.where(leaf, 0, number[np.minimum(parts["first"], len(tree) - 1)])
    return replace(tree, **found), former
