"""Operations on dense rows: moments, affine maps, densities of independent columns, checks, and filling."""

from __future__ import annotations

from ..dispatch import Native, Operation, Portable
from . import native, portable

__all__ = [
    "affine", "cosines", "diagonal_log_density", "fill_from_arrow", "fill_rows", "first_bad", "grouped_moments",
    "largest", "moments", "row_uniforms", "scale_columns",
]  # fmt: skip

moments = Operation(Native(native.moments), Portable(portable.moments, any_array=True))
grouped_moments = Operation(Native(native.grouped_moments), Portable(portable.grouped_moments, any_array=True))
affine = Operation(Native(native.affine), Portable(portable.affine, any_array=True))
cosines = Operation(Native(native.cosines), Portable(portable.cosines, any_array=True))
scale_columns = Operation(Native(native.scale_columns), Portable(portable.scale_columns, any_array=True))
diagonal_log_density = Operation(
    Native(native.diagonal_log_density), Portable(portable.diagonal_log_density, any_array=True)
)
first_bad = Operation(Native(native.first_bad), Portable(portable.first_bad, any_array=True))
largest = Operation(Native(native.largest), Portable(portable.largest, any_array=True))
row_uniforms = Operation(Native(native.row_uniforms), Portable(portable.row_uniforms))
fill_rows = Operation(Native(native.fill_rows), Portable(portable.fill_rows, in_memory=True), by="out")
fill_from_arrow = Operation(
    Native(native.fill_from_arrow), Portable(portable.fill_from_arrow, in_memory=True), by="out"
)
