"""Whether a split tells more than chance would."""

from __future__ import annotations

import heapq

import numpy as np
from scipy.special import chdtrc, fdtrc

from ..typing import Flags, Floats
from .trees import Trees


def independence(counts: Floats) -> Floats:
    """The p-values of the χ² test that classes do not depend on branches, with weights (…, branches, k), (…).

    Branches without weight and classes that no branch has are not counted; 1 where there is nothing to compare.

    >>> independence(np.array([[[10.0, 0.0], [0.0, 10.0]], [[5.0, 5.0], [5.0, 5.0]]])).round(6).tolist()
    [8e-06, 1.0]
    """
    branch, kind = counts.sum(axis=-1, keepdims=True), counts.sum(axis=-2, keepdims=True)
    whole = np.maximum(kind.sum(axis=-1, keepdims=True), 1e-300)
    expected = branch * (kind / whole)
    squares = np.divide((counts - expected) ** 2, expected, out=np.zeros_like(expected), where=expected > 0)
    freedom = ((branch > 0).sum(axis=(-2, -1)) - 1) * ((kind > 0).sum(axis=(-2, -1)) - 1)
    return np.asarray(np.where(freedom > 0, chdtrc(np.maximum(freedom, 1), squares.sum(axis=(-2, -1))), 1.0))


def equal_means(between: Floats, within: Floats, weight: Floats, targets: int) -> Floats:
    """The p-values of the F test that the means of two halves are equal, (…), all targets together.

    `between` is by how much their squared differences from the means fall with the split, `within` what is left of
    them, and `weight` that of both. Without differences within, any between are significant.

    >>> equal_means(np.array([8.0]), np.array([4.0]), np.array([6.0]), 1).round(3)
    array([0.047])
    """
    freedom = weight - 2.0
    known = (freedom > 0) & (between > 0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.where(known, between / np.maximum(within, 0.0) * freedom, 0.0)
    return np.asarray(np.where(known, fdtrc(targets, targets * np.maximum(freedom, 1e-300), ratio), 1.0))


def class_splits(tree: Trees) -> Floats:
    """The p-value of each split of a tree of classes, (nodes,), 1 of leaves: χ² of classes against halves."""
    found, inner = np.ones(len(tree.left)), np.flatnonzero(tree.is_inner)
    counts, left = tree.value * tree.weight[:, None], tree.left[inner]
    found[inner] = independence(np.stack([counts[left], counts[left + 1]], axis=1))
    return found


def mean_splits(tree: Trees, impurity: Floats) -> Floats:
    """The p-value of each split of a tree of numbers, (nodes,), 1 of leaves: F test of the means of both halves.

    `impurity` (nodes,) is the mean squared error of each node.
    """
    q = tree.value.shape[1]
    return equal_means(tree.gain, tree.weight * q * impurity - tree.gain, tree.weight, q)


def count_splits(tree: Trees) -> Floats:
    """The p-value of each split of a tree of counts, (nodes,), 1 of leaves: the likelihood ratio of Poisson means."""
    return np.asarray(chdtrc(tree.value.shape[1], 2.0 * np.maximum(tree.gain, 0.0)))


def best_first(tree: Trees, inner: Flags, most_leaves: float) -> Flags:
    """Which of the splits `inner` (nodes,) are made where the leaf that gains most is split first."""
    found = np.zeros(len(inner), dtype=bool)
    open_ = [(-float(tree.gain[0]), 0)] if inner[0] else []
    leaves = 1
    while open_ and leaves < most_leaves:
        node = heapq.heappop(open_)[1]
        found[node] = True
        leaves += 1
        for child in (int(tree.left[node]), int(tree.left[node]) + 1):
            if inner[child]:
                heapq.heappush(open_, (-float(tree.gain[child]), child))
    return found
