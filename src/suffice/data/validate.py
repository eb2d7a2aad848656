"""The only place where raw input is checked. Every message names the place, what was got, and the remedy."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import backend
from ..backend.arrays import Array
from ..errors import InvalidData, did_you_mean, squares_overflow
from ..typing import CSR, Flags, Floats, Whole
from .rows import as_array, as_numbers, is_gap, plain, refuse_dates
from .rows import is_sparse as is_sparse
from .schema import Schema
from .source import Chunk, Needs

LATE_CELLS = 100_000  # a smaller chunk is searched faster than its result


def check_chunk(chunk: Chunk, schema: Schema, needs: Needs, origin: str = "", cells: bool = True) -> None:
    """Refuse rows that a model with these needs cannot use; `origin` names the file they come from."""
    _check_kinds(schema, needs, origin)
    if cells:
        check_cells(chunk, schema, needs, origin)
    if needs.squares and not needs.late:  # where it is late, the summary shows it
        check_size(chunk.X, chunk.weight, needs.owner)
        if needs.target == "numbers" and chunk.y is not None:
            check_size(chunk.y, chunk.weight, needs.owner, "y")
    check_has_target(chunk.y is not None, needs)


def checked_late(chunk: Chunk, needs: Needs) -> bool:
    """Whether the cells of a chunk are searched only if the model's result is not finite.

    A row that weighs nothing shows in no result.
    """
    if not needs.late or not isinstance(chunk.X, np.ndarray) or chunk.X.size <= LATE_CELLS:
        return False
    return chunk.weight is None or bool(np.min(chunk.weight) > 0)


def check_cells(chunk: Chunk, schema: Schema, needs: Needs, origin: str = "") -> None:
    """Refuse infinite cells, and missing ones where the model cannot use them."""
    X = chunk.X.data[:, None] if is_sparse(chunk.X) else chunk.X
    bad = backend.first_bad(X, allow_nan=needs.missing)
    if bad is not None:
        raise InvalidData(_bad_cell(chunk, schema, needs, origin, *bad))


def check_size(values: Array, weight: Array, owner: str, place: str = "X") -> None:
    """Refuse numbers whose squares, or sums of these by weight, would overflow; differences may be twice as large."""
    cells = np.asarray(values.data if is_sparse(values) else values)
    most = 1.0 if weight is None else max(1.0, float(np.max(weight, initial=1.0)))
    if (cells.dtype != np.float64 and most == 1.0) or not cells.size:
        return  # squares in single precision are far from the largest double
    flat = cells.reshape(len(cells), -1)
    largest = float(backend.largest(flat))
    squares = 4.0 * cells.size * largest * largest  # of Python's floats, which overflow without a word
    if isfinite(most * squares) or not isfinite(largest):
        return  # an infinite cell is refused by others
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(4 * most * np.einsum("ij,ij->", flat, flat, dtype=np.float64)):
            return  # one large cell among many small ones
        if isfinite(squares):
            raise InvalidData(
                f"{owner}: the weights are so large (up to {most:.3g}) that sums of {place} by weight overflow; scale "
                "them down."
            )
    raise squares_overflow(owner, place, largest)


def check_has_target(given: bool, needs: Needs) -> None:
    """Refuse a table without a target where the model needs one."""
    if needs.target != "none" and not given:
        raise InvalidData(
            f"{needs.target_owner} requires y to be passed, but the target y is None. "
            "Give y, or name the target column: scan(path, target=…)."
        )


def _check_kinds(schema: Schema, needs: Needs, origin: str) -> None:
    for j in schema.not_numeric:
        column, place = schema.columns[j], f"{schema.describe(j)}{_of(origin)}"
        if column.kind == "date":
            raise InvalidData(
                f"{needs.owner}: {place} holds dates, and models use numbers and "
                "categories only. Turn it into numbers, or leave it out with columns=…."
            )
        if column.kind == "categorical" and not needs.categories:
            values = ", ".join(repr(value) for value in column.categories[:3])
            some = f" (such as {values})" if values else ""
            raise InvalidData(
                f"{needs.owner}: {place} is {column.measured}{some}; numbers are needed. "
                f"{'Give its codes as numbers' if column.ordered else 'Encode it'}, or leave it out with columns=…."
            )


def _of(origin: str) -> str:
    return f" of {origin}" if origin else ""


def _row(i: int, start: int | Whole, origin: str) -> str:
    """Row i of a chunk as messages name it, from 0 in an array, from 1 in a file; `start` is the number of its first
    row, or of each of its rows.
    """
    number = start + i if isinstance(start, int) else int(start[i])
    return f"row {number + 1} of {origin}" if origin else f"row {number}"


def _drop(origin: str) -> str:
    """What to do with rows whose target is unknown."""
    return "drop the row" + (", or leave all such rows out: scan(…, without_target='leave_out')" if origin else "")


def _bad_cell(chunk: Chunk, schema: Schema, needs: Needs, origin: str, i: int, j: int) -> str:
    if is_sparse(chunk.X):
        place, value = "the sparse matrix", chunk.X.data[i]
    else:
        place, value = f"{schema.describe(j)}, {_row(chunk.number(i), 0, origin)}", chunk.X[i, j]
    got = "NaN (a missing value)" if np.isnan(value) else f"{float(value)} (infinity)"
    remedy = "Drop the row or fill the missing value" if np.isnan(value) else "Drop the row or replace the value"
    return f"{needs.owner}: {place} holds {got}; Input X contains NaN or infinity, finite numbers are needed. {remedy}."


def check_weight(
    weight: object, n: int, owner: str, place: str = "sample_weight", start: int | Whole = 0, origin: str = ""
) -> NDArray[np.float64]:
    """The weights (n,) as doubles: finite, not negative, one a row."""
    try:
        if isinstance(weight, Real):
            weight = np.full(n, weight, dtype=np.float64)
        w = np.ascontiguousarray(plain(as_numbers(weight, owner)), dtype=np.float64)
    except (ValueError, OverflowError):  # also what `as_numbers` says
        raise InvalidData(f"{owner}: {place} must be numbers; got {type(weight).__name__} with other values.") from None
    if w.shape != (n,):
        raise InvalidData(f"{owner}: {place} must have one number a row, shape ({n},); got shape {w.shape}.")
    bad = np.flatnonzero(~(w >= 0) | np.isinf(w))
    if bad.size:
        raise InvalidData(
            f"{owner}: {place} must be finite and not negative; {_row(bad[0], start, origin)} has {float(w[bad[0]])}. "
            "Drop the row or mend its weight."
        )
    check_finite_sum(w, owner, place)
    return w


def check_finite_sum(weight: Floats, owner: str, place: str = "sample_weight") -> None:
    """Refuse weights whose sum overflows."""
    with np.errstate(over="ignore"):
        total = np.sum(weight)
    if np.isinf(total):
        raise InvalidData(f"{owner}: {place} is so large that its sum is infinite; scale the weights down.")


def total_weight(chunk: Chunk) -> float:
    """The sum of the weights of some rows; infinite where it overflows."""
    if chunk.weight is None:
        return float(len(chunk))
    with np.errstate(over="ignore"):
        return float(np.sum(chunk.weight))


def check_some_weight(weight: Any, owner: str, place: str = "sample_weight") -> None:
    """Refuse weights, or sums of them, that are all zero, and those whose sum overflows."""
    if not np.any(weight):
        raise InvalidData(f"{owner}: {place} is zero in every row; at least one row must count.")
    check_finite_sum(weight, owner, place)


def check_target(y: object, n: int, needs: Needs, place: str = "y", start: int | Whole = 0, origin: str = "") -> Array:
    """The target as numbers (n,) or (n, q), or as class labels (n,)."""
    if needs.target == "none":
        return _beside(y, n)
    if y is None:
        return None
    if is_sparse(y):
        raise InvalidData(f"{needs.target_owner}: {place} is a sparse matrix; give a dense array: y.toarray().")
    values = as_array(y, needs.target_owner, f"{place} must have one entry a row")
    if values.ndim == 0 or values.shape[0] != n:
        raise InvalidData(
            f"{needs.target_owner}: X has {n} rows but {place} has {values.shape[0] if values.ndim else 1} "
            "(inconsistent numbers of samples); give one target a row."
        )
    check = _labels if needs.target == "classes" else _numbers
    return check(values, needs, place, start, origin)


def _beside(y: object, n: int) -> Array:
    """A target that the model does not use, for those after it; None where it has not one entry a row."""
    try:
        values = None if y is None or is_sparse(y) else as_array(y, "y")
    except InvalidData:
        return None
    return values if values is not None and values.ndim and len(values) == n else None


def _numbers(y: Array, needs: Needs, place: str, start: int | Whole, origin: str) -> Array:
    if y.dtype.kind == "c":
        raise InvalidData(f"{needs.target_owner}: Complex data not supported in {place}; give real numbers.")
    if y.dtype.kind not in "fiub":
        refuse_dates(y, needs.target_owner, place)
        try:
            y = y.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidData(
                f"{needs.target_owner}: {place} must be numbers; {error}. "
                "Labels of classes need a classifier; convert numbers that stand as text."
            ) from None
    y = _flat(y) if needs.one_target else y
    if needs.one_target and y.ndim > 1:
        raise InvalidData(
            f"{needs.target_owner}: {place} must have one column; got shape {y.shape}. Fit a model for each."
        )
    if y.ndim > 2:
        raise InvalidData(f"{needs.target_owner}: {place} must be (n,) or (n, targets); got shape {y.shape}.")
    table = y.astype(np.float64, copy=False)[:, None] if y.ndim == 1 else y.astype(np.float64, copy=False)
    bad = backend.first_bad(table)
    if bad is not None:
        raise InvalidData(
            f"{needs.target_owner}: {place}, {_row(bad[0], start, origin)} holds {float(table[bad])}; "
            f"Input y contains NaN or infinity, finite numbers are needed; {_drop(origin)}."
        )
    return y if y.dtype.kind == "f" else y.astype(np.float64)


def _flat(y: Array) -> Array:
    """A target of one column, (n, 1), as (n,), with scikit-learn's warning."""
    if y.ndim != 2 or y.shape[1] != 1:
        return y
    from sklearn.utils import column_or_1d

    return column_or_1d(y, warn=True)


