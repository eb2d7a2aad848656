"""What rounds of boosting read and make."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...typing import Flags, Floats, Whole
from ..growth import Limits, Nodes
from ..growth.values import Coded
from ..predictors import KINDS, RowLoss, class_parts, row_parts
from ..weights import given_or_ones
from .steps import StepWeights

SOFTMAX = "softmax"  # the kind of a loss of as many predictors as classes


class Standing(NamedTuple):
    """Predictors with the gradients and curvatures of the loss, (k, n) each; None: one curvature is for all rows."""

    raw: Floats
    gradient: Floats
    curvature: Floats | None


@dataclass(frozen=True, eq=False)
class Boosting:
    """What all rounds share: the rows with their targets, the loss, and how trees grow.

    Leaves say their Newton step, or the quantile `share` of their residuals, times the learning rate. A tree learns
    from the rows that are `learned` from (None: all), or from so many of them as are `drawn`.
    """

    table: Coded
    y: Floats  # (n,); of several classes, their numbers
    weights: StepWeights
    learned: NDArray[np.int32] | None  # (n,), 0 or 1
    loss: RowLoss
    curvature: float | None  # of all rows; None: the loss gives that of each
    bounded: bool  # whether gradients and curvatures are
    share: float | None
    limits: Limits
    l2: float
    rate: float
    monotone: NDArray[np.int8] | None = None
    together: Flags | None = None
    drawn: int = 0
    judged: Whole | None = None  # rows whose predictors are kept after each round

    @property
    def by_chance(self) -> bool:
        """Whether trees depend on their seeds."""
        return self.drawn > 0 or self.limits.tried < len(self.table.codes)

    @cached_property
    def counted(self) -> Floats | None:
        """The weights of the rows that are learned from; None where each is 1."""
        weight = self.weights.weight
        return weight if self.learned is None else given_or_ones(weight, self.weights.n) * self.learned

    @cached_property
    def mass(self) -> Whole | None:
        """How many rows up to each are learned from, where some are drawn."""
        if not self.drawn:
            return None
        n = self.weights.n
        return np.cumsum(np.ones(n, dtype=np.int64) if self.learned is None else self.learned, dtype=np.int64)

    def parts(self, raw: Floats) -> tuple[float, Standing]:
        """Σ w ℓ of the rows learned from, and predictors (k, n) with their gradients and curvatures."""
        total, gradient, curvature = loss_parts(self.loss, raw, self.y, self.counted)
        return total, Standing(raw, gradient, curvature if self.curvature is None else None)


class Grove(NamedTuple):
    """Where some rounds led: their trees, what nodes say and weigh, (nodes,), and Σ w ℓ after each round, (rounds,).

    `judged` (rounds, k, m) are the predictors of the rows that were asked for; None where none were.
    """

    standing: Standing
    nodes: Nodes
    value: Floats
    weight: Floats
    totals: Floats
    judged: Floats | None


def loss_parts(loss: RowLoss, raw: Floats, y: Floats, weight: Floats | None) -> tuple[float, Floats, Floats]:
    """Σ w ℓ, and gradients and curvatures of rows with predictors, (k, n) each."""
    if loss.kind in KINDS:
        total, gradient, curvature = row_parts(raw[0], y, weight, loss)
        return total, gradient[None], curvature[None]
    if loss.kind == SOFTMAX:
        return class_parts(raw, y, weight, loss)
    value, gradient, curvature = (np.asarray(part) for part in loss.parts(raw[0], y))
    return float(given_or_ones(weight, len(y)) @ value), gradient[None], curvature[None]
