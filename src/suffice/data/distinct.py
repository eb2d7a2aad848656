"""Which rows of a table are equal."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from ..typing import CSR, Numbers, Reals, Whole
from .rows import is_sparse

_TELLING = (1, 4, 16)  # columns that mostly tell the rows apart
_END = b"\1"  # between the signs


def distinct_rows(cells: Numbers) -> tuple[Whole, Whole]:
    """Where the first of equal rows are, (m,), the rows rising, and which of these each row equals, (n,).

    >>> distinct_rows(np.array([[2.0, 1.0], [1.0, 5.0], [2.0, 1.0]]))
    (array([1, 0]), array([1, 0, 1]))
    """
    return _sparse(cells) if is_sparse(cells) else _dense(np.asarray(cells))


def _dense(cells: Reals) -> tuple[Whole, Whole]:
    for columns in _TELLING:
        order = np.lexsort(cells[:, :columns].T[::-1])
        ordered = cells[order, :columns]
        if np.any(ordered[1:] != ordered[:-1], axis=1).all():
            return order, np.argsort(order)
        if columns >= cells.shape[1]:
            break
    _, first, same = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    return first, same.ravel()


def _sparse(cells: CSR) -> tuple[Whole, Whole]:
    rows = cells.astype(np.float64)  # a copy
    rows.sum_duplicates()
    rows.eliminate_zeros()
    what, ends = _as_bytes(rows), rows.indptr.tolist()
    keys = [what[a:b].tobytes() + _END for a, b in itertools.pairwise(ends)]
    first: dict[bytes, int] = {}
    for i, key in enumerate(keys):
        first.setdefault(key, i)
    place = {key: at for at, key in enumerate(sorted(first))}
    found = np.array([first[key] for key in place], dtype=np.int64)
    return found, np.array([place[key] for key in keys], dtype=np.int64)


def _as_bytes(rows: CSR) -> NDArray[np.uint8]:
    """Cells as bytes (cells, 17), such that rows rise with theirs: sign, column and value.

    Where two rows differ first, the one with a number above 0 comes behind the one without a cell there, which comes
    behind one with a number below 0.
    """
    is_above, column, bits = rows.data > 0, rows.indices.astype(np.uint64), rows.data.view(np.uint64)
    out = np.empty((rows.nnz, 17), dtype=np.uint8)
    out[:, 0] = 2 * is_above
    for at, numbers in ((1, np.where(is_above, ~column, column)), (9, np.where(is_above, bits, ~bits))):
        out[:, at : at + 8] = numbers.astype(">u8").view(np.uint8).reshape(-1, 8)
    return out
