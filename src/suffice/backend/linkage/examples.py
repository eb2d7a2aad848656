"""Arguments to try hierarchies with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.spatial.distance import cdist

from ...typing import Whole
from ..distances import Term
from ..examples import Arguments, Case
from . import LINKAGES, OF_SQUARES


def from_matrix(case: Case) -> Iterator[Arguments]:
    """Every linkage, with and without weights. Single precision would break ties in another way."""
    rng = case.rng()
    X = rng.normal(size=(case.n, case.d))
    D = case.laid_out(cdist(X, X))
    for linkage in LINKAGES if case.dtype == np.float64 else ("single", "complete"):
        yield D, np.ones(case.n), linkage
        yield D, rng.integers(1, 4, case.n).astype(np.float64), linkage


def from_rows(case: Case) -> Iterator[Arguments]:
    """Two linkages."""
    rng = case.rng()
    if case.n > 1:
        for linkage in ("complete", "average"):
            yield case.rows(rng), Term("squared", "root"), np.ones(case.n), linkage


def from_centroids(case: Case) -> Iterator[Arguments]:
    """The linkages that have centroids."""
    rng = case.rng()
    if case.n > 1:
        for linkage in OF_SQUARES:
            yield case.rows(rng), np.ones(case.n), linkage


def prim_tree(case: Case) -> Iterator[Arguments]:
    """Two distances."""
    rng = case.rng()
    if case.n > 1:
        yield case.rows(rng), Term("squared")
        yield case.rows(rng), Term("absolute")


def euclidean_tree(case: Case) -> Iterator[Arguments]:
    """Few columns."""
    if case.n > 1 and case.d <= 16:
        yield (case.rows(case.rng()),)


def _pairs(case: Case, rng: np.random.Generator) -> Whole:
    """Merges of rows: each row with one before it, in any order."""
    later = np.arange(1, max(case.n, 1))
    return np.stack([rng.integers(0, later), later], axis=1)[rng.permutation(len(later))]


def numbered(case: Case) -> Iterator[Arguments]:
    """A tree of all rows, its merges laid out in any way."""
    yield (case.layout(_pairs(case, case.rng())),)


def _children(case: Case, rng: np.random.Generator) -> Whole:
    """Any two clusters that are left, merged until there is one."""
    left, children = list(range(max(case.n, 1))), []
    while len(left) > 1:
        children.append(sorted(left.pop(int(rng.integers(len(left)))) for _ in range(2)))
        left.append(max(case.n, 1) + len(children) - 1)
    return np.array(children, dtype=np.int64).reshape(-1, 2)


def tree_cut(case: Case) -> Iterator[Arguments]:
    """All merges, none, and the first half, which lie below the others."""
    children = _children(case, case.rng())
    for kept in (0, len(children) // 2, len(children)):
        yield case.layout(children), np.arange(len(children)) < kept


def tree_sums(case: Case) -> Iterator[Arguments]:
    """Weights of leaves."""
    rng = case.rng()
    children = _children(case, rng)
    yield case.layout(children), rng.random(len(children) + 1)
