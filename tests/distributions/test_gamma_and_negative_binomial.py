"""The gamma and the negative binomial distribution at edges, limits, weights and missing values."""

from decimal import Decimal, localcontext
from math import factorial

import numpy as np
import pytest
from scipy import optimize, stats

import suffice as sf
from suffice.distributions import GammaDistribution, NegativeBinomial, Poisson, kl

# ---- gamma ----


@pytest.mark.parametrize("shape", [0.01, 0.3, 1.0, 40.0, 1e6])
def test_shape_is_where_the_likelihood_is_flat(shape):
    x = stats.gamma(shape, scale=3.0).ppf(np.linspace(0.001, 0.999, 500))
    x = np.maximum(x, 1e-300)[:, None]
    member = GammaDistribution().fit(x)
    total = lambda a: stats.gamma.logpdf(x, a, scale=x.mean() / a).sum()  # noqa: E731
    best = optimize.minimize_scalar(lambda u: -total(np.exp(u)), (np.log(shape) - 1, np.log(shape) + 1), tol=1e-12)
    np.testing.assert_allclose(member.shape, np.exp(best.x), rtol=1e-4)
    assert member.log_prob(x).sum() >= -best.fun - 1e-6 * abs(best.fun)
    np.testing.assert_allclose(member.moments()[0], x.mean())


def test_gamma_with_shape_one_is_exponential():
    x = np.array([[0.5], [2.0]])
    np.testing.assert_allclose(GammaDistribution([1.0], [0.7]).log_prob(x), stats.expon(scale=1 / 0.7).logpdf(x[:, 0]))


def test_gamma_is_nothing_outside_its_support():
    member = GammaDistribution([2.0, 3.0], [1.0, 1.0])
    X = np.array([[-1.0, 1.0], [0.0, 1.0], [1.0, np.inf], [1.0, -np.inf], [1.0, 1.0], [np.nan, np.nan]])
    log_prob = member.log_prob(X)
    assert np.isneginf(log_prob[:4]).all()
    np.testing.assert_allclose(log_prob[4:], [stats.gamma(2.0).logpdf(1.0) + stats.gamma(3.0).logpdf(1.0), 0.0])


@pytest.mark.parametrize("value", [1e-100, 1.0, 7.3, 1e100])
def test_gamma_of_equal_values_stays_finite(value):
    member = GammaDistribution().fit(np.full((9, 1), value))
    assert np.isfinite(member.log_prob(np.full((1, 1), value))).all()
    np.testing.assert_allclose(member.moments()[0], value)
    assert GammaDistribution(floor=0.5).fit(np.full((9, 1), value)).shape < 2


def test_gamma_weights_missing_values_and_pieces():
    rng = np.random.default_rng(0)
    X, w = rng.gamma(3.0, 2.0, (90, 2)), rng.integers(0, 4, 90).astype(float)
    X[::7, 1] = np.nan
    member = GammaDistribution().mle(sum_of(GammaDistribution(), X, w))
    for j in range(2):
        own = np.repeat(X[:, j], w.astype(int))
        a, _, scale = stats.gamma.fit(own[~np.isnan(own)], floc=0)
        np.testing.assert_allclose([member.shape[j], member.rate[j]], [a, 1 / scale], rtol=1e-6)
    never = GammaDistribution().fit(np.array([[1.0, np.nan], [2.0, np.nan]]))
    assert never.shape[1] == never.rate[1] == 1.0


# ---- negative binomial ----


def exact(x, mean, size):
    """The log density in fifty digits."""
    with localcontext(prec=50):
        s, m = Decimal(size), Decimal(mean)
        rising = sum(((s + k).ln() for k in range(x)), Decimal(0)) - Decimal(factorial(x)).ln()
        return float(rising + s * (s / (s + m)).ln() + x * (m / (s + m)).ln())


@pytest.mark.parametrize("size", [1e-3, 0.5, 19.9, 20.1, 1e4, 1e9, 1e15])
def test_densities_keep_their_digits_for_any_size(size):
    counts = [0, 1, 2, 30, 900]
    found = NegativeBinomial([5.0], [size]).log_prob(np.array(counts, dtype=float)[:, None])
    np.testing.assert_allclose(found, [exact(x, 5.0, size) for x in counts], rtol=1e-12)


