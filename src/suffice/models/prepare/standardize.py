"""Columns with mean 0 and variance 1."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils.validation import check_is_fitted

from ...data import Chunk, Needs
from ...data.validate import is_sparse
from ...engine import Step
from ...errors import InvalidData
from ...estimator import Attributes, SummaryModel, Transformer, estimator
from ...holds import floats, instance
from ...params import learned, param
from ...scikit_learn import COPY, Counterpart
from ...statistics import DiagonalMoments
from ...typing import CSR, Numbers, Reals, TableLike

_BLOCK_CELLS = 1 << 17  # shifted and scaled at a time
_LONG = 1000  # cells of a long row


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
        check_is_fitted(self)
        found: Numbers = self._rows_back(X, self._backward, len(self.scale_))
        return found

    def _forward(self, chunk: Chunk) -> Any:
        scale = self.scale_.astype(chunk.X.dtype)
        if is_sparse(chunk.X):
            return _with_cells(chunk.X, chunk.X.data / scale[chunk.X.indices])
        return _scaled(chunk.X, self.mean_.astype(scale.dtype) if self.with_mean else None, scale)

    def _backward(self, chunk: Chunk) -> Any:
        scale = self.scale_.astype(chunk.X.dtype)
        if is_sparse(chunk.X):
            return _with_cells(chunk.X, chunk.X.data * scale[chunk.X.indices])
        X = chunk.X * scale
        if self.with_mean:
            X += self.mean_.astype(X.dtype)
        return X


Standardize = StandardScaler  # pickles and files of earlier versions name it so


def _scaled(X: Reals, shift: Reals | None, scale: Reals) -> Reals:
    """(X − shift) / scale; of rows that follow one another in memory many at a time, as one long row."""
    with np.errstate(over="ignore"):
        factor = 1 / scale
    if not np.isfinite(factor).all():
        return np.asarray((X if shift is None else X - shift) / scale)
    out, together = np.empty_like(X), max(1, _LONG // X.shape[1])
    if len(X) < 2 * together or not X.flags.c_contiguous:
        _scale_into(out, X, shift, factor)
        return out
    end = len(X) // together * together
    long, into = (a[:end].reshape(-1, together * X.shape[1]) for a in (X, out))
    shifts, factors = None if shift is None else np.tile(shift, together), np.tile(factor, together)
    height = max(1, _BLOCK_CELLS // long.shape[1])
    for first in range(0, len(long), height):  # a block is in the cache still when it is scaled
        _scale_into(into[first : first + height], long[first : first + height], shifts, factors)
    _scale_into(out[end:], X[end:], shift, factor)
    return out


def _scale_into(out: Reals, X: Reals, shift: Reals | None, factor: Reals) -> None:
    np.multiply(X if shift is None else np.subtract(X, shift, out=out), factor, out=out)


def _with_cells(X: CSR, cells: Reals) -> CSR:
    """A sparse matrix with other cells at the same places, which are its own."""
    return type(X)((cells, X.indices.copy(), X.indptr.copy()), shape=X.shape)
