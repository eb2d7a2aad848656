"""Types of arguments and arrays, shared by all: what users may give, and what the inside works with.

`TableLike`, `TargetLike` and `WeightLike` are what a user may give; behind the door (`suffice.data`) rows and
their weights are `Numbers`, and results are `Floats`, `Reals`, `Whole` or `Flags`. Nothing here is needed at run time.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
else:  # plots are an extra
    Axes = Figure = object

__all__ = [
    "ArrayLike", "Axes", "EstimatorLike", "Figure", "Flags", "Floats", "Labels", "NumberLike", "Numbers", "Predictor",
    "RandomState", "Reals", "Singles", "TableLike", "TargetLike", "WeightLike", "Whole",
]  # fmt: skip

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Reals = NDArray[np.floating]  # float32 or float64, as the rows were
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]
Labels = NDArray[np.generic]  # text, numbers or objects: compared, sorted and counted, never added


class Numbers(Protocol):
    """What every array has that follows the array API standard, and every sparse matrix: rows behind the door.

    What an operation gives depends on the library and on the other side, so that it is not said here.
    """

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def T(self) -> Any: ...
    def __array__(self) -> NDArray[Any]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __neg__(self) -> Any: ...
    def __add__(self, other: Any, /) -> Any: ...
    def __radd__(self, other: Any, /) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __rsub__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __rmul__(self, other: Any, /) -> Any: ...
    def __truediv__(self, other: Any, /) -> Any: ...
    def __rtruediv__(self, other: Any, /) -> Any: ...
    def __matmul__(self, other: Any, /) -> Any: ...
    def __rmatmul__(self, other: Any, /) -> Any: ...
    def __pow__(self, other: Any, /) -> Any: ...
    def __lt__(self, other: Any, /) -> Any: ...
    def __le__(self, other: Any, /) -> Any: ...
    def __gt__(self, other: Any, /) -> Any: ...
    def __ge__(self, other: Any, /) -> Any: ...


class _Sparse(Protocol):
    def tocsr(self) -> Any: ...


class _Frame(Protocol):
    def __dataframe__(self) -> Any: ...


class _ArrowTable(Protocol):
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


class _Lazy(Protocol):
    """A dask collection."""

    def __dask_graph__(self) -> Any: ...


class _Rows(Protocol):
    """A source, such as a scan of files."""

    n_rows: int | None

    def count(self) -> int: ...


# A path is a table only where the function says so: a report, a summary of a table, the command line.
TableLike = (
    ArrayLike | Sequence[Sequence[object]] | Mapping[str, Sequence[object]] | os.PathLike[str]
    | _Sparse | _Frame | _ArrowTable | _Lazy | _Rows
)  # fmt: skip
TargetLike = ArrayLike | Sequence[object] | _Lazy | None  # numbers or labels, one a row
WeightLike = ArrayLike | _Lazy | None  # one number a row, or one for all; None counts each row once
NumberLike = ArrayLike  # one number or an array of them
RandomState = int | np.random.Generator | np.random.RandomState | None


class EstimatorLike(Protocol):
    """A model of ours, or any that follows scikit-learn's protocol."""

    def fit(self, X: Any, y: Any = None, /) -> Any: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...


class Predictor(EstimatorLike, Protocol):
    """An estimator that says something of new rows."""

    def predict(self, X: Any, /) -> Any: ...
