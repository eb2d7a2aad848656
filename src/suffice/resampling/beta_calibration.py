"""Beta calibration: probabilities of probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import optimize, special

from ..holds import number
from ..registry import registered
from ..typing import Flags, Floats


@registered("calibration/beta")
@dataclass(frozen=True)
class Beta:
    """log odds = a log p − b log(1 − p) + c of p = 1 / (1 + e^−score), a, b ≥ 0 (Kull, Silva Filho and Flach, 2017).

    It is what two Beta distributions of p, one for each class, lead to; a = b = 1, c = 0 leaves p as it is.

    >>> found = Beta.of(np.array([-2.0, -1.0, 1.0, 2.0] * 9), np.array([False, True, False, True] * 9))
    >>> bool(found(np.array([2.0]))[0] > 0.5)
    True
    """

    a: float
    b: float
    c: float
    holds: ClassVar = {"a": number(at_least=0), "b": number(at_least=0), "c": number()}

    @classmethod
    def of(cls, scores: Floats, yes: Flags, weight: Floats | None = None) -> Beta:
        """By maximum likelihood, with the targets of `Sigmoid`, so that it ends where scores separate the two kinds."""
        w = np.ones(len(scores)) if weight is None else weight
        positive, negative = float(w[yes].sum()), float(w[~yes].sum())
        target = np.where(yes, (positive + 1) / (positive + 2), 1 / (negative + 2))
        rows = _features(scores)

        def cost(at: Floats) -> tuple[float, Floats]:
            linear = rows @ at
            value = float(w @ (np.logaddexp(0.0, linear) - target * linear))
            return value / w.sum(), rows.T @ (w * (special.expit(linear) - target)) / w.sum()

        start = np.array([1.0, 1.0, 0.0])
        bounds = [(0.0, None), (0.0, None), (None, None)]
        found = optimize.minimize(cost, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-14})
        return cls(*map(float, found.x))

    def __call__(self, scores: Floats) -> Floats:
        """P(yes | score)."""
        return np.asarray(special.expit(_features(scores) @ np.array([self.a, self.b, self.c])))


def _features(scores: Floats) -> Floats:
    """log p, −log(1 − p) and 1, (n, 3)."""
    return np.column_stack([-np.logaddexp(0.0, -scores), np.logaddexp(0.0, scores), np.ones(len(scores))])
