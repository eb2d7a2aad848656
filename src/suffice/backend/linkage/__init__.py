"""Hierarchies bottom up: merges of pairs of rows with their heights, from distances or from rows; and their trees."""

from __future__ import annotations

from ..dispatch import LONG, Native, Operation, Portable
from . import native, portable
from .values import KEPT, LANCE_WILLIAMS, LINKAGES, MAY_FALL, OF_SQUARES, Merges

__all__ = [
    "KEPT", "LANCE_WILLIAMS", "LINKAGES", "MAY_FALL", "OF_SQUARES", "Merges", "from_centroids", "from_matrix",
    "from_rows", "numbered", "spanning_tree", "tree_cut", "tree_sums",
]  # fmt: skip

_ALL_PAIRS = "all pairs are computed, and `from_matrix` merges them"

from_matrix = Operation(Native(native.from_matrix), Portable(portable.from_matrix))
from_rows = Operation(Native(native.from_rows), elsewhere=_ALL_PAIRS)
from_centroids = Operation(Native(native.from_centroids), elsewhere=_ALL_PAIRS)
spanning_tree = Operation(Native(native.spanning_tree), elsewhere=_ALL_PAIRS)
numbered = Operation(Native(native.numbered, dtypes=(LONG,)), Portable(portable.numbered))
tree_cut = Operation(Native(native.tree_cut, dtypes=(LONG,)), Portable(portable.tree_cut))
tree_sums = Operation(Native(native.tree_sums, dtypes=(LONG,)), Portable(portable.tree_sums))
