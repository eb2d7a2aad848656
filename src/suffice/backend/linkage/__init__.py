"""Hierarchies bottom up: merges of pairs of rows with their heights, from distances or from rows; and their trees."""

from __future__ import annotations

from ...typing import Floats
from ..dispatch import LONG, Native, Operation, Portable
from ..distances import Term
from . import native, portable
from .values import KEPT, LANCE_WILLIAMS, LINKAGES, MAY_FALL, OF_SQUARES, Merges

__all__ = [
    "KEPT", "LANCE_WILLIAMS", "LINKAGES", "MAY_FALL", "OF_SQUARES", "Merges", "euclidean_tree", "from_centroids",
    "from_matrix", "from_rows", "numbered", "prim_tree", "spanning_tree", "tree_cut", "tree_sums",
]  # fmt: skip

_TREE_COLUMNS = 16  # room for a row in native/linkage/spanning_tree.cpp
_ALL_PAIRS = "all pairs are computed, and `from_matrix` merges them"

from_matrix = Operation(Native(native.from_matrix), Portable(portable.from_matrix))
from_rows = Operation(Native(native.from_rows), elsewhere=_ALL_PAIRS)
from_centroids = Operation(Native(native.from_centroids), elsewhere=_ALL_PAIRS)
prim_tree = Operation(Native(native.prim_tree), elsewhere=_ALL_PAIRS)
euclidean_tree = Operation(Native(native.euclidean_tree, most_columns=_TREE_COLUMNS), elsewhere="`prim_tree`")
numbered = Operation(Native(native.numbered, dtypes=(LONG,)), Portable(portable.numbered, in_memory=True))
tree_cut = Operation(Native(native.tree_cut, dtypes=(LONG,)), Portable(portable.tree_cut, in_memory=True))
tree_sums = Operation(Native(native.tree_sums, dtypes=(LONG,)), Portable(portable.tree_sums, in_memory=True))


def spanning_tree(X: Floats, term: Term, by_tree: bool = False, is_stored: bool = False) -> Merges:
    """Single linkage, heights in the ranking form; `by_tree` for Euclidean rows of few columns.

    In O(n) memory, but with `is_stored`.
    """
    return euclidean_tree(X) if by_tree else prim_tree(X, term, is_stored)
