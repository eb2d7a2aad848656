"""Neighbours as the rows of a sparse matrix of distances list them."""

from __future__ import annotations

import numpy as np

from ..backend.neighbors import Within
from ..typing import CSR


def listed(D: CSR, k: int | None = None, radius: float = np.inf, *, own: bool = False) -> Within:
    """The nearest k, or those within a radius, of the cells of each row, nearest first; of equals the first.

    With `own` a row's cell in its own column is one of them; a cell of 0 elsewhere is an equal row.

    >>> from scipy.sparse import csr_array
    >>> listed(csr_array([[0.0, 3.0, 1.0], [3.0, 0.0, 0.0]]), 1)
    Within(ends=array([1, 2]), distances=array([1., 3.]), rows=array([2, 0]))
    """
    height = D.shape[0]
    query = np.repeat(np.arange(height), np.diff(D.indptr))
    some = D.data <= radius
    if not own:
        some &= D.indices != query
    query, distances, rows = query[some], D.data[some].astype(np.float64), D.indices[some].astype(np.int64)
    order = np.lexsort((rows, distances, query))
    query, distances, rows = query[order], distances[order], rows[order]
    sizes = np.bincount(query, minlength=height)
    if k is not None:
        place = np.arange(len(query)) - (np.cumsum(sizes) - sizes)[query]
        distances, rows, sizes = distances[place < k], rows[place < k], np.minimum(sizes, k)
    return Within(np.cumsum(sizes).astype(np.int64), distances, rows)
