"""The cells of dense and sparse tables, a few columns or rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np

from ..backend.arrays import Array
from ..data import Chunk
from ..data.rows import is_sparse, stacked
from ..typing import Floats, Reals

T = TypeVar("T")
_AT_ONCE = 1 << 22  # cells of a sparse table that are filled in at once


def as_columns(X: Array) -> Array:
    """A table whose columns are found quickly: sparse rows become sparse columns, others stay."""
    return X.tocsc() if is_sparse(X) else np.asarray(X)


def column_of(X: Array, j: int) -> Floats:
    """A column of a table, (n,)."""
    cells = X[:, [j]].toarray()[:, 0] if is_sparse(X) else X[:, j]
    return np.asarray(cells, dtype=np.float64)


def column_blocks(X: Array) -> Iterator[tuple[slice, Reals]]:
    """Columns next to one another as dense cells, (n, some): all of a dense table, some of a sparse one."""
    n, d = X.shape
    if not is_sparse(X):
        yield slice(0, d), np.asarray(X)
        return
    width = max(1, _AT_ONCE // max(1, n))
    columns = X.tocsc()
    for first in range(0, d, width):
        own = slice(first, min(d, first + width))
        yield own, columns[:, own].toarray()


def dense(f: Callable[[Chunk], T]) -> Callable[[Chunk], T]:
    """What `f` gives for rows that are filled in, some at a time where they are sparse."""

    def found(chunk: Chunk) -> T:
        if not is_sparse(chunk.X):
            return f(chunk)
        n, d = chunk.X.shape
        height = max(1, _AT_ONCE // max(1, d))
        parts = (chunk.rows(first, min(n, first + height)) for first in range(0, n, height))
        joined: T = stacked([f(replace(part, X=part.X.toarray())) for part in parts])
        return joined

    return found
