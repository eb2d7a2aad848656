"""Columns by name, as a mapping has them, made a table: the one door for mappings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar, overload

from ..errors import InvalidData, needed
from ..text import listed
from .rows import as_values, is_sparse

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")


@overload
def tabled(X: Mapping[str, object], owner: str) -> pa.Table: ...
@overload
def tabled(X: T, owner: str) -> T: ...
def tabled(X: object, owner: str) -> object:
    """A mapping of names to equally long columns as an Arrow table; anything else as it is.

    >>> tabled({"height": [1.7, 1.8], "name": ["a", None]}, "KMeans").schema.names
    ['height', 'name']
    """
    if not isinstance(X, Mapping) or is_sparse(X):  # SciPy's dictionaries of keys are mappings of places
        return X
    needed("pyarrow", "files")
    import pyarrow as pa

    columns = {str(name): _column(values, str(name), owner) for name, values in X.items()}
    if len(columns) < len(X):
        raise InvalidData(f"{owner}: two columns of the mapping have the same name as text; rename one of them.")
    sizes = {name: len(cells) for name, cells in columns.items()}
    if len(set(sizes.values())) > 1:
        said = listed([f"{name!r} has {size:,}" for name, size in sizes.items()], 4)
        raise InvalidData(f"{owner}: the columns of a table have equally many rows; {said}.")
    return pa.table(columns)


def _column(values: object, name: str, owner: str) -> pa.Array | pa.ChunkedArray:
    """The cells of one column, missing ones as null."""
    import pyarrow as pa

    what = f"{owner}: column {name!r}"
    if isinstance(values, str | bytes | Mapping) or is_sparse(values) or not hasattr(values, "__len__"):
        raise InvalidData(f"{what} must be a list or an array with a cell a row; got {type(values).__name__}.")
    try:
        if isinstance(values, list | tuple):
            return pa.array(values, from_pandas=True)
        if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_array__") or isinstance(values, pa.Array):
            return pa.chunked_array(values)
        return pa.array(as_values(values, what), from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, InvalidData):
            raise
        reason = " ".join(str(error).split())
        raise InvalidData(f"{what} has no single type ({reason}); turn its cells into numbers or text.") from None
