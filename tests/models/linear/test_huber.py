"""Huber's regression against scikit-learn."""

import numpy as np
import pytest
import sklearn.linear_model as sk
from numpy.testing import assert_allclose
from scipy import sparse

import suffice as sf

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4)) * [1.0, 5.0, 0.2, 1.0] + 3
Y = X @ [1.0, 0.2, 3.0, -1.0] + RNG.standard_t(3, 300)
Y[:30] += 50
WEIGHT = RNG.integers(0, 3, 300).astype(float)


def objective(model, weight):
    rest = np.abs(Y - X @ model.coef_ - model.intercept_) / model.scale_
    eps, each = model.epsilon, np.ones(len(Y)) if weight is None else weight
    loss = np.where(rest <= eps, rest**2, 2 * eps * rest - eps**2)
    return each @ (model.scale_ * (1 + loss)) + model.alpha * model.coef_ @ model.coef_


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["unweighted", "weighted"])
@pytest.mark.parametrize(
    "settings", [{}, {"alpha": 3.0, "epsilon": 2.0}, {"fit_intercept": False}, {"epsilon": 1.1}], ids=str
)
def test_scikit_learn(settings, weight):
    ours = sf.HuberRegressor(**settings).fit(X, Y, weight)
    theirs = sk.HuberRegressor(tol=1e-10, max_iter=10_000, **settings).fit(X, Y, weight)
    assert objective(ours, weight) <= objective(theirs, weight) * (1 + 1e-12)
    assert_allclose(objective(ours, weight), objective(theirs, weight), rtol=1e-7)  # where theirs stops
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-2, atol=1e-3)
    assert_allclose(ours.scale_, theirs.scale_, rtol=1e-2)


def test_all_derivatives_vanish():
    model = sf.HuberRegressor(alpha=0.5).fit(X, Y)
    rest = Y - X @ model.coef_ - model.intercept_
    force = np.clip(rest / model.scale_, -model.epsilon, model.epsilon)
    assert_allclose(-2 * force @ X + 2 * model.alpha * model.coef_, 0.0, atol=1e-8)
    assert_allclose(force.sum(), 0.0, atol=1e-9)
    within = np.abs(rest) <= model.epsilon * model.scale_
    slope = len(Y) - model.epsilon**2 * (~within).sum() - np.sum(rest[within] ** 2) / model.scale_**2
    assert_allclose(slope, 0.0, atol=1e-8)
    assert model.n_iter_ <= 10


def test_outliers_are_found():
    model = sf.HuberRegressor().fit(X, Y)
    assert model.outliers_[:30].all()
    assert model.outliers_[30:].mean() < 0.3


def test_few_rows_within_the_scale():
    """Close to ε = 1 it is the absolute loss, whose minimum passes through few rows."""
    rows, y = X[:60], Y[:60]
    model = sf.HuberRegressor(epsilon=1.01).fit(rows, y)
    error = np.abs(y - model.predict(rows)).sum()
    assert error <= 1.001 * np.abs(y - sf.LinearModel("absolute").fit(rows, y).predict(rows)).sum()


def test_targets_on_a_plane_have_no_scale():
    y = X @ [1.0, 2.0, 3.0, 4.0]
    model = sf.HuberRegressor(alpha=0).fit(X, y)
    assert_allclose(model.coef_, [1.0, 2.0, 3.0, 4.0], rtol=1e-7)
    assert model.scale_ < 1e-9
    assert sf.HuberRegressor().fit(X, np.full(len(X), 2.0)).intercept_ == 2.0


def test_sparse_rows_give_the_answer_of_dense_ones():
    rows = np.where(RNG.random(X.shape) < 0.5, 0.0, X)
    dense = sf.HuberRegressor().fit(rows, Y)
    assert_allclose(sf.HuberRegressor().fit(sparse.csr_array(rows), Y).coef_, dense.coef_, rtol=1e-8)


def test_an_epsilon_near_one_takes_few_iterations():
    """Few rows lie within ε σ then, and parabolas above the loss alone lead too short a way."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 5))
    y = X @ rng.normal(size=5) + rng.standard_t(2, size=500)
    for epsilon in (1.0, 1.001):
        assert sf.HuberRegressor(epsilon=epsilon).fit(X, y).n_iter_ < 70
