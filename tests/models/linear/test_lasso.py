"""The lasso and the elastic net: scikit-learn's answers, several targets, any source, and L1 in logistic regression."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as sk

import suffice as sf

pytestmark = pytest.mark.native


def table(n=80, p=30, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + rng.normal(size=(n, 1))
    return X, X[:, :3] @ np.array([2.0, -1.0, 1.0]) + rng.normal(size=n) + 3


@pytest.mark.parametrize("shape", [(80, 30), (40, 400)])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_coefficients_are_those_of_scikit_learn(shape, positive, fit_intercept):
    X, y = table(*shape)
    given = {"alpha": 0.1, "positive": positive, "fit_intercept": fit_intercept}
    weight = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    for ours, theirs in ((sf.Lasso, sk.Lasso), (sf.ElasticNet, sk.ElasticNet)):
        mine = ours(**given, tol=1e-12).fit(X, y, sample_weight=weight)
        other = theirs(**given, tol=1e-14, max_iter=10**6).fit(X, y, sample_weight=weight)
        np.testing.assert_allclose(mine.coef_, other.coef_, atol=1e-6)
        np.testing.assert_allclose(mine.intercept_, other.intercept_, atol=1e-6)


def test_several_targets_are_fitted_one_by_one():
    X, y = table()
    Y = np.column_stack([y, -y, X[:, 4]])
    model = sf.Lasso(0.1).fit(X, Y)
    assert model.coef_.shape == (3, 30)
    assert model.predict(X).shape == (80, 3)
    for k in range(3):
        np.testing.assert_allclose(model.coef_[k], sf.Lasso(0.1).fit(X, Y[:, k]).coef_, atol=1e-12)
    again = sf.Lasso(0.1, warm_start=True)
    again.fit(X, Y).fit(X, Y)
    np.testing.assert_allclose(again.coef_, model.coef_, atol=1e-6)


def test_a_file_gives_the_answer_of_memory(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    X, y = table()
    columns = {f"x{j}": X[:, j] for j in range(30)}
    pq.write_table(pa.table({**columns, "y": y}), tmp_path / "rows.parquet", row_group_size=17)
    read = sf.Lasso(0.05).fit(sf.scan(tmp_path / "rows.parquet", target="y"))
    np.testing.assert_allclose(read.coef_, sf.Lasso(0.05).fit(X, y).coef_, atol=1e-10)


def test_few_iterations_end_with_a_warning():
    X, y = table(60, 900)
    with pytest.warns(sf.errors.NotConverged, match="Lasso: not converged after max_iter=1"):
        sf.Lasso(1e-3, max_iter=1).fit(X, y)


@pytest.mark.parametrize("columns", [20, 700])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_logistic_regression_with_l1_is_that_of_scikit_learn(columns, layout):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, columns)) * (rng.random((150, columns)) < 0.5)
    y = np.where(X[:, :3].sum(axis=1) + rng.logistic(size=150) > 0, "yes", "no")
    for ratio in (1.0, 0.5):
        mine = sf.LogisticRegression(C=0.5, l1_ratio=ratio).fit(layout(X), y)
        assert "dual_gap" in mine.history_.iterations[-1].metrics
        other = sk.LogisticRegression(C=0.5, l1_ratio=ratio, solver="saga", tol=1e-4, max_iter=3000).fit(X, y)
        best, theirs = cost(mine, X, y, ratio), cost(other, X, y, ratio)
        assert theirs * (1 - 1e-3) <= best <= theirs


def cost(model, X, y, ratio):
    w, margin = model.coef_[0], np.where(y == "yes", 1, -1) * (X @ model.coef_[0] + model.intercept_)
    return 0.5 * np.logaddexp(0, -margin).sum() + ratio * np.abs(w).sum() + 0.5 * (1 - ratio) * w @ w
