"""Intervals of predictions: of the mean of a row's target, and of a new target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from ... import params
from ...data import Chunk
from ...data.rows import is_sparse
from ...errors import InvalidParameter
from ...estimator import Estimator, declares
from ...params import check_argument
from ...typing import Floats, Reals, TableLike

Of = Literal["mean", "target"]


@declares
class HasIntervals(Estimator):
    """Base of regressions with intervals; a subclass gives what stands below `predict_interval`."""

    def predict_interval(self, X: TableLike, level: float = 0.95, *, of: Of = "mean") -> Reals:
        """An interval for each row, (n, 2), or (n, targets, 2): for the mean of its target, or for a new target itself.

        That of a mean is the interval of the predictor, put through the link. That of a `target` has the noise beside
        it, which must be normal: it is there for least squares alone. Rows that the columns of the fit do not
        determine, as these depend on each other, have NaN.
        """
        from scipy.special import stdtrit

        self._check_fitted("coef_")
        params.check(self)
        check_argument("predict_interval", "level", level, number=True, above=0, below=1)
        if of not in ("mean", "target"):
            raise InvalidParameter(f"predict_interval: of must be 'mean' or 'target'; got {of!r:.80}.")
        beside = self._noise_of_targets() if of == "target" else 0.0
        times, variances = stdtrit(self._t_freedom, (1 + level) / 2), self._variances_of_rows()

        def intervals(chunk: Chunk) -> Reals:
            half = times * np.sqrt(variances(dense(chunk)) + beside)
            eta = self._predictor(chunk)
            ends = np.stack([self._mean_of(eta - half), self._mean_of(eta + half)], axis=-1)
            return np.asarray(np.sort(ends, axis=-1), dtype=chunk.X.dtype)

        return self._rows(X, intervals)

    @property
    def _t_freedom(self) -> float | Floats:
        raise TypeError(f"{type(self).__name__} does not define _t_freedom")

    def _predictor(self, chunk: Chunk) -> Floats:
        """The linear predictor, (n,), or (n, targets)."""
        raise TypeError(f"{type(self).__name__} does not define _predictor")

    def _variances_of_rows(self) -> Callable[[Floats], Floats]:
        """What gives the variance of the predictor of dense rows, in the shape of the predictor."""
        raise TypeError(f"{type(self).__name__} does not define _variances_of_rows")

    def _noise_of_targets(self) -> float | Floats:
        """The variance of normal noise, or a refusal."""
        raise TypeError(f"{type(self).__name__} does not define _noise_of_targets")

    def _mean_of(self, eta: Floats) -> Floats:
        """The mean of targets with this predictor."""
        return eta


def dense(chunk: Chunk) -> Floats:
    """The rows of a chunk in double precision, filled in."""
    return np.asarray(chunk.X.toarray() if is_sparse(chunk.X) else chunk.X, dtype=np.float64)
