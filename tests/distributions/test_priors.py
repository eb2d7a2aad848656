"""Log densities of the priors against SciPy, edges of their modes, and improper ones."""

import numpy as np
import pytest
from scipy import stats

from suffice.distributions import (
    Beta,
    Categorical,
    Dirichlet,
    Exponential,
    Gamma,
    NormalInverseGamma,
    NormalInverseWishart,
    Poisson,
)
from suffice.errors import InvalidParameter

SPREAD = np.array([[2.0, 0.5], [0.5, 1.0]])


def inverse_wishart(mean, covariance):
    normal = stats.multivariate_normal.logpdf(mean, [1.0, 2.0], covariance / 3.0)
    return stats.invwishart.logpdf(covariance, 5.0, SPREAD) + normal


def inverse_gamma(mean, variance):
    return stats.invgamma.logpdf(variance, 2.5, scale=1.5) + stats.norm.logpdf(mean, 1.0, np.sqrt(variance / 3.0))


@pytest.mark.parametrize(
    ("prior", "values", "expected"),
    [
        (Beta(2.5, 1.2), {"probability": np.array([0.3])}, stats.beta.logpdf(0.3, 2.5, 1.2)),
        (Gamma(2.5, 3.0), {"rate": np.array([0.3])}, stats.gamma.logpdf(0.3, 2.5, scale=1 / 3)),
        (
            Dirichlet([2.0, 0.5, 3.0]),
            {"probability": np.array([0.2, 0.3, 0.5])},
            stats.dirichlet.logpdf([0.2, 0.3, 0.5], [2.0, 0.5, 3.0]),
        ),
        (
            NormalInverseWishart([1.0, 2.0], 3.0, SPREAD, 5.0),
            {"mean": np.array([0.5, 1.0]), "covariance": np.eye(2)},
            inverse_wishart([0.5, 1.0], np.eye(2)),
        ),
        (NormalInverseGamma(1.0, 3.0, 2.5, 1.5), {"mean": 0.2, "variance": 0.7}, inverse_gamma(0.2, 0.7)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_log_density_is_that_of_scipy(prior, values, expected):
    np.testing.assert_allclose(prior.log_prob(**values), expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("prior", "expected"),
    [
        (Beta([0.5, 3.0, 0.5], [2.0, 0.5, 0.5]), [0.0, 1.0, np.nan]),
        (Gamma([0.5, 3.0], 2.0), [0.0, 1.0]),
        (Dirichlet([0.5, 2.0, 3.0]), [0.0, 1 / 3, 2 / 3]),
    ],
)
def test_a_mode_on_the_edge(prior, expected):
    np.testing.assert_allclose(next(iter(prior.mode().values())), expected)


@pytest.mark.parametrize("prior", [Gamma(1.0, 0.0), NormalInverseGamma.flat(2), NormalInverseWishart.flat(2)])
def test_an_improper_prior_has_no_draws(prior):
    assert not prior.proper
    with pytest.raises(InvalidParameter, match="improper prior has no draws"):
        prior.sample(3)


def test_one_gamma_serves_counts_and_waits():
    x = np.array([[1.0], [2.0], [6.0]])
    counts = Poisson().posterior(Poisson().statistic(x), Gamma(2.0, 0.5))
    waits = Exponential().posterior(Exponential().statistic(x), Gamma(2.0, 0.5))
    assert (float(counts.shape[0]), float(counts.rate[0])) == (11.0, 3.5)
    assert (float(waits.shape[0]), float(waits.rate[0])) == (5.0, 9.5)


def test_smoothing_gives_unseen_categories_a_chance():
    family = Categorical(categories=4)
    seen = family.statistic(np.array([[0.0], [0.0], [1.0]]))
    smoothed = family.map_estimate(seen, Dirichlet(1.0 + 0.5)).probability[0]
    np.testing.assert_allclose(smoothed, np.array([2.5, 1.5, 0.5, 0.5]) / 5)


def test_a_single_concentration_does_not_say_how_many():
    with pytest.raises(InvalidParameter, match="how many categories"):
        Dirichlet(2.0).sample(3)
