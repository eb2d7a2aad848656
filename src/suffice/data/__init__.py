"""Data: whatever the user has becomes a `Source`, checked once; models see only sources."""

from __future__ import annotations

from ..errors import InvalidData
from ..typing import TableLike, WeightLike
from .columns import tabled
from .declared import Types
from .memory import ArraySource, from_memory
from .schema import Column, Kind, Schema
from .source import Chunk, Needs, Source

__all__ = ["ArraySource", "Chunk", "Column", "Kind", "Needs", "Schema", "Source", "as_source"]


def as_source(
    X: TableLike,
    y: object = None,
    sample_weight: WeightLike = None,
    *,
    needs: Needs = Needs(),
    types: Types | None = None,
) -> Source:
    """Turn an array, sparse matrix, frame, mapping of columns, dask collection or source into a checked `Source`.

    `types` says of columns by name that they are "categorical" or "ordinal", or lists the levels of an ordinal one in
    order, as in `scan`. Ordered categories of a frame are ordinal without it.

    >>> source = as_source([[1.0, 2.0], [3.0, 4.0]])
    >>> source.n_rows, source.schema.names
    (2, ('x0', 'x1'))
    """
    if isinstance(X, Source):
        if types:
            raise InvalidData(f"{needs.owner}: a source has its types; say them where it is made: scan(path, types=…).")
        if y is not None or sample_weight is not None:
            raise InvalidData(
                f"{needs.owner}: a source brings its own target and weights; name them where it is made, "
                "such as scan(path, target=…, weight=…)."
            )
        return X.suited_to(needs)
    if type(X).__module__.partition(".")[0] in ("dask", "dask_expr"):
        from .dask import from_dask

        return from_dask(X, y, sample_weight, needs, types)
    return from_memory(tabled(X, needs.owner), y, sample_weight, needs, types)
