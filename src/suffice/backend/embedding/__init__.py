"""Maps by neighbours: how lists of neighbours are calibrated, and what pulls and pushes the points of a map."""

from __future__ import annotations

from ..dispatch import DOUBLE, Native, Operation, Portable
from . import native, portable
from .values import STUDENT, Curve, Descended, Drawing, Edges, Field, Sample, Sampling

__all__ = [
    "STUDENT", "Curve", "Descended", "Drawing", "Edges", "Field", "Sample", "Sampling", "calibrated", "pull", "push",
    "push_by_tree", "read_off", "sampled", "spread",
]  # fmt: skip

TREE_COORDINATES = 3  # a tree of more would have more cells than points

calibrated = Operation(Native(native.calibrated, dtypes=(DOUBLE,)), Portable(portable.calibrated, in_memory=True))
pull = Operation(Native(native.pull, dtypes=(DOUBLE,), contiguous_rows=True), Portable(portable.pull, in_memory=True))
push = Operation(Native(native.push, dtypes=(DOUBLE,), contiguous_rows=True), Portable(portable.push, in_memory=True))
push_by_tree = Operation(
    Native(native.push_by_tree, dtypes=(DOUBLE,), contiguous_rows=True, most_columns=TREE_COORDINATES),
    Portable(portable.push_by_tree, in_memory=True),
)
sampled = Operation(
    Native(native.sampled, dtypes=(DOUBLE,), contiguous_rows=True), Portable(portable.sampled, in_memory=True)
)
spread = Operation(
    Native(native.spread, dtypes=(DOUBLE,), contiguous_rows=True), Portable(portable.spread, in_memory=True)
)
read_off = Operation(
    Native(native.read_off, dtypes=(DOUBLE,), contiguous_rows=True), Portable(portable.read_off, in_memory=True)
)
