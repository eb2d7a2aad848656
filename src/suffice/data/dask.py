"""Dask collections: every partition is checked and summarised where it lies, and the summaries merged."""

from __future__ import annotations

import dataclasses
import math
import warnings
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, cast

import numpy as np
from dask import delayed, is_dask_collection
from dask.delayed import Delayed
from dask.utils import is_arraylike, is_dataframe_like, is_series_like

from ..backend.arrays import Array
from ..errors import InvalidData
from ..typing import TableLike, WeightLike
from .dask_run import computed
from .dask_worker import Job, labels, result, selected, summarise
from .declared import Types, as_level, in_order, redeclared
from .memory import ArraySource, to_matrix
from .rows import per_row, refuse_no_table
from .schema import Schema
from .series import from_labels
from .source import Chunk, Needs, S, Source
from .validate import check_chunk, check_some_weight, check_target, check_weight, positions


def from_dask(
    X: TableLike, y: object, sample_weight: WeightLike, needs: Needs, types: Types | None = None
) -> DaskSource:
    """The source of a dask array or dataframe; what can be checked without reading it is checked here."""
    if is_dataframe_like(X):
        sizes, schema = None, redeclared(_frame_schema(X, needs), types or {}, needs.owner)
    elif is_arraylike(X) and is_dask_collection(X):
        if types:
            raise InvalidData(f"{needs.owner}: types says what the columns of a dask dataframe are; X is a dask array.")
        X, sizes, schema = _array_parts(X, needs)
    else:
        raise InvalidData(f"{needs.owner}: X is a dask {type(X).__name__}; give a dask array or dataframe.")
    if len(schema) == 0:
        raise InvalidData(f"{needs.owner}: X has no columns: 0 feature(s) while a minimum of 1 is required.")
    if sizes is not None and sum(sizes) == 0:
        raise InvalidData(f"{needs.owner}: X has no rows: 0 sample(s) while a minimum of 1 is required.")
    y = _aligned(y, X, sizes, "y", needs)
    weight = _aligned(sample_weight, X, sizes, "sample_weight", needs)
    return DaskSource(X, y, weight, schema, needs, sizes).suited_to(needs)


def _frame_schema(X: Any, needs: Needs) -> Schema:
    """What the columns are, by their types; text, and categories unknown to dask, have no values yet."""
    import pandas as pd

    dtypes = list(X.dtypes)
    empty = pd.DataFrame({j: pd.Series(dtype=dtype) for j, dtype in enumerate(dtypes)})
    empty.columns = X.columns
    schema = to_matrix(empty, needs)[1]
    columns = list(schema.columns)
    for j, dtype in enumerate(dtypes):
        if str(dtype) == "category" and not (dtype.ordered and X[X.columns[j]].cat.known):
            values = dtype.categories.tolist() if X[X.columns[j]].cat.known else []
            columns[j] = from_labels(values, columns[j].name)[0]
    return Schema(tuple(columns), schema.named)


def _array_parts(X: Any, needs: Needs) -> tuple[Any, tuple[int, ...] | None, Schema]:
    refuse_no_table(X, needs.owner)
    if any(math.isnan(width) for width in X.shape[1:]):
        raise InvalidData(f"{needs.owner}: X has an unknown number of columns; call X.compute_chunk_sizes().")
    schema = to_matrix(np.empty((0, *X.shape[1:]), X.dtype), needs)[1]
    return row_blocks(X), sizes_of(X), schema


def row_blocks(X: Any) -> object:
    """An array whose blocks hold whole rows."""
    return X.rechunk(dict.fromkeys(range(1, X.ndim), -1)) if any(n > 1 for n in X.numblocks[1:]) else X


def sizes_of(values: Any) -> tuple[int, ...] | None:
    """The rows of each block, or None while they are not known."""
    sizes = values.chunks[0]
    return None if any(math.isnan(size) for size in sizes) else tuple(int(size) for size in sizes)


