"""The score of predictions of a family: the share of the deviance that they explain."""

from __future__ import annotations

import numpy as np

from ...backend.predictors import loss_sums
from ...data.rows import as_numbers, as_weight
from ...errors import InvalidData
from ...losses import Loss
from ...losses.links import LogLink
from ...solvers.problem import row_loss
from ...typing import Floats, Numbers, TargetLike, WeightLike

_DEAR = ("poisson", "tweedie")  # several logarithms or powers a row, which their kernel takes at once


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
    own, null = (_mean_loss(loss, at, target, weight) for at in (mean, np.array([level])))
    if null <= 0:  # all targets are equal
        return 1.0 if own <= 0 else 0.0
    return 1 - own / null


def _mean_loss(loss: Loss, mean: Floats, y: Floats, weight: Floats | None) -> float:
    """The mean of half the deviance at means (n,), or at one of all rows, (1,)."""
    if loss.kernel in _DEAR and isinstance(getattr(loss, "link", None), LogLink) and mean.min() > 0:
        eta = np.log(mean)
        rows, level = (np.empty((len(y), 0)), float(eta[0])) if len(eta) == 1 else (eta[:, None], 0.0)
        known = loss_sums(rows, np.ones(rows.shape[1]), level, y, weight, row_loss(loss), False)
        return known.value / known.weight
    with np.errstate(divide="ignore", over="ignore"):  # a mean of 0 where y is not has no finite deviance
        return float(np.average(loss.half_deviance(np.broadcast_to(mean, y.shape), y), weights=weight))
