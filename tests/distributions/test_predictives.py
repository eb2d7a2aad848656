"""Predictive distributions and evidences of conjugate priors against SciPy and quadrature."""

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import betaln

from suffice.distributions import (
    Bernoulli,
    Beta,
    Categorical,
    Dirichlet,
    DirichletMultinomial,
    Exponential,
    Gamma,
    Gaussian,
    Independent,
    Laplace,
    Lomax,
    Multinomial,
    NegativeBinomial,
    NormalInverseGamma,
    NormalInverseWishart,
    StudentT,
)  # fmt: skip
from suffice.errors import InvalidData, InvalidParameter

SPREAD = np.array([[2.0, 0.5], [0.5, 1.0]])
X = np.array([[0.3, -1.0], [2.0, 0.5], [1.1, 1.4]])


@pytest.mark.parametrize(
    ("predictive", "rows", "expected"),
    [
        (Beta(2.0, 3.0).posterior_predictive(), [[0.0], [1.0]], stats.betabinom(1, 2.0, 3.0).logpmf([0, 1])),
        (Gamma(2.5, 3.0).posterior_predictive(), [[0.0], [4.0]], stats.nbinom(2.5, 3 / 4).logpmf([0, 4])),
        (
            Gamma(2.5, 3.0).posterior_predictive("exponential"),
            [[0.1], [4.0]],
            stats.lomax(2.5, scale=3.0).logpdf([0.1, 4.0]),
        ),
        (
            Dirichlet([2.0, 0.5, 3.0]).posterior_predictive(Multinomial(trials=4)),
            [[1, 0, 3], [0, 4, 0]],
            stats.dirichlet_multinomial([2.0, 0.5, 3.0], 4).logpmf([[1, 0, 3], [0, 4, 0]]),
        ),
        (Dirichlet(([2.0, 0.5, 1.5],)).posterior_predictive(), [[0.0], [1.0]], np.log([0.5, 0.125])),
        (
            NormalInverseGamma(1.0, 3.0, 2.5, 1.5).posterior_predictive(),
            [[0.2], [4.0]],
            stats.t(5.0, 1.0, np.sqrt(1.5 * 4 / (3 * 2.5))).logpdf([0.2, 4.0]),
        ),
        (
            NormalInverseWishart([1.0, 2.0], 3.0, SPREAD, 5.0).posterior_predictive(),
            X,
            stats.multivariate_t([1.0, 2.0], SPREAD * 4 / (3 * 4), 4.0).logpdf(X),
        ),
    ],
    ids=["beta", "poisson", "exponential", "multinomial", "categorical", "normal", "wishart"],
)
def test_predictives_are_those_of_scipy(predictive, rows, expected):
    np.testing.assert_allclose(predictive.log_prob(rows), expected, rtol=1e-10)


def test_they_are_distributions_of_the_library():
    kinds = [Bernoulli, NegativeBinomial, Lomax, DirichletMultinomial, Categorical, Independent, StudentT]
    found = [
        Beta(2.0, 3.0).posterior_predictive(), Gamma(2.0, 1.0).posterior_predictive(),
        Gamma(2.0, 1.0).posterior_predictive(Exponential()), Dirichlet([1.0, 2.0]).posterior_predictive(),
        Dirichlet(([1.0, 2.0],)).posterior_predictive(), NormalInverseGamma(0.0, 1.0, 2.0, 1.0).posterior_predictive(),
        NormalInverseWishart([0.0], 1.0, [[1.0]], 3.0).posterior_predictive(),
    ]  # fmt: skip
    assert [type(one) for one in found] == kinds


# -- evidence ---------------------------------------------------------------------------------------------------------
def test_evidence_of_tosses():
    tosses = np.array([[1.0], [0.0], [1.0], [1.0]])
    assert Beta(2.0, 0.5).log_evidence(tosses) == pytest.approx(betaln(5.0, 1.5) - betaln(2.0, 0.5), rel=1e-12)
    exact = quad(lambda p: stats.beta(2.0, 3.0).pdf(p) * p**3 * (1 - p), 0, 1)[0]
    assert Beta(2.0, 3.0).log_evidence(tosses) == pytest.approx(np.log(exact), rel=1e-9)


@pytest.mark.parametrize(
    ("family", "likelihood"),
    [("poisson", lambda rate, x: stats.poisson.pmf(x, rate)), ("exponential", lambda r, x: r * np.exp(-r * x))],
)
def test_evidence_of_rates_by_quadrature(family, likelihood):
    x = np.array([[2.0], [5.0], [1.0]])
    prior = Gamma(1.7, 0.4)
    exact = quad(lambda r: stats.gamma(1.7, scale=2.5).pdf(r) * np.prod(likelihood(r, x[:, 0])), 0, 60)[0]
    assert prior.log_evidence(x, family=family) == pytest.approx(np.log(exact), rel=1e-8)


