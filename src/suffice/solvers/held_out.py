"""Rows that are not learned from, and their loss."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..backend.weights import given_or_ones
from ..data import Chunk, Source
from ..errors import InvalidData
from ..losses import Loss
from ..statistics.gradient import forth
from ..typing import Flags, Floats
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


def is_held_out(chunk: Chunk, seed: int, share: float) -> Flags:
    """Whether each row is kept back, by its number and the seed (the finalizer of SplitMix64)."""
    at = np.asarray(chunk.start + np.arange(len(chunk)), dtype=np.uint64) + np.uint64(seed)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        at = (at ^ (at >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray((at ^ (at >> np.uint64(31))) < np.uint64(share * 2**64))


def some_rows(source: Source, keep: Callable[[Chunk], Flags], owner: str) -> Source:
    """Some rows of a source; an error where there are none."""
    try:
        return source.filtered(keep)
    except InvalidData:
        raise InvalidData(
            f"{owner}: early_stopping leaves no rows to learn from, or none to judge by; use early_stopping=False."
        ) from None
