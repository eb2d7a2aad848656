"""Errors of coefficients that hold where the variance of the targets is not as the model says."""

from __future__ import annotations

import numpy as np

from ... import params
from ...data import Source, as_source
from ...errors import InvalidParameter
from ...estimator import Estimator, declares
from ...typing import Floats, TableLike, TargetLike, WeightLike
from .coefficients import CoefficientTable
from .sandwich import KINDS, Kind


@declares
class HasRobustErrors(Estimator):
    """Base of models with a sandwich; a subclass gives `_robust_errors`."""

    def robust_coefficients(
        self,
        X: TableLike,
        y: TargetLike = None,
        sample_weight: WeightLike = None,
        *,
        kind: Kind = "HC0",
        level: float = 0.95,
        reference: object = None,
    ) -> CoefficientTable:
        """`coefficients` with errors that hold where the variance is not as the model says: the sandwich H⁻¹GH⁻¹.

        X and y are the rows of the fit; G = Σ g² x xᵀ is the scatter of their gradients, H their information. Few rows
        make HC0 too small: HC1 is multiplied by n / (n − p), HC2 divides each g² by 1 − h and HC3 by (1 − h)², where h
        is the leverage of the row; of several classes, where it has one in each, `kind` is HC0 or HC1. `reference` is
        the class that coefficients are differences from, the first where it is None, as in `coefficients`.
        """
        return self._robust_table(self._rows_of_fit(X, y, sample_weight, kind), kind, level, reference)

    def _robust_table(self, source: Source, kind: Kind, level: float, reference: object) -> CoefficientTable:
        if reference is not None:
            raise InvalidParameter(
                f"{type(self).__name__}: reference names a class, and the target has none; leave it out."
            )
        return CoefficientTable.with_errors(self, level, *self._robust_errors(source, kind), np.inf)

    def _rows_of_fit(self, X: TableLike, y: TargetLike, sample_weight: WeightLike, kind: Kind) -> Source:
        """The rows again, and a check of the kind of errors."""
        self._check_fitted("coef_")
        params.check(self)
        if kind not in KINDS:
            raise InvalidParameter(f"robust_coefficients: kind must be one of {', '.join(KINDS)}; got {kind!r:.80}.")
        source = as_source(X, y, sample_weight, needs=self._fit_needs())
        self._check_columns(X, source, reset=False)
        return source

    def _robust_errors(self, source: Source, kind: Kind) -> tuple[Floats, float | Floats]:
        """Of the slopes, in the shape of `coef_`, and of the intercept."""
        raise TypeError(f"{type(self).__name__} does not define _robust_errors")
