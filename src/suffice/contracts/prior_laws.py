"""The laws of conjugate priors."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ..distributions import Distribution, Prior
from .distribution_laws import frozen_and_pickled

Check = Callable[[], None]
_ERRORS = 5.0  # standard errors that an estimate may be off


def check_prior(cls: type[Prior]) -> None:
    """Run every law on a class; the first that fails raises."""
    for _, check in prior_checks(cls):
        check()


def prior_checks(cls: type[Prior]) -> Iterator[tuple[str, Check]]:
    """Name and check, for every law and every family that the prior is conjugate to."""
    for family in (found for found in Distribution.members if found.__name__ in cls.families):
        for check in (posterior_is_bayes, posteriors_add_up, mode_is_best, flat_gives_mle, draws_have_the_mean):
            yield f"{family.__name__}-{check.__name__}", partial(check, cls, family)
    yield frozen_and_pickled.__name__, partial(frozen_and_pickled, cls)


def posterior_is_bayes(cls: type[Prior], family: type[Distribution]) -> None:
    """log prior + log likelihood − log posterior is the same for all parameters: the evidence."""
    prior, member, statistic = _believed(cls, family)
    posterior = member.posterior(statistic, prior)
    evidence = []
    for values in _draws_of(posterior, 20):
        other = dataclasses.replace(member, **values)
        evidence.append(prior.log_prob(**values) + other.total_log_prob(statistic) - posterior.log_prob(**values))
    np.testing.assert_allclose(evidence, evidence[0], rtol=1e-8, atol=1e-8)


def posteriors_add_up(cls: type[Prior], family: type[Distribution]) -> None:
    """The posterior of some rows is the prior of the next."""
    prior, member, _ = _believed(cls, family)
    X = member.sample(40, 1)
    halves = [member.statistic(X[:20]), member.statistic(X[20:])]
    halves = [halves[0] + member.statistic(X[:0]), halves[1] + member.statistic(X[:0])]
    one = member.posterior(halves[0] + halves[1], prior)
    two = member.posterior(halves[1], member.posterior(halves[0], prior))
    for name, value in dataclasses.asdict(one).items():
        for a, b in zip(_flat(value), _flat(getattr(two, name)), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, err_msg=name)


def mode_is_best(cls: type[Prior], family: type[Distribution]) -> None:
    """No draw from the posterior is more likely than its mode, which is what `map_estimate` returns."""
    prior, member, statistic = _believed(cls, family)
    posterior = member.posterior(statistic, prior)
    best = posterior.log_prob(**posterior.mode())
    assert all(posterior.log_prob(**values) <= best + 1e-9 for values in _draws_of(posterior, 500))
    found = member.map_estimate(statistic, prior)
    assert all(np.array_equal(*pair) for k, v in posterior.mode().items() for pair in _pairs(v, getattr(found, k)))


def flat_gives_mle(cls: type[Prior], family: type[Distribution]) -> None:
    """The flat prior leaves what the rows say alone."""
    _, member, statistic = _believed(cls, family)
    found, best = member.map_estimate(statistic, cls.flat(3)), member.mle(statistic)
    np.testing.assert_allclose(found.total_log_prob(statistic), best.total_log_prob(statistic), rtol=1e-12)


def draws_have_the_mean(cls: type[Prior], family: type[Distribution]) -> None:
    """The mean of the draws is the mean by the formula; the same seed gives the same draws."""
    prior, member, statistic = _believed(cls, family)
    posterior = member.posterior(statistic, prior)
    draws, again = posterior.sample(20_000, 3), posterior.sample(20_000, 3)
    for name, mean in posterior.mean().items():
        for values, same, expected in zip(_flat(draws[name]), _flat(again[name]), _flat(mean), strict=True):
            np.testing.assert_array_equal(values, same)
            error = values.std(axis=0) / np.sqrt(len(values))
            assert (np.abs(values.mean(axis=0) - expected) <= _ERRORS * error).all(), f"{cls.__name__}: {name}"


def _believed(cls: type[Prior], family: type[Distribution]) -> tuple[Any, Any, Any]:
    """A prior, a member that it can be of, and the summary of rows drawn from that."""
    member = family.example(np.random.default_rng(3))
    return cls.example(np.random.default_rng(2)), member, member.statistic(member.sample(30, 1))


def _draws_of(prior: Prior, n: int) -> Iterator[dict[str, Any]]:
    draws = prior.sample(n, 0)
    for i in range(n):
        yield {k: tuple(a[i] for a in v) if isinstance(v, tuple) else v[i] for k, v in draws.items()}


def _flat(value: object) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _pairs(a: object, b: object) -> Iterator[tuple[Any, Any]]:
    return zip(_flat(a), _flat(b), strict=True)
