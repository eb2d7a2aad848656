"""Mixtures of any family, which are distributions themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from itertools import compress
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, xlogy

from ..backend.mixture import Rule
from ..backend.posteriors import log_total, posterior
from ..backend.weights import given_or_ones
from ..errors import InvalidParameter
from ..holds import flag, floats, instance, number, optional, require, sometimes, tuples, whole
from ..statistics import Statistic, row_uniforms
from ..statistics.base import check_alike
from ..typing import Flags, Floats, Numbers, RandomState, Reals
from .base import Distribution, drawn
from .gaussian import Gaussian
from .loaded import check_members
from .named import as_distribution
from .parameters import ArrayParameter, fixed_field, parameter
from .sharing import Shared
from .support import Support

SOFT = Rule()
_ROUNDED = 1e-5  # by which given probabilities may miss 1


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


def check_weights(weights: Floats, k: int, owner: str, name: str) -> None:
    """Refuse what are no probabilities of k components."""
    if weights.shape != (k,) or not np.all(weights >= 0) or not abs(weights.sum() - 1) <= _ROUNDED:
        raise InvalidParameter(
            f"{owner}: {name} must be {k} probabilities that sum to 1, one for each component; got {weights.tolist()}. "
            "The parameter 'weights' should be in the range [0, 1] and normalized."
        )


def expected_log_weights(counts: Floats) -> Floats:
    """E[log π] = ψ(αⱼ) − ψ(Σα) under a Dirichlet distribution; −∞ where α is 0."""
    some = counts > 0
    return np.where(some, digamma(np.where(some, counts, 1.0)) - digamma(counts.sum()), -np.inf)


@dataclass(frozen=True)
class Mixture(Distribution):
    """A mixture of k members of a family: p(x) = Σⱼ πⱼ p(x | θⱼ).

    `Mixture(Poisson(), 3)`, or `Mixture("poisson", 3)`, is the family; the component of a row is latent, so `fit` is
    EM. With a `concentration` α of the Dirichlet prior of the weights, πⱼ ∝ max(0, Nⱼ + α − 1): below 1 it empties
    components that few rows need. `weights` given without `parts`, or the other way round, stay fixed, and so do known
    parameters of the component. Components with the same number in `tied` share their variance or covariance.

    Examples
    --------
    >>> from suffice.distributions import Mixture, Poisson
    >>> counts = np.array([[0.0], [1.0], [1.0], [20.0], [22.0], [24.0]])
    >>> found = Mixture(Poisson(), 2).fit(counts)
    >>> found.weights.round(3), np.sort([part.rate[0] for part in found.parts]).round(2)
    (array([0.5, 0.5]), array([ 0.67, 22.  ]))
    >>> Mixture(Poisson(), 2, weights=[0.5, 0.5]).fit(np.array([[0.0], [1.0], [20.0]])).weights
    array([0.5, 0.5])
    """

    latent = True
    composed = True
    fixable = ("weights", "parts")

    component: Distribution = field(default_factory=Gaussian)
    n_components: int = 2
    weights: ArrayParameter = parameter("π, (k,).", ("k",), holds=floats("k", at_least=0))
    parts: Any = parameter("The components, k members of the family.", holds=tuples(instance(Distribution, d="d"), "k"))
    concentration: float = 1.0
    tied: tuple[int, ...] | None = None
    variational: bool = False  # whether `mle` keeps the posterior of the weights, and shares rows out by E[log π]
    posterior_counts: Floats | None = None  # the α of that Dirichlet posterior, (k,); 0 for what was removed
    fixed: tuple[str, ...] = fixed_field()  # type: ignore[misc]

    holds: ClassVar = {
        "tied": sometimes(optional(tuples(whole(), "k"))),
        "variational": sometimes(flag()),
        "posterior_counts": sometimes(optional(floats("k", at_least=0))),
        "component": instance(Distribution, d="d"),
        "n_components": whole("k", at_least=1),
        "sparse": sometimes(flag()),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "component", as_distribution(self.component, "Mixture", "component"))
        object.__setattr__(self, "sparse", self.component.sparse)
        if "weights" in self.fixed:
            check_weights(self.weights, self.n_components, "Mixture", "weights")
        if self.tied is not None and not hasattr(self.component, "pooled"):
            raise InvalidParameter(
                f"Mixture: tied components share a variance or covariance, so they must be Gaussian; got "
                f"{type(self.component).__name__}. Leave `tied` out."
            )

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
        parts, groups = self.active, self._groups(self.weights > 0)
        free = 0 if "weights" in self.fixed else len(parts) - 1
        if "parts" in self.fixed:
            return free
        together = type(parts[0]).n_parameters_together(parts)
        shared = sum((len(group) - 1) * self.parts[group[0]].n_spread_parameters for group in groups)
        return int(free + together - shared)

    def _groups(self, among: Flags) -> list[list[int]]:
        """The components of each group that shares its variance or covariance, of those that are looked at."""
        if self.tied is None:
            return []
        number = np.where(among, self.tied, -1)
        return [np.flatnonzero(number == group).tolist() for group in np.unique(number[among])]

    @property
    def active(self) -> tuple[Any, ...]:
        """The components that have a weight."""
        return tuple(part for part, weight in zip(self.parts, self.weights, strict=True) if weight > 0)

    @property
    def log_weights(self) -> Floats:
        """log π, (k,), or its expectation under the posterior; -inf for a component that is empty."""
        if self.posterior_counts is not None:
            return expected_log_weights(self.posterior_counts)
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
        found = {} if "weights" in self.fixed else self._weights_from(statistic.weight)
        if "parts" in self.fixed:
            return self.with_arrays(**found)
        parts = type(self.parts[0]).mle_together(self.parts, self._pooled(statistic))
        return self.with_arrays(parts=self._alike(parts, statistic.weight > 0), **found)

    def _alike(self, parts: tuple[Any, ...], found: Flags) -> tuple[Any, ...]:
        """The components, of which one that no row was given to has the shape of its group as well."""
        if self.tied is None or found.all():
            return parts
        like = {self.tied[j]: parts[j] for j in np.flatnonzero(found)[::-1]}
        shapes = [like.get(group, part) for group, part in zip(self.tied, parts, strict=True)]
        return tuple(shape.moved_to(part.mean) for shape, part in zip(shapes, parts, strict=True))

    def _weights_from(self, counts: Floats) -> dict[str, Floats]:
        """π that follows from the weight of the rows of each component."""
        if not self.variational:
            return {"weights": self._likeliest_weights(counts)}
        return self.by_posterior(np.where(self.weights > 0, self.concentration + counts, 0.0))

    @staticmethod
    def by_posterior(counts: Floats) -> dict[str, Floats]:
        """The mean weights of a Dirichlet posterior, and the posterior."""
        return {"weights": counts / counts.sum(), "posterior_counts": counts}

    def settled(self) -> Self:
        """The density with the mean weights, which has no memory of their posterior."""
        return self.with_arrays(posterior_counts=None)

    def without_smallest(self) -> Self:
        """The mixture without its smallest component, whose place keeps the weight 0."""
        smallest = int(np.argmin(np.where(self.weights > 0, self.weights, np.inf)))
        left = np.where(np.arange(len(self.weights)) == smallest, 0.0, self.weights)
        if self.posterior_counts is None:
            return self.with_arrays(weights=left / left.sum())
        return self.with_arrays(**self.by_posterior(np.where(left > 0, self.posterior_counts, 0.0)))

    def _likeliest_weights(self, counts: Floats) -> Floats:
        """π at the mode of its posterior, for the weight of the rows of each component."""
        weights = np.maximum(counts + self.concentration - 1, 0.0)
        if not weights.any():  # so few rows that the prior would empty all: keep the fullest
            weights = (counts == counts.max()).astype(np.float64)
        return np.asarray(weights / weights.sum())

    def _pooled(self, statistic: MixtureStatistic) -> tuple[object, ...]:
        """The summaries of the components, where each of a group has the scatter of all of them by its weight."""
        found = list(statistic.parts)
        for group in self._groups(statistic.weight > 0):
            pooled = type(self.parts[0]).pooled([self.parts[j] for j in group], [found[j] for j in group])
            for j, own in zip(group, pooled, strict=True):
                found[j] = own
        return tuple(found)

    def total_log_prob(self, statistic: MixtureStatistic) -> float:
        """Σ w Σ share · (log π + log p), the expected log density of rows with their components."""
        some, parts, own = statistic.weight > 0, self.parts, statistic.parts
        if not some.all():
            parts, own = tuple(compress(parts, some)), tuple(compress(own, some))
        inside = float(type(parts[0]).total_log_probs(parts, own))
        if self.posterior_counts is None:
            return float(xlogy(statistic.weight, self.weights).sum()) + inside
        return float(statistic.weight[some] @ self.log_weights[some]) + inside

    def begin(self, X: Any, weight: Numbers | None = None) -> Self:
        """Components that each begin with rows of their own, spread by a number that the row itself gives."""
        k = self.n_components
        if "parts" in self.fixed:
            return replace(self, weights=np.full(len(self.parts), 1.0 / len(self.parts)))
        whole = self.component if self.component.has_parameters else self.component.begin(X, weight)
        cells = np.where(np.isnan(X), 0.0, X) if not hasattr(X, "tocsr") else X.toarray()
        order = np.floor(row_uniforms(cells, seed=1) * k).astype(np.int32)
        w = np.asarray(given_or_ones(weight, len(cells)))
        parts = tuple(whole.mle(whole.statistic(X, w * (0.1 + (order == j)))) for j in range(k))
        return replace(self, **{"weights": np.full(k, 1.0 / k), "parts": parts, **self.known()})

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
