"""The multinomial distribution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import bdtr, gammaln, rel_entr, xlogy

from ..errors import InvalidParameter
from ..holds import floats
from ..statistics import ColumnSums
from ..typing import Flags, Floats, Numbers, RandomState
from .base import Distribution, drawn, entropy_of
from .log_linear import linear_terms, log_arrangements
from .parameters import ArrayParameter, kept, parameter, stacked
from .sharing import Members
from .support import COUNTS, Support


@dataclass(frozen=True)
class Multinomial(Distribution):
    """Rows of counts, given how many there are in the row: p(x) = N! ∏ⱼ pⱼ^xⱼ / xⱼ! with N = Σⱼ xⱼ.

    `trials` is the N of the rows that `sample` draws, and of `entropy`, `kl` and `moments`; densities take the N of
    each row as it is. A row with a missing count has no N, so NaN is refused.

    Examples
    --------
    >>> from suffice.distributions import Multinomial
    >>> Multinomial().fit(np.array([[1.0, 0.0, 2.0], [2.0, 1.0, 4.0]])).probability
    array([0.3, 0.1, 0.6])
    """

    names = ("multinomial",)
    support = replace(COUNTS, words="counts: 0, 1, 2, …, none missing")
    sparse = True
    missing = False

    probability: ArrayParameter = parameter(
        "p, the probability that a count falls into each column, (d,).",
        ("d",),
        holds=floats("d", at_least=0, at_most=1),
    )
    trials: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.trials < 2**63 or self.trials != int(self.trials):
            raise InvalidParameter(f"Multinomial: trials must be a whole number from 0 to 2⁶³ − 1; got {self.trials}.")

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.dirichlet(np.full(3, 2.0)), trials=5)

    @property
    def n_parameters(self) -> int:
        return len(self.probability) - 1

    def log_prob(self, X: Numbers) -> Floats:
        return self.log_probs([self], X)[:, 0]

    def sample(self, n: int, random_state: RandomState = None) -> Floats:
        self._require_parameters()
        if abs(np.sum(self.probability) - 1) > 1e-8 or np.sum(self.probability[:-1]) > 1 + 1e-12:
            raise InvalidParameter("Multinomial: the probabilities must sum to 1.")
        return drawn(n, random_state).multinomial(self.trials, self.probability, n).astype(np.float64)

    def moments(self) -> tuple[Floats, Floats]:
        return self.trials * self.probability, self.trials * self.probability * (1 - self.probability)

    def entropy(self) -> float:
        m = np.arange(2, self.trials + 1)  # E log x! = Σ_m log m · P(x ≥ m)
        beyond = 1 - bdtr(m[:, None] - 1, self.trials, self.probability)
        expected = float(np.sum(np.log(m) @ beyond))
        return self.trials * entropy_of(self.probability) + expected - float(gammaln(self.trials + 1))

    def kl(self, other: Self) -> float:
        if self.trials != other.trials:
            return np.inf
        return self.trials * float(np.sum(rel_entr(self.probability, other.probability)))

    def statistic(self, X: Numbers, weight: Numbers | None = None) -> ColumnSums:
        return ColumnSums.of(X, weight, log_arrangements(X))

    def mle(self, statistic: ColumnSums) -> Self:
        share = statistic.total / (statistic.total.sum() or np.nan)
        return type(self)(kept(share, self.probability, 1 / len(share)), self.trials)

    def total_log_prob(self, statistic: ColumnSums) -> float:
        return float(np.sum(xlogy(statistic.total, self.probability)) + statistic.base)

    @staticmethod
    def log_probs(parts: Members, X: Numbers) -> Floats:
        p = stacked(parts, "probability")  # (d, k)
        with np.errstate(divide="ignore"):
            return linear_terms(X, np.log(p), np.zeros_like(p)) + log_arrangements(X)[:, None]

    @staticmethod
    def shared_statistics(parts: Sequence[object], X: Numbers, responsibilities: Floats) -> tuple[ColumnSums, ...]:
        return ColumnSums.shared(X, responsibilities, log_arrangements(X))

    def grouped_statistics(
        self, X: Numbers, group: Numbers, groups: int, weight: Numbers | None = None
    ) -> tuple[ColumnSums, ...]:
        return ColumnSums.grouped(X, group, groups, weight, log_arrangements(X))

    def possible(self, X: Numbers) -> Flags:
        """Of all counts those that add up to `trials`."""
        return np.asarray(super().possible(X) & (np.asarray(X.sum(axis=1)).ravel() == self.trials))

    def supports(self) -> tuple[Support, ...]:
        return tuple(replace(self.support, most=self.trials * float(p > 0)) for p in self.probability)