def _aligned(values: Any, X: TableLike, sizes: tuple[int, ...] | None, place: str, needs: Needs) -> object:
    """The target or weights cut into the partitions of X; None and a single number stay as they are."""
    if not is_dask_collection(values):
        alone = values is None or (place != "y" and np.ndim(values) == 0)
        return values if alone else _dealt(values, sizes, place, needs)
    if not (is_arraylike(values) or is_series_like(values) or is_dataframe_like(values)):
        raise InvalidData(f"{needs.owner}: {place} is a dask {type(values).__name__}; give an array or series.")
    if is_arraylike(values):
        values, own = row_blocks(values), sizes_of(values)
        if own is not None and sizes is not None and own != sizes:
            _check_length(sum(own), sum(sizes), place, needs)
            return values.rechunk({0: sizes})
    _check_partitions(values, X, place, needs)
    return values


def _dealt(values: object, sizes: tuple[int, ...] | None, place: str, needs: Needs) -> object:
    """An array in memory, checked as a whole and cut into the partitions of X."""
    import dask.array as da

    if sizes is None:
        raise InvalidData(
            f"{needs.owner}: {place} is in memory, but the sizes of the partitions of X are not known. "
            f"Give {place} as a dask collection with the partitions of X, or X as an array with known chunks."
        )
    n = sum(sizes)
    values = check_target(values, n, needs) if place == "y" else check_weight(values, n, needs.owner)
    _check_length(np.size(values, 0), n, place, needs)
    return da.from_array(values, chunks=(sizes, *values.shape[1:]))


def _check_length(own: int, n: int, place: str, needs: Needs) -> None:
    if own != n:
        raise InvalidData(f"{needs.owner}: X has {n} rows but {place} has {own}; give one value a row.")


def _check_partitions(values: Any, X: Any, place: str, needs: Needs) -> None:
    theirs, ours = _count(values), _count(X)
    remedy = f"Cut {place} as X is cut: take both from one table, or use repartition or rechunk"
    if theirs != ours:
        raise InvalidData(f"{needs.owner}: X has {ours} partitions but {place} has {theirs}. {remedy}.")
    divided = all(getattr(table, "known_divisions", False) for table in (values, X))
    if divided and values.divisions != X.divisions:
        raise InvalidData(f"{needs.owner}: X and {place} are divided at different index values. {remedy}.")


def _count(values: Any) -> int:
    return int(values.numblocks[0] if is_arraylike(values) else values.npartitions)


