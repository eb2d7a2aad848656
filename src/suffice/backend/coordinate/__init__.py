"""Cyclic coordinate descent for least squares with L1 and L2 costs and a bound at 0, of each slope by itself."""

from __future__ import annotations

from ..dispatch import DOUBLE, Native, Operation, Portable
from . import native, portable
from .values import Costs, Descent

__all__ = ["Costs", "Descent", "columns", "gram", "sparse_columns"]

gram = Operation(Native(native.gram, dtypes=(DOUBLE,)), Portable(portable.gram, in_memory=True))
columns = Operation(Native(native.columns), Portable(portable.columns))
sparse_columns = Operation(
    Native(native.sparse_columns), Portable(portable.sparse_columns, in_memory=True), by="X.data"
)