def _labels(y: Array, needs: Needs, place: str, start: int | Whole, origin: str) -> Array:
    y = _flat(y)
    if y.ndim != 1:
        raise InvalidData(f"{needs.target_owner}: {place} must hold one label a row, shape (n,); got shape {y.shape}.")
    if y.dtype.kind == "f":
        _check_label_numbers(y, needs, place, start, origin)
    if y.dtype.kind in "Mm" and np.isnat(y).any():
        row = _row(int(np.argmax(np.isnat(y))), start, origin)
        raise InvalidData(f"{needs.target_owner}: {place}, {row} has no label (it is NaT); {_drop(origin)}.")
    if y.dtype.kind == "V":
        raise InvalidData(f"{needs.target_owner}: {place} holds records; give one label a row.")
    if y.dtype.kind == "O":
        gap = next((i for i, label in enumerate(y) if is_gap(label)), None)
        if gap is not None:
            row = _row(gap, start, origin)
            raise InvalidData(
                f"{needs.target_owner}: {place}, {row} has no label (input contains NaN); {_drop(origin)}."
            )
        _check_one_kind(y, needs, place, start, origin)
    return y


def _check_one_kind(y: Array, needs: Needs, place: str, start: int | Whole, origin: str) -> None:
    """Labels are sorted, so that text, numbers and other things cannot stand side by side."""
    for i, label in enumerate(y):
        try:
            _ = y[0] < label
        except TypeError:
            raise InvalidData(
                f"{needs.target_owner}: {place}, {_row(i, start, origin)} holds {label!r}, which cannot be sorted "
                f"beside {y[0]!r} in the first row; give all labels as text, or all as whole numbers."
            ) from None


