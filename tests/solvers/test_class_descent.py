"""Coordinate descent for several classes: the conditions of the optimum, and the answers of other solvers."""

import numpy as np
import pytest
import scipy.sparse as sp

import suffice as sf
from suffice.errors import InvalidParameter
from suffice.penalties import L1, ElasticNetPenalty, GroupLasso
from suffice.solvers import FISTA, CoordinateDescent, class_columns
from suffice.solvers.class_columns import ArrayClasses, SummedClasses, class_columns_of

pytestmark = pytest.mark.native


def table(n=150, p=6, k=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * np.linspace(0.5, 2, p) + 3 + 0.5 * rng.normal(size=(n, 1))
    scores = (X[:, :4] - 3) @ rng.normal(size=(4, k)) + rng.gumbel(size=(n, k))
    return X, np.argmax(scores, axis=1)


def fitted(X, y, penalty, weight=None, **params):
    settings = {"solver": "coordinate", "tol": 1e-12, **params}
    return sf.LinearModelClassifier("softmax", penalty=penalty, **settings).fit(X, y, sample_weight=weight)


def pulls(model, X, y, weight):
    P = model.predict_proba(X) - (y[:, None] == np.arange(len(model.classes_)))
    return -(X * (weight / weight.sum())[:, None]).T @ P, (P * (weight / weight.sum())[:, None]).sum(axis=0)


@pytest.mark.parametrize("shape", [(150, 6, 3), (80, 60, 4)], ids=["few", "many"])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array, lambda X: X.astype(np.float32).astype(float)])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_conditions_of_the_optimum_hold(shape, layout, intercept):
    X, y = table(*shape)
    weight = np.random.default_rng(1).integers(0, 3, len(y)).astype(float)
    model = fitted(layout(X), y, L1(0.03), weight, fit_intercept=intercept)
    assert model.history_.status == "converged"
    pull, offset = pulls(model, X, y, weight)
    w = model.coef_.T
    assert 0 < np.count_nonzero(w) < w.size
    np.testing.assert_allclose(pull[w != 0], 0.03 * np.sign(w[w != 0]), atol=2e-6)
    assert np.abs(pull).max() <= 0.03 + 2e-6
    if intercept:
        np.testing.assert_allclose(offset, 0, atol=1e-6)


def test_other_solvers_find_the_same():
    X, y = table(120, 40, 4)
    for penalty in (ElasticNetPenalty(0.05, 0.5), L1(0.05, positive=True), L1(0.02, tuple(np.linspace(0.5, 2, 40)))):
        one = fitted(X, y, penalty)
        other = fitted(X, y, penalty, solver="fista", max_iter=20_000, tol=1e-15)
        # not the slopes: where as many of a column are above 0 as below, a constant beside them costs nothing
        np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-4)
        assert one.history_.objective[-1] <= other.history_.objective[-1] + 1e-9


def test_few_slopes_are_summed_and_many_taken_class_by_class(tmp_path, monkeypatch):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    kinds = []
    for p in (6, 60):
        X, y = table(90, p)
        model = sf.LogisticRegression(l1_ratio=1)
        source = model._open(X, y, None, reset=True)
        problem, _ = model._of_strength_one(source)
        assert isinstance(model._solver(problem), CoordinateDescent)
        kinds.append(type(class_columns_of(problem)))
    assert kinds == [SummedClasses, ArrayClasses]
    pq.write_table(pa.table({f"x{j}": X[:, j] for j in range(60)} | {"y": y}), tmp_path / "rows.parquet")
    rows, known = sf.scan(tmp_path / "rows.parquet", target="y"), sf.LogisticRegression(l1_ratio=1, C=0.3).fit(X, y)
    read = sf.LogisticRegression(l1_ratio=1, C=0.3).fit(rows)
    np.testing.assert_allclose(read.coef_, known.coef_, atol=1e-5)
    monkeypatch.setattr(class_columns, "_MOST", 100)
    with pytest.raises(InvalidParameter, match="needs rows in memory, or few columns"):
        sf.LogisticRegression(l1_ratio=1, C=0.3, solver="coordinate").fit(rows)
    read = sf.LogisticRegression(l1_ratio=1, C=0.3, tol=1e-12).fit(rows)  # by proximal gradients
    np.testing.assert_allclose(read.coef_, known.coef_, atol=1e-4)


def test_what_it_cannot_do_goes_to_others():
    X, y = table()
    groups = GroupLasso(0.02, (0, 0, 1, 1, 2, 2))
    model = sf.LinearModelClassifier("softmax", penalty=groups)
    problem, _ = model._of_strength_one(model._open(X, y, None, reset=True))
    assert isinstance(model._solver(problem), FISTA)


def test_weak_penalties_and_classes_that_are_separated_have_an_end():
    X, y = table(200, 80, 5)
    X[np.arange(200), y] += 8
    model = fitted(X, y, L1(1e-4), tol=1e-8)
    assert model.history_.status == "converged"
    assert len(model.history_) < 60
    assert model.score(X, y) == 1.0
