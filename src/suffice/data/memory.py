"""Input that is in memory already: arrays, array-likes, SciPy sparse matrices, and frames."""

from __future__ import annotations

import dataclasses
import sys
from collections import deque
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import backend
from ..backend.blas import blas_threads_for
from ..backend.weights import running_mass
from ..errors import InvalidData, NotNumbers, SparseNotSupported
from ..observing import observers
from ..typing import TableLike, WeightLike
from .declared import Types, retyped
from .derived import filtered_chunk, mapped_chunk
from .rows import FLOATS, as_csr, plain, refuse_dates, refuse_no_table, stacked
from .schema import Schema, unnamed
from .series import from_series
from .side_by_side import side_by_side
from .source import Chunk, Needs, S, Source
from .validate import (
    check_cells,
    check_chunk,
    check_some_weight,
    check_target,
    check_weight,
    checked_late,
    is_sparse,
    positions,
)

_BLOCK_CELLS = 1 << 22  # cells mapped at once: some megabytes, so that temporaries stay small
# Of tables with many cells every thread maps blocks that a processor's own cache holds, of enough rows to be worth it.
_MANY_CELLS, _SHARED_CELLS, _LEAST_ROWS = 1 << 20, 1 << 18, 256


@dataclass(frozen=True)
class ArraySource(Source):
    """Rows in memory: one chunk, whose kernels use all cores inside."""

    chunk: Chunk
    schema: Schema
    needs: Needs

    @classmethod
    def of(cls, chunk: Chunk, owner: str) -> ArraySource:
        """Complete rows of numbers that were checked already, for a fit within a fit."""
        return cls(chunk, unnamed(chunk.X.shape[1]), Needs(owner))

    @property
    def n_rows(self) -> int:  # type: ignore[override]
        """The number of rows."""
        return len(self.chunk)

    @property
    def in_memory(self) -> Chunk:  # type: ignore[override]
        """All rows."""
        return self.chunk

    def chunks(self) -> Generator[Chunk, None, None]:
        yield self.chunk

    def origin(self) -> str:
        return ""

    def gather(self, limit: int | None = None, instead: str = "") -> Chunk:
        """All rows, which are in memory already, whatever the limit."""
        return self.chunk

    def mapped(self, f: Callable[[Chunk], Chunk], schema: Schema | None = None) -> ArraySource:
        """The rows after a function, which is called at once."""
        schema, source = schema or self.schema, self._searched()
        chunk = mapped_chunk(self.chunk, f, len(schema), self.needs.owner)
        return ArraySource(chunk, schema, source.needs)

    def filtered(self, keep: Callable[[Chunk], object]) -> ArraySource:
        """The rows for which something holds, found at once."""
        source, chunk = self._searched(), filtered_chunk(self.chunk, keep, self.needs.owner)
        if not len(chunk):
            raise InvalidData(f"{self.needs.owner}: no row of {self} is left by the filter; at least 1 is needed.")
        return dataclasses.replace(source, chunk=chunk)

    def _searched(self) -> ArraySource:
        """This source with its cells searched now, where that was to be done late: later they are others."""
        if not checked_late(self.chunk, self.needs):
            return self
        check_cells(self.chunk, self.schema, self.needs)
        return self.looked_through()

    def looked_through(self) -> ArraySource:
        if not checked_late(self.chunk, self.needs):
            return self
        return dataclasses.replace(self, needs=dataclasses.replace(self.needs, late=False))

    def batches(self, size: int, rng: np.random.Generator | None = None) -> Generator[Chunk, None, None]:
        """One pass in order, or with `rng` batches drawn by weight, without end."""
        if rng is None:
            yield from super().batches(size)
            return
        mass = running_mass(self.chunk.weight, len(self.chunk))
        while True:
            rows, weight = mass.rows(rng.random(size)), None
            if 2 * size > len(self.chunk):  # many rows are drawn again: each once, by how often it was drawn
                rows, weight = np.unique_counts(rows)
            yield dataclasses.replace(self.chunk.at(rows), weight=None if weight is None else weight.astype(np.float64))

    def reduce(self, summarise: Callable[[Chunk], S]) -> S:
        summary = summarise(self.chunk)
        for observer in observers():
            observer.rows_read(self.chunk.start + len(self.chunk), self.n_rows)
        if checked_late(self.chunk, self.needs) and not self._shows_cells(summary):
            check_cells(self.chunk, self.schema, self.needs)
        return summary

    def _shows_cells(self, summary: Any) -> bool:
        """Whether a summary says that all cells were good; those that leave missing cells out say nothing of these."""
        hides = getattr(summary, "hides_missing", None)  # of statistics, not of what else a pass adds up
        return summary.is_finite() and (self.needs.missing or hides is None or not hides())

    def map(self, f: Callable[[Chunk], object]) -> Any:
        """The per-row results, computed block by block so that temporaries stay small."""
        return self._without_bad_cells(self._mapped(f))

    def map_at_once(self, f: Callable[[Chunk], object]) -> object:
        """The per-row results of all rows together: no block of them is copied."""
        return self._without_bad_cells(f(self.chunk))

    def _without_bad_cells(self, result: Any) -> object:
        """The results, after a search for bad cells where these are to show in them."""
        if checked_late(self.chunk, self.needs) and backend.first_bad(result.reshape(len(result), -1)):
            check_cells(self.chunk, self.schema, self.needs)
        return result

    def _mapped(self, f: Callable[[Chunk], Any]) -> object:
        chunk, n = self.chunk, len(self.chunk)
        cells = max(1, chunk.X.nnz // n if is_sparse(chunk.X) else chunk.X.shape[1])
        shared = backend.thread_count() > 1 and n * cells >= _MANY_CELLS
        height = max(_LEAST_ROWS, _SHARED_CELLS // cells) if shared else max(1, _BLOCK_CELLS // cells)
        if n <= height:
            return f(chunk)
        first = f(chunk.rows(0, height))
        if is_sparse(first):
            return stacked([first, *(f(chunk.rows(start, start + height)) for start in range(height, n, height))])
        result = np.empty((n, *first.shape[1:]), dtype=first.dtype, order="F" if np.isfortran(first) else "C")
        result[:height] = first

        def store(start: int) -> None:
            result[start : start + height] = f(chunk.rows(start, start + height))

        def store_alone(start: int) -> None:
            with backend.threads(1):
                store(start)

        starts = range(height, n, height)
        if not shared:
            deque(map(store, starts), maxlen=0)
            return result
        threads = min(backend.thread_count(), len(starts))
        with blas_threads_for(0), closing(side_by_side(starts, store_alone, threads, 2 * threads)) as done:
            deque(done, maxlen=0)
        return result

    def suited_to(self, needs: Needs, columns: tuple[str, ...] | None = None) -> ArraySource:
        source = self if columns is None or not self.schema.named else self._select(columns)
        check_chunk(source.chunk, source.schema, needs, cells=not checked_late(source.chunk, needs))
        return dataclasses.replace(source, needs=needs)

    def _select(self, columns: tuple[str, ...]) -> ArraySource:
        if columns == self.schema.names:
            return self
        at = positions(self.schema, columns, self.needs.owner)
        chunk = dataclasses.replace(self.chunk, X=self.chunk.X[:, at])
        return dataclasses.replace(self, chunk=chunk, schema=Schema(tuple(self.schema.columns[j] for j in at)))

    def __str__(self) -> str:
        return "the array"


def from_memory(
    X: TableLike, y: object, sample_weight: WeightLike, needs: Needs, types: Types | None = None
) -> ArraySource:
    """The source of a table in memory, checked."""
    values, schema = to_matrix(X, needs)
    if types and is_sparse(values):
        raise InvalidData(f"{needs.owner}: types says what columns are, and those of a sparse matrix are numbers.")
    if types:
        values, schema = retyped(values, schema, types, needs.owner)
    n, d = values.shape
    if d == 0:
        raise InvalidData(
            f"{needs.owner}: X has no columns: 0 feature(s) (shape=({n}, 0)) while a minimum of 1 is required."
        )
    if n == 0:
        raise InvalidData(
            f"{needs.owner}: X has no rows: 0 sample(s) (shape=(0, {d})) while a minimum of 1 is required."
        )
    weight = None
    if sample_weight is not None:
        weight = check_weight(sample_weight, n, needs.owner)
        check_some_weight(weight, needs.owner)
    chunk = Chunk(values, check_target(y, n, needs), weight)
    check_chunk(chunk, schema, needs, cells=not checked_late(chunk, needs))
    return ArraySource(chunk, schema, needs)


def to_matrix(X: TableLike, needs: Needs) -> tuple[Any, Schema]:
    """The cells as a matrix of floats, not copied where they are one already, and what the columns are."""
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind == "f" and X.dtype.newbyteorder("=") in FLOATS:
        return plain(X), unnamed(X.shape[1])
    if is_sparse(X):
        return _sparse(X, needs)
    frame = _as_frame(X, needs)
    if frame is not None:
        return _from_frame(frame, needs)
    return _array_like(X, needs)


def _sparse(X: Any, needs: Needs) -> tuple[object, Schema]:
    if not needs.sparse:
        raise SparseNotSupported(
            f"{needs.owner}: X is a sparse matrix, and this model needs dense rows. Use X.toarray() if it fits."
        )
    if X.dtype.kind == "c":
        raise InvalidData(f"{needs.owner}: Complex data not supported; give real numbers.")
    return as_csr(X, needs.owner), unnamed(X.shape[1])


def _as_frame(X: TableLike, needs: Needs) -> object:
    """X as a narwhals frame, or None where it is not a frame; narwhals is imported only for frames."""
    library = type(X).__module__.partition(".")[0]
    if library in ("builtins", "numpy") or library not in sys.modules:
        return None
    import narwhals as nw

    names = list(getattr(X, "column_names", getattr(X, "columns", ())))
    twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
    if twice is not None:
        raise InvalidData(f"{needs.owner}: the column name {twice!r} stands twice; rename one of them.")
    frame = nw.from_native(X, pass_through=True, eager_only=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def _from_frame(frame: Any, needs: Needs) -> tuple[NDArray[np.generic], Schema]:
    names = [str(name) for name in frame.columns]
    columns, cells = [], []
    for name, series in zip(names, frame.iter_columns(), strict=True):
        column, values = from_series(series, name, needs)
        columns.append(column)
        cells.append(values)
    single = all(values.dtype == np.float32 for values in cells)
    X = np.empty((len(frame), len(names)), dtype=np.float32 if single and cells else np.float64, order="F")
    for j, values in enumerate(cells):
        X[:, j] = values
    all_names_are_text = all(isinstance(name, str) for name in frame.columns)
    return X, Schema(tuple(columns), named=all_names_are_text)


def _array_like(X: TableLike, needs: Needs) -> tuple[NDArray[np.generic], Schema]:
    """Everything else that NumPy can turn into a matrix, by scikit-learn's rules."""
    from sklearn.utils import check_array

    X = plain(X) if isinstance(X, np.ndarray) else X
    refuse_no_table(X, needs.owner)
    refuse_dates(X, needs.owner, "X")
    options = {"ensure_all_finite": False, "ensure_min_samples": 0, "ensure_min_features": 0}
    try:
        values = check_array(X, dtype=list(FLOATS), input_name="X", estimator=needs.owner, **options)
    except (TypeError, OverflowError) as error:  # records, objects, integers of hundreds of digits
        raise NotNumbers(f"{needs.owner}: the cells of X must be numbers; {error}.") from None
    except ValueError as error:
        place = _first_text(X)
        if place is None:
            raise InvalidData(f"{needs.owner}: {error}") from None
        raise InvalidData(
            f"{needs.owner}: column {place[1]}, row {place[0]} holds {place[2]!r}, which is not a number "
            f"({error}). Encode the column, or leave it out."
        ) from None
    return values, unnamed(values.shape[1])


def _first_text(X: TableLike) -> tuple[int, int, str] | None:
    """Row, column and value of the first cell that is text but no number."""
    cells = np.asarray(X, dtype=object)
    if cells.ndim != 2:
        return None
    for (i, j), value in np.ndenumerate(cells):
        if isinstance(value, str):
            try:
                float(value)
            except ValueError:
                return i, j, value
    return None