def _check_label_numbers(y: Array, needs: Needs, place: str, start: int | Whole, origin: str) -> None:
    finite = np.isfinite(y)
    if not finite.all():
        row = int(np.argmin(finite))
        raise InvalidData(
            f"{needs.target_owner}: {place}, {_row(row, start, origin)} holds {float(y[row])}; "
            f"Input y contains NaN or infinity; {_drop(origin)}."
        )
    whole = y == np.floor(y)
    if not whole.all():
        row = int(np.argmin(whole))
        raise InvalidData(
            f"{needs.target_owner}: Unknown label type: continuous. {place}, {_row(row, start, origin)} holds "
            f"{float(y[row])}, which is no class; classes are text or whole numbers. "
            "Use a regressor, or cut y into classes."
        )


def positions(schema: Schema, columns: tuple[str, ...], owner: str, origin: str = "the table") -> list[int]:
    """Where the wanted columns stand; a name that is not there is an error with a hint."""
    where = {name: j for j, name in enumerate(schema.names)}
    for name in columns:
        if name not in where:
            raise InvalidData(unknown_column(name, list(where), owner, origin))
    return [where[name] for name in columns]


def unknown_column(name: str, known: list[str], owner: str, origin: str) -> str:
    """The sentence for a column that is not there."""
    hint = did_you_mean(name, known)
    some = ", ".join(known[:12]) + (", …" if len(known) > 12 else "")
    return f"{owner}: there is no column {name!r} in {origin}.{hint} Its columns: {some}."


def check_sparse_gaps(X: Any, owner: str, number: Callable[[int], int]) -> None:
    """Refuse NaN among the values of a sparse matrix."""
    if hasattr(X, "tocsr") and X.nnz and np.isnan(X.data.min()):
        raise InvalidData(
            f"{owner}: row {sparse_place(X, np.isnan(X.data), number)} holds NaN; in a sparse matrix no cell is "
            "missing. Give dense rows, or fill the missing value."
        )


def sparse_place(X: CSR, bad: Flags, number: Callable[[int], int]) -> str:
    """The row and the column of the first stored cell that is bad."""
    at = int(np.argmax(bad))
    row = int(np.searchsorted(X.indptr, at, side="right")) - 1
    return f"{number(row)}, column {X.indices[at]}"
