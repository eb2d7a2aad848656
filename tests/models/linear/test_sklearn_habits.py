"""What users of scikit-learn are used to: parameters, attributes and warnings of its linear models."""

import warnings

import numpy as np
import pytest
import sklearn.linear_model as sk
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import suffice as sf
from suffice.errors import InvalidParameter, UnknownParameter

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 5)) + 1
Y = X @ RNG.normal(size=(5, 2)) + RNG.normal(size=(60, 2))
WEIGHT = RNG.random(60) + 0.1


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("solver", ["auto", "moments", "qr"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_slopes_of_at_least_0(fit_intercept, solver, form):
    given = {"positive": True, "fit_intercept": fit_intercept}
    ours = sf.LinearRegression(solver=solver, **given).fit(form(X), Y, sample_weight=WEIGHT)
    theirs = sk.LinearRegression(**given).fit(X, Y, WEIGHT)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-8)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-8)
    ours = sf.Ridge([3.0, 0.5], solver=solver, **given).fit(form(X), Y, sample_weight=WEIGHT)
    theirs = sk.Ridge([3.0, 0.5], tol=1e-12, **given).fit(X, Y, WEIGHT)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert np.isnan(ours.standard_errors_).all()
    assert ours.degrees_of_freedom_.tolist() == (WEIGHT.sum() - (ours.coef_ > 0).sum(axis=1) - fit_intercept).tolist()


def test_slopes_of_at_least_0_of_many_columns_and_by_leave_one_out():
    wide = RNG.normal(size=(10, 30))
    ours, theirs = (kind(0.1, positive=True) for kind in (sf.Ridge, sk.Ridge))
    assert_allclose(
        ours.fit(wide, wide[:, 0]).coef_, theirs.set_params(tol=1e-12).fit(wide, wide[:, 0]).coef_, atol=1e-6
    )
    model, rows = sf.LinearRegression(positive=True), X[:12]
    said = sf.evaluate(model, rows, Y[:12, 0], splits="leave_one_out").predicted
    expected = [
        model.fit(np.delete(rows, i, 0), np.delete(Y[:12, 0], i)).predict(rows[i : i + 1])[0] for i in range(12)
    ]
    assert_allclose(said, expected)
    with pytest.raises(InvalidParameter, match="for positive=True give a number"):
        sf.Ridge("cv", positive=True).fit(X, Y[:, 0])


def test_leave_one_out_of_a_strength_that_is_chosen():
    said = sf.evaluate(sf.Ridge("cv"), X[:12], Y[:12, 0], splits="leave_one_out").predicted
    alone = sf.Ridge("cv").fit(X[1:12], Y[1:12, 0]).predict(X[:1])
    assert_allclose(said[0], alone[0])


@pytest.mark.parametrize("solver", ["liblinear", "newton-cg", "newton-cholesky", "sag", "saga"])
def test_names_of_solvers(solver):
    y = Y[:, 0] > 0
    expected = sf.LogisticRegression().fit(X, y)
    assert_allclose(sf.LogisticRegression(solver=solver).fit(X, y).coef_, expected.coef_)
    with pytest.raises(InvalidParameter, match="solver must be"):
        sf.LogisticRegression(solver="highs-ds").fit(X, y)


def test_not_converging_is_their_warning_too():
    with pytest.warns(ConvergenceWarning, match="not converged after max_iter=1 "):
        sf.LogisticRegression(max_iter=1).fit(X, Y[:, 0] > 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        sf.Lasso(0.001, max_iter=1).fit(X, Y[:, 0])


def test_parameters_that_are_left_aside_can_be_set():
    model = sf.Lasso(0.1).set_params(precompute=True, alpha=0.2, random_state=0)
    assert model.alpha == 0.2
    assert "precompute" not in model.get_params()
    with pytest.raises(UnknownParameter, match="penalty is a parameter of scikit-learn's that is not here"):
        sf.LogisticRegression().set_params(penalty="l1")
    with pytest.raises(ValueError, match="Invalid parameter 'beta'"):
        model.set_params(beta=1)


def test_dual_gap():
    path = sf.Lasso(0.1, tol=1e-4).fit(X, Y)
    assert path.dual_gap_.shape == (2,)
    assert np.all(path.dual_gap_ <= 1e-4 * Y.var(axis=0))
    assert path.sparse_coef_.toarray().tolist() == path.coef_.tolist()
    assert 0 <= sf.ElasticNet("cv").fit(X, Y[:, 0]).dual_gap_ < 1e-6
    assert np.isnan(sf.Lasso(0.1, solver="fista").fit(X, Y[:, 0]).dual_gap_)


def test_coefficients_set_by_hand_are_a_warm_start():
    model = sf.Lasso(0.1, warm_start=True, fit_intercept=False)
    model.coef_ = np.full(5, 100.0)
    assert_allclose(model.fit(X, Y[:, 0]).coef_, sf.Lasso(0.1, fit_intercept=False).fit(X, Y[:, 0]).coef_, atol=1e-6)


@pytest.mark.parametrize(("ratio", "alone"), [(1 - 1e-10, "l1"), (1e-10, "l2")])
def test_steps_follow_the_whole_strength_of_an_elastic_net(ratio, alone):
    given = {"alpha": 0.01, "max_iter": 6, "tol": None, "random_state": 0}
    mixed = sf.SGDClassifier(penalty="elasticnet", l1_ratio=ratio, **given).fit(X, Y[:, 0] > 0)
    assert_allclose(mixed.coef_, sf.SGDClassifier(penalty=alone, **given).fit(X, Y[:, 0] > 0).coef_, atol=1e-6)


def test_descent_is_judged_by_its_objective():
    """Where no row is within the margin the loss is 0, and the penalty still falls."""
    rows, y, weight = (
        np.array([[-1.0, -1], [-1, 0], [-0.8, -1], [1, 1], [1, 0]]),
        [1, 1, 1, -1, -1],
        [0.001] * 3 + [1] * 2,
    )
    ends = [
        sf.SGDClassifier(alpha=0.1, fit_intercept=False, random_state=seed).fit(rows, y, sample_weight=weight).n_iter_
        for seed in range(10)
    ]
    assert np.median(ends) > 10


def test_logarithms_of_probabilities():
    model = sf.SGDClassifier("log_loss", random_state=0).fit(X, Y[:, 0] > 0)
    assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    assert not hasattr(sf.SGDClassifier("hinge"), "predict_log_proba")
    assert sf.OneVsRestClassifier().fit(X, np.arange(60) % 3).n_classes_ == 3
