"""The laws of distributions."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable, Iterator
from functools import partial, reduce
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array

from ..distributions import ByGradient, Distribution, Mixture
from ..errors import InvalidData, InvalidParameter
from ..typing import Floats
from .array_kinds import distribution_arguments
from .density_laws import (
    density_is_zero_outside,
    divergences_keep_their_bounds,
    drawn_rows,
    entropy_is_expected,
    kl_is_expected,
    log_prob_adds_up_to_one,
    marginals_integrate_to_one,
    missing_values_are_marginalised,
    samples_follow_the_seed,
    samples_have_the_moments,
)
from .laws import _same

Check = Callable[[], None]


def check_distribution(cls: type[Distribution]) -> None:
    """Run every law on a class; the first that fails raises."""
    for _, check in distribution_checks(cls):
        check()


def distribution_checks(cls: type[Distribution]) -> Iterator[tuple[str, Check]]:
    """Name and check, for every law that applies to the class."""
    own = [
        log_prob_adds_up_to_one, density_is_zero_outside, divergences_keep_their_bounds, samples_have_the_moments,
        samples_follow_the_seed, entropy_is_expected, kl_is_expected, total_is_the_sum, statistics_add_up,
        weights_are_repetitions, best_is_a_maximum, rounds_climb, mixtures_climb, fit_beats_truth, many_at_once,
        bad_cells_are_named, frozen_and_pickled, distribution_arguments,
    ]  # fmt: skip
    own += [missing_values_are_marginalised, marginals_integrate_to_one] if cls.missing else []
    own += [] if cls.missing else [missing_values_are_refused]
    own += [sparse_equals_dense] if cls.sparse else []
    for check in own:
        yield check.__name__, partial(check, cls)


# -- learning ---------------------------------------------------------------------------------------------------------
def total_is_the_sum(cls: type[Distribution]) -> None:
    """`total_log_prob` of the summary is Σ w log p of the rows, where nothing is latent."""
    member, X, weight = _weighted(cls)
    if member.latent:
        return
    total = member.total_log_prob(member.statistic(X, weight))
    np.testing.assert_allclose(total, weight @ member.log_prob(X), rtol=1e-9)


def statistics_add_up(cls: type[Distribution]) -> None:
    """The summaries of any parts add up to that of the whole, also with missing values."""
    member, X, weight = _weighted(cls)
    for rows in [X, _with_missing(X)] if cls.missing else [X]:
        whole = member.statistic(rows, weight)
        for cuts in ([0, 0, 100], [1, 50], [99, 100], [13, 40, 41, 77]):
            parts = [member.statistic(rows[a:b], weight[a:b]) for a, b in pairwise([0, *cuts, 100])]
            _same(reduce(add, parts), whole, 1e-9, f"{cls.__name__}: cut at {cuts}")
            _same(reduce(add, parts[::-1]), whole, 1e-9, f"{cls.__name__}: in another order")


def weights_are_repetitions(cls: type[Distribution]) -> None:
    """Integer weights summarise as repeated rows do; a weight of zero is an absent row."""
    member, X, weight = _weighted(cls)
    repeated = np.repeat(X, weight.astype(int), axis=0)
    _same(member.statistic(X, weight), member.statistic(repeated), 1e-9, f"{cls.__name__}: weights")
    _same(member.statistic(repeated), member.statistic(repeated, np.ones(len(repeated))), 1e-9, "weights of one")


def best_is_a_maximum(cls: type[Distribution]) -> None:
    """Numerical maximisation, over the members that other weights of the rows lead to, finds nothing better."""
    member, X, weight = _weighted(cls)
    if member.latent:
        best = member.fit(X, weight)
        shifts = [np.random.default_rng(seed).uniform(0.7, 1.3, len(X)) for seed in range(4)]
        tries = [best.fit(X, weight * shift, tol=1e-7) for shift in shifts]
        assert all(weight @ other.log_prob(X) <= weight @ best.log_prob(X) + 1e-4 for other in tries)
        return
    parts = [member.statistic(X[g::8], weight[g::8]) for g in range(8)]
    whole = reduce(add, parts)

    def loss(shift: Floats) -> float:
        moved = reduce(add, [part.scaled(factor) for part, factor in zip(parts, np.exp(shift), strict=True)])
        return -float(member.mle(moved).total_log_prob(whole))

    evaluations = 1500
    if isinstance(member, ByGradient):  # each climbs anew, so the slope decides, and fewer are tried
        evaluations = 150
        slope = member.mle(whole).gradient(whole)
        assert slope is None or np.abs(slope).max() <= 1e-6 * weight.sum(), f"{cls.__name__}: the slope is {slope}"
    best = loss(np.zeros(8))
    for start in (np.zeros(8), np.random.default_rng(0).normal(scale=0.3, size=8)):
        found = minimize(loss, start, method="Nelder-Mead", options={"maxfev": evaluations}).fun
        assert found >= best - 1e-8 * abs(best), f"{cls.__name__}: {-found} is better than {-best}"


def rounds_climb(cls: type[Distribution]) -> None:
    """No iteration of EM lowers the likelihood, with everything seen and with missing values."""
    _, X, weight = _weighted(cls)
    for rows in [X, _with_missing(X)] if cls.missing else [X]:
        climb = _start(cls).learn(rows, weight, max_iter=60).history.objective
        assert (np.diff(climb) >= -1e-9 * np.abs(climb[1:])).all(), f"{cls.__name__}: {climb}"


def mixtures_climb(cls: type[Distribution]) -> None:
    """It serves as the components of a mixture, and no iteration lowers the likelihood, also with missing values."""
    X = np.concatenate([cls.example(np.random.default_rng(seed)).sample(150, seed) for seed in (3, 4)])
    for rows in [X, _with_missing(X)] if cls.missing else [X]:
        climb = Mixture(_start(cls), 2).learn(rows, max_iter=40).history.objective
        assert np.isfinite(climb).all(), f"{cls.__name__}: {climb}"
        assert (np.diff(climb) >= -1e-9 * np.abs(climb[1:])).all(), f"{cls.__name__}: {climb}"


def fit_beats_truth(cls: type[Distribution]) -> None:
    """The fitted member makes the rows at least as likely as the member they were drawn from, and is close to it."""
    truth, X = drawn_rows(cls, 4000)
    found = truth.fit(X).log_prob(X) - truth.log_prob(X)
    assert -1e-6 <= found.mean() < 5 * max(truth.n_parameters, 1) / len(X)


def many_at_once(cls: type[Distribution]) -> None:
    """`log_probs` is `log_prob` of each part, and `grouped_statistics` is `statistic` of each group."""
    member, X, weight = _weighted(cls)
    parts = cls.mle_together([member, member], [member.statistic(X[half::2]) for half in range(2)])
    group = np.arange(100) % 3
    for rows in [X, _with_missing(X)] if cls.missing else [X]:
        alone = np.stack([part.log_prob(rows) for part in parts], axis=1)
        np.testing.assert_allclose(cls.log_probs(parts, rows), alone, rtol=1e-10)
        shared = cls.shared_statistics(parts, rows, np.stack([weight, 2 - group], axis=1))
        for own, part, share in zip(shared, parts, (weight, 2.0 - group), strict=True):
            _same(own, part.statistic(rows, share), 1e-9, f"{cls.__name__}: shared out")
        for g, grouped in enumerate(member.grouped_statistics(rows, group, 3, weight)):
            own = member.statistic(rows[group == g], weight[group == g])
            empty = member.statistic(rows[:0])
            _same(grouped + empty, own + empty, 1e-9, f"{cls.__name__}: group {g}")


# -- missing values and bad input --------------------------------------------------------------------------------------
def missing_values_are_refused(cls: type[Distribution]) -> None:
    """A family that cannot leave cells out says where one is missing."""
    member, X = drawn_rows(cls, 5)
    X[3, 1] = np.nan
    _raises(InvalidData, partial(member.check, X, "Model"), "Model", "row 3", "column 1", cls.__name__)


def bad_cells_are_named(cls: type[Distribution]) -> None:
    """A cell outside the support is named with its place; the family alone has no density."""
    member, X = drawn_rows(cls, 5)
    member.check(X, "Model")
    X[3, -1] = np.inf
    place = f"column {X.shape[1] - 1}"
    _raises(
        InvalidData, partial(member.check, X, "Model", number=lambda row: row + 10), "Model", "row 13", place, "inf"
    )
    bare = _start(cls)
    if not bare.has_parameters:
        _raises(InvalidParameter, partial(bare.log_prob, X[:2]), "fit it to rows first")
        _raises(InvalidParameter, partial(bare.sample, 2), "fit it to rows first")


def sparse_equals_dense(cls: type[Distribution]) -> None:
    """CSR rows give the densities, the summary and the message that dense rows give."""
    member, X, weight = _weighted(cls)
    rows = csr_array(X)
    np.testing.assert_allclose(member.log_prob(rows), member.log_prob(X), rtol=1e-12)
    _same(member.statistic(rows, weight), member.statistic(X, weight), 1e-12, f"{cls.__name__}: sparse")
    X[7, 1] = -0.5
    for bad in (X, csr_array(X)):
        _raises(InvalidData, partial(member.check, bad, "Model"), "row 7, column 1 holds -0.5")


def frozen_and_pickled(cls: type[Any]) -> None:
    """The value cannot be changed, and survives pickling."""
    member = cls.example(np.random.default_rng(0))
    name = dataclasses.fields(member)[0].name
    _raises(dataclasses.FrozenInstanceError, lambda: setattr(member, name, None), name)
    back = pickle.loads(pickle.dumps(member))
    np.testing.assert_equal(dataclasses.asdict(back), dataclasses.asdict(member))


# -- parts of the checks ----------------------------------------------------------------------------------------------
def _weighted(cls: type[Distribution]) -> tuple[Any, Floats, Floats]:
    member, X = drawn_rows(cls, 100)
    return member, X, np.random.default_rng(2).integers(0, 4, 100).astype(float)


def _start(cls: type[Distribution]) -> Any:
    """The family of the example: its options without its parameters."""
    member = cls.example(np.random.default_rng(3))
    parameters = {f.name: None for f in dataclasses.fields(member) if "parameter" in f.metadata}
    return dataclasses.replace(member, **parameters)


def _with_missing(X: Floats) -> Floats:
    is_missing = np.random.default_rng(6).random(X.shape) < 0.2
    return np.where(is_missing, np.nan, X)


def _raises(error: type[Exception], call: Callable[[], object], *words: str) -> None:
    try:
        call()
    except error as caught:
        missing = [word for word in words if word not in str(caught)]
        assert not missing, f"{caught!s} does not say {missing}"
        return
    raise AssertionError(f"{error.__name__} was not raised")
