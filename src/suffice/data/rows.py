"""Arrays as the kernels read them. Everything that reaches a kernel has passed one of these doors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from ..backend.arrays import Array
from ..errors import InvalidData, SparseNotSupported
from ..typing import CSR, Flags, Numbers, Reals, WeightLike

FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def is_sparse(X: object) -> bool:
    """Whether X is a SciPy sparse matrix or array."""
    return type(X).__module__.startswith("scipy.sparse")


def per_row(found: Array) -> Array:
    """The results of rows as an array, or a sparse matrix as it is."""
    return found if is_sparse(found) else np.asarray(found)


def stacked(parts: Sequence[Array]) -> Array:
    """Rows of several parts below one another, dense or sparse."""
    if len(parts) == 1:
        return parts[0]
    if not is_sparse(parts[0]):
        return np.concatenate(parts)
    from scipy.sparse import vstack

    return vstack(parts, format="csr")


def in_double(X: Numbers) -> Numbers:
    """Rows in double precision, dense or sparse as they are; not copied where they are so already."""
    return X.astype(np.float64, copy=False) if is_sparse(X) else np.asarray(X, dtype=np.float64)


def plain(X: NDArray[np.generic]) -> NDArray[np.generic]:
    """The same cells without a subclass, in native byte order and aligned; masked cells become missing (NaN).

    >>> plain(np.ma.masked_array([[1.0, 2.0]], mask=[[False, True]]))
    array([[ 1., nan]])
    """
    if type(X) is not np.ndarray:
        if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
            X = np.ma.filled(X.astype(np.result_type(X.dtype, np.float32)), np.nan)
        X = np.asarray(X)
    if not X.dtype.isnative:
        X = X.astype(X.dtype.newbyteorder("="))
    return X if X.flags.aligned else np.array(X)


@overload
def as_rows(X: object, owner: str, sparse: Literal[False] = False) -> Reals: ...
@overload
def as_rows(X: object, owner: str, sparse: bool) -> Numbers: ...
def as_rows(X: object, owner: str, sparse: bool = False) -> Numbers:
    """X as rows of float32 or float64, or a checked CSR matrix; arrays of other libraries are left as they are.

    >>> as_rows([[1, 2]], "Moments")
    array([[1., 2.]])
    """
    if type(X) is np.ndarray and X.dtype in FLOATS and X.ndim == 2 and X.flags.aligned:
        return X
    if is_sparse(X):
        if not sparse:
            raise SparseNotSupported(f"{owner}: rows must be dense here; use X.toarray() if it fits.")
        csr: Numbers = as_csr(X, owner)
        return csr
    if not isinstance(X, np.ndarray | np.generic) and hasattr(X, "__array_namespace__"):
        foreign: Numbers = X  # type: ignore[assignment]
        return foreign
    rows = plain(as_numbers(X, owner))
    if rows.ndim != 2:
        raise InvalidData(
            f"{owner}: rows must be a table; got an array of {rows.ndim} dimensions. "
            "Use X.reshape(-1, 1) for one column."
        )
    return rows


def as_column(values: object, owner: str) -> NDArray[np.generic]:
    """Numbers of one column (n,), float32 or float64.

    >>> as_column([1, 2], "Quantiles")
    array([1., 2.])
    """
    column = plain(as_numbers(values, owner))
    if column.ndim != 1:
        raise InvalidData(f"{owner}: values must have one dimension, (n,); got an array of shape {column.shape}.")
    return column


def as_array(values: object, owner: str, needed: str = "values must be an array") -> NDArray[Any]:
    """Values of any kind and shape as an array, where they can be one; `needed` is what the error says.

    NaN beside text stays NaN:

    >>> as_array(["a", float("nan")], "a model")
    array(['a', nan], dtype=object)
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind == "U" and isinstance(values, list | tuple):  # NumPy has written NaN as text
            cells = np.array(values, dtype=object)
            return cells if gaps(cells.ravel()).any() else array
        return array
    except (TypeError, ValueError, OverflowError) as error:  # lists of unequal lengths, columns without a common type
        raise InvalidData(f"{owner}: {needed}; {error}.") from None


