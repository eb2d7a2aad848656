"""Maps of points from dissimilarities: stress and Guttman's transform, rising functions, places of new points."""

from __future__ import annotations

from ..dispatch import DOUBLE, Native, Operation, Portable
from . import native, portable
from .values import Products

__all__ = ["Products", "guttman", "isotonic", "placed"]

guttman = Operation(
    Native(native.guttman, dtypes=(DOUBLE,), contiguous_rows=True), Portable(portable.guttman, in_memory=True)
)
isotonic = Operation(Native(native.isotonic, dtypes=(DOUBLE,)), Portable(portable.isotonic, in_memory=True))
placed = Operation(
    Native(native.placed, dtypes=(DOUBLE,), contiguous_rows=True), Portable(portable.placed, in_memory=True)
)
