"""Gaussians of few factors against closed forms, scikit-learn, and numerical maximisation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA

from suffice.distributions import FactorGaussian, Gaussian, LowRankGaussian, Mixture
from suffice.statistics import Moments

WINE = load_wine().data
WINE = (WINE - WINE.mean(axis=0)) / WINE.std(axis=0)
FAMILIES = [LowRankGaussian, FactorGaussian]


@pytest.fixture
def rows(rng):
    truth = LowRankGaussian(np.arange(5.0), loadings=rng.normal(size=(5, 2)), noise=[0.3])
    return truth.sample(400, 1)


@pytest.mark.parametrize("rank", [1, 3, 6])
def test_the_covariance_is_that_of_scikit_learn(rank):
    n = len(WINE)
    ours, theirs = LowRankGaussian(rank=rank).fit(WINE), PCA(rank).fit(WINE)
    assert_allclose(ours.covariance, theirs.get_covariance() * (n - 1) / n, atol=1e-10)


@pytest.mark.parametrize("family", FAMILIES)
def test_full_rank_is_a_full_covariance(rows, family):
    assert_allclose(family(rank=4).fit(rows).covariance, Gaussian().fit(rows).covariance, rtol=1e-4)
    assert family(rank=5).fit(rows).n_parameters == Gaussian().fit(rows).n_parameters


def test_parameters_are_counted_up_to_a_rotation(rows):
    assert LowRankGaussian(rank=2).fit(rows).n_parameters == 5 + 10 - 1 + 1
    assert FactorGaussian(rank=2).fit(rows).n_parameters == 5 + 10 - 1 + 5
    found = Mixture(LowRankGaussian(rank=2, floor=1e-6), 2).fit(rows)
    assert found.n_parameters == 1 + 2 * 15


def test_numerical_maximisation_finds_no_better_factors():
    S = Moments.of(WINE[:, :6])
    best = FactorGaussian(rank=2).mle(S)

    def loss(free):
        W, noise = free[:12].reshape(6, 2), np.exp(free[12:])
        return -FactorGaussian(S.mean, loadings=W, noise=noise, rank=2).total_log_prob(S) / S.weight

    start = np.concatenate([best.loadings.ravel(), np.log(best.noise)])
    start += np.random.default_rng(0).normal(scale=0.1, size=18)
    found = minimize(loss, start, method="BFGS", options={"gtol": 1e-7})
    assert found.fun >= -best.total_log_prob(S) / S.weight - 1e-8


@pytest.mark.parametrize("family", FAMILIES)
def test_iterations_of_em_over_the_factors_climb_to_the_best(rows, family, rng):
    S = Moments.of(rows)
    best = family(rank=2).mle(S)
    member = family(S.mean, loadings=rng.normal(size=(5, 2)), noise=np.ones(len(best.noise)), rank=2)
    climb = []
    for _ in range(3000):
        member = member.em_round(S)
        climb.append(member.total_log_prob(S))
    assert np.all(np.diff(climb) >= -1e-9 * abs(climb[-1]))
    assert_allclose(member.covariance, best.covariance, atol=2e-4)


def test_no_iteration_of_factor_analysis_lowers_the_likelihood():
    S, member, before = Moments.of(WINE), FactorGaussian(rank=5), -np.inf
    for _ in range(200):
        member = member.climbed(S)
        now = member.total_log_prob(S)
        assert now >= before - 1e-9 * abs(now)
        before = now


@pytest.mark.parametrize("family", FAMILIES)
def test_latents_are_the_conditional_mean_of_the_joint(rows, family):
    member = family(rank=2).fit(rows)
    W, C = member.loadings, member.covariance
    expected = (rows - member.mean) @ np.linalg.solve(C, W)
    assert_allclose(member.latents(rows), expected, atol=1e-10)
    assert_allclose(member.encoder @ member.decoder, np.eye(2), atol=1e-8)
    gappy = rows.copy()
    gappy[:, 1] = np.nan
    seen = [0, 2, 3, 4]
    expected = (rows - member.mean)[:, seen] @ np.linalg.solve(C[np.ix_(seen, seen)], W[seen])
    assert_allclose(member.latents(gappy), expected, atol=1e-9)


def test_a_floor_is_added_to_the_noise(rows):
    for family in FAMILIES:
        plain, floored = family(rank=2).fit(rows), family(rank=2, floor=0.5).fit(rows)
        assert_allclose(floored.covariance, plain.covariance + 0.5 * np.eye(5), atol=1e-5)
        assert_allclose(plain.floored(0.5).covariance, floored.covariance, atol=1e-5)


def test_columns_without_variance():
    X = np.column_stack([np.arange(8.0), 2 * np.arange(8.0) + np.tile([0.1, -0.1], 4), np.full(8, 3.0)])
    found = FactorGaussian(rank=1).fit(X)
    assert np.all(np.isfinite(found.log_prob(X)))
    assert found.noise[2] < 1e-9
    nothing = FactorGaussian(rank=1).fit(np.ones((4, 2)))
    assert_allclose(nothing.covariance, 0)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("rank", [1, 4])
def test_the_precision_is_the_inverse_of_the_covariance(rows, family, rank):
    member = family(rank=rank).fit(rows)
    assert_allclose(member.precision @ member.covariance, np.eye(5), atol=1e-8)


@pytest.mark.parametrize("strength", [3.0, 3e4])
def test_densities_of_strong_and_weak_factors(rng, strength):
    """Squares are subtracted only where that loses no digits; blocks of rows fit together."""
    W = strength * rng.normal(size=(9, 2))
    member = FactorGaussian(rng.normal(size=9), loadings=W, noise=rng.uniform(0.5, 2, 9), rank=2)
    X = member.sample(5000, 0)
    assert_allclose(member.log_prob(X), Gaussian(member.mean, member.covariance).log_prob(X), rtol=1e-6)
    assert_allclose(member.log_prob(X)[4000:], member.log_prob(X[4000:]), rtol=1e-9)
    assert np.all(member.log_prob(X[:2] * 1e200) == -np.inf)


@pytest.mark.parametrize("strength", [1.0, 1e5])
@pytest.mark.parametrize("q", [1, 2, 5])
def test_the_encoder_of_orthogonal_loadings_is_that_of_their_covariance(q, strength):
    rng = np.random.default_rng(q)
    axes = np.linalg.qr(rng.normal(size=(6, q)))[0]
    lengths = np.geomspace(strength, 1.0, q)
    member = LowRankGaussian(np.zeros(6), loadings=axes * lengths, noise=[0.5])
    assert_allclose(member.encoder, (lengths / (lengths**2 + 0.5))[:, None] * axes.T, rtol=1e-10, atol=1e-12)
    assert_allclose(member.encoder, np.linalg.solve(member.covariance, member.loadings).T, atol=strength**2 * 1e-14)
