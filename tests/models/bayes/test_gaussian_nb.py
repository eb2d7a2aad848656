"""Gaussian naive Bayes against R and scikit-learn."""

import numpy as np
import pytest
import sklearn.naive_bayes as sk
from numpy.testing import assert_allclose
from scipy.special import logsumexp

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter


@pytest.fixture(scope="module")
def iris():
    table = sf.datasets.load("iris")
    return table.matrix(), table["species"]


def test_class_moments_against_r(r_values, iris):
    model = sf.GaussianNB(var_smoothing=0).fit(*iris)
    for k, name in enumerate(model.classes_):
        assert_allclose(model.theta_[k], r_values["iris_classes"][name]["mean"], rtol=1e-13)
        assert_allclose(model.var_[k], r_values["iris_classes"][name]["var"], rtol=1e-12)


@pytest.mark.parametrize("left_out", [None, 0, 1, 2, 3])
def test_posteriors_against_r(r_values, iris, left_out):
    r = r_values["naive_bayes_iris"]
    block = r["full"] if left_out is None else list(r["without"].values())[left_out]
    X = iris[0][r["rows"]].copy()
    if left_out is not None:
        X[:, left_out] = np.nan
    model = sf.GaussianNB(var_smoothing=0).fit(*iris)
    assert list(model.classes_) == r["classes"]
    assert_allclose(model.predict_joint_log_proba(X), block["log_joint"], rtol=1e-10)
    assert_allclose(model.predict_proba(X), block["posterior"], rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
def test_scikit_learn(iris, rng, priors):
    weight = rng.random(150)
    ours = sf.GaussianNB(priors).fit(*iris, sample_weight=weight)
    theirs = sk.GaussianNB(priors=priors).fit(*iris, sample_weight=weight)
    for name in ("theta_", "class_prior_", "class_count_"):
        assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-10)
    assert_allclose(ours.var_, theirs.var_, rtol=1e-7)  # the smoothing is of the weighted variance here
    assert_allclose(ours.predict_log_proba(iris[0]), theirs.predict_log_proba(iris[0]), rtol=1e-6, atol=1e-9)


def test_missing_values_are_left_out(rng):
    X = rng.normal(size=(200, 3)) + np.repeat([0, 3], 100)[:, None]
    y = np.repeat([0, 1], 100)
    X[rng.random(X.shape) < 0.3] = np.nan
    model = sf.GaussianNB(var_smoothing=0).fit(X, y)
    assert_allclose(model.theta_, [np.nanmean(X[y == k], axis=0) for k in (0, 1)], rtol=1e-12)
    assert_allclose(model.var_, [np.nanvar(X[y == k], axis=0) for k in (0, 1)], rtol=1e-12)
    nothing = model.predict_proba(np.full((1, 3), np.nan))
    assert_allclose(nothing[0], model.class_prior_)


def test_a_column_never_seen_in_a_class_says_nothing(rng):
    X = rng.normal(size=(20, 2))
    X[:10, 1] = np.nan
    model = sf.GaussianNB().fit(X, np.repeat([0, 1], 10))
    assert np.isinf(model.var_[0, 1])
    assert np.isfinite(model.predict_joint_log_proba(X)).all()


def test_classes_may_come_and_go(iris):
    X, y = iris
    model = sf.GaussianNB().partial_fit(X[:50], y[:50], classes=np.unique(y))
    assert list(model.classes_) == ["setosa"]
    model.partial_fit(X[50:], y[50:])
    assert_allclose(model.theta_, sf.GaussianNB().fit(X, y).theta_, rtol=1e-12)
    model.remove(X[:50], y[:50])
    assert list(model.classes_) == ["versicolor", "virginica"]


def test_rows_that_were_never_there_cannot_be_removed(iris):
    X, y = iris
    model = sf.GaussianNB().fit(X[:60], y[:60])
    with pytest.raises(InvalidData, match="never added"):
        model.remove(X[60:], y[60:])
    with pytest.raises(InvalidData, match="no rows are left"):
        model.remove(X[:60], y[:60])
    assert model.score(X[:60], y[:60]) > 0.9


def test_refusals(iris):
    X, y = iris
    with pytest.raises(InvalidParameter, match=r"priors must have one number a class, shape \(3,\); got shape \(2,\)"):
        sf.GaussianNB([0.5, 0.5]).fit(X, y)
    with pytest.raises(InvalidParameter, match="priors must be probabilities that sum to 1"):
        sf.GaussianNB([0.5, 0.5, 0.5]).fit(X, y)
    with pytest.raises(InvalidData, match="column 0 has no variance in class 'setosa'"):
        sf.GaussianNB(var_smoothing=0).fit(np.ones((150, 1)), y)
    with pytest.raises(InvalidData, match="Unknown label type: continuous"):
        sf.GaussianNB().fit(X, X[:, 0])
    with pytest.raises(InvalidData, match="which is not among classes"):
        sf.GaussianNB().partial_fit(X, y, classes=["setosa"])


def test_the_objective_is_the_negative_log_likelihood(iris):
    X, y = iris
    model = sf.GaussianNB().fit(X, y)
    joint = model.predict_joint_log_proba(X)
    expected = -joint[np.arange(len(y)), np.searchsorted(model.classes_, y)].sum()
    assert_allclose(model.history_.objective[-1], expected, rtol=1e-10)


def test_density_and_samples(iris):
    X, _ = iris
    model = sf.GaussianNB(priors=[0.2, 0.3, 0.5]).fit(*iris)
    assert_allclose(model.log_density(X), logsumexp(model.predict_joint_log_proba(X), axis=1), rtol=1e-12)
    drawn, classes = model.sample(30_000, random_state=0)
    for k, c in enumerate(model.classes_):
        assert_allclose(drawn[classes == c].mean(axis=0), model.theta_[k], atol=0.03)
        assert_allclose(drawn[classes == c].var(axis=0), model.var_[k], rtol=0.1)


def test_a_column_never_seen_is_drawn_as_missing(rng):
    X = rng.normal(size=(20, 2))
    X[:10, 1] = np.nan
    drawn, classes = sf.GaussianNB().fit(X, np.repeat([0, 1], 10)).sample(50, random_state=0)
    assert np.isnan(drawn[classes == 0, 1]).all()
    assert np.isfinite(drawn[classes == 1]).all()


def test_the_diagonal_gaussian_bayes_is_the_same(iris):
    X, y = iris
    assert_allclose(
        sf.GaussianNB(var_smoothing=0).fit(X, y).predict_proba(X), sf.GaussianBayes("diag").fit(X, y).predict_proba(X)
    )
