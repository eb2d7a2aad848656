"""The von Mises distribution, of angles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import i0e, i1e

from ..holds import floats
from ..statistics import ColumnSums
from ..typing import Floats, Numbers, RandomState
from .base import drawn
from .gradient import ByGradient
from .parameters import ArrayParameter, parameter
from .support import ANGLES


@dataclass(frozen=True)
class VonMises(ByGradient):
    """Independent angles in every column: p(x) = ∏ⱼ exp(κⱼ cos(xⱼ − mⱼ)) / (2π I₀(κⱼ)), in radians.

    κ has no closed form, so `mle` climbs by the gradient.

    Examples
    --------
    >>> from suffice.distributions import VonMises
    >>> angles = VonMises([3.0], [4.0]).sample(50_000, random_state=0)
    >>> member = VonMises().fit(angles)
    >>> member.mean.round(1), member.concentration.round(1)
    (array([3.]), array([4.]))
    """

    names = ("von_mises", "vonmises")
    support = ANGLES

    mean: ArrayParameter = parameter("m, the direction, (d,).", ("d",))
    concentration: ArrayParameter = parameter("κ, how narrow, (d,).", ("d",), holds=floats("d", at_least=0))

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.uniform(-2, 2, 3), rng.uniform(0.5, 4.0, 3))

    def log_prob(self, X: Numbers) -> Floats:
        self._require_parameters()
        terms = self.concentration * (np.cos(X - self.mean) - 1) - np.log(2 * np.pi * i0e(self.concentration))
        return np.asarray(np.nansum(terms, axis=1))

    def sample(self, n: int, random_state: RandomState = None) -> Floats:
        self._require_parameters()
        return drawn(n, random_state).vonmises(self.mean, self.concentration, (n, len(self.mean)))

    def moments(self) -> tuple[Floats, Floats]:
        """Of the angles as numbers from −π to π, by the trapezoidal rule."""
        x = np.linspace(-np.pi, np.pi, 4097)[:, None]
        density = np.exp(self.concentration * (np.cos(x - self.mean) - 1)) / (2 * np.pi * i0e(self.concentration))
        mean = np.trapezoid(x * density, x, axis=0)
        return mean, np.trapezoid((x - mean) ** 2 * density, x, axis=0)

    def entropy(self) -> float:
        kappa = self.concentration
        return float(np.sum(np.log(2 * np.pi * i0e(kappa)) + kappa - kappa * i1e(kappa) / i0e(kappa)))

    def kl(self, other: Self) -> float:
        length = i1e(self.concentration) / i0e(self.concentration)
        cross = other.concentration * length * np.cos(self.mean - other.mean) - other.concentration
        return float(np.sum(np.log(2 * np.pi * i0e(other.concentration)) - cross)) - self.entropy()

    def statistic(self, X: Numbers, weight: Numbers | None = None) -> ColumnSums:
        return ColumnSums.of(np.hstack([np.cos(X), np.sin(X)]), weight)

    def begin(self, X: Numbers, weight: Numbers | None = None) -> Self:
        return self._begun(self.statistic(X, weight))

    def mle(self, statistic: ColumnSums) -> Self:
        return super(VonMises, self if self.has_parameters else self._begun(statistic)).mle(statistic)

    def _begun(self, statistic: ColumnSums) -> Self:
        cosine, sine = np.split(statistic.total / np.where(statistic.weight > 0, statistic.weight, 1.0), 2)
        length = np.minimum(np.hypot(cosine, sine), 1 - 1e-12)
        kappa = np.maximum(length * (2 - length**2) / (1 - length**2), 1e-6)  # Banerjee et al. (2005)
        return replace(self, mean=np.arctan2(sine, cosine), concentration=kappa)

    def total_log_prob(self, statistic: ColumnSums) -> float:
        along = self._along(statistic)
        weight = np.split(statistic.weight, 2)[0]
        kappa = self.concentration
        return float(np.sum(kappa * along - weight * (np.log(2 * np.pi * i0e(kappa)) + kappa)))

    def _along(self, statistic: ColumnSums) -> Floats:
        """Σ w cos(x − m), (d,)."""
        cosine, sine = np.split(statistic.total, 2)
        return np.asarray(cosine * np.cos(self.mean) + sine * np.sin(self.mean))

    def free(self) -> Floats:
        return np.concatenate([self.mean, np.log(self.concentration)])

    def from_free(self, vector: Floats) -> Self:
        mean, log_concentration = np.split(vector, 2)
        mean = np.arctan2(np.sin(mean), np.cos(mean))
        return replace(self, mean=mean, concentration=np.exp(np.clip(log_concentration, -700, 50)))

    def gradient(self, statistic: ColumnSums) -> Floats:
        cosine, sine = np.split(statistic.total, 2)
        across = sine * np.cos(self.mean) - cosine * np.sin(self.mean)
        kappa, weight = self.concentration, np.split(statistic.weight, 2)[0]
        slope = self._along(statistic) - weight * i1e(kappa) / i0e(kappa)
        return np.concatenate([kappa * across, kappa * slope])
