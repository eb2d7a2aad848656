"""Which way a hierarchy is built: from a matrix, from rows, or from centroids, and the memory each way needs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ... import backend as arrays
from ...backend import linkage as kernels
from ...backend.linkage import KEPT, OF_SQUARES, Merges
from ...distances import Distance
from ...errors import InvalidData, InvalidParameter, MemoryNeeded, squares_overflow
from ...typing import Floats, Reals

Array = Reals

STORED = 2048  # up to so many rows, all pairs are kept: it is fast, and ties fall as in SciPy
STORED_COLUMNS = 32  # with fewer, a distance costs no more than to keep it
STORED_SINGLE = 128  # the same where each is looked at once
TREE_COLUMNS = 8  # up to so many columns a k-d tree spares most comparisons


def merges_of(owner: str, X: Array, measure: Distance, linkage: str, weight: Floats, memory: int) -> Merges:
    """The merges of the rows of X by their distances."""
    if linkage in OF_SQUARES:
        check_euclidean(owner, measure, linkage)
    own = measure.rows(X) if measure.has_kernel else X
    check_size(owner, own)
    if len(X) < 2 or not kernels.from_rows.takes(X) or not measure.has_kernel or arrays.first_bad(own) is not None:
        return merges_of_matrix(owner, pairs_of(owner, X, measure, memory), linkage, weight, memory)
    if linkage in OF_SQUARES and (len(X) > STORED or (linkage == "ward" and np.any(weight != 1))):
        return kernels.from_centroids(np.asarray(own, dtype=np.float64), weight, linkage)
    if linkage in kernels.MAY_FALL:
        return merges_of_matrix(owner, pairs_of(owner, X, measure, memory), linkage, weight, memory)
    return _merges_of_rows(owner, np.asarray(own, dtype=np.float64), X.dtype, measure, linkage, weight, memory)


def _merges_of_rows(
    owner: str, own: Floats, dtype: np.dtype[np.generic], measure: Distance, linkage: str, weight: Floats, memory: int
) -> Merges:
    single = dtype == np.float32
    by_ranking = linkage == "single" or (linkage == "complete" and not single)  # these only compare
    term = measure.term_for(own, ranking=by_ranking)
    n, d = own.shape
    least = STORED_SINGLE if linkage == "single" else STORED_COLUMNS
    is_stored = n <= STORED and d >= least and (1 + KEPT) * n**2 * dtype.itemsize <= memory
    if linkage == "single":
        is_plain = term.kind == "squared" and term.weight is None
        by_tree = is_plain and d <= TREE_COLUMNS and n > STORED
        merges = kernels.spanning_tree(own, term, by_tree, is_stored)
    else:
        check_memory(owner, KEPT * n**2 * dtype.itemsize, memory, n, linkage)
        merges = kernels.from_rows(own, term, weight, linkage, single, is_stored)
    return replace(merges, heights=measure.to_true(merges.heights)) if by_ranking else merges


def merges_of_matrix(owner: str, D: Array, linkage: str, weight: Floats, memory: int) -> Merges:
    """The merges of objects whose dissimilarities are known, (n, n)."""
    check_size(owner, D)
    if linkage != "single":
        copies = 1.0 if linkage in kernels.MAY_FALL else KEPT
        check_memory(owner, copies * D.nbytes, memory, len(D), linkage)
    return kernels.from_matrix(D, weight, linkage)


def pairs_of(owner: str, X: Array, measure: Distance, memory: int) -> Array:
    """All distances, (n, n); an error where some are not defined."""
    check_memory(owner, len(X) ** 2 * X.dtype.itemsize, memory, len(X), "")
    D = measure.pairwise(X)
    if np.isnan(D).any():
        i, j = np.argwhere(np.isnan(D))[0]
        raise InvalidData(f"{owner}: the rows {i} and {j} have no column in common; drop one, or fill missing values.")
    return np.asarray(D)


def check_memory(owner: str, needed: float, memory: int, n: int, linkage: str) -> None:
    """Refuse to begin what would take more than `memory` bytes."""
    if needed <= memory:
        return
    way = f" with linkage={linkage!r}" if linkage else ""
    raise MemoryNeeded(
        f"{owner}: {n:,} rows need {int(needed):,} bytes for distances{way}, more than memory={memory:,}. Raise "
        "memory, give float32, use linkage='ward' or 'single' (which need a few bytes a row), or "
        f"{owner}.from_sample(X, size)."
    )


def check_size(owner: str, values: Array) -> None:
    """Refuse numbers whose squares would overflow."""
    largest = arrays.largest(values)
    most = 1e150 if values.dtype == np.float64 else 1e18
    if largest > most:
        raise squares_overflow(owner, largest=largest)


def check_euclidean(owner: str, measure: Distance, linkage: str) -> None:
    """Refuse a distance without centroids where the linkage is about centroids."""
    if measure.kind != "squared" or not measure.takes_root:
        raise InvalidParameter(
            f"{owner}: linkage={linkage!r} is about centroids and needs a Euclidean distance; got metric={measure!r}. "
            "Use metric='euclidean', or linkage='average'."
        )
