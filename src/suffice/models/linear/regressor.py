"""What linear regressions share: slopes, an intercept, and predictions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...backend.affine_rows import affine_rows
from ...data import Chunk
from ...estimator import Regressor, declares
from ...holds import either, floats, number
from ...params import learned
from ...typing import Floats, Reals, TableLike


@declares
class LinearRegressor(Regressor):
    """Base: the prediction of a row is X coefᵀ + intercept."""

    coef_: Floats = learned("The slopes, (d,), or (targets, d).", holds=either(floats("d"), floats("targets", "d")))
    intercept_: float | Floats = learned("The intercept, or one a target.", holds=either(number(), floats("targets")))

    def predict(self, X: TableLike) -> Reals:
        """The expected target of each row, X coef + intercept."""
        self._check_fitted("coef_")
        return self._rows(X, self._predictions(), late=True, lean=True)

    def _predictions(self) -> Callable[[Chunk], Reals]:
        """What gives X coef + intercept of some rows, (n,), or (n, targets), also after another fit."""
        slope = np.ascontiguousarray(np.atleast_2d(self.coef_).T)
        offset = np.broadcast_to(np.asarray(self.intercept_, dtype=np.float64), slope.shape[1:]).copy()
        flat = self.coef_.ndim == 1

        def predict(chunk: Chunk) -> Reals:
            fitted = affine_rows(chunk.X, None, slope, offset)
            return fitted[:, 0] if flat else fitted

        return predict
