"""Mixtures of any family, which are distributions themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from itertools import compress
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from ..backend.mixture import Rule
from ..backend.posteriors import log_total, posterior
from ..backend.weights import given_or_ones
from ..holds import flag, floats, instance, number, require, sometimes, tuples, whole
from ..statistics import Statistic, row_uniforms
from ..statistics.base import check_alike
from ..typing import Flags, Floats, Numbers, RandomState, Reals
from .base import Distribution, drawn
from .gaussian import Gaussian
from .loaded import check_members
from .named import as_distribution
from .parameters import ArrayParameter, parameter
from .sharing import Shared
from .support import Support

SOFT = Rule()


@dataclass(frozen=True)
class MixtureStatistic(Statistic):
    """Rows shared out among components: the weight (k,) and the summary of each, Σw, and Σ w log p(x) of all rows."""

    weight: Floats
    parts: tuple[Statistic, ...]
    rows: float
    log_likelihood: float

    holds: ClassVar = {
        "weight": floats("k", at_least=0),
        "parts": tuples(instance(Statistic, d="d"), "k"),
        "rows": number(at_least=0),
        "log_likelihood": number(finite=False),
    }

    def check_loaded(self) -> None:
        check_alike(self.parts)

    def __add__(self, other: MixtureStatistic) -> MixtureStatistic:
        parts = tuple(mine + theirs for mine, theirs in zip(self.parts, other.parts, strict=True))
        log_likelihood = self.log_likelihood + other.log_likelihood
        return MixtureStatistic(self.weight + other.weight, parts, self.rows + other.rows, log_likelihood)

    def is_finite(self) -> bool:
        return bool(np.isfinite(self.log_likelihood))  # one bad cell makes it NaN


@dataclass(frozen=True)
class Mixture(Distribution):
    """A mixture of k members of a family: p(x) = Σⱼ πⱼ p(x | θⱼ).

    `Mixture(Poisson(), 3)`, or `Mixture("poisson", 3)`, is the family; the component of a row is latent, so `fit` is
    EM. With a `concentration` α of the Dirichlet prior of the weights, πⱼ ∝ max(0, Nⱼ + α − 1): below 1 it empties
    components that few rows need.

    Examples
    --------
    >>> from suffice.distributions import Mixture, Poisson
    >>> counts = np.array([[0.0], [1.0], [1.0], [20.0], [22.0], [24.0]])
    >>> found = Mixture(Poisson(), 2).fit(counts)
    >>> found.weights.round(3), np.sort([part.rate[0] for part in found.parts]).round(2)
    (array([0.5, 0.5]), array([ 0.67, 22.  ]))
    """

    latent = True
    composed = True

    component: Distribution = field(default_factory=Gaussian)
    n_components: int = 2
    weights: ArrayParameter = parameter("π, (k,).", ("k",), holds=floats("k", at_least=0))
    parts: Any = parameter("The components, k members of the family.", holds=tuples(instance(Distribution, d="d"), "k"))
    concentration: float = 1.0

    holds: ClassVar = {
        "component": instance(Distribution, d="d"),
        "n_components": whole("k", at_least=1),
        "sparse": sometimes(flag()),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "component", as_distribution(self.component, "Mixture", "component"))
        object.__setattr__(self, "sparse", self.component.sparse)

    def check_loaded(self) -> None:
        super().check_loaded()
        if not self.has_parameters:
            require(self.weights is None and self.parts is None, "weights and parts must both be there, or neither")
            return
        require(self.weights.any(), "weights must hold a positive number")
        check_members(self.parts)

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        parts = tuple(replace(Gaussian.example(rng), floor=1e-6) for _ in range(2))
        return cls(Gaussian(floor=1e-6), 2, rng.dirichlet(np.full(2, 5.0)), parts)

    @classmethod
    def of(cls, weights: Any, parts: Sequence[Distribution], concentration: float = 1.0) -> Self:
        """The mixture of these members."""
        return cls(parts[0], len(parts), weights, tuple(parts), concentration)

    @property
    def n_columns(self) -> int | None:
        return self.parts[0].n_columns if self.parts else None

    @property
    def n_parameters(self) -> int:
        parts = self.active
        return len(parts) - 1 + int(type(parts[0]).n_parameters_together(parts))

    @property
    def active(self) -> tuple[Any, ...]:
        """The components that have a weight."""
        return tuple(part for part, weight in zip(self.parts, self.weights, strict=True) if weight > 0)

    @property
    def log_weights(self) -> Floats:
        """log π, (k,); -inf for a component that is empty."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.weights))

    def to_arrays(self) -> dict[str, Floats]:
        """The weights, and each parameter of the components, stacked, where it is a number or an array."""
        found = {"weights": self.weights}
        for declared in fields(self.parts[0]):
            if "parameter" in declared.metadata:
                values = [getattr(part, declared.name) for part in self.parts]
                if all(isinstance(value, np.ndarray | float) for value in values):
                    found[declared.name] = np.array(values)
        return found

    # -- densities --------------------------------------------------------------------------------------------------
    def log_joint(self, X: Numbers) -> Floats:
        """log πⱼ + log p(x | θⱼ), (n, k)."""
        self._require_parameters()
        return np.asarray(type(self.parts[0]).log_joints(self.parts, self.log_weights, X))

    def log_prob(self, X: Numbers) -> Floats:
        return log_total(self.log_joint(X))

    def posterior_of(self, X: Numbers) -> Floats:
        """The probability of each component given the row, (n, k); its weight where no component has a density."""
        return posterior(self.log_joint(X), self.log_weights)

    def sample(self, n: int, random_state: RandomState = None) -> Floats:
        return self.sample_labelled(n, random_state)[0]

    def sample_labelled(self, n: int, random_state: RandomState = None) -> tuple[Floats, NDArray[np.int64]]:
        """n rows, sorted by component, and the component of each."""
        self._require_parameters()
        rng = drawn(n, random_state)
        counts = rng.multinomial(n, self.weights / np.sum(self.weights))
        rows = [part.sample(int(count), rng) for part, count in zip(self.parts, counts, strict=True)]
        return np.concatenate(rows), np.repeat(np.arange(len(counts)), counts)

    def moments(self) -> tuple[Floats, Floats]:
        means, variances = (np.array(column) for column in zip(*(part.moments() for part in self.parts), strict=True))
        mean = self.weights @ means
        return mean, self.weights @ (variances + (means - mean) ** 2)

    # -- learning ---------------------------------------------------------------------------------------------------
    def statistic(self, X: Numbers, weight: Numbers | None = None, rule: Rule = SOFT) -> MixtureStatistic:
        member = self if self.has_parameters else self.begin(X, weight)
        shared = type(member.parts[0]).share(member.parts, member.log_weights, X, weight, rule)
        return member.summary(shared, float(X.shape[0] if weight is None else np.sum(weight)))

    @staticmethod
    def summary(shared: Shared, rows: float) -> MixtureStatistic:
        """What was shared out, as a statistic."""
        return MixtureStatistic(shared.weight, shared.statistics, rows, shared.log_likelihood)

    def mle(self, statistic: MixtureStatistic) -> Self:
        weights = np.maximum(statistic.weight + self.concentration - 1, 0.0)
        if not weights.any():  # so few rows that the prior would empty all: keep the fullest
            weights = (statistic.weight == statistic.weight.max()).astype(np.float64)
        parts = type(self.parts[0]).mle_together(self.parts, statistic.parts)
        return self.with_arrays(weights=weights / weights.sum(), parts=parts)

    def total_log_prob(self, statistic: MixtureStatistic) -> float:
        """Σ w Σ share · (log π + log p), the expected log density of rows with their components."""
        some, parts, own = statistic.weight > 0, self.parts, statistic.parts
        if not some.all():
            parts, own = tuple(compress(parts, some)), tuple(compress(own, some))
        inside = float(type(parts[0]).total_log_probs(parts, own))
        return float(xlogy(statistic.weight, self.weights).sum()) + inside

    def begin(self, X: Any, weight: Numbers | None = None) -> Self:
        """Components that each begin with rows of their own, spread by a number that the row itself gives."""
        k = self.n_components
        whole = self.component if self.component.has_parameters else self.component.begin(X, weight)
        cells = np.where(np.isnan(X), 0.0, X) if not hasattr(X, "tocsr") else X.toarray()
        order = np.floor(row_uniforms(cells, seed=1) * k).astype(np.int32)
        w = np.asarray(given_or_ones(weight, len(cells)))
        parts = tuple(whole.mle(whole.statistic(X, w * (0.1 + (order == j)))) for j in range(k))
        return replace(self, weights=np.full(k, 1.0 / k), parts=parts)

    # -- the support --------------------------------------------------------------------------------------------------
    def admits(self, X: Reals) -> Flags:
        return self.component.admits(X)

    def outside(self, X: Numbers) -> Flags:
        return np.asarray(self.component.outside(X))

    def possible(self, X: Numbers) -> Flags:
        return np.asarray(np.any([part.possible(X) for part in self.active], axis=0))

    def supports(self) -> tuple[Support, ...]:
        columns = zip(*(part.supports() for part in self.active), strict=True)
        return tuple(reduce(Support.joined, column) for column in columns)
