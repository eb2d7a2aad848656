"""The two distributions that predictions of waits and of rows of counts are: limits, edges and fits."""

import numpy as np
import pytest
from scipy import optimize, stats

from suffice.distributions import DirichletMultinomial, Exponential, Lomax, Multinomial

RNG = np.random.default_rng(0)


def test_a_lomax_without_heavy_tails_is_exponential():
    x = RNG.uniform(1.0, 2.0, (50, 1))
    member = Lomax().fit(x)
    np.testing.assert_allclose(member.log_prob(x).sum(), Exponential().fit(x).log_prob(x).sum(), rtol=1e-6)


def test_a_lomax_without_moments():
    mean, variance = Lomax([0.5, 1.5, 3.0], [1.0, 1.0, 1.0]).moments()
    np.testing.assert_allclose(mean, [np.inf, 2.0, 0.5])
    np.testing.assert_allclose(variance, [np.inf, np.inf, 0.75])


def test_a_lomax_of_zeros_and_of_nothing():
    assert np.isfinite(Lomax().fit(np.zeros((3, 1))).log_prob(np.zeros((1, 1)))).all()
    assert Lomax().fit(np.array([[1.0, np.nan]])).shape[1] == 1.0


@pytest.mark.parametrize("trials", [1, 8])
def test_two_columns_are_beta_binomial(trials):
    member = DirichletMultinomial([2.0, 0.5], trials)
    x = np.arange(trials + 1.0)
    expected = stats.betabinom(trials, 2.0, 0.5).logpmf(x)
    np.testing.assert_allclose(member.log_prob(np.column_stack([x, trials - x])), expected, rtol=1e-10)


def test_a_large_concentration_is_multinomial():
    X, p = np.array([[3.0, 1.0, 6.0], [0.0, 0.0, 200.0]]), np.array([0.2, 0.3, 0.5])
    for total in (1e8, 1e12, 1e15):
        found = DirichletMultinomial(p * total).log_prob(X)
        np.testing.assert_allclose(found, Multinomial(p).log_prob(X), rtol=1e-3 if total == 1e8 else 1e-7)


def test_the_fit_is_that_of_a_general_optimiser():
    X = DirichletMultinomial([3.0, 0.4, 1.5], 12).sample(300, 0)

    def loss(free):
        return -sum(stats.dirichlet_multinomial(np.exp(free), 12).logpmf(X))

    expected = optimize.minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-6}).x
    np.testing.assert_allclose(DirichletMultinomial().fit(X).concentration, np.exp(expected), rtol=1e-4)


def test_counts_that_vary_too_little():
    X = np.tile([[2.0, 3.0, 5.0]], (20, 1))
    member = DirichletMultinomial().fit(X)
    np.testing.assert_allclose(member.concentration / member.concentration.sum(), [0.2, 0.3, 0.5], rtol=1e-3)
    assert np.isfinite(member.log_prob(X)).all()


@pytest.mark.parametrize("X", [np.zeros((2, 3)), np.array([[4.0, 0.0, 0.0], [2.0, 0.0, 0.0]])])
def test_columns_without_counts(X):
    member = DirichletMultinomial().fit(X)
    assert np.all(member.concentration > 0)
    assert np.isfinite(member.log_prob(X)).all()
