"""Factorisations: the equations of rows over their known cells, mixtures of topics, descent cell by cell."""

from __future__ import annotations

from ..dispatch import DOUBLE, Native, Operation, Portable
from . import native, portable
from .values import Equations, Ratios

__all__ = [
    "Equations", "Ratios", "cell_products", "descend_cells", "mix_rows", "ratio_sums", "row_equations", "solve_rows",
]  # fmt: skip

cell_products = Operation(
    Native(native.cell_products, dtypes=(DOUBLE,)), Portable(portable.cell_products, in_memory=True)
)
descend_cells = Operation(
    Native(native.descend_cells, dtypes=(DOUBLE,)), Portable(portable.descend_cells, in_memory=True)
)
mix_rows = Operation(Native(native.mix_rows, dtypes=(DOUBLE,)), Portable(portable.mix_rows, in_memory=True))
ratio_sums = Operation(Native(native.ratio_sums, dtypes=(DOUBLE,)), Portable(portable.ratio_sums, in_memory=True))
row_equations = Operation(
    Native(native.row_equations, dtypes=(DOUBLE,)), Portable(portable.row_equations, in_memory=True)
)
solve_rows = Operation(Native(native.solve_rows, dtypes=(DOUBLE,)), Portable(portable.solve_rows, in_memory=True))
