"""Dask collections as tables of all kinds of columns: partitions become Arrow batches where they lie."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, cast

import numpy as np
from dask import delayed, is_dask_collection
from dask.delayed import Delayed
from dask.utils import is_arraylike, is_dataframe_like

from .. import backend
from ..errors import InvalidData
from .dask import partitions, row_blocks, sizes_of
from .dask_run import computed
from .dask_worker import Part, check_kinds, check_names
from .declared import Types, redeclared
from .schema import Kind, Schema, unnamed
from .source import Chunk, Needs, S, Source

# Where the sizes of partitions are not known, the rows of each are numbered from a number of its own.
_APART = 1 << 32


def table_of(data: Any, types: Types | None = None) -> DaskTable:
    """The table of a dask array or dataframe; only columns of Python objects are looked at now."""
    if is_dataframe_like(data):
        return DaskTable(data, redeclared(_frame_schema(data), types or {}, "types"))
    if types:
        raise InvalidData("types: it says what the columns of a dask dataframe are, and this is none.")
    if is_arraylike(data) and is_dask_collection(data):
        if data.ndim != 2 or any(np.isnan(data.shape[1:])):
            raise InvalidData(f"A table has rows and columns; got a dask array of shape {data.shape}.")
        return DaskTable(row_blocks(data), unnamed(data.shape[1]), sizes_of(data))
    raise InvalidData(f"A table is a dask array or dataframe; got a dask {type(data).__name__}.")


@dataclass(frozen=True)
class DaskTable(Source):
    """Rows of a dask collection: one chunk a partition, a `pyarrow.RecordBatch`."""

    X: Any
    schema: Schema
    sizes: tuple[int, ...] | None = None
    needs: Needs = field(default_factory=lambda: Needs(owner="describe", missing=True, categories=True))

    @property
    def n_rows(self) -> int | None:  # type: ignore[override]
        """The number of rows, where it is known."""
        return None if self.sizes is None else sum(self.sizes)

    def chunks(self) -> Generator[Chunk, None, None]:
        start = 0
        for task in self._tasks(lambda chunk: chunk):
            chunk = computed([task], self.n_rows, start).summary
            yield replace(chunk, start=start)
            start += len(chunk)

    def reduce(self, summarise: Callable[[Chunk], S]) -> S:
        """The merged summary of all rows, made on the workers."""
        return cast(S, computed(self._tasks(summarise), self.n_rows).summary)

    def suited_to(self, needs: Needs, columns: tuple[str, ...] | None = None) -> DaskTable:
        raise InvalidData(f"{needs.owner}: {self} is a table with columns of all kinds; give the data themselves.")

    def _tasks(self, f: Callable[[Chunk], object]) -> list[Delayed]:
        parts = partitions(self.X)
        starts = [0, *accumulate(self.sizes)] if self.sizes is not None else range(0, len(parts) * _APART, _APART)
        shared, task = delayed(f, pure=False, traverse=False), delayed(_summarised)
        columns = delayed(self.schema, pure=False, traverse=False)
        pairs = enumerate(zip(parts, starts, strict=False))
        return [task(shared, columns, part, k, start, len(parts) == 1) for k, (part, start) in pairs]

    def __str__(self) -> str:
        return "the dask dataframe" if is_dataframe_like(self.X) else "the dask array"


def _summarised(
    f: Callable[[Chunk], object], schema: Schema, partition: object, k: int, start: int, alone: bool
) -> Part:
    """What `f` gives for partition k, on one thread where others run beside it."""
    from .arrow import as_wanted
    from .table import array_to_arrow, as_batches, frame_to_arrow

    if is_dataframe_like(partition):
        check_names(partition, schema, k, "describe")
        check_kinds(partition, schema, k, "describe")
    ordered = {column.name: column for column in schema.columns if column.ordered}
    table = frame_to_arrow(partition) if is_dataframe_like(partition) else array_to_arrow(np.asarray(partition))
    table = as_wanted(table, ordered, "the dask dataframe") if ordered else table
    batch = as_batches(table.combine_chunks())[0]
    with nullcontext() if alone else backend.threads(1):
        return Part(batch.num_rows, float(batch.num_rows), f(Chunk(batch, start=start)))


def _frame_schema(X: Any) -> Schema:
    """What the columns are, by their types; objects are looked at, in one pass."""
    import pandas as pd

    from .arrow import check_names, schema_of, with_levels
    from .table import frame_to_arrow

    dtypes = zip(X.columns, X.dtypes, strict=True)
    known = {n: "category" if str(t) == "category" and not X[n].cat.known else t for n, t in dtypes}
    empty = pd.DataFrame({name: pd.Series(dtype=dtype) for name, dtype in known.items()})
    cells = frame_to_arrow(empty)
    check_names(cells.schema.names, "the dask dataframe")
    schema = with_levels(schema_of(cells.schema, "the dask dataframe"), cells)
    unknown = [name for name, dtype in zip(X.columns, X.dtypes, strict=True) if str(dtype) == "object"]
    if not unknown:
        return schema
    shared, task = delayed(schema, pure=False, traverse=False), delayed(_kinds)
    found = computed([task(part, unknown, shared, k) for k, part in enumerate(partitions(X))], None).summary.kinds
    kinds = dict(zip(map(str, unknown), found, strict=True))
    return Schema(tuple(replace(c, kind=kinds.get(c.name, c.kind) or "numeric") for c in schema.columns))


@dataclass(frozen=True)
class _Kinds:
    """The kinds of some columns by name; None where all cells so far are missing."""

    names: tuple[str, ...]
    kinds: tuple[Kind | None, ...]

    def __add__(self, other: _Kinds) -> _Kinds:
        pairs = list(zip(self.kinds, other.kinds, strict=True))
        at = next((j for j, (a, b) in enumerate(pairs) if a and b and a != b), None)
        if at is not None:
            raise InvalidData(
                f"The cells of column {self.names[at]!r} of the dask dataframe are not of one type "
                f"({pairs[at][0]} and {pairs[at][1]}); turn them all into numbers or text."
            )
        return _Kinds(self.names, tuple(a or b for a, b in pairs))


def _kinds(frame: Any, columns: list[Any], schema: Schema, k: int) -> Part:
    import pyarrow as pa

    from .arrow import schema_of
    from .table import frame_to_arrow

    check_names(frame, schema, k, "describe")
    fields = frame_to_arrow(frame[columns]).schema
    kinds = zip(fields, schema_of(fields, "the dask dataframe").columns, strict=True)
    found = tuple(None if pa.types.is_null(one.type) else column.kind for one, column in kinds)
    return Part(len(frame), float(len(frame)), _Kinds(tuple(fields.names), found))
