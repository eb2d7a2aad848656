"""Some rows of a table in memory, whatever kind of table it is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.columns import tabled
from ..data.rows import as_array, as_csr, is_sparse
from ..data.source import Source
from ..errors import InvalidData


def in_memory(X: object, owner: str) -> Any:
    """The table as something whose rows can be taken: an array, a sparse matrix by rows, or a frame."""
    if is_elsewhere(X):
        raise InvalidData(
            f"{owner}: rows are taken out of the table again and again, so they must be in memory; "
            f"got {X}. Give an array or a frame, such as a sample of the rows."
        )
    if is_sparse(X):
        return as_csr(X, owner)
    X = tabled(X, owner)
    return X if hasattr(X, "columns") or hasattr(X, "column_names") else as_array(X, owner, "X must be a table")


def is_elsewhere(X: object) -> bool:
    """Whether rows are in a source or a dask collection."""
    return isinstance(X, Source) or type(X).__module__.partition(".")[0] in ("dask", "dask_expr")


def count_rows(X: Any, owner: str) -> int:
    """The number of rows of a table in memory, at least 1."""
    n = X.shape[0] if getattr(X, "shape", ()) else 0
    if n == 0:
        raise InvalidData(f"{owner}: X has no rows; at least 2 are needed.")
    return int(n)


def rows_of(X: Any, rows: NDArray[np.int64]) -> Any:
    """Some rows of a table in memory, as the same kind of thing."""
    if isinstance(X, np.ndarray) or is_sparse(X):
        return X[rows]
    import narwhals as nw

    try:
        return nw.from_native(X, eager_only=True)[rows.tolist()].to_native()
    except nw.exceptions.DuplicateError:
        raise InvalidData("X: two columns of the frame have the same name; rename one.") from None