def test_an_infinite_size_is_poisson():
    limit, poisson = NegativeBinomial([0.5, 4.0], [np.inf, np.inf]), Poisson([0.5, 4.0])
    X = poisson.sample(500, 0)
    np.testing.assert_allclose(limit.log_prob(X), poisson.log_prob(X), rtol=1e-12)
    np.testing.assert_allclose(limit.moments(), poisson.moments())
    np.testing.assert_allclose(limit.sample(50_000, 0).var(axis=0), [0.5, 4.0], rtol=0.05)


def test_columns_that_vary_no_more_than_their_mean_are_poisson():
    X = np.array([[2.0, 0.0, 1.0], [2.0, 0.0, 0.0], [3.0, 0.0, 2.0]])
    member = NegativeBinomial().fit(X)
    np.testing.assert_allclose(member.mean, [7 / 3, 0.0, 1.0])
    assert np.isinf(member.size).all()
    assert member.log_prob(np.array([[2.0, 1.0, 0.0]])) == -np.inf
    assert np.isfinite(member.log_prob(X)).all()


def test_the_size_of_the_mites_is_that_of_bliss_and_fisher():
    mites = np.repeat(np.arange(8.0), [70, 38, 17, 10, 9, 3, 2, 1])[:, None]
    assert NegativeBinomial().fit(mites).size == pytest.approx(1.02459, abs=5e-5)


def test_negative_binomial_is_nothing_outside_its_support():
    X = np.array([[-1.0], [0.5], [np.inf], [2.0], [np.nan]])
    log_prob = NegativeBinomial([1.0], [2.0]).log_prob(X)
    assert np.isneginf(log_prob[:3]).all()
    assert np.isfinite(log_prob[3])
    assert log_prob[4] == 0


def test_negative_binomial_in_pieces_and_with_weights():
    rng = np.random.default_rng(0)
    X, w = NegativeBinomial([4.0, 1.0], [2.0, 0.5]).sample(300, rng), rng.integers(0, 4, 300).astype(float)
    X[::7, 1] = np.nan
    pieces = NegativeBinomial().mle(sum_of(NegativeBinomial(), X, w))
    whole = NegativeBinomial().fit(np.repeat(X, w.astype(int), axis=0))
    np.testing.assert_allclose(pieces.size, whole.size, rtol=1e-10)
    np.testing.assert_allclose(pieces.mean, whole.mean, rtol=1e-12)


# ---- where they are used ----


@pytest.mark.parametrize(
    "member", [GammaDistribution([2.0], [1.0]), NegativeBinomial([2.0], [1.5])], ids=lambda m: m.names[0]
)
def test_divergences_by_formula_or_draws(member):
    other = type(member)(*(3.0 * getattr(member, name) for name in list(vars(member))[:2]))
    assert kl(member, member) == pytest.approx(0.0, abs=1e-9)
    assert kl(member, other) > 0.1


def test_two_kinds_of_weather_are_found():
    rng = np.random.default_rng(0)
    rain = np.concatenate([rng.gamma(1.0, 1.0, (400, 1)), rng.gamma(60.0, 0.5, (400, 1))])
    model = sf.MixtureModel(2, component="gamma", random_state=0).fit(rain)
    assert np.sort(model.weights_).round(2).tolist() == [0.5, 0.5]
    wet = sf.NaiveBayes("gamma").fit(rain, np.repeat(["dry", "wet"], 400))
    assert wet.score(rain, np.repeat(["dry", "wet"], 400)) > 0.99


def sum_of(family, X, w):
    return family.statistic(X[:13], w[:13]) + family.statistic(X[13:], w[13:])


def test_the_scale_of_weights_does_not_change_the_size():
    X = np.array([[0.0], [3.0], [9.0]])
    expected = NegativeBinomial().fit(X).size
    for scale in (1e-320, 1e-200, 1e300):
        np.testing.assert_allclose(NegativeBinomial().fit(X, np.full(3, scale)).size, expected, rtol=1e-9)


def test_where_nearly_all_counts_are_zero_the_size_is_the_smallest():
    member = NegativeBinomial().fit(np.array([[0.0], [1e30], [2.0]]), np.array([1e200, 1e-200, 1.0]))
    assert 0 < member.size[0] <= 1e-9
