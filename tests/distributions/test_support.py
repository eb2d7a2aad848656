"""Densities outside their support, and divergences between families, against quadrature."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.sparse import csr_array
from scipy.stats import expon, gamma, norm, poisson

import suffice as sf
from suffice.distributions import (
    Bernoulli,
    Categorical,
    DiagonalGaussian,
    Exponential,
    GammaDistribution,
    Gaussian,
    Independent,
    Laplace,
    Mixture,
    Multinomial,
    NegativeBinomial,
    Poisson,
    SphericalGaussian,
    TiedGaussian,
    jensen_shannon,
    kl,
)  # fmt: skip
from suffice.errors import InvalidData, InvalidParameter

NORMAL, WAIT = Gaussian([0.0], [[1.0]]), Exponential([1.0])


def test_an_exponential_has_no_negative_values():
    np.testing.assert_array_equal(WAIT.log_prob([[-1.0], [0.0], [2.0], [np.nan]]), [-np.inf, 0.0, -2.0, 0.0])


@pytest.mark.parametrize("family", [Poisson([2.0, 3.0]), Bernoulli([0.2, 0.6]), Multinomial([0.3, 0.7])], ids=repr)
def test_sparse_rows_too(family):
    rows = csr_array([[1.0, 0.0], [0.5, 0.0], [0.0, -1.0], [0.0, 1.0]])
    np.testing.assert_array_equal(np.isneginf(family.log_prob(rows)), [False, True, True, False])


def test_a_code_is_not_cut_to_a_whole_one():
    member = Categorical(([0.25, 0.75],))
    np.testing.assert_array_equal(member.log_prob([[0.9], [2.0], [-0.5]]), -np.inf)


def test_zero_wins_over_an_infinite_density():
    point = Independent({0: Exponential([np.inf]), 1: Poisson([2.0])})
    np.testing.assert_array_equal(point.log_prob([[0.0, 1.0], [0.0, 0.5]]), [np.inf, -np.inf])
    np.testing.assert_array_equal(Independent.log_probs([point, point], np.array([[0.0, 0.5]])), -np.inf)


def test_a_laplace_of_one_value():
    point = Laplace([1.0], [0.0])
    np.testing.assert_array_equal(point.log_prob([[1.0], [2.0], [np.nan]]), [np.inf, -np.inf, 0.0])


# -- divergences ----------------------------------------------------------------------------------------------------
def test_kl_is_infinite_where_the_supports_demand_it():
    assert kl(NORMAL, WAIT) == np.inf
    assert kl(Gaussian([50.0], [[1.0]]), WAIT) == np.inf  # no draw would show it
    assert kl(Poisson([1.0]), Bernoulli([0.3])) == np.inf
    assert kl(NORMAL, Poisson([1.0])) == kl(Poisson([1.0]), NORMAL) == np.inf
    assert kl(Multinomial([0.5, 0.5], trials=2), Multinomial([0.5, 0.5], trials=3)) == np.inf
    assert kl(Poisson([2.0, 1.0]), Multinomial([0.5, 0.5], trials=30)) == np.inf


@pytest.mark.parametrize(
    ("p", "q", "first", "second"),
    [
        (WAIT, NORMAL, expon.logpdf, norm.logpdf),
        (GammaDistribution([2.0], [1.0]), WAIT, lambda x: gamma.logpdf(x, 2.0), expon.logpdf),
    ],
)
def test_kl_is_that_of_quadrature(p, q, first, second):
    exact = quad(lambda x: np.exp(first(x)) * (first(x) - second(x)), 0, 60)[0]
    found = kl(p, q)
    assert abs(found - exact) < 5 * found.standard_error


def test_kl_of_counts_is_that_of_the_sum():
    x = np.array([0, 1])
    exact = np.sum([0.7, 0.3] * (np.log([0.7, 0.3]) - poisson.logpmf(x, 1.0)))
    found = kl(Bernoulli([0.3]), Poisson([1.0]))
    assert abs(found - exact) < 5 * found.standard_error


def test_jensen_shannon_is_that_of_quadrature():
    def half(x, own, other):
        return own.pdf(x) * np.log(2 * own.pdf(x) / (own.pdf(x) + other.pdf(x))) if own.pdf(x) > 0 else 0.0

    exact = sum(quad(half, -12, 60, (a, b), points=[0.0], limit=200)[0] for a, b in ((norm, expon), (expon, norm))) / 2
    found = jensen_shannon(NORMAL, WAIT)
    assert exact == pytest.approx(0.2293, abs=1e-4)
    assert abs(found - exact) < 5 * found.standard_error


def test_jensen_shannon_of_probabilities_and_densities():
    assert jensen_shannon(NORMAL, Poisson([3.0])) == np.log(2)
    assert jensen_shannon(Multinomial([0.5, 0.5], trials=2), Multinomial([0.5, 0.5], trials=3)) == pytest.approx(
        np.log(2)
    )


def test_gaussians_of_any_form_share_a_formula():
    tied, full = TiedGaussian([1.0, 0.0], np.eye(2)), Gaussian([0.0, 0.0], 2 * np.eye(2))
    assert kl(tied, full) == pytest.approx(full.kl(full) + 0.5 * (1.0 + 0.5 - 2 + 2 * np.log(2)))
    assert kl(tied, full).standard_error == 0


def test_mixed_columns_are_compared_by_their_parts_or_by_draws():
    counts, waits = Poisson([2.0]), Exponential([1.0])
    both, turned = Independent({0: counts, 1: waits}), Independent({1: Exponential([2.0]), 0: counts})
    assert kl(both, turned) == pytest.approx(kl(waits, Exponential([2.0])))
    other = Independent({0: NegativeBinomial([2.0], [3.0]), 1: waits})
    assert 0 < kl(both, other) < 0.1
    assert kl(both, other).standard_error > 0
    together, apart = Independent({(0, 1): Poisson([1.0, 2.0])}), Independent({0: counts, 1: counts})
    found = kl(together, apart)
    assert abs(found - kl(Poisson([1.0, 2.0]), Poisson([2.0, 2.0]))) < 5 * found.standard_error


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (Gaussian([0.0], [[1.0]]), Gaussian([0.0], [[0.0]])),
        (Gaussian([0.0], [[0.0]]), Gaussian([0.0], [[1.0]])),
        (DiagonalGaussian([0.0], [1.0]), DiagonalGaussian([0.0], [0.0])),
        (DiagonalGaussian([0.0], [0.0]), DiagonalGaussian([0.0], [1.0])),
        (Laplace([0.0], [1.0]), Laplace([0.0], [0.0])),
    ],
)
def test_members_without_spread_are_infinitely_far_from_others(p, q):
    assert kl(p, q) == np.inf


def test_divergences_need_the_same_columns():
    with pytest.raises(InvalidParameter, match="over the same columns; got Exponential of 1 and Laplace of 2"):
        kl(WAIT, Laplace([0.0, 0.0], [1.0, 1.0]))
    with pytest.raises(InvalidParameter, match="between two distributions"):
        jensen_shannon(WAIT, [0.5, 0.5])
    with pytest.raises(InvalidParameter, match="table of probabilities has numbers; got a Exponential"):
        kl([0.5, 0.5], WAIT)


# -- models ---------------------------------------------------------------------------------------------------------
def test_a_mixture_shares_an_impossible_row_out_by_its_weights():
    mixture = Mixture.of([0.25, 0.75], [Poisson([0.0]), Poisson([0.0])])
    found = mixture.statistic([[3.0], [0.0]], [2.0, 1.0])
    np.testing.assert_allclose(found.weight, [0.75, 2.25])
    assert found.log_likelihood == -np.inf
    assert mixture.statistic([[3.0], [0.0]], [0.0, 1.0]).log_likelihood == pytest.approx(0.0)
    np.testing.assert_allclose(mixture.posterior_of([[3.0]]), [[0.25, 0.75]])


def test_mixtures_and_anomalies_of_rows_outside_the_support():
    X = np.random.default_rng(0).exponential(1.0, (300, 1))
    model = sf.MixtureModel(2, component="exponential", random_state=0, max_iter=500).fit(X)
    assert model.score_samples([[-3.0]]) == -np.inf
    np.testing.assert_allclose(model.predict_proba([[-3.0]])[0], model.weights_)
    alarm = sf.DensityAnomaly("exponential").fit(X)
    np.testing.assert_array_equal(alarm.predict([[-3.0], [0.5]]), [-1, 1])
    assert alarm.decision_function([[-3.0]]) == -np.inf


def test_spherical_and_diagonal_gaussians_take_no_infinite_cells():
    rows = np.array([[np.inf, 0.0], [-np.inf, np.nan], [0.0, 0.0]])
    member = SphericalGaussian([0.0, 0.0], [1.0])
    np.testing.assert_array_equal(np.isneginf(member.log_prob(rows)), [True, True, False])


def test_a_row_that_no_component_can_be_is_refused_by_name():
    model = sf.MixtureModel(2, component="bernoulli", random_state=0).fit(np.tile([[0.0, 1.0], [0.0, 0.0]], (20, 1)))
    with pytest.raises(InvalidData, match="MixtureModel: a row has density 0 under every component"):
        model.partial_fit(np.ones((5, 2)))
