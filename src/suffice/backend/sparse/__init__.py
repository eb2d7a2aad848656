"""Operations on the rows of CSR matrices, decided by the array of their cells."""

from __future__ import annotations

from ..dispatch import Native, Operation, Portable
from . import native, portable
from .native import padded

__all__ = ["affine", "column_moments", "column_products", "count_logs", "curved", "group_sums", "padded"]

group_sums = Operation(Native(native.group_sums), Portable(portable.group_sums, in_memory=True), by="X.data")
affine = Operation(Native(native.affine), Portable(portable.affine, in_memory=True), by="X.data")
curved = Operation(Native(native.curved), Portable(portable.curved, in_memory=True), by="X.data")
column_moments = Operation(
    Native(native.column_moments), Portable(portable.column_moments, in_memory=True), by="X.data"
)
column_products = Operation(
    Native(native.column_products), Portable(portable.column_products, in_memory=True), by="X.data"
)
count_logs = Operation(Native(native.count_logs), Portable(portable.count_logs, in_memory=True), by="X.data")
