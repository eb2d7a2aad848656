"""What stochastic gradient descent is told, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from ...typing import Floats, Whole
from ..arrays import Array

ARRAYS = ("slope", "intercept", "slope_sum", "intercept_sum", "paid", "loss", "hits")  # of a descent


@dataclass(frozen=True)
class RateLaw:
    """The learning rate of the t-th update, t from 1: η_t = scale / (shift + t)^power.

    >>> RateLaw(2.0, 1.0, 1.0).at(3)
    0.5
    """

    scale: float
    shift: float
    power: float

    def at(self, t: int) -> float:
        """η_t."""
        with np.errstate(over="ignore"):  # of a high power: the rate is then 0
            return float(self.scale / np.float64(self.shift + t) ** self.power)


class RowLoss(Protocol):
    """A loss of the linear predictor η and a target, one number a row; its first name is what kernels know it by."""

    names: ClassVar[tuple[str, ...]]

    def value_and_gradient(self, eta: Array, y: Array) -> tuple[Array, Array]:
        """ℓ(η, y) and dℓ/dη."""


@dataclass(frozen=True)
class Rule:
    """How an update is made: w ← (1 − η l2) w − η · the mean of s ℓ'(x·w + b, y) x over a batch, then drawn to 0 by l1.

    From the update `average_from` on, counted from 1, coefficients are summed up; 0 is never.
    """

    loss: RowLoss
    rate: RateLaw
    l2: float = 0.0
    l1: float = 0.0
    batch: int = 1
    fit_intercept: bool = True
    average_from: int = 0


@dataclass(frozen=True)
class Descent:
    """Where it stands: k predictors of d slopes, the sums of their coefficients so far, and t updates.

    `owed` is what the L1 penalty could have taken from every slope so far, and `paid` (k, d) what each has paid
    (Tsuruoka, Tsujii and Ananiadou, 2009): small slopes stay at 0 in spite of noisy steps. `loss` (k,) is the sum of
    the losses of rows so far, each before its own update, and `hits` (k,) how many of them had a gradient.
    """

    slope: Floats
    intercept: Floats
    slope_sum: Floats
    intercept_sum: Floats
    paid: Floats
    owed: float
    t: int
    loss: Floats
    hits: Floats

    @classmethod
    def at(cls, slope: Floats, intercept: Floats) -> Descent:
        """A beginning at slopes (k, d) and intercepts (k,)."""
        nothing = np.zeros_like(intercept)
        own, level = np.array(slope, dtype=np.float64), np.array(intercept, dtype=np.float64)
        return cls(own, level, np.zeros_like(own), nothing, np.zeros_like(own), 0.0, 0, nothing, nothing)

    def copied(self) -> dict[str, Floats]:
        """A copy of each array, by name."""
        return {name: np.array(getattr(self, name)) for name in ARRAYS}


class Descents(NamedTuple):
    """Descents before and after each of several epochs: what one has, with a first axis for them."""

    slope: Floats
    intercept: Floats
    slope_sum: Floats
    intercept_sum: Floats
    paid: Floats
    loss: Floats
    hits: Floats
    owed: Floats
    t: Whole

    def at(self, e: int) -> Descent:
        """That after e epochs."""
        return Descent(
            self.slope[e], self.intercept[e], self.slope_sum[e], self.intercept_sum[e], self.paid[e],
            float(self.owed[e]), int(self.t[e]), self.loss[e], self.hits[e],
        )  # fmt: skip
