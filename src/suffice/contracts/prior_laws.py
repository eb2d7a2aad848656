"""The laws of conjugate priors."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ..distributions import Distribution, Prior
from .density_laws import check_marginals
from .distribution_laws import frozen_and_pickled

Check = Callable[[], None]
_ERRORS = 5.0  # standard errors that an estimate may be off


def check_prior(cls: type[Prior]) -> None:
    """Run every law on a class; the first that fails raises."""
    for _, check in prior_checks(cls):
        check()


def prior_checks(cls: type[Prior]) -> Iterator[tuple[str, Check]]:
    """Name and check, for every law and every family that the prior is conjugate to."""
    laws = (
        posterior_is_bayes, posteriors_add_up, mode_is_best, flat_gives_mle, draws_have_the_mean,
        predictive_is_a_ratio_of_evidences, evidence_follows_from_predictives, predictive_adds_up_to_one,
    )  # fmt: skip
    for family in cls.families:
        for check in laws:
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


def predictive_is_a_ratio_of_evidences(cls: type[Prior], family: type[Distribution]) -> None:
    """p(x | rows) = p(rows, x) / p(rows): of the posterior's predictive distribution, by evidences of the prior."""
    prior, member, X = _updated(cls, family)
    predictive = member.posterior(member.statistic(X), prior).posterior_predictive(member)
    before = prior.log_evidence(X, family=member)
    rows = predictive.sample(20, 4)
    ratio = [prior.log_evidence(np.vstack([X, row]), family=member) - before for row in rows]
    np.testing.assert_allclose(predictive.log_prob(rows), ratio, rtol=1e-8, atol=1e-8)


def evidence_follows_from_predictives(cls: type[Prior], family: type[Distribution]) -> None:
    """The evidence of rows is the product of their predictive densities, in any order; weights are repetitions."""
    prior, member, X = _updated(cls, family)
    weight = np.random.default_rng(5).integers(0, 3, len(X)).astype(float)
    repeated = np.repeat(X, weight.astype(int), axis=0)
    expected = prior.log_evidence(X, weight, family=member)
    np.testing.assert_allclose(prior.log_evidence(member.statistic(X, weight), family=member), expected, rtol=1e-10)
    for rows in (repeated, repeated[::-1]):
        belief, total = prior, 0.0
        for row in rows[:, None]:
            total += float(belief.posterior_predictive(member).log_prob(row)[0])
            belief = member.posterior(member.statistic(row), belief)
        np.testing.assert_allclose(total, expected, rtol=1e-8)


def predictive_adds_up_to_one(cls: type[Prior], family: type[Distribution]) -> None:
    """The predictive distribution sums or integrates to one, and its draws follow the parameters' draws."""
    prior, member, _ = _updated(cls, family)
    predictive = prior.posterior_predictive(member)
    if predictive.missing:
        check_marginals(predictive)
    else:
        grid = np.array(list(product(*(range(int(own.most) + 1) for own in predictive.supports()))), dtype=float)
        total = np.exp(predictive.log_prob(grid[predictive.possible(grid)])).sum()
        np.testing.assert_allclose(total, 1.0, rtol=1e-9)
    rows = np.concatenate([dataclasses.replace(member, **values).sample(1, i) for i, values in _numbered(prior, 4000)])
    error = np.std(rows, axis=0) / np.sqrt(len(rows))
    again = predictive.sample(4000, 6)
    assert (np.abs(again.mean(axis=0) - rows.mean(axis=0)) <= 2 * _ERRORS * error).all(), cls.__name__


def _updated(cls: type[Prior], family: type[Distribution]) -> tuple[Any, Any, Any]:
    """A prior that has seen some rows, and so knows the categories, its family, and more rows."""
    prior, member, statistic = _believed(cls, family)
    known = member.posterior(statistic, prior)
    return known, member, known.posterior_predictive(member).sample(12, 7)


def _numbered(prior: Prior, n: int) -> Iterator[tuple[int, dict[str, Any]]]:
    return enumerate(_draws_of(prior, n))


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
