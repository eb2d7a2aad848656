"""Operations column by column: separable distances, counts of categories, medians of groups, moves between modes."""

from __future__ import annotations

import numpy as np

from ...typing import Reals, Whole
from ..dispatch import LONG, Native, Operation, Portable
from . import native, portable

__all__ = [
    "category_counts", "category_terms", "column_distances", "column_nearest", "column_order", "count_logs",
    "count_terms", "group_medians", "largest_codes", "mode_moves",
]  # fmt: skip

column_distances = Operation(Native(native.column_distances), Portable(portable.column_distances, any_array=True))
column_nearest = Operation(Native(native.column_nearest), Portable(portable.column_nearest, any_array=True))
category_counts = Operation(Native(native.category_counts), Portable(portable.category_counts, any_array=True))
category_terms = Operation(Native(native.category_terms), Portable(portable.category_terms, any_array=True))
largest_codes = Operation(Native(native.largest_codes), Portable(portable.largest_codes, any_array=True))
count_logs = Operation(Native(native.count_logs), Portable(portable.count_logs))
count_terms = Operation(Native(native.count_terms), Portable(portable.count_terms))
group_medians = Operation(Native(native.group_medians), Portable(portable.group_medians))

mode_moves = Operation(Native(native.mode_moves, dtypes=(LONG,)), Portable(portable.mode_moves, in_memory=True))


def column_order(X: Reals) -> tuple[Whole, Whole]:
    """For each column the rows by rising value (d · n,), and how many of them are not NaN (d,)."""
    order = np.argsort(np.ascontiguousarray(X.T), axis=1).astype(np.int64, copy=False)  # NaN comes last
    return order.reshape(-1), np.count_nonzero(~np.isnan(X), axis=0).astype(np.int64)
