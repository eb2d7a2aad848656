"""Gaussian classifiers of tables with more columns than rows work in the rows, and give what the columns give."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import make_classification

import suffice as sf
from suffice.contracts.wide_tables import uncounted
from suffice.data import as_source
from suffice.distributions import FactorGaussian, LowRankGaussian
from suffice.statistics import Moments, RootMoments

MODELS = [
    sf.LinearDiscriminantAnalysis(),
    sf.LinearDiscriminantAnalysis(shrinkage=0.3, unbiased=True),
    sf.LinearDiscriminantAnalysis(shrinkage="auto"),
    sf.LinearDiscriminantAnalysis(shrinkage=1e-7),
    sf.QuadraticDiscriminantAnalysis(),
    sf.QuadraticDiscriminantAnalysis(shrinkage="auto", reg_param=0.1, unbiased=True),
    sf.QuadraticDiscriminantAnalysis(reg_param=0.2),
    sf.GaussianBayes("full"),
    sf.GaussianBayes("tied"),
]


@pytest.fixture(scope="module")
def table():
    X, y = make_classification(30, 50, n_informative=6, n_classes=3, random_state=0)
    rng = np.random.default_rng(0)
    X = X * rng.uniform(0.1, 10, 50) + 5
    X[:, 7] = 3.0  # constant
    return X, np.array(["ant", "bee", "cat"])[y], rng.integers(1, 4, 30).astype(float)


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.filterwarnings("ignore::suffice.errors.IllConditioned")
def test_rows_give_what_columns_give(table, model):
    X, y, weight = table
    by_rows = clone(model).fit(X, y, sample_weight=weight)
    by_columns = clone(model).fit(uncounted(as_source(X, y, weight, needs=model._fit_needs())))
    assert isinstance(by_rows.summary_.parts[0], RootMoments)
    assert isinstance(by_columns.summary_.parts[0], Moments)
    new = X + np.random.default_rng(1).normal(size=X.shape) * X.std(axis=0)
    for rows in (X, new):
        assert (by_rows.predict(rows) == by_columns.predict(rows)).all()
        for method in ("predict_joint_log_proba", "log_density", "transform", "decision_function"):
            if hasattr(model, method):
                ours, theirs = (getattr(each, method)(rows) for each in (by_rows, by_columns))
                assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6 * np.abs(theirs).max(), err_msg=method)
    assert_allclose(by_rows.covariance_, by_columns.covariance_, rtol=1e-7, atol=1e-9)
    assert by_rows.history_.objective[-1] == pytest.approx(by_columns.history_.objective[-1], rel=1e-6)


@pytest.mark.filterwarnings("ignore::suffice.errors.IllConditioned")
def test_no_matrix_of_all_columns_is_made(table, tmp_path):
    X, y, _ = table
    model = sf.LinearDiscriminantAnalysis().fit(X, y)
    assert all(isinstance(member, FactorGaussian) for member in model._members)
    assert "covariance_" not in vars(model)
    sf.save(model, tmp_path / "lda.sff")
    loaded = sf.load(tmp_path / "lda.sff")
    assert max(np.size(value) for value in vars(loaded).values() if isinstance(value, np.ndarray)) < 50 * 50
    assert_allclose(loaded.predict_proba(X), model.predict_proba(X))
    assert_allclose(loaded.covariance_, model.covariance_)
    assert_allclose(loaded.log_density(X), model.log_density(X), rtol=1e-7)


@pytest.mark.filterwarnings("ignore::suffice.errors.IllConditioned")
def test_missing_cells_of_new_rows_are_integrated_out(table):
    X, y, _ = table
    model = sf.LinearDiscriminantAnalysis(shrinkage=0.5).fit(X, y)
    tall = sf.LinearDiscriminantAnalysis(shrinkage=0.5).fit(uncounted(as_source(X, y, needs=model._fit_needs())))
    gaps = X.copy()
    gaps[np.random.default_rng(2).random(X.shape) < 0.2] = np.nan
    assert_allclose(model.predict_proba(gaps), tall.predict_proba(gaps), rtol=1e-6, atol=1e-8)
    assert_allclose(model.transform(gaps), tall.transform(gaps), rtol=1e-6, atol=1e-6)


@pytest.mark.filterwarnings("ignore::suffice.errors.IllConditioned")
def test_rows_are_added_and_removed(table):
    X, y, _ = table
    model = sf.LinearDiscriminantAnalysis().fit(X[:20], y[:20]).partial_fit(X[20:], y[20:])
    whole = sf.LinearDiscriminantAnalysis().fit(X, y)
    assert_allclose(model.transform(X), whole.transform(X), rtol=1e-5, atol=1e-5)
    assert (model.predict(X) == y).all()


def test_densities_of_few_factors_are_those_of_the_covariance():
    rng = np.random.default_rng(4)
    member = FactorGaussian(
        rng.normal(size=40), loadings=3 * rng.normal(size=(40, 4)), noise=rng.uniform(0.1, 2, 40), rank=4
    )
    X = member.sample(30, 0)
    full = sf.distributions.Gaussian(member.mean, member.covariance)
    assert_allclose(member.log_prob(X), full.log_prob(X), rtol=1e-10)
    assert member.total_log_prob(RootMoments.of(X)) == pytest.approx(full.total_log_prob(Moments.of(X)), rel=1e-10)


@pytest.mark.parametrize("model", [sf.QuadraticDiscriminantAnalysis(), sf.GaussianBayes("full")], ids=repr)
@pytest.mark.filterwarnings("ignore::suffice.errors.IllConditioned")
def test_new_rows_need_no_matrix_of_all_columns(table, model, monkeypatch):
    X, y, _ = table
    fitted = clone(model).fit(X, y)
    joint = fitted.predict_joint_log_proba(X)
    full = [sf.distributions.Gaussian(member.mean, member.covariance) for member in fitted._members]
    share = np.unique(y, return_counts=True)[1] / len(y)
    wanted = np.column_stack([member.log_prob(X) for member in full]) + np.log(share)
    assert_allclose(joint, wanted, rtol=1e-6, atol=1e-6 * np.abs(wanted).max())
    monkeypatch.setattr(LowRankGaussian, "_covariance", None)
    assert_allclose(fitted.predict_joint_log_proba(X), joint)
    assert (fitted.predict(X) == y).all()
    assert np.isfinite(fitted.log_density(X)).all()
