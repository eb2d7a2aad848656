"""Bayesian ridge regression against scikit-learn."""

import itertools

import numpy as np
import pytest
import sklearn.linear_model as sk
from numpy.testing import assert_allclose
from scipy import sparse

import suffice as sf
from suffice.errors import InvalidParameter, NotConverged

RNG = np.random.default_rng(0)
X = RNG.normal(size=(100, 4)) + 2
Y = X @ [1.0, 0.0, 2.0, 0.1] + RNG.normal(size=100)
WEIGHT = RNG.integers(0, 3, 100).astype(float)
SETTINGS = [{}, {"fit_intercept": False}, {"lambda_init": 0.1, "tol": 1e-8}, {"alpha_1": 0.5, "lambda_2": 2.0}]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_scikit_learn(settings):
    settings = {"lambda_init": 1.0, "tol": 1e-10} | settings  # theirs begins there whatever the units are
    ours = sf.BayesianRidge(**settings).fit(X, Y)
    theirs = sk.BayesianRidge(compute_score=True, **settings).fit(X, Y)
    for name in ("coef_", "intercept_", "alpha_", "lambda_", "sigma_"):
        assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9, atol=1e-12)
    both = min(ours.n_iter_, theirs.n_iter_)
    assert_allclose(ours.scores_[:both], theirs.scores_[:both], rtol=1e-6)
    assert_allclose(ours.predict(X, return_std=True), theirs.predict(X, return_std=True), rtol=1e-10)


def test_slopes_are_those_of_ridge():
    model = sf.BayesianRidge().fit(X, Y, WEIGHT)
    ridge = sf.Ridge(model.lambda_ / model.alpha_).fit(X, Y, WEIGHT)
    assert_allclose(model.coef_, ridge.coef_, rtol=1e-9)


@pytest.mark.parametrize("unit", [1e-6, 1e6, 1e100])
def test_the_unit_of_the_target_changes_nothing(unit):
    """Flat priors have no unit; scikit-learn's fit ends at slopes of 0 from 1e5 on."""
    flat = dict.fromkeys(("alpha_1", "alpha_2", "lambda_1", "lambda_2"), 0)
    expected = sf.BayesianRidge(**flat).fit(X, Y)
    found = sf.BayesianRidge(**flat).fit(X, Y * unit)
    assert_allclose(found.coef_ / unit, expected.coef_, rtol=1e-9)
    assert found.n_iter_ == expected.n_iter_
    assert_allclose(sf.BayesianRidge().fit(X, Y * max(unit, 1e5)).coef_ / max(unit, 1e5), expected.coef_, rtol=1e-3)


def test_too_few_iterations_are_said():
    with pytest.warns(NotConverged, match="max_iter=1"):
        model = sf.BayesianRidge(max_iter=1).fit(X, Y)
    assert model.history_.status == "max_iter"
    assert sf.BayesianRidge().fit(X, Y).history_.status == "converged"


def test_a_prior_without_end_is_refused():
    with pytest.raises(InvalidParameter, match="alpha_2 must be a number, at least 0, at most 1e\\+100; got inf"):
        sf.BayesianRidge(alpha_2=np.inf).fit(X, Y)


PRIORS = [
    dict(zip(("alpha_1", "alpha_2", "lambda_1", "lambda_2"), values, strict=True))
    for values in itertools.product((0, 1e-6, 1e100), repeat=4)
]


@pytest.mark.filterwarnings("ignore::suffice.errors.NotConverged")
@pytest.mark.parametrize("unit", [1, 1e120, 1e-120])
@pytest.mark.parametrize("rows", [X, X[:2], X[:1], np.ones((100, 4))], ids=["many", "two", "one", "equal"])
def test_every_prior_has_a_finite_answer(rows, unit):
    for prior in PRIORS:
        for start in ({}, {"alpha_init": 1e100, "lambda_init": 1e-100}):
            model = sf.BayesianRidge(**prior, **start).fit(rows * unit, Y[: len(rows)])
            for name in ("coef_", "alpha_", "lambda_", "sigma_", "scores_"):
                assert np.isfinite(getattr(model, name)).all(), (prior, start, name)


def test_rows_that_weigh_less_than_one_in_all():
    model = sf.BayesianRidge().fit(X, Y, np.full(100, 1e-3))
    assert model.alpha_ > 0
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("intercept", [True, False])
def test_sparse_rows_give_what_dense_rows_give(intercept):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((80, 6)) < 0.3, rng.normal(size=(80, 6)), 0.0)
    y = X @ [1.0, 2.0, 0.0, 0.0, -1.0, 0.5] + rng.normal(size=80)
    weight = rng.integers(0, 3, 80)
    dense, found = (sf.BayesianRidge(fit_intercept=intercept).fit(rows, y, weight) for rows in (X, sparse.csr_array(X)))
    for name in ("coef_", "intercept_", "alpha_", "lambda_", "sigma_", "scores_"):
        np.testing.assert_allclose(getattr(found, name), getattr(dense, name), rtol=1e-8, atol=1e-10)
    for ours, known in zip(found.predict(sparse.csr_array(X), True), dense.predict(X, True), strict=True):
        np.testing.assert_allclose(ours, known, rtol=1e-8)
