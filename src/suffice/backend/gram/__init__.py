"""Kernel (Gram) matrices: products of rows and what a kernel makes of them, in one pass."""

from __future__ import annotations

from ..dispatch import DOUBLE, Native, Operation, Portable
from . import native, portable
from .values import Form

__all__ = ["Form", "Packed", "kernel_matrix", "packed", "subtract_rows", "symmetric_products"]

Packed = native.Packed | portable.Packed

kernel_matrix = Operation(Native(native.kernel_matrix), Portable(portable.kernel_matrix, any_array=True))
packed: Operation[..., Packed] = Operation(Native(native.packed), Portable(portable.packed, in_memory=True))
subtract_rows = Operation(
    Native(native.subtract_rows, contiguous_rows=True), Portable(portable.subtract_rows, in_memory=True)
)
symmetric_products = Operation(
    Native(native.symmetric_products, dtypes=(DOUBLE,), contiguous_rows=True),
    Portable(portable.symmetric_products, in_memory=True),
)
