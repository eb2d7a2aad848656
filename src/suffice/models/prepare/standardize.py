"""Columns with mean 0 and variance 1."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin

from ... import backend
from ...data import Chunk, Needs
from ...data.validate import is_sparse
from ...engine import Step
from ...errors import InvalidData
from ...estimator import Attributes, SummaryModel, Transformer, estimator
from ...holds import floats, instance
from ...params import learned, param
from ...scikit_learn import COPY, Counterpart
from ...statistics import Affine, DiagonalMoments
from ...typing import CSR, Numbers, Reals, TableLike


@estimator
class StandardScaler(OneToOneFeatureMixin, Transformer, SummaryModel):  # type: ignore[misc]
    """Shift and scale every column to mean 0 and variance 1: z = (x − mean) / √variance, variance = Σw(x−mean)²/Σw.

    Missing values are left out of the sums and stay missing. A constant column is only shifted. Sparse matrices
    are taken with `with_mean=False`, which keeps their zeros.

    Examples
    --------
    >>> import suffice as sf
    >>> sf.StandardScaler().fit_transform([[1.0, 10.0], [3.0, 10.0]])
    array([[-1.,  0.],
           [ 1.,  0.]])
    """

    read_late = ("with_mean",)

    counterpart: ClassVar = Counterpart("sklearn.preprocessing", ignored={"copy": COPY})

    needs = Needs(missing=True)

    with_mean: bool = param(True, choices=(True, False), doc="Whether to subtract the mean.")
    with_std: bool = param(True, choices=(True, False), doc="Whether to divide by the standard deviation.")

    mean_: NDArray[np.float64] = learned("The weighted mean of each column, (d,).", holds=floats("d"))
    var_: NDArray[np.float64] = learned("The variance of each column, (d,), divided by Σw.", holds=floats("d"))
    scale_: NDArray[np.float64] = learned("What each column is divided by, (d,).", holds=floats("d", above=0))
    n_samples_seen_: NDArray[np.float64] = learned("The weight of the values of each column, (d,).", holds=floats("d"))
    holds: ClassVar = {"summary_": instance(DiagonalMoments, d="d")}

    def _needs(self) -> Needs:
        return super()._needs().but(sparse=not self.with_mean)

    def summarise(self, chunk: Chunk) -> DiagonalMoments:
        return DiagonalMoments.of(chunk.X, chunk.weight)

    def solve(self, summary: DiagonalMoments) -> Step[Attributes]:
        empty = np.flatnonzero(summary.weight == 0)
        if empty.size:
            name = getattr(self, "feature_names_in_", [f"{j}" for j in range(len(summary.mean))])[empty[0]]
            raise InvalidData(f"{type(self).__name__}: column {name} has only missing values; leave it out.")
        variance = summary.variance()
        noise = (8 * np.finfo(float).eps * np.abs(summary.mean)) ** 2  # rounding of a constant column
        std = np.sqrt(np.where(variance > noise, variance, 0.0))
        scale = np.where(std > 0, std, 1.0) if self.with_std else np.ones_like(std)
        attributes = {"mean_": summary.mean, "var_": variance, "scale_": scale, "n_samples_seen_": summary.weight}
        return Step(attributes, float(summary.scatter.sum()))

    def transform(self, X: TableLike) -> Numbers:
        """Standardised rows."""
        found: Numbers = self._rows(X, self._forward, lean=True)
        return found

    def inverse_transform(self, X: TableLike) -> Numbers:
        """Rows in the original units."""
        self._check_fitted()
        found: Numbers = self._rows_back(X, self._backward, len(self.scale_))
        return found

    def _affine(self) -> Affine:
        return Affine(1 / self.scale_, -self.mean_ / self.scale_ if self.with_mean else np.zeros_like(self.scale_))

    def _forward(self, chunk: Chunk) -> Any:
        scale = self.scale_.astype(chunk.X.dtype)
        if is_sparse(chunk.X):
            return _by_column(np.divide, chunk.X, scale)
        return _scaled(chunk.X, self.mean_.astype(scale.dtype) if self.with_mean else None, scale)

    def _backward(self, chunk: Chunk) -> Any:
        scale = self.scale_.astype(chunk.X.dtype)
        if is_sparse(chunk.X):
            return _by_column(np.multiply, chunk.X, scale)
        return backend.scale_columns(chunk.X, None, scale, self.mean_ if self.with_mean else None)


Standardize = StandardScaler  # pickles and files of earlier versions name it so


def _scaled(X: Reals, shift: Reals | None, scale: Reals) -> Reals:
    """(X − shift) / scale."""
    with np.errstate(over="ignore"):
        factor = 1 / scale
    if not np.isfinite(factor).all():
        return np.asarray((X if shift is None else X - shift) / scale)
    found: Reals = backend.scale_columns(X, shift, factor, None)
    return found


def _by_column(change: np.ufunc, X: CSR, scale: Reals) -> CSR:
    """A sparse matrix whose cells are divided or multiplied by the scale of their column."""
    cells = scale.take(X.indices, mode="clip")  # all are within; "clip" does not look for others
    change(X.data, cells, out=cells)
    return type(X)((cells, X.indices.copy(), X.indptr.copy()), shape=X.shape)