def test_evidence_of_a_normal_column_by_quadrature():
    x, prior = np.array([[0.3], [2.0], [1.1]]), NormalInverseGamma(1.0, 3.0, 2.5, 1.5)

    mean, log_variance = np.meshgrid(np.linspace(-12, 14, 1601), np.linspace(-5, 6, 1401), indexing="ij")
    variance = np.exp(log_variance)
    belief = stats.invgamma(2.5, scale=1.5).pdf(variance) * stats.norm(1.0, np.sqrt(variance / 3)).pdf(mean)
    likelihood = np.prod([stats.norm.pdf(value, mean, np.sqrt(variance)) for value in x[:, 0]], axis=0)
    inner = np.trapezoid(belief * likelihood * variance, log_variance[0], axis=1)
    exact = np.trapezoid(inner, mean[:, 0])
    assert prior.log_evidence(x) == pytest.approx(np.log(exact), rel=1e-6)


def test_evidence_of_one_column_is_the_same_by_either_prior():
    """A Wishart matrix of one column is a gamma number."""
    x = X[:, :1]
    gamma = NormalInverseGamma(1.0, 3.0, 2.5, 1.5).log_evidence(x)
    assert NormalInverseWishart([1.0], 3.0, [[3.0]], 5.0).log_evidence(x) == pytest.approx(gamma, rel=1e-10)


def test_evidence_of_weights_and_of_summaries():
    prior, family = NormalInverseWishart([1.0, 2.0], 3.0, SPREAD, 5.0), Gaussian()
    repeated = prior.log_evidence(np.vstack([X, X[:1]]))
    assert prior.log_evidence(X, [2, 1, 1]) == pytest.approx(repeated, rel=1e-12)
    halves = family.statistic(X[:1]) + family.statistic(np.vstack([X[1:], X[:1]]))
    assert prior.log_evidence(halves) == pytest.approx(repeated, rel=1e-12)


def test_evidence_prefers_the_model_the_rows_are_from():
    counts = np.random.default_rng(0).poisson(4.0, (200, 1)).astype(float)
    assert Gamma(4.0, 1.0).log_evidence(counts) > Gamma(4.0, 1.0).log_evidence(counts, family="exponential")


def test_rows_that_lack_the_last_categories():
    prior = Dirichlet((np.full(4, 0.5),))
    codes = np.array([[0.0], [1.0]])
    assert prior.log_evidence(codes) == pytest.approx(np.log(0.25 * 0.5 / 3))
    with pytest.raises(InvalidData, match="Dirichlet: the prior has 4 categories, the rows have 6"):
        prior.log_evidence(np.array([[5.0]]))


# -- what has neither -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("prior", [Gamma(1.0, 0.0), NormalInverseGamma.flat(2), NormalInverseWishart.flat(2)])
def test_improper_priors(prior):
    with pytest.raises(InvalidParameter, match="an improper prior predicts nothing; update it by rows first"):
        prior.posterior_predictive()
    with pytest.raises(InvalidParameter, match="an improper prior has no evidence"):
        prior.log_evidence(np.ones((2, 2)))


def test_an_improper_prior_predicts_after_some_rows():
    x = np.array([[2.0], [3.0], [7.0], [4.0]])
    family = Gaussian()
    predictive = family.posterior(family.statistic(x), NormalInverseWishart.flat(1)).posterior_predictive()
    assert predictive.df == pytest.approx(1.0)
    assert predictive.mean[0] == pytest.approx(4.0)


def test_families_that_a_prior_does_not_know():
    with pytest.raises(InvalidParameter, match="Gamma: it is the prior of Poisson and Exponential; got Laplace"):
        Gamma(1.0, 1.0).posterior_predictive("laplace")
    with pytest.raises(InvalidParameter, match="how many categories"):
        Dirichlet(2.0).posterior_predictive("categorical")


@pytest.mark.parametrize(
    "prior",
    [
        Beta([2.0, 3.0], 1.0), Gamma([2.0, 3.0], 1.0), Dirichlet([1.0, 2.0]), Dirichlet(([1.0, 2.0], [1.0, 1.0])),
        NormalInverseGamma([0.0, 1.0], 1.0, 1.0, 1.0), NormalInverseWishart([1.0, 2.0], 3.0, SPREAD, 5.0),
    ],
    ids=lambda prior: type(prior).__name__,
)  # fmt: skip
@pytest.mark.parametrize("d", [1, 3])
def test_rows_of_other_columns(prior, d):
    name = type(prior).__name__
    with pytest.raises(InvalidData, match=f"{name}: the prior is of 2 columns, the rows have {d}"):
        prior.log_evidence(np.ones((2, d)))
    with pytest.raises(InvalidParameter, match=f"{name}: rows are summed up by .*; got a ColumnValues"):
        prior.posterior(Laplace().statistic(np.ones((2, 2))))


def test_rows_outside_the_support_and_missing_cells():
    with pytest.raises(InvalidData, match=r"Gamma: row 0, column 0 holds 0\.5; Poisson needs counts"):
        Gamma(1.0, 1.0).log_evidence([[0.5]])
    with pytest.raises(InvalidData, match="no closed form of the evidence where cells are missing"):
        NormalInverseWishart([1.0, 2.0], 3.0, SPREAD, 5.0).log_evidence([[np.nan, 1.0]])
    prior = Beta(2.0, 3.0)
    seen = prior.log_evidence([[1.0, 0.0], [np.nan, 1.0]])
    assert seen == pytest.approx(prior.log_evidence([[1.0]]) + prior.log_evidence([[0.0], [1.0]]))
