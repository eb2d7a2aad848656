"""Numbers of least expected cost: against the formula, the quantile by simulation, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from sklearn.linear_model import LinearRegression, Ridge

import suffice as sf
from suffice.distributions import (
    Beta,
    Exponential,
    Gamma,
    Gaussian,
    Laplace,
    Mixture,
    NormalInverseGamma,
    Poisson,
)
from suffice.errors import InvalidData, InvalidParameter


def line(n, seed=0, noise=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, X @ [2.0, -1.0] + (rng.normal(size=n) if noise is None else noise(rng, n))


def test_the_formula_of_normal_errors():
    X, y = line(400)
    model = sf.DecideNumber(sf.LinearRegression(), under=4.0, over=1.0).fit(X, y)
    assert model.quantile_ == pytest.approx(0.8)
    assert model.deviation_ == pytest.approx(1, abs=0.1)
    assert model.shift_ == pytest.approx(stats.norm.ppf(0.8) * model.deviation_, abs=0.02)
    plain = sf.LinearRegression().fit(X, y).predict(X)
    assert_allclose(model.predict(X), plain + model.shift_, rtol=1e-12)


@pytest.mark.parametrize("errors", ["normal", "empirical"])
def test_the_share_above_is_that_of_the_costs(errors):
    X, y = line(4000, 1)
    new, truth = line(4000, 2)
    model = sf.DecideNumber(sf.LinearRegression(), under=9.0, over=1.0, errors=errors).fit(X, y)
    assert np.mean(truth <= model.predict(new)) == pytest.approx(0.9, abs=0.02)  # 4 standard deviations of both


def test_skewed_errors_need_their_own_quantile():
    X, y = line(3000, 3, lambda rng, n: rng.exponential(size=n))
    new, truth = line(3000, 4, lambda rng, n: rng.exponential(size=n))
    costs = [-sf.DecideNumber(sf.LinearRegression(), under=1.0, over=9.0, errors=errors).fit(X, y).score(new, truth)
             for errors in ("normal", "empirical")]  # fmt: skip
    assert costs[1] < costs[0]
    best = stats.expon.ppf(0.1) - 1  # of errors about their mean
    off = truth - (new @ [2.0, -1.0] + 1) - best
    assert costs[1] == pytest.approx(np.mean(np.where(off > 0, off, -9 * off)), rel=0.05)


def test_models_of_scikit_learn_and_rows_in_files(tmp_path):
    X, y = line(200)
    ours = sf.DecideNumber(sf.LinearRegression(), under=2.0).fit(X, y)
    theirs = sf.DecideNumber(LinearRegression(), under=2.0).fit(X, y)
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    np.savetxt(tmp_path / "rows.csv", np.column_stack([X, y]), delimiter=",", header="a,b,y", comments="", fmt="%.17g")
    again = sf.DecideNumber(sf.LinearRegression(), under=2.0).fit(sf.scan(tmp_path / "rows.csv", target="y"))
    assert again.shift_ == pytest.approx(ours.shift_, rel=1e-9)
    sf.save(ours, tmp_path / "model.sff")
    assert_allclose(sf.load(tmp_path / "model.sff").predict(X), ours.predict(X))


def test_refusals():
    X, y = line(50)
    with pytest.raises(InvalidParameter, match="under must be"):
        sf.DecideNumber(under=0).fit(X, y)
    with pytest.raises(InvalidData, match="one target, and has 2 columns"):
        sf.DecideNumber().fit(X, np.column_stack([y, y]))
    with pytest.raises(InvalidData, match="at least 2 rows that differ"):
        sf.DecideNumber().fit(np.ones((5, 2)), np.arange(5.0))


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (sf.LinearRegression(), lambda m, X: m.predict_interval(X, level=0.6, of="target")[:, 1]),
        (sf.BayesianRidge(), lambda m, X: m.predict(X) + stats.norm.ppf(0.8) * m.predict(X, return_std=True)[1]),
        (
            sf.RandomForestRegressor(20, min_samples_leaf=9, keep_targets=True, random_state=0),
            lambda m, X: m.predict_quantiles(X, [0.8])[:, 0],
        ),
        (sf.GaussianProcessRegressor(alpha=1.0), lambda m, X: m.predict_interval(X, level=0.6, of="target")[:, 1]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_models_say_of_targets_themselves(model, expected, tmp_path):
    X, y = line(120, 5)
    found = sf.DecideNumber(model, under=4.0, over=1.0, errors="predictive").fit(X, y)
    assert_allclose(found.predict(X), expected(model.fit(X, y), X), rtol=1e-9)
    assert 0.7 < np.mean(y <= found.predict(X)) < 0.95
    sf.save(found, tmp_path / "model.sff")
    assert_allclose(sf.load(tmp_path / "model.sff").predict(X), found.predict(X))
    even = sf.DecideNumber(model, errors="predictive").fit(X, y).predict(X)
    assert np.all(even <= found.predict(X) + 1e-9)


def test_least_squares_with_unknown_noise_says_students_t():
    X, y = line(9, 6)
    found = sf.DecideNumber(sf.LinearRegression(), under=1.0, over=19.0, errors="predictive").fit(X, y)
    A = np.column_stack([np.ones(9), X])
    beta = np.linalg.lstsq(A, y, rcond=None)[0]
    noise = np.sum((y - A @ beta) ** 2) / 6
    deviation = np.sqrt(noise * (1 + np.einsum("ij,jk,ik->i", A, np.linalg.inv(A.T @ A), A)))
    assert_allclose(found.predict(X), A @ beta + stats.t.ppf(0.05, 6) * deviation, rtol=1e-8)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (Gaussian(np.array([2.0]), np.array([[9.0]])), stats.norm(2, 3)),
        (Gamma(30.0, 2.0).posterior_predictive(), stats.nbinom(30, 2 / 3)),
        (Gamma(2.5, 3.0).posterior_predictive("exponential"), stats.lomax(2.5, scale=3)),
        (Beta(2.0, 3.0).posterior_predictive(), stats.betabinom(1, 2, 3)),
        (NormalInverseGamma(1.0, 2.0, 3.0, 4.0).posterior_predictive(), stats.t(6, 1.0, np.sqrt(4 * 3 / (3 * 2)))),
        (Exponential(np.array([0.5])), stats.expon(scale=2)),
        (Laplace(np.array([1.0]), np.array([2.0])), stats.laplace(1, 2)),
        (Poisson(np.array([7.3])), stats.poisson(7.3)),
    ],
    ids=lambda value: getattr(getattr(value, "dist", None), "name", type(value).__name__),
)
@pytest.mark.parametrize("q", [1e-4, 0.05, 0.5, 0.8, 0.999])
def test_quantiles_of_every_kind_of_distribution_against_scipy(ours, theirs, q):
    assert sf.least_cost_number(ours, q, 1 - q) == pytest.approx(theirs.ppf(q), rel=1e-7, abs=1e-9)
    assert sf.least_cost_number(theirs, q, 1 - q) == theirs.ppf(q)


def test_quantiles_of_mixtures_and_draws():
    parts = tuple(Gaussian(np.array([m]), np.array([[1e-4]])) for m in (-50.0, 80.0))
    two = Mixture(Gaussian(), 2, weights=[0.3, 0.7], parts=parts)
    assert sf.least_cost_number(two, 0.15, 0.85) == pytest.approx(-50, abs=1e-6)
    assert sf.least_cost_number(two, 0.65, 0.35) == pytest.approx(80, abs=1e-6)
    assert sf.least_cost_number([3.0, 1.0, 2.0, 4.0], 3.0, 1.0) == 3.0
    for wrong in ("much", [], [np.nan], np.ones((2, 2))):
        with pytest.raises(InvalidData, match="must be a distribution of one column, something with ppf, or finite"):
            sf.least_cost_number(wrong)
    with pytest.raises(InvalidParameter, match="must have parameters and one column"):
        sf.least_cost_number(Gaussian(np.zeros(2), np.eye(2)))
    with pytest.raises(InvalidParameter, match="under must be"):
        sf.least_cost_number([1.0], under=-1)
    for under in (1.0, 2.0):  # its mean is no quantile
        with pytest.raises(InvalidParameter, match="PoissonRegressor"):
            sf.DecideNumber(sf.PoissonRegressor(), under=under, errors="predictive").fit(
                [[1.0], [2.0], [3.0]], [1, 2, 4]
            )
    with pytest.raises(InvalidParameter, match=r"errors='predictive' needs quantiles.*and Ridge has none"):
        sf.DecideNumber(Ridge(), errors="predictive").fit(*line(30))
