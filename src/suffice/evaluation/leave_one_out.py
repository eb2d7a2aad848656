"""Leave-one-out of least squares and ridge regression: every row by a formula, from one fit to all of them."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from ..data.rows import is_sparse
from ..errors import SufficeError
from ..models.linear import LinearRegression, Ridge
from ..models.linear.base import ClosedFormRegression
from ..resampling import Fold, Problem
from ..resampling.folds import Refit, seeded
from ..resampling.partition import Partition
from ..resampling.press import Press
from ..statistics import Moments
from ..typing import EstimatorLike, Flags, Floats

_TOLERANCE = 1e-9  # of predictions, relative: where the formula may be farther off, a row is left out by refitting


@dataclass(frozen=True, eq=False)
class LeftOut:
    """What a model says of each row after a fit to all others, (n,) or (n, targets), and of which rows that is sure."""

    model: EstimatorLike
    of: Problem
    predicted: Floats
    sure: Flags
    seconds: float

    def fold(self, at: int) -> Fold | None:
        """The fold of a row; None where the row must be left out by refitting."""
        if not self.sure[at]:
            return None
        of, row = self.of, self.of.tested(at)
        return Fold(
            at + 1, of.learned_from(at), row, self.predicted[row], kept=Refit(self.model, of, at), shared=True,
            fit_seconds=self.seconds / of.n,
        )  # fmt: skip


def left_out_rows(model: EstimatorLike, of: Problem) -> LeftOut | None:
    """The answers about every row by the formula; None where it is not for this model, these splits or these rows.

    It loses digits as the normal equations do, by the square of the condition number κ of the columns, and more where
    a row alone decides a direction: the relative error is about ε κ² / (1 − c zᵀ A⁻¹ z).
    """
    if type(model) not in (LinearRegression, Ridge) or not _is_leave_one_out(of) or is_sparse(of.X):
        return None
    if getattr(model, "positive", False) or isinstance(getattr(model, "alpha", 0.0), str):  # each fit chooses anew
        return None
    began = time.perf_counter()
    whole: ClosedFormRegression = seeded(model, None)
    try:
        source = whole.source_of(of.X, of.y, of.weight)
        whole.fit_source(source)
    except (SufficeError, ValueError, TypeError):  # the fit to the first split says what is wrong
        return None
    moments, rows = whole.summary_.moments, source.in_memory
    alpha = float(getattr(whole, "alpha", 0.0)) if np.ndim(getattr(whole, "alpha", 0.0)) == 0 else np.nan
    if rows is None or not isinstance(moments, Moments) or np.isnan(alpha) or whole.rank_ < whole.n_features_in_:
        return None
    y = rows.y[:, None] if rows.y.ndim == 1 else rows.y
    press = Press(moments, np.atleast_2d(whole.coef_).T, alpha, whole.fit_intercept)
    try:
        found, left = press.predicted(rows.X, y, rows.weight)
    except np.linalg.LinAlgError:  # columns that depend on one another
        return None
    with np.errstate(divide="ignore"):
        sure = np.finfo(np.float64).eps * whole.condition_**2 / np.maximum(left, 0.0) <= _TOLERANCE
    found = found.reshape(rows.y.shape).astype(rows.X.dtype, copy=False)
    return LeftOut(model, of, found, sure, time.perf_counter() - began)


def _is_leave_one_out(of: Problem) -> bool:
    splits = of.splits
    return isinstance(splits, Partition) and len(splits.folds) == 1 and len(splits) == of.n
