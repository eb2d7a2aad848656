"""Pruning: which splits of a grown tree are not worth their leaves."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..holds import floats, integers, text, tuples
from ..registry import registered
from ..text import aligned, figure
from ..typing import Flags, Floats, Labels, Whole
from .trees import Trees

_SAME = 1e-10  # strengths closer than this part of each other are equal
_ZERO = 1e-12  # strengths below this part of the largest are 0
_FEW = 500  # splits of a tree that are looked at one by one


@registered("growth/PrunedNodes")
@dataclass(frozen=True, eq=False)
class PrunedNodes:
    """What was cut from a tree: leaves that had splits below them before.

    `node` (m,) are their numbers in the pruned tree, `column` the columns of the splits that went first, with their
    `names`, and `leaves` how many leaves there were below. `before` and `after` are the errors of the whole tree before
    and after each cut, one cut after the other, by the measure that decided.
    """

    node: Whole
    column: Whole
    names: tuple[str, ...]
    leaves: Whole
    before: Floats
    after: Floats

    holds: ClassVar = {
        "node": integers("cuts", at_least=0),
        "column": integers("cuts", at_least=0),
        "names": tuples(text(), "cuts"),
        "leaves": integers("cuts", at_least=2),
        "before": floats("cuts"),
        "after": floats("cuts"),
    }

    @classmethod
    def none(cls) -> PrunedNodes:
        """Of a tree that was left as it was."""
        whole, errors = np.zeros(0, dtype=np.int64), np.zeros(0)
        return cls(whole, whole, (), whole, errors, errors)

    def __len__(self) -> int:
        return len(self.node)

    @property
    def table(self) -> dict[str, Labels]:
        """Columns by name: the node, the column of its former split, leaves cut, and the errors before and after."""
        return {
            "node": self.node, "column": np.array(self.names, dtype=object), "leaves": self.leaves,
            "before": self.before, "after": self.after,
        }  # fmt: skip

    def __str__(self) -> str:
        rows = [
            (str(node), name, str(leaves), figure(before), figure(after))
            for node, name, leaves, before, after in zip(*self.table.values(), strict=True)
        ]
        return aligned([tuple(self.table), *rows], words=2)


@dataclass(frozen=True, eq=False)
class Links:
    """Cuts of one tree, weakest link first: the node that becomes a leaf, at which strength, and the rise of the risk.

    The strength α of a cut is the rise of the risk for each leaf that goes (Breiman et al., 1984).
    """

    node: Whole  # (cuts,)
    alpha: Floats  # (cuts,), rising
    rise: Floats  # (cuts,)

    def cut_at(self, tree: Trees) -> Floats:
        """The strength from which on each node has no splits below it, (nodes,); −1 of leaves."""
        found = np.where(tree.is_inner, np.inf, -1.0)
        found[self.node] = self.alpha
        parent = tree.parents
        for depth in range(1, int(tree.depths.max()) + 1):
            own = np.flatnonzero(tree.depths == depth)
            found[own] = np.minimum(found[own], found[parent[own]])
        return found


def weakest_links(tree: Trees, drop: Floats) -> Links:
    """All cuts of one tree, where the split of a node lowers the risk by `drop` (nodes,)."""
    parent, left = tree.parents.tolist(), tree.left.tolist()
    below = np.where(tree.is_inner, np.maximum(drop, 0.0), 0.0).tolist()  # what all splits of a subtree lower
    leaves = np.where(tree.is_inner, 0, 1).tolist()
    for node in range(len(parent) - 1, 0, -1):
        below[parent[node]] += below[node]
        leaves[parent[node]] += leaves[node]
    # strengths only rise while others are cut, so that what the heap knows of a node may be too low, never too high
    open_ = [(below[node] / (leaves[node] - 1), node) for node in range(len(parent)) if left[node] >= 0]
    heapq.heapify(open_)
    found: list[tuple[int, float, float]] = []
    least = 0.0
    while open_:
        known, node = open_[0]
        alpha = below[node] / (leaves[node] - 1) if left[node] >= 0 else known
        if alpha > known:
            heapq.heapreplace(open_, (alpha, node))
            continue
        heapq.heappop(open_)
        if left[node] < 0:
            continue  # it went with one above it
        least = max(least, alpha)
        found.append((node, least, below[node]))
        lost, gone, at = below[node], leaves[node] - 1, node
        for inside in _inside(node, left):
            left[inside] = -1
        while at >= 0:
            below[at] -= lost
            leaves[at] -= gone
            at = parent[at]
    alphas = np.array([own[1] for own in found], dtype=np.float64)
    return Links(
        np.array([own[0] for own in found], dtype=np.int64),
        np.where(alphas > _ZERO * least, alphas, 0.0),
        np.array([own[2] for own in found], dtype=np.float64),
    )


def _inside(node: int, left: list[int]) -> list[int]:
    """A node and all below it."""
    found, at = [node], 0
    while at < len(found):
        if left[found[at]] >= 0:
            found += [left[found[at]], left[found[at]] + 1]
        at += 1
    return found


def distinct(alphas: Floats) -> Floats:
    """The strengths at which trees differ, rising from 0; equal ones count once."""
    rising = np.concatenate([[0.0], alphas])
    last_of_equals = np.append(rising[1:] > rising[:-1] * (1 + _SAME), True)
    return np.asarray(rising[last_of_equals])


def along(tree: Trees, cut_at: Floats, own: Floats, alphas: Floats) -> Floats:
    """Sums over the leaves of the trees pruned at rising strengths, (k,), of what nodes have of their own, (nodes,).

    A node is a leaf from the strength at which it is cut, up to that of its parent.
    """
    parent = tree.parents
    upper = np.where(parent >= 0, cut_at[parent], np.inf)
    first, last = (np.searchsorted(alphas, bound, side="left") for bound in (cut_at, upper))
    changes = np.zeros(len(alphas) + 1)
    np.add.at(changes, first, own)
    np.subtract.at(changes, last, own)
    return np.cumsum(changes)[:-1]


def cut_back(tree: Trees, inner: Flags) -> tuple[Trees, Whole]:
    """The tree with splits only where `inner` (nodes,) says so, and the former numbers of its nodes."""
    reached = np.zeros(len(inner), dtype=bool)
    reached[0] = True
    parent = tree.parents
    inner = inner & tree.is_inner
    for depth in range(1, int(tree.depths.max()) + 1):
        own = np.flatnonzero(tree.depths == depth)
        reached[own] = reached[parent[own]] & inner[parent[own]]
    former = np.flatnonzero(reached)
    number, split = np.cumsum(reached) - 1, inner[former]
    found = replace(
        tree,
        starts=np.array([0, len(former)]),
        column=np.where(split, tree.column[former], -1).astype(np.int32),
        left=np.where(split, number[tree.left[former]], -1).astype(np.int32),
        threshold=np.where(split, tree.threshold[former], 0.0),
        missing_left=split & tree.missing_left[former],
        gain=np.where(split, tree.gain[former], 0.0),
        weight=tree.weight[former],
        value=tree.value[former],
    )
    return found, former


def pruned_nodes(
    tree: Trees, pruned: Trees, former: Whole, names: tuple[str, ...], rise: Floats, error: float
) -> PrunedNodes:
    """What was cut, where cutting all below a node makes the error of the tree, `error`, rise by `rise` (nodes,)."""
    node = np.flatnonzero((pruned.left < 0) & tree.is_inner[former])
    cut = former[node]
    after = error + np.cumsum(rise[cut])
    column = tree.column[cut].astype(np.int64)
    leaves = subtree_sums(tree, (~tree.is_inner).astype(np.float64))[cut].astype(np.int64)
    return PrunedNodes(node, column, tuple(names[j] for j in column), leaves, after - rise[cut], after)


def subtree_sums(tree: Trees, own: Floats) -> Floats:
    """The sums of what nodes have of their own over each node and all below it, (nodes,)."""
    found, inner = own.astype(np.float64), np.flatnonzero(tree.is_inner)
    if len(tree) == 1 and len(inner) <= _FEW:  # nodes come before those below them
        sums, below = found.tolist(), tree.left.tolist()
        for node in reversed(inner.tolist()):
            sums[node] += sums[below[node]] + sums[below[node] + 1]
        return np.array(sums)
    depth = tree.depths[inner]
    deepest_first = inner[np.argsort(-depth, kind="stable")]
    for level in np.split(deepest_first, np.cumsum(np.bincount(depth)[::-1])[:-1]):
        left = tree.left[level]
        found[level] += found[left] + found[left + 1]
    return found


def replaced_subtrees(tree: Trees, error: Floats) -> tuple[Flags, Floats]:
    """Which splits stay where a subtree goes if its root alone errs no more, and the error of each subtree, (nodes,).

    `error` (nodes,) is that of each node if it were a leaf. From the leaves upwards, so that a subtree is judged as it
    has been pruned already.
    """
    inner, found, parent = tree.is_inner.copy(), error.astype(np.float64), tree.parents
    slack = 1e-12 * float(np.abs(error).max(initial=0.0))
    for depth in range(int(tree.depths.max()), 0, -1):
        level = np.flatnonzero(tree.depths == depth)
        both = np.zeros(len(found))
        np.add.at(both, parent[level], found[level])
        above = np.unique(parent[level])
        inner[above] = both[above] < error[above] - slack
        found[above] = np.where(inner[above], both[above], error[above])
    return inner, found


def pessimistic_errors(wrong: Floats, weight: Floats, confidence: float) -> Floats:
    """The errors to be expected of leaves where so much of their weight is wrong (Quinlan, 1993).

    The share U for which at most so many errors have the probability `confidence`, times the weight.

    >>> pessimistic_errors(np.array([0.0, 0.0, 0.0, 1.0]), np.array([6.0, 9.0, 1.0, 16.0]), 0.25).round(3)
    array([1.238, 1.285, 0.75 , 2.554])
    """
    from scipy.special import betaincinv

    right = np.maximum(weight - wrong, 0.0)
    share = betaincinv(wrong + 1.0, np.maximum(right, 1e-300), 1.0 - confidence)
    return np.asarray(np.where(right > 0, share, 1.0) * weight)
