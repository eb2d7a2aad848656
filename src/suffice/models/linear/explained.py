"""The score of predictions of a family: the share of the deviance that they explain."""

from __future__ import annotations

import numpy as np

from ...data.rows import as_numbers, as_weight
from ...errors import InvalidData
from ...losses import Loss
from ...typing import Numbers, TargetLike, WeightLike


def explained_deviance(loss: Loss, y: TargetLike, predicted: Numbers, sample_weight: WeightLike) -> float:
    """D² = 1 − deviance / deviance of the mean of y: what R² is for squares.

    >>> from suffice.losses import PoissonLoss
    >>> y, predicted = np.array([1.0, 2.0, 6.0]), np.array([2.0, 2.0, 5.0])
    >>> round(explained_deviance(PoissonLoss(), y, predicted, None), 4)
    0.8218
    """
    target, mean = np.asarray(as_numbers(y, "score"), np.float64), np.asarray(predicted, np.float64)
    if target.shape != mean.shape:
        raise InvalidData(f"score: y must have one number a row, shape {mean.shape}; got shape {target.shape}.")
    refusal = loss.refusal(target)
    if refusal:
        raise InvalidData(f"score: {refusal}.")
    if not np.isfinite(mean).all():
        raise InvalidData("score: some predictions are not finite; scale the columns down, or fit again.")
    weight = as_weight(sample_weight, len(target), "score")
    level = float(np.average(target, weights=weight))
    with np.errstate(divide="ignore", over="ignore"):  # a mean of 0 where y is not has no finite deviance
        own = np.average(loss.half_deviance(mean, target), weights=weight)
    null = float(np.average(loss.half_deviance(np.full_like(target, level), target), weights=weight))
    if null <= 0:  # all targets are equal
        return 1.0 if own <= 0 else 0.0
    return 1 - float(own) / null
