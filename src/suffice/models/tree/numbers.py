"""What trees and forests of numbers share."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.utils import Tags

from ...backend.weights import given_or_ones
from ...errors import InvalidData, squares_overflow, squares_underflow
from ...estimator import Regressor, declares
from ...holds import flag, require
from ...params import derived
from ...typing import Floats, Labels, Reals, TableLike
from .base import TreeModel

_LARGEST = 1e140  # the squares of larger targets, summed over all rows, may overflow
_LEAST = 1e-150  # the squares of differences that are all smaller lose their digits


def as_targets(y: object) -> Floats:
    """Targets as doubles, (n,) or (n, q)."""
    return np.ascontiguousarray(y, dtype=np.float64)


def checked_targets(y: object, weight: Floats | None, owner: str) -> Floats:
    """The targets of a fit: sums by weight are squared, which must neither overflow nor vanish."""
    found = as_targets(y)
    total = float(len(found) if weight is None else weight.sum())
    low, high = float(found.min()), float(found.max())
    if not max(high, -low) * max(1.0, len(found)) ** 0.5 <= _LARGEST:
        raise squares_overflow(owner, "y", max(high, -low))
    if not max(high, -low) * max(1.0, total) <= _LARGEST * 1e10:
        raise InvalidData(
            f"{owner}: sample_weight sums up to {total:.3g}, so large that squares of sums of y by weight overflow; "
            "scale the weights down."
        )
    if 0 < high - low < _LEAST:
        raise squares_underflow(owner, "y")
    return found


def check_counts(y: Floats, weight: Floats | None, owner: str) -> None:
    """Refuse targets that are no counts."""
    w = given_or_ones(weight, len(y))
    if np.any(y[w > 0] < 0):
        raise InvalidData(f"{owner}: criterion='poisson' needs targets of at least 0; got {y[w > 0].min():g}.")
    sums = w @ y.reshape(len(y), -1)
    if not np.all(sums > 0):
        of = "" if len(sums) == 1 else f" of column {int(np.argmin(sums > 0))} of y"
        raise InvalidData(f"{owner}: criterion='poisson' needs a target above 0; all{of} are 0.")


@declares
class TreeRegressor(TreeModel, Regressor):
    """Base of trees of numbers: leaves hold means."""

    holds: ClassVar = {"_flat": flag()}
    _flat: ClassVar[bool]  # whether y had one dimension; set by a fit

    def check_loaded(self) -> None:
        super().check_loaded()
        require(not self._flat or self.trees_.value.shape[1] == 1, "trees_ must say one number in every node")

    @derived
    def n_outputs_(self) -> int:
        """The number of targets."""
        return int(self.trees_.value.shape[1])

    def _width(self) -> int:
        return int(self.trees_.value.shape[1])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def predict(self, X: TableLike) -> Reals:
        """The mean target in the leaf of each row, (n,) or (n, targets), the mean over the trees."""
        found = self._means(X)
        return found[:, 0] if self._flat else found

    def _truth(self, y: Labels) -> Floats:
        return as_targets(y).reshape(len(y), -1)

    def _losses(self, value: Floats, truth: Labels) -> Floats:
        return np.asarray(((value - as_targets(truth)) ** 2).mean(axis=1))