@dataclass(frozen=True)
class DaskSource(Source):
    """Rows of a dask collection: one chunk a partition; chunks start at row 0 where `sizes` is not known."""

    X: Any
    y: Any
    weight: Any
    schema: Schema
    needs: Needs
    sizes: tuple[int, ...] | None = None
    elsewhere = True

    def row_bytes(self) -> int:
        """What a row takes, in double unless all columns are single precision."""
        return (4 if self._is_single() else 8) * len(self.schema) + 8 * (self.weight is not None)

    def origin(self) -> str:
        """Nothing, or where the first row of a partition is not known, that it is counted from there."""
        return "" if self.sizes is not None else f"a partition of {self}"

    @property
    def n_rows(self) -> int | None:  # type: ignore[override]
        """The number of rows, where it is known."""
        return None if self.sizes is None else sum(self.sizes)

    def chunks(self) -> Generator[Chunk, None, None]:
        start = 0
        for part in self._tasks(lambda chunk: chunk):
            chunk = computed([part], self.n_rows, start).summary
            if chunk is not None:
                yield dataclasses.replace(chunk, start=start)
                start += len(chunk)

    def suited_to(self, needs: Needs, columns: tuple[str, ...] | None = None) -> DaskSource:
        source = dataclasses.replace(self, needs=needs)
        if columns is not None and self.schema.named and columns != self.schema.names:
            source = source._select(columns)
        source = source._with_categories()
        check_chunk(Chunk(np.empty((0, len(source.schema))), source.y), source.schema, needs)
        return source

    def reduce(self, summarise: Callable[[Chunk], S]) -> S:
        total = computed(self._tasks(summarise), self.n_rows)
        if total.summary is None:
            raise InvalidData(f"{self.needs.owner}: {self} has no rows; at least 1 is needed.")
        check_some_weight(total.weight, self.needs.owner)
        return cast(S, total.summary)

    def map(self, f: Callable[[Chunk], Array]) -> Array:
        """The per-row results as a dask array with one block a partition; nothing is computed yet."""
        import dask.array as da

        schema, needs, like = self.schema, self.needs, self._example(f)[:0]
        parts = self._tasks(lambda chunk: ArraySource(chunk, schema, needs).map(f))
        sizes = self.sizes or (math.nan,) * len(parts)
        blocks = [
            da.from_delayed(delayed(result)(part, like), (size, *like.shape[1:]), meta=like)
            for part, size in zip(parts, sizes, strict=True)
        ]
        return da.concatenate(blocks, allow_unknown_chunksizes=True)

    def _example(self, f: Callable[[Chunk], Array]) -> Array:
        """What f gives for one row: a row of zeros, or a real one where f cannot do with that."""
        with suppress(Exception), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return per_row(f(self._zeros()))
        for chunk in self.chunks():
            return per_row(f(chunk.rows(0, 1)))
        raise InvalidData(f"{self.needs.owner}: {self} has no rows; at least 1 is needed.")

    def _zeros(self) -> Chunk:
        X = np.zeros((1, len(self.schema)), np.float32 if self._is_single() else np.float64)
        y = self.y
        if y is not None:
            dtype = getattr(y, "dtype", object)
            y = np.zeros((1, *y.shape[1:]), dtype if isinstance(dtype, np.dtype) else object)
        return Chunk(X, check_target(y, 1, self.needs), None if self.weight is None else np.ones(1))

    def _is_single(self) -> bool:
        dtypes = self.X.dtypes if is_dataframe_like(self.X) else [self.X.dtype]
        return all(str(dtype).lower() == "float32" for dtype in dtypes)

    @cached_property
    def _raw(self) -> list[tuple[Delayed, Delayed | None, Delayed | None, int, int | None]]:
        """X, y, weight, number and first row of each partition; the latter None where it is not known."""
        X = partitions(self.X)
        y, weight = (
            partitions(values) if is_dask_collection(values) else [values] * len(X) for values in (self.y, self.weight)
        )
        starts = [None] * len(X) if self.sizes is None else [0, *accumulate(self.sizes)][:-1]
        return list(zip(X, y, weight, range(len(X)), starts, strict=True))

    def _tasks(self, f: Callable[[Chunk], object]) -> list[Delayed]:
        """One task a partition, each of which gives a `Part`."""
        job = Job(f, self.schema, self.needs, alone=len(self._raw) == 1)
        shared, task = delayed(job, pure=False, traverse=False), delayed(summarise)
        return [task(shared, *raw) for raw in self._raw]

    def _select(self, columns: tuple[str, ...]) -> DaskSource:
        at = positions(self.schema, columns, self.needs.owner)
        schema = Schema(tuple(self.schema.columns[j] for j in at))
        names = [self.X.columns[j] for j in at]
        meta = list(self.X[names].dtypes.items())
        X = self.X.map_partitions(selected, names, meta=meta, enforce_metadata=False)
        return dataclasses.replace(self, X=X, schema=schema)

    def _with_categories(self) -> DaskSource:
        """This source with the values of its categorical columns, found in one pass where unknown."""
        columns = list(self.schema.columns)
        unknown = [j for j, c in enumerate(columns) if c.kind == "categorical" and not c.categories]
        if not self.needs.categories:  # text is refused anyway; objects may turn out to be numbers
            unknown = [j for j in unknown if str(self.X.dtypes.iloc[j]) in ("object", "category")]
        if not unknown:
            return self
        shared, task = delayed(self.schema, pure=False, traverse=False), delayed(labels)
        parts = partitions(self.X)
        tasks = [task(part, unknown, shared, k, self.needs.owner) for k, part in enumerate(parts)]
        found = computed(tasks, None).summary
        for j, values in zip(unknown, found.values if found else (), strict=bool(found)):
            if columns[j].ordered:
                columns[j] = dataclasses.replace(columns[j], categories=in_order(map(as_level, values)))
            else:
                columns[j] = from_labels(list(values), columns[j].name)[0]
        return dataclasses.replace(self, schema=Schema(tuple(columns), self.schema.named))

    def __str__(self) -> str:
        return "the dask dataframe" if is_dataframe_like(self.X) else "the dask array"


def partitions(values: Any) -> list[Delayed]:
    """The partitions of a collection, in order."""
    # Not optimised: dask would read few columns in fewer partitions than many, and X and y would no longer match.
    return list(np.ravel(values.to_delayed(optimize_graph=False)))
