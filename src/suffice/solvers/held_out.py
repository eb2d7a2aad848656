"""The loss of rows that are not learned from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..backend.weights import given_or_ones
from ..data import Chunk, Source
from ..losses import Loss
from ..statistics.gradient import forth
from ..typing import Floats
from .problem import Coefficients


def held_out_loss(source: Source, loss: Loss, classes: int | None) -> Callable[[Coefficients], float]:
    """The mean loss of the rows of a source, of k predictors the mean over them, as a function of coefficients."""

    def sums(chunk: Chunk, at: Coefficients) -> Floats:
        eta = forth(chunk.X, at.slope, at.intercept)
        weight = given_or_ones(chunk.weight, len(chunk))
        if classes is None:
            return np.array([weight.sum(), weight @ loss.value(eta, chunk.y)])
        signs = np.where(np.arange(classes) == np.asarray(chunk.y)[:, None], 1.0, -1.0)
        return np.array([weight.sum(), weight @ loss.value(eta, signs).mean(axis=1)])

    def mean(at: Coefficients) -> float:
        with np.errstate(over="ignore", invalid="ignore"):
            weight, value = source.reduce(lambda chunk: sums(chunk, at))
        return float(value / weight)

    return mean
