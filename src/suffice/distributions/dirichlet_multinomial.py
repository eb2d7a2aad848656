"""The Dirichlet-multinomial distribution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import gammaln, polygamma, xlogy

from ..holds import floats, whole
from ..statistics import ColumnValues, SortedValues
from ..typing import Flags, Floats, Numbers, RandomState
from .base import Distribution, drawn
from .parameters import ArrayParameter, parameter
from .rising import digamma_rise, log_rise
from .support import COUNTS, Support

_ROUNDS, _TOL = 200, 1e-14  # of `mle`: at the most, and the rise of the log-likelihood, as a part of it, that ends them
_MOST = 1e8  # the sum of the concentrations at the most: beyond, the counts are multinomial


@dataclass(frozen=True)
class DirichletMultinomial(Distribution):
    """Rows of counts that vary more than multinomial ones: p(x) = N! Γ(A) / Γ(N + A) ∏ⱼ Γ(xⱼ + aⱼ) / (xⱼ! Γ(aⱼ)).

    Here N = Σⱼ xⱼ and A = Σⱼ aⱼ. It is a multinomial row whose probabilities are drawn from a Dirichlet distribution
    of concentration a; with two columns it is the beta-binomial distribution. The density is given N, as that of
    `Multinomial`, and so `trials` is the N of `sample` and `moments`. It depends on the values of each column and of N
    by themselves, which the summary keeps. `mle` is Newton's method, and where that fails a fixed-point step, which
    never lowers the likelihood (Minka, 2000).

    Examples
    --------
    >>> from suffice.distributions import DirichletMultinomial
    >>> member = DirichletMultinomial([2.0, 1.0], trials=2)
    >>> np.exp(member.log_prob([[2, 0], [1, 1], [0, 2]])).round(4)
    array([0.5   , 0.3333, 0.1667])
    >>> DirichletMultinomial().fit(DirichletMultinomial([2.0, 1.0], 20).sample(20_000, 0)).concentration.round(1)
    array([2., 1.])
    """

    names = ("dirichlet_multinomial",)
    support = replace(COUNTS, words="counts: 0, 1, 2, …, none missing")
    missing = False

    concentration: ArrayParameter = parameter("a, (d,).", ("d",), holds=floats("d", above=0))
    trials: int = 1

    holds: ClassVar = {"trials": whole(at_least=0)}

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.uniform(0.5, 3.0, 3), trials=7)

    def log_prob(self, X: Numbers) -> Floats:
        self._require_parameters()
        X, a = np.asarray(X, dtype=np.float64), self.concentration
        columns = np.concatenate([X, X.sum(axis=1, keepdims=True)], axis=1)
        return np.asarray(sum(_term(columns[:, j], a, j) for j in range(len(a) + 1)))

    def sample(self, n: int, random_state: RandomState = None) -> Floats:
        self._require_parameters()
        rng = drawn(n, random_state)
        return rng.multinomial(self.trials, rng.dirichlet(self.concentration, n)).astype(np.float64)

    def moments(self) -> tuple[Floats, Floats]:
        total = self.concentration.sum()
        p, extra = self.concentration / total, (self.trials + total) / (1 + total)
        return self.trials * p, self.trials * p * (1 - p) * extra

    def statistic(self, X: Numbers, weight: Numbers | None = None) -> ColumnValues:
        return ColumnValues.of(np.column_stack([X, X.sum(axis=1)]), weight)

    def mle(self, statistic: ColumnValues) -> Self:
        *columns, totals = statistic.columns
        sums = np.array([np.dot(*column.in_order()) for column in columns])
        if not (sums.sum() > 0 and totals.weight > 0):  # no rows, or rows without counts
            return self if self.has_parameters else replace(self, concentration=np.ones(len(columns)))
        member = replace(self, concentration=_begun(sums, totals.weight))
        now = member.total_log_prob(statistic)
        for _ in range(_ROUNDS):
            before, (member, now) = now, member._climbed(statistic, now)
            if now - before <= _TOL * abs(now) or member.concentration.sum() > _MOST:
                break
        return member

    def _climbed(self, statistic: ColumnValues, now: float) -> tuple[Self, float]:
        """The member after a step of Newton's method, or after one of the fixed point, and its log-likelihood."""
        *columns, totals = statistic.columns
        a = self.concentration
        rise = np.array([_summed(column, digamma_rise, own) for column, own in zip(columns, a, strict=True)])
        whole = _summed(totals, digamma_rise, a.sum())
        bend = np.array([_summed(column, _trigamma_rise, own) for column, own in zip(columns, a, strict=True)])
        with np.errstate(divide="ignore", invalid="ignore"):
            slope, common = rise - whole, -1 / _summed(totals, _trigamma_rise, a.sum())
            shared = np.sum(slope / bend) / (common + np.sum(1 / bend))
            steps = (a - (slope - shared) / bend, np.maximum(a * rise / whole, 1e-12))
        for wanted in steps:
            if np.all(np.isfinite(wanted) & (wanted > 0)):
                member = replace(self, concentration=wanted)
                found = member.total_log_prob(statistic)
                if found > now:
                    return member, found
        return self, now

    def total_log_prob(self, statistic: ColumnValues) -> float:
        total = 0.0
        for j, column in enumerate(statistic.columns):
            values, weight = column.in_order()
            total += float(weight @ _term(values, self.concentration, j))
        return total

    def possible(self, X: Numbers) -> Flags:
        """Of all counts those that add up to `trials`."""
        return np.asarray(super().possible(X) & (X.sum(axis=1) == self.trials))

    def supports(self) -> tuple[Support, ...]:
        return (replace(self.support, most=float(self.trials)),) * len(self.concentration)


def _term(x: Floats, a: Floats, j: int) -> Floats:
    """What column j adds to log p(x); the last is that of N."""
    total = a.sum()
    if j == len(a):
        return np.asarray(gammaln(x + 1) - log_rise(x, total))
    return np.asarray(xlogy(x, a[j] / total) - gammaln(x + 1) + log_rise(x, a[j]))


def _begun(sums: Floats, rows: float) -> Floats:
    """The shares of the columns, as if they were worth as many counts as there are in a row or so."""
    share = np.maximum(sums / sums.sum(), 1e-6)
    return np.asarray(share * max(1.0, sums.sum() / rows))


def _summed(column: SortedValues, f: Callable[[Floats, Any], Floats], s: float) -> np.float64:
    values, weight = column.in_order()
    return np.float64(weight @ f(values, s))


def _trigamma_rise(x: Numbers, s: float) -> Floats:
    """ψ′(x + s) − ψ′(s)."""
    return np.asarray(polygamma(1, x + s) - polygamma(1, s))
