"""Which rows of a table are equal."""

from __future__ import annotations

import numpy as np

from ..typing import Reals, Whole

_TELLING = (1, 4, 16)  # columns that mostly tell the rows apart


def distinct_rows(cells: Reals) -> tuple[Whole, Whole]:
    """Where the first of equal rows are, (m,), the rows rising, and which of these each row equals, (n,).

    >>> distinct_rows(np.array([[2.0, 1.0], [1.0, 5.0], [2.0, 1.0]]))
    (array([1, 0]), array([1, 0, 1]))
    """
    for columns in _TELLING:
        order = np.lexsort(cells[:, :columns].T[::-1])
        ordered = cells[order, :columns]
        if np.any(ordered[1:] != ordered[:-1], axis=1).all():
            return order, np.argsort(order)
        if columns >= cells.shape[1]:
            break
    _, first, same = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    return first, same.ravel()
