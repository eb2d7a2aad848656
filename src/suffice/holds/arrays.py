"""Kinds of arrays: their types, their shapes, and what their cells may be."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ..errors import InvalidData
from ..typing import Labels
from .kinds import Bounds, Dimension, Kind, Sizes, require, words

_NO_BOUNDS = Bounds()


@dataclasses.dataclass(frozen=True)
class _Array(Kind):
    dtypes: tuple[object, ...]
    shape: tuple[Dimension, ...]
    bounds: Bounds = _NO_BOUNDS
    finite: bool = True
    lists: bool = False  # whether lists of numbers are taken for what they become

    def measure(self, value: object, sizes: Sizes) -> None:
        value = self._made(value)
        if not isinstance(value, np.ndarray) or value.dtype not in self.dtypes:
            raise InvalidData(f"must be an array of {' or '.join(map(str, self.dtypes))}; got {words(value)}")
        _measure_shape(value, self.shape, sizes)

    def _made(self, value: object) -> object:
        if not self.lists or not isinstance(value, list):
            return value
        try:
            return np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            return value

    def look(self, value: Any, sizes: Sizes) -> None:
        value = self._made(value)
        if value.dtype.kind == "f" and self.finite:
            require(_is_finite(value), "must hold finite numbers; got NaN or infinity")
        if value.size and self.bounds != _NO_BOUNDS:
            low, high = np.fmin.reduce(value, axis=None), np.fmax.reduce(value, axis=None)  # NaN is left out
            if low == low:
                self.bounds.look(low, high, sizes)


def _measure_shape(value: Labels, shape: tuple[Dimension, ...], sizes: Sizes) -> None:
    require(value.ndim == len(shape), f"must have {len(shape)} dimensions; got shape {value.shape}")
    for dimension, size in zip(shape, value.shape, strict=True):
        sizes.agree(dimension, int(size))


def _is_finite(value: Any) -> bool:
    """Whether all cells are finite: surely so where their sum is, which is found faster."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(np.add.reduce(value, axis=None)) or np.isfinite(value).all())


def floats(
    *shape: Dimension,
    finite: bool = True,
    lists: bool = False,
    dtypes: tuple[object, ...] = (np.float64,),
    **bounds: float | str,
) -> Kind:
    """An array of float64, or of the other floats that `dtypes` names; also `lists` that somebody gave."""
    return _Array(tuple(map(np.dtype, dtypes)), shape, Bounds(**bounds), finite, lists)  # type: ignore[arg-type]


def integers(*shape: Dimension, dtypes: tuple[object, ...] = (np.int64,), **bounds: float | str) -> Kind:
    """An array of int64, or of the other integers that `dtypes` names."""
    return _Array(tuple(map(np.dtype, dtypes)), shape, Bounds(**bounds))  # type: ignore[arg-type]


def flags(*shape: Dimension) -> Kind:
    """An array of True and False."""
    return _Array((np.dtype(np.bool_),), shape)


class _Covariances(_Array):
    def look(self, value: Any, sizes: Sizes) -> None:
        super().look(value, sizes)
        value = self._made(value)
        size = float(np.abs(value).max(initial=0.0))
        require(np.allclose(value, np.swapaxes(value, -1, -2), rtol=0, atol=1e-8 * size), "must be symmetric")
        try:
            np.linalg.cholesky(value)  # much faster than eigenvalues, which decide where there is no root
        except np.linalg.LinAlgError:
            least = float(np.linalg.eigvalsh(value).min(initial=0.0))
            require(least >= -1e-8 * size, f"must have no negative eigenvalue; got {least:.3g}")


def covariances(*shape: Dimension) -> Kind:
    """An array of symmetric matrices without negative eigenvalues, or lists that somebody gave."""
    return _Covariances((np.dtype(np.float64),), shape, lists=True)


@dataclasses.dataclass(frozen=True)
class _Labels(Kind):
    shape: tuple[Dimension, ...]
    distinct: bool

    def measure(self, value: object, sizes: Sizes) -> None:
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "biufUSOMm":
            raise InvalidData(f"must be an array of labels; got {words(value)}")
        _measure_shape(value, self.shape, sizes)

    def look(self, value: Any, sizes: Sizes) -> None:
        if value.dtype.kind == "O":
            plain = all(isinstance(item, str | int | float | np.generic | None) for item in value.flat)
            require(plain, "must be labels: text or numbers")
        if self.distinct and value.size > 1:
            require(np.all(value[1:] > value[:-1]), "must be sorted, and all different")


def label_array(*shape: Dimension, distinct: bool = False) -> Kind:
    """An array of labels of any type: text, numbers, dates; `distinct` ones are sorted."""
    return _Labels(shape, distinct)


@dataclasses.dataclass(frozen=True)
class _ArrayLike(Kind):
    shape: tuple[Dimension, ...]

    def measure(self, value: object, sizes: Sizes) -> None:
        require(isinstance(value, list | tuple | np.ndarray), f"must be a list or an array; got {words(value)}")
        try:
            array = np.asarray(value)
        except ValueError:
            array = np.asarray(None)
        require(array.dtype.kind in "iuf", f"must hold numbers; got {words(value)}")
        _measure_shape(array, self.shape, sizes)


def array_like(*shape: Dimension) -> Kind:
    """Numbers that somebody gave: an array of any type, or lists."""
    return _ArrayLike(shape)


@dataclasses.dataclass(frozen=True)
class _Cells(Kind):
    shape: tuple[Dimension, Dimension]
    complete: bool

    def measure(self, value: Any, sizes: Sizes) -> None:
        held = value.data if _is_csr(value) else value
        known = isinstance(held, np.ndarray) and held.dtype in (np.float64, np.float32)
        require(known, f"must be rows of float64 or float32; got {words(value)}")
        _measure_shape(value, self.shape, sizes)

    def look(self, value: Any, sizes: Sizes) -> None:
        held = value.data if _is_csr(value) else value
        if self.complete:
            require(_is_finite(held), "must hold finite numbers; got NaN or infinity")
        else:
            require(_is_finite(held) or not np.isinf(held).any(), "must hold finite numbers or NaN; got infinity")


def _is_csr(value: object) -> bool:
    return getattr(value, "format", None) == "csr"


def row_array(rows: Dimension, columns: Dimension, *, complete: bool = False) -> Kind:
    """The rows of a table in single or double precision, dense or sparse; NaN is a missing value."""
    return _Cells((rows, columns), complete)


def rises(starts: Any, end: int) -> bool:
    """Whether whole numbers rise from 0 to `end`, as where the rows of a compressed table begin, and the last ends.

    >>> rises(np.array([0, 2, 2, 5]), 5), rises(np.array([0, 7, 5]), 5)
    (True, False)
    """
    return bool(starts[0] == 0 and starts[-1] == end and np.all(starts[1:] >= starts[:-1]))
