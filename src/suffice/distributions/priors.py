"""Conjugate priors: what is believed of the parameters, updated by the summary of some rows.

========================  ===============================  ==================================================
prior                     of                               flat: its mode is the `mle`
========================  ===============================  ==================================================
`Beta`                    `Bernoulli`                      `Beta(1, 1)`
`Dirichlet`               `Categorical`, `Multinomial`     `Dirichlet(1)`
`Gamma`                   `Poisson`, `Exponential`         `Gamma(1, 0)`, improper
`NormalInverseGamma`      `DiagonalGaussian`               `NormalInverseGamma.flat(d)`, improper
`NormalInverseWishart`    `Gaussian`                       `NormalInverseWishart.flat(d)`, improper
========================  ===============================  ==================================================

The mode is that of the density over the parameters as they are named. Where it lies on the edge, it is that edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import betaln, gammaln, xlog1py, xlogy

from ..errors import InvalidData, InvalidParameter
from ..holds import either, floats, tuples
from ..statistics import CategoryCounts, ColumnSums, Statistic
from ..typing import Floats, NumberLike, RandomState
from .base import Distribution
from .bernoulli import Bernoulli
from .categorical import Categorical
from .conjugate import EACH, Prior, Values
from .dirichlet_multinomial import DirichletMultinomial
from .exponential import Exponential
from .lomax import Lomax
from .multinomial import Multinomial
from .negative_binomial import NegativeBinomial
from .poisson import Poisson


@dataclass(frozen=True)
class Beta(Prior):
    """Beta prior of the probability of a one: density ∝ p^(ones − 1) (1 − p)^(zeros − 1), in each column.

    Examples
    --------
    >>> from suffice.distributions import Bernoulli, Beta
    >>> tosses = Bernoulli().statistic(np.array([[1.0], [1.0], [1.0]]))
    >>> Bernoulli().map_estimate(tosses, Beta(2, 2)).probability
    array([0.8])
    """

    families = (Bernoulli,)
    statistics = (ColumnSums,)

    ones: Any = 1.0
    zeros: Any = 1.0

    holds: ClassVar = {"ones": EACH, "zeros": EACH}

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.uniform(1.5, 4.0, 3), 2.5)

    @classmethod
    def flat(cls, d: int) -> Self:
        return cls(1.0, 1.0)

    @property
    def proper(self) -> bool:
        return bool(np.all(self.ones > 0) and np.all(self.zeros > 0))

    def posterior(self, statistic: ColumnSums) -> Self:
        return type(self)(self.ones + statistic.total, self.zeros + statistic.weight - statistic.total)

    def mode(self) -> Values:
        return {"probability": _share(_above_one(self.ones), _above_one(self.zeros))}

    def mean(self) -> Values:
        return {"probability": _share(self.ones, self.zeros)}

    def log_prob(self, **values: Any) -> float:
        p = values["probability"]
        constant = betaln(self.ones, self.zeros) if self.proper else 0.0
        return float(np.sum(xlogy(self.ones - 1, p) + xlog1py(self.zeros - 1, -p) - constant))

    def sample(self, n: int, random_state: RandomState = None) -> Values:
        rng = self._drawn(n, random_state)
        shape = np.broadcast_shapes(self.ones.shape, self.zeros.shape)
        return {"probability": rng.beta(self.ones, self.zeros, (n, *shape))}

    def _predictive(self, family: object) -> Distribution:
        return Bernoulli(**self.mean())


@dataclass(frozen=True)
class Dirichlet(Prior):
    """Dirichlet prior of probabilities that add up to one: density ∝ ∏ₖ pₖ^(concentrationₖ − 1).

    The concentration is one number for all, or (K,), or for `Categorical` a tuple with one of either for each column.
    Laplace's rule of adding one to every count is the mode with concentration 2, and the mean with concentration 1.

    Examples
    --------
    >>> from suffice.distributions import Categorical, Dirichlet
    >>> seen = Categorical(categories=3).statistic(np.array([[0.0], [0.0], [2.0]]))
    >>> Categorical(categories=3).map_estimate(seen, Dirichlet(2.0)).probability
    (array([0.5       , 0.16666667, 0.33333333]),)
    """

    families = (Categorical, Multinomial)
    statistics = (CategoryCounts, ColumnSums)

    concentration: Any = 1.0

    holds: ClassVar = {"concentration": either(EACH, tuples(either(floats(), floats(None))))}

    def __post_init__(self) -> None:
        if isinstance(self.concentration, tuple):
            columns = tuple(np.asarray(column, dtype=np.float64) for column in self.concentration)
            object.__setattr__(self, "concentration", columns)
        else:
            super().__post_init__()

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.uniform(1.5, 4.0))

    @classmethod
    def flat(cls, d: int) -> Self:
        return cls(1.0)

    @property
    def proper(self) -> bool:
        return all(bool(np.all(column > 0)) for column in self._columns())

    def posterior(self, statistic: CategoryCounts | ColumnSums) -> Self:
        if isinstance(statistic, CategoryCounts):
            own = self.concentration if isinstance(self.concentration, tuple) else None
            columns = [self.concentration] * len(statistic.counts) if own is None else own
            return type(self)(tuple(_with_counts(a, n) for a, n in zip(columns, statistic.counts, strict=True)))
        return type(self)(self.concentration + statistic.total)

    def mode(self) -> Values:
        return self._each(lambda a: _normalised(_above_one(a)))

    def mean(self) -> Values:
        return self._each(_normalised)

    def log_prob(self, **values: object) -> float:
        given = values["probability"]
        columns = given if isinstance(given, tuple) else (given,)
        own = self._columns() if isinstance(self.concentration, tuple) else self._columns() * len(columns)
        return float(sum(_dirichlet_log_prob(a, p) for a, p in zip(own, columns, strict=True)))

    def sample(self, n: int, random_state: RandomState = None) -> Values:
        rng = self._drawn(n, random_state)
        self._require_sizes()
        return self._each(lambda a: rng.dirichlet(a, n))

    def _usual(self) -> Distribution:
        return Categorical() if isinstance(self.concentration, tuple) else Multinomial()

    def _predictive(self, family: Any) -> Distribution:
        self._require_sizes()
        if isinstance(family, Categorical):
            return Categorical(tuple(_normalised(a) for a in self._columns()))
        return DirichletMultinomial(self.concentration, family.trials)

    def _require_sizes(self) -> None:
        if any(not column.ndim for column in self._columns()):
            raise InvalidParameter("Dirichlet: one number does not say how many categories; give one for each.")

    def _width(self, statistic: Statistic) -> int | None:
        if isinstance(self.concentration, tuple):
            return len(self.concentration)
        return len(self.concentration) if self.concentration.ndim and isinstance(statistic, ColumnSums) else None

    def _columns(self) -> tuple[Floats, ...]:
        return self.concentration if isinstance(self.concentration, tuple) else (self.concentration,)

    def _each(self, f: Any) -> Values:
        found = tuple(f(column) for column in self._columns())
        return {"probability": found if isinstance(self.concentration, tuple) else found[0]}


@dataclass(frozen=True)
class Gamma(Prior):
    """Gamma prior of a rate: density ∝ λ^(shape − 1) exp(−rate λ), in each column.

    Examples
    --------
    >>> from suffice.distributions import Gamma, Poisson
    >>> Gamma(3.0, 1.0).posterior(Poisson().statistic(np.array([[4.0], [5.0]]))).mean()
    {'rate': array([4.])}
    """

    families = (Poisson, Exponential)
    statistics = (ColumnSums,)

    shape: Any = 1.0
    rate: Any = 0.0

    holds: ClassVar = {"shape": EACH, "rate": EACH}

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.uniform(1.5, 4.0, 3), 2.0)

    @classmethod
    def flat(cls, d: int) -> Self:
        return cls(1.0, 0.0)

    @property
    def proper(self) -> bool:
        return bool(np.all(self.shape > 0) and np.all(self.rate > 0))

    def posterior(self, statistic: ColumnSums) -> Self:
        return type(self)(self.shape + statistic.total, self.rate + statistic.weight)

    def mode(self) -> Values:
        return {"rate": _ratio(_above_one(self.shape), self.rate)}

    def mean(self) -> Values:
        return {"rate": _ratio(self.shape, self.rate)}

    def log_prob(self, **values: object) -> float:
        rate = values["rate"]
        constant = xlogy(self.shape, self.rate) - gammaln(self.shape) if self.proper else 0.0
        return float(np.sum(xlogy(self.shape - 1, rate) - self.rate * rate + constant))

    def sample(self, n: int, random_state: RandomState = None) -> Values:
        rng = self._drawn(n, random_state)
        shape = np.broadcast_shapes(self.shape.shape, self.rate.shape)
        return {"rate": rng.gamma(self.shape, 1 / self.rate, (n, *shape))}

    def _predictive(self, family: object) -> Distribution:
        shape, rate = np.broadcast_arrays(self.shape, self.rate)
        return Lomax(shape, rate) if isinstance(family, Exponential) else NegativeBinomial(shape / rate, shape)


def _with_counts(a: Floats, counts: Floats) -> Floats:
    """The concentration of each category after some counts; categories without rows may be left out of them."""
    if not a.ndim:
        return np.asarray(a + counts)
    if len(counts) > len(a):
        raise InvalidData(f"Dirichlet: the prior has {len(a)} categories, the rows have {len(counts)}.")
    return a + np.pad(counts, (0, len(a) - len(counts)))


def _above_one(a: Floats) -> Floats:
    """What the mode counts: a − 1, or nothing where the density grows towards the edge."""
    return np.maximum(a - 1, 0.0)


def _ratio(a: Floats | float, b: Floats | float) -> Floats:
    """a / b, NaN where b is 0."""
    return np.asarray(a / np.where(b > 0, b, np.nan))


def _share(a: Floats, b: Floats) -> Floats:
    return _ratio(a, a + b)


def _normalised(a: Floats) -> Floats:
    return _ratio(a, a.sum())


def _dirichlet_log_prob(a: Floats, p: NumberLike) -> float:
    a = np.broadcast_to(a, np.shape(p))
    constant = gammaln(a.sum()) - gammaln(a).sum() if np.all(a > 0) else 0.0
    return float(np.sum(xlogy(a - 1, p)) + constant)
