"""The kernels of hierarchies; `portable.py` says what those from a matrix compute, and the others find the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Reals, Whole
from ..distances import Term
from ..native import kernels
from ..threads import thread_count
from ..weights import doubles
from .values import MAY_FALL, Merges, ward_distances


def from_matrix(D: Reals, weight: Floats, linkage: str) -> Merges:
    """The merges of all pairs."""
    merges, rows = Merges.empty(len(D)), np.ascontiguousarray(ward_distances(D, weight, linkage))
    if len(D) < 2:
        return merges
    if linkage == "single":
        kernels().spanning_prim(rows, merges.pairs, merges.heights)
    elif linkage in MAY_FALL:
        kernels().linkage_generic(rows.copy(), doubles(weight), linkage, merges.pairs, merges.heights)
        return merges
    else:
        kernels().linkage_chain(rows, doubles(weight), linkage, thread_count(), merges.pairs, merges.heights)
    return merges.sorted()


def from_rows(
    X: Floats, term: Term, weight: Floats, linkage: str, single: bool = False, is_stored: bool = False
) -> Merges:
    """The merges of rows whose distances the term says; `single` keeps those of clusters in single precision.

    `is_stored`: all pairs are computed beforehand, in n² cells.
    """
    merges = Merges.empty(len(X))
    form = (term.kind, term.p, term.numbers, term.finish, doubles(term.weight), term.scale)
    kernels().linkage_chain_rows(
        doubles(X), *form, single, is_stored, doubles(weight), linkage, thread_count(), merges.pairs, merges.heights
    )
    return merges.sorted()


def from_centroids(X: Floats, weight: Floats, linkage: str) -> Merges:
    """The merges of rows by ward, centroid or median, from their centroids, in O(n) memory."""
    merges = Merges.empty(len(X))
    kernels().centroid_linkage(doubles(X), doubles(weight), linkage, thread_count(), merges.pairs, merges.heights)
    return merges if linkage in MAY_FALL else merges.sorted()


def prim_tree(X: Floats, term: Term, is_stored: bool = False) -> Merges:
    """The spanning tree of rows, which is single linkage, in O(n) memory; heights in the ranking form.

    `is_stored`: all pairs are computed beforehand, in n² cells.
    """
    merges = Merges.empty(len(X))
    form = (term.kind, term.p, term.numbers, doubles(term.weight), term.scale)
    kernels().spanning_prim_rows(doubles(X), *form, is_stored, thread_count(), merges.pairs, merges.heights)
    return merges.sorted()


def euclidean_tree(X: Floats) -> Merges:
    """The same for squared distances, with a k-d tree that spares most comparisons where columns are few."""
    merges = Merges.empty(len(X))
    kernels().spanning_tree(doubles(X), thread_count(), merges.pairs, merges.heights)
    return merges.sorted()


def numbered(pairs: Whole) -> Whole:
    """The clusters that are merged."""
    children = np.empty(pairs.shape, dtype=np.int64)
    if len(pairs):
        kernels().linkage_label(np.ascontiguousarray(pairs).reshape(-1), len(pairs) + 1, children)
    return children


def tree_cut(children: Whole, is_kept: NDArray[np.bool_]) -> Whole:
    """The cluster of each row where only some merges are kept."""
    labels = np.zeros(len(children) + 1, dtype=np.int64)
    if len(children):
        kept = np.ascontiguousarray(is_kept).view(np.uint8)
        kernels().tree_cut(np.ascontiguousarray(children).reshape(-1), kept, labels)
    return labels


def tree_sums(children: Whole, leaves: Floats) -> Floats:
    """The sum of a value of the leaves below each merge."""
    values = np.concatenate([leaves, np.zeros(len(children))])
    if len(children):
        kernels().tree_sums(np.ascontiguousarray(children).reshape(-1), values)
    return values[len(leaves) :]
