"""Trees: cells coded or ranked, nodes split from the root on, and rows that fall to their leaves.

Sums are whole numbers, so that a tree is the same for any order and cut of the rows and any number of threads.
"""

import numpy as np

from ..dispatch import BYTE, DOUBLE, LONG, Native, Operation, Portable
from . import isolating, native, portable, summed
from .summed import Split, Splits
from .values import (
    CATEGORICAL,
    CODES,
    CRITERIA,
    MISSING,
    MISSING_LEFT,
    NO_PLACE,
    NODE,
    Coded,
    Decoded,
    Decoding,
    Draws,
    Forest,
    Isolated,
    Limits,
    Nodes,
    Sorted,
    Targets,
)

__all__ = [
    "CATEGORICAL", "CODES", "CRITERIA", "MISSING", "MISSING_LEFT", "NODE", "NO_PLACE", "Coded", "Decoded",
    "Decoding", "Draws", "Forest", "Isolated", "Limits", "Nodes", "Sorted", "Split", "Splits", "Targets",
    "add_to_nodes", "code_rows", "drawn_rows", "fall_to_children", "grow_boosted", "grow_coded", "grow_forest",
    "grow_isolating", "grow_sorted", "leaf_paths", "leaf_quantiles", "leaf_sums", "leaves", "out_of_bag",
    "rank_rows", "split_from_sums", "unseen_rows", "whole_steps",
]  # fmt: skip

_RANKS = (np.dtype(np.uint32),)
_NUMBERS = (np.dtype(np.int32),)

code_rows = Operation(Native(native.code_rows), Portable(portable.code_rows))
rank_rows = Operation(Native(native.rank_rows), Portable(portable.rank_rows))
grow_coded = Operation(
    Native(native.grow_coded, (BYTE,)), Portable(portable.grow_coded, in_memory=True), by="table.codes"
)
grow_forest = Operation(
    Native(native.grow_forest, (BYTE,)), Portable(portable.grow_forest, in_memory=True), by="table.codes"
)
grow_sorted = Operation(
    Native(native.grow_sorted, _RANKS), Portable(portable.grow_sorted, in_memory=True), by="table.ranks"
)
grow_boosted = Operation(
    Native(native.grow_boosted, (BYTE,)), Portable(portable.grow_boosted, in_memory=True), by="table.codes"
)
whole_steps = Operation(Native(native.whole_steps, (DOUBLE,)), Portable(portable.whole_steps), by="gradient")
drawn_rows = Operation(
    Native(native.drawn_rows, (LONG,)), Portable(portable.drawn_rows, in_memory=True), by="draws.seeds"
)
leaf_paths = Operation(Native(native.leaf_paths, _NUMBERS), Portable(portable.leaf_paths), by="parent")
leaf_quantiles = Operation(Native(native.leaf_quantiles, _NUMBERS), Portable(portable.leaf_quantiles), by="nodes")
unseen_rows = Operation(
    Native(native.unseen_rows, (LONG,)), Portable(portable.unseen_rows, in_memory=True), by="draws.seeds"
)
out_of_bag = Operation(Native(native.out_of_bag, (DOUBLE,)), Portable(portable.out_of_bag))
grow_isolating = Operation(Native(native.grow_isolating), Portable(isolating.grow_isolating, in_memory=True))
leaves = Operation(Native(native.leaves), Portable(portable.leaves))
leaf_sums = Operation(Native(native.leaf_sums), Portable(portable.leaf_sums))
fall_to_children = Operation(
    Native(native.fall_to_children, (BYTE,)), Portable(summed.fall_to_children, in_memory=True)
)
add_to_nodes = Operation(Native(native.add_to_nodes, (BYTE,)), Portable(summed.add_to_nodes, in_memory=True))
split_from_sums = Operation(
    Native(native.split_from_sums, (LONG,)), Portable(summed.split_from_sums, in_memory=True), by="cells"
)