def refuse_no_table(X: object, owner: str) -> None:
    """Refuse one value and values in one line, which may be a column or a row; whatever has no shape is left alone.

    >>> refuse_no_table([1.0, 2.0], "KMeans")
    Traceback (most recent call last):
    ...
    suffice.errors.InvalidData: KMeans: Expected 2D array, rows by columns; got shape (2,). Reshape your data: \
X.reshape(-1, 1) makes it one column, X.reshape(1, -1) or [[…]] one row.
    """
    if isinstance(X, str | bytes):
        raise InvalidData(f"{owner}: X must be a table; got the text {X!r:.80}. A file is opened by scan(path).")
    shape = _outer_shape(X)
    if shape is not None and len(shape) < 2:
        got = f"shape {shape}" if shape else f"one value, {X!r:.40}"
        raise InvalidData(
            f"{owner}: Expected 2D array, rows by columns; got {got}. Reshape your data: X.reshape(-1, 1) makes it one "
            "column, X.reshape(1, -1) or [[…]] one row."
        )


def _outer_shape(X: object) -> tuple[int, ...] | None:
    """The shape of an array or a column; of lists as much as their first cell shows; None of records and others."""
    if isinstance(X, list | tuple):
        first = X[0] if X else None
        return (len(X),) if first is None or np.isscalar(first) else None
    if np.isscalar(X):
        return ()
    shape, records = getattr(X, "shape", None), getattr(getattr(X, "dtype", None), "kind", "") == "V"
    return shape if isinstance(shape, tuple) and not records else None


def refuse_dates(values: object, owner: str, place: str) -> None:
    """Refuse dates and spans of time, which NumPy turns into numbers without a word, and NaT into the least of them."""
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, OverflowError):  # no array at all, as others will say
        return
    found = array.dtype.kind in "Mm" or (
        array.dtype.kind == "O" and any(isinstance(cell, np.datetime64 | np.timedelta64) for cell in array.flat)
    )
    if found:
        raise InvalidData(
            f"{owner}: {place} holds dates or spans of time, and models use numbers and categories only. Turn them "
            "into numbers, such as days since a date: (dates - dates.min()) / np.timedelta64(1, 'D')."
        )


def is_gap(value: object) -> bool:
    """Whether a cell of text or objects is missing: None, NaN, NaT or pandas' NA.

    >>> [is_gap(value) for value in (None, float("nan"), "", 0)]
    [True, True, False, False]
    """
    try:
        return value is None or bool(value != value)
    except TypeError:  # of pandas' NA, which equals nothing and does not differ from anything
        return True


def gaps(values: Array) -> Flags:
    """Which rows of numbers or objects, (n,) or (n, q), hold a missing value, (n,).

    >>> gaps(np.array([1.0, np.nan])), gaps(np.array(["a", None], dtype=object))
    (array([False,  True]), array([False,  True]))
    """
    if values.dtype.kind == "f":
        missing = np.isnan(values)
    elif values.dtype.kind in "Mm":
        missing = np.isnat(values)
    elif values.dtype.kind == "O":
        missing = np.array([is_gap(value) for value in values.flat], dtype=bool).reshape(values.shape)
    else:
        return np.zeros(len(values), dtype=bool)
    return np.asarray(missing if missing.ndim == 1 else missing.any(axis=1))


def as_values(values: object, owner: str) -> NDArray[np.generic]:
    """Values of any kind, one a row, (n,)."""
    column = as_array(values, owner, "values must have one dimension, (n,)")
    if column.ndim != 1:
        raise InvalidData(f"{owner}: values must have one dimension, (n,); got an array of shape {column.shape}.")
    return column


def as_numbers(X: object, owner: str) -> NDArray[Any]:
    """Numbers of any shape, float32 or float64."""
    try:
        values = X if isinstance(X, np.ndarray) else np.asarray(X)
        if values.dtype.kind in "cSUMmV":
            raise TypeError(f"they are {values.dtype}")
        return values if values.dtype in FLOATS else values.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidData(f"{owner}: the cells must be numbers; {error}.") from None


