"""Conjugate priors of the mean and the spread of a Gaussian."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import gammaln, multigammaln, xlogy

from ..data.rows import as_rows
from ..errors import InvalidData
from ..holds import covariances, floats
from ..statistics import DiagonalMoments, Moments, Statistic
from ..typing import Floats, RandomState
from .base import Distribution
from .conjugate import EACH, Prior, Values
from .diagonal import DiagonalGaussian
from .gaussian import Gaussian
from .independent import Independent
from .student_t import StudentT


@dataclass(frozen=True)
class NormalInverseGamma(Prior):
    """Normal–inverse-gamma prior of each column: σ² ~ InverseGamma(shape, scale), m | σ² ~ N(location, σ²/strength).

    `strength` is how many rows the prior location is worth.

    Examples
    --------
    >>> from suffice.distributions import NormalInverseGamma
    >>> from suffice.statistics import DiagonalMoments
    >>> rows = DiagonalMoments.of(np.array([[1.0], [3.0]]))
    >>> NormalInverseGamma(location=0.0, strength=2.0, shape=1.5, scale=1.0).posterior(rows).mode()
    {'mean': array([1.]), 'variance': array([1.])}
    """

    families = (DiagonalGaussian,)
    statistics = (DiagonalMoments,)

    location: Any = 0.0
    strength: Any = 0.0
    shape: Any = -1.5
    scale: Any = 0.0

    holds: ClassVar = {"location": EACH, "strength": EACH, "shape": EACH, "scale": EACH}

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.normal(size=3), 2.0, 3.5, rng.uniform(1.0, 3.0, 3))

    @classmethod
    def flat(cls, d: int) -> Self:
        return cls()

    @property
    def proper(self) -> bool:
        return all(bool(np.all(value > 0)) for value in (self.strength, self.shape, self.scale))

    def posterior(self, statistic: DiagonalMoments) -> Self:
        delta = statistic.mean - self.location
        total = self.strength + statistic.weight
        share = statistic.weight / np.where(total > 0, total, 1.0)
        scale = self.scale + (statistic.scatter + self.strength * share * delta**2) / 2
        return type(self)(self.location + share * delta, total, self.shape + statistic.weight / 2, scale)

    def mode(self) -> Values:
        return {"mean": self.location, "variance": _over(self.scale, self.shape + 1.5)}

    def mean(self) -> Values:
        return {"mean": self.location, "variance": _over(self.scale, self.shape - 1)}

    def log_prob(self, **values: Any) -> float:
        mean, variance = values["mean"], values["variance"]
        terms = -(self.shape + 1.5) * np.log(variance)
        terms = terms - (self.scale + self.strength * (mean - self.location) ** 2 / 2) / variance
        if self.proper:
            constant = np.log(self.strength / (2 * np.pi)) / 2 - gammaln(self.shape)
            terms = terms + constant + xlogy(self.shape, self.scale)
        return float(np.sum(terms))

    def sample(self, n: int, random_state: RandomState = None) -> Values:
        rng = self._drawn(n, random_state)
        each = (self.location, self.strength, self.shape, self.scale)
        shape = (n, *np.broadcast_shapes(*(value.shape for value in each)))
        variance = self.scale / rng.gamma(self.shape, size=shape)
        return {"mean": rng.normal(self.location, np.sqrt(variance / self.strength)), "variance": variance}

    def _inside(self) -> Values:
        return self.mode()

    def _predictive(self, family: object) -> Distribution:
        """A Student-t of 2 · shape degrees of freedom in each column."""
        variance = self.scale * (self.strength + 1) / (self.strength * self.shape)
        each = np.atleast_1d(*np.broadcast_arrays(self.location, variance, 2 * self.shape))
        return Independent([StudentT([m], [[v]], float(df)) for m, v, df in zip(*each, strict=True)])


@dataclass(frozen=True)
class NormalInverseWishart(Prior):
    """Normal–inverse-Wishart prior: C ~ InverseWishart(scale, df), m | C ~ N(location, C / strength).

    `strength` is how many rows the prior location is worth.

    Examples
    --------
    >>> from suffice.distributions import NormalInverseWishart
    >>> from suffice.statistics import Moments
    >>> rows = Moments.of(np.array([[1.0], [3.0]]))
    >>> NormalInverseWishart([0.0], 2.0, [[2.0]], 3.0).posterior(rows).mode()
    {'mean': array([1.]), 'covariance': array([[1.]])}
    """

    families = (Gaussian,)
    statistics = (Moments,)

    location: Any
    strength: float
    scale: Any
    df: float

    holds: ClassVar = {"location": floats("d"), "strength": floats(), "scale": covariances("d", "d"), "df": floats()}

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        root = rng.normal(size=(3, 3))
        return cls(rng.normal(size=3), 2.0, root @ root.T + np.eye(3), 8.0)

    @classmethod
    def flat(cls, d: int) -> Self:
        return cls(np.zeros(d), 0.0, np.zeros((d, d)), -(d + 2))

    @property
    def proper(self) -> bool:
        spread = bool(np.all(np.linalg.eigvalsh(self.scale) > 0))
        return bool(self.strength > 0 and self.df > self._d - 1) and spread

    def posterior(self, statistic: Moments) -> Self:
        delta = statistic.mean - self.location
        total = self.strength + statistic.weight
        share = statistic.weight / total if total > 0 else 0.0
        scale = self.scale + statistic.scatter + self.strength * share * np.outer(delta, delta)
        return type(self)(self.location + share * delta, total, scale, self.df + statistic.weight)

    def mode(self) -> Values:
        return {"mean": self.location, "covariance": _over(self.scale, self.df + self._d + 2)}

    def mean(self) -> Values:
        return {"mean": self.location, "covariance": _over(self.scale, self.df - self._d - 1)}

    def log_prob(self, **values: Any) -> float:
        d, C, delta = self._d, values["covariance"], values["mean"] - self.location
        spread = self.scale + self.strength * np.outer(delta, delta)
        kernel = -(self.df + d + 2) / 2 * np.linalg.slogdet(C)[1] - np.trace(np.linalg.solve(C, spread)) / 2
        if not self.proper:
            return float(kernel)
        constant = self.df / 2 * (np.linalg.slogdet(self.scale)[1] - d * np.log(2)) - multigammaln(self.df / 2, d)
        return float(kernel + constant + d / 2 * np.log(self.strength / (2 * np.pi)))

    def sample(self, n: int, random_state: RandomState = None) -> Values:
        rng, d = self._drawn(n, random_state), self._d
        lower = np.tril(rng.normal(size=(n, d, d)), -1)  # Bartlett's root of a Wishart matrix
        lower[:, range(d), range(d)] = np.sqrt(rng.chisquare(self.df - np.arange(d), (n, d)))
        root = np.linalg.cholesky(self.scale) @ np.swapaxes(np.linalg.inv(lower), 1, 2)
        apart = (root @ rng.normal(size=(n, d, 1)))[..., 0] / np.sqrt(self.strength)
        return {"mean": self.location + apart, "covariance": root @ np.swapaxes(root, 1, 2)}

    def _inside(self) -> Values:
        return self.mode()

    def _summary(self, family: Distribution, rows: object, weight: object) -> Statistic:
        if np.isnan(np.sum(as_rows(rows, type(self).__name__))):
            raise InvalidData("NormalInverseWishart: there is no closed form of the evidence where cells are missing.")
        return super()._summary(family, rows, weight)

    def _predictive(self, family: object) -> Distribution:
        df = float(self.df) - self._d + 1
        return StudentT(self.location, self.scale * (self.strength + 1) / (self.strength * df), df)

    def _width(self, statistic: Statistic) -> int:
        return self._d

    @property
    def _d(self) -> int:
        return len(self.location)


def _over(spread: Floats, weight: float | Floats) -> Floats:
    """spread / weight, NaN where the weight is not above 0."""
    return np.asarray(spread / np.where(weight > 0, weight, np.nan))
