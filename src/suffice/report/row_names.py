"""What the rows of a table are called, where one of its columns names them."""

from __future__ import annotations

from .rows import Rows


def row_names(rows: Rows) -> list[str] | None:
    """The texts of the first column whose texts are all there and all different; None where there is no such column.

    A column of numbers counts rows, and names none.
    """
    for column in rows.columns:
        values = rows.cells[column.name].tolist()
        if column.kind == "categorical" and None not in values and len(set(values)) == len(values):
            return [str(value) for value in values]
    return None