def as_csr(X: Any, owner: str) -> CSR:
    """A sparse matrix by rows, each cell once, of columns that exist; a copy where X is not so already."""
    if X.dtype.kind not in "biuf":
        raise InvalidData(f"{owner}: a sparse matrix must hold real numbers; got {X.dtype}.")
    _check_places(X, owner)
    rows = X.tocsr()
    if X.format not in _CHECKED:
        _check_places(rows, owner)
    if not rows.has_canonical_format:
        rows = rows.copy() if rows is X else rows
        rows.sum_duplicates()
    return rows if rows.dtype in FLOATS else rows.astype(np.float64)


_CHECKED = ("csr", "csc", "bsr", "coo")  # formats that hold the places of cells as arrays


def _check_places(X: Any, owner: str) -> None:
    """Refuse places outside the matrix, before SciPy or a kernel follows them."""
    height, width = X.shape
    if X.format == "coo":
        _check_within(X.row, height, "row", owner)
        _check_within(X.col, width, "column", owner)
    elif X.format == "csc":
        _check_starts(X, width, owner)
        _check_within(X.indices, height, "row", owner)
    elif X.format in _CHECKED:
        down, across = X.blocksize if X.format == "bsr" else (1, 1)
        _check_starts(X, height // down, owner)
        _check_within(X.indices, width // across, "column", owner)


def _check_starts(X: Any, lines: int, owner: str) -> None:
    starts = np.asarray(X.indptr)
    whole = len(starts) == lines + 1 and starts[0] == 0 and len(X.indices) == len(X.data) == starts[-1]
    if not whole or np.any(starts[1:] < starts[:-1]):
        raise InvalidData(f"{owner}: the row starts (indptr) of the sparse matrix do not fit its cells; build it anew.")


def _check_within(places: object, size: int, what: str, owner: str) -> None:
    at = np.asarray(places)
    if len(at) and not _all_within(at, size):
        bad = int(at.min() if at.min() < 0 else at.max())
        raise InvalidData(
            f"{owner}: the sparse matrix has {size} {what}s, but a cell is said to be in {what} {bad}; build it anew."
        )


def _all_within(places: NDArray[Any], size: int) -> bool:
    """Whether 0 ≤ place < size, in one pass: without its sign a negative number is larger than any that has one."""
    if places.dtype.kind != "i":
        return bool(places.min() >= 0 and places.max() < size)
    largest = int(places.view(places.dtype.str.replace("i", "u")).max())
    return largest < size and largest <= np.iinfo(places.dtype).max


def as_weight(weight: WeightLike, n: int, owner: str, name: str = "weight") -> NDArray[np.float64] | None:
    """The weights (n,) as contiguous doubles, or None; their values are the caller's.

    >>> as_weight([1, 2], 2, "Moments")
    array([1., 2.])
    """
    if weight is None:
        return None
    if not (
        type(weight) is np.ndarray
        and weight.dtype == np.float64
        and weight.dtype.isnative
        and weight.flags.c_contiguous
        and weight.flags.aligned
    ):
        weight = np.ascontiguousarray(plain(as_numbers(weight, owner)), dtype=np.float64)
    if weight.shape != (n,):
        raise InvalidData(f"{owner}: {name} must have one number a row, shape ({n},); got shape {weight.shape}.")
    return weight


def one_a_row(values: WeightLike, n: int, owner: str, name: str) -> NDArray[np.float64]:
    """Numbers (n,) that must be there, as contiguous doubles.

    >>> one_a_row([1, 2], 2, "GradientSums", "value")
    array([1., 2.])
    """
    found = as_weight(values, n, owner, name)
    if found is None:
        raise InvalidData(f"{owner}: {name} must have one number a row, shape ({n},); got None.")
    return found


def as_groups(group: object, n: int, groups: int, owner: str) -> NDArray[np.int64]:
    """The group of each row (n,), numbered from 0 to `groups` − 1."""
    codes = np.ascontiguousarray(plain(np.asarray(group)))
    if codes.dtype.kind not in "biu" or codes.shape != (n,):
        raise InvalidData(
            f"{owner}: group must have one whole number a row, shape ({n},); got {codes.dtype} of shape {codes.shape}."
        )
    if n and not _all_within(codes, groups):
        raise InvalidData(
            f"{owner}: group must hold numbers from 0 to {groups - 1}; got {codes.min()} to {codes.max()}."
        )
    return codes.astype(np.int64, copy=False)
