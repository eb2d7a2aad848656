"""Regularisation paths and strengths chosen by cross-validation."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as sk
from sklearn.datasets import load_diabetes
from sklearn.model_selection import PredefinedSplit

import suffice as sf
from suffice.data import Chunk, Needs, as_source
from suffice.errors import InvalidData, InvalidParameter
from suffice.losses import SquaredLoss
from suffice.models.linear.cross_validation import MomentFolds, SourceFolds, cross_validated, fold_of
from suffice.penalties import L1
from suffice.solvers import Limits, Problem

pytestmark = pytest.mark.native


def table(n=90, p=12, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 0.5 * rng.normal(size=(n, 1))
    return X, X[:, :3] @ np.array([2.0, -1.0, 0.5]) + rng.normal(size=n) + 3


@pytest.mark.parametrize("shape", [(90, 12), (50, 400)])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("ratio", [1.0, 0.5])
def test_paths_are_those_of_scikit_learn(shape, layout, ratio):
    X, y = table(*shape)
    wide = np.hstack([X] * 2) if layout is sp.csr_array and shape[1] > 100 else X
    model = sf.Lasso(tol=1e-12) if ratio == 1 else sf.ElasticNet(l1_ratio=ratio, tol=1e-12)
    found = model.path(layout(wide), y, n_alphas=30, eps=0.01)
    centred = wide - wide.mean(axis=0)
    alphas, coef, _ = sk.enet_path(
        centred, y - y.mean(), l1_ratio=ratio, alphas=found.alphas, tol=1e-14, max_iter=10**5
    )
    np.testing.assert_allclose(found.alphas, alphas)
    top = np.abs(centred.T @ (y - y.mean())).max() / len(y) / ratio
    np.testing.assert_allclose(found.alphas[[0, -1]], [top, 0.01 * top])
    fitted = centred @ found.coef.T
    np.testing.assert_allclose(fitted, centred @ coef, atol=1e-4 * np.abs(fitted).max())
    rest = y[:, None] - found.intercept - wide @ found.coef.T
    np.testing.assert_allclose(found.explained, 1 - rest.var(axis=0) / y.var(), atol=1e-9)


def test_a_path_ends_where_a_fit_would():
    X, y = table(60, 500)
    model = sf.Lasso(tol=1e-12)
    found = model.path(X, y, alphas=[0.05, 0.5, 0.2])
    assert found.alphas.tolist() == [0.5, 0.2, 0.05]
    assert not hasattr(model, "coef_")
    for k, alpha in enumerate(found.alphas):
        one = sf.Lasso(alpha, tol=1e-12).fit(X, y)
        np.testing.assert_allclose(found.coef[k], one.coef_, atol=1e-7)
    assert found.nonzero.tolist() == sorted(found.nonzero)
    assert list(found.table) == ["alpha", "nonzero", "explained", "dual_gap"]
    assert str(found).splitlines()[0].split() == ["alpha", "nonzero", "explained"]


def test_paths_refuse_what_they_cannot_use():
    X, y = table()
    for alphas in ([-1.0], [], ["many"]):
        with pytest.raises(InvalidParameter, match="alphas"):
            sf.Lasso().path(X, y, alphas=alphas)
    with pytest.raises(InvalidParameter, match="n_alphas"):
        sf.Lasso().path(X, y, n_alphas=1)
    with pytest.raises(InvalidData, match="a path is that of one target"):
        sf.Lasso().path(X, np.column_stack([y, y]))


def test_a_constant_target_has_a_path_of_zeros():
    X, _ = table()
    found = sf.Lasso().path(X, np.full(90, 7.0), n_alphas=5)
    assert not found.coef.any()
    np.testing.assert_array_equal(found.intercept, 7.0)


def test_the_picture_shows_the_largest_slopes():
    X, y = table(60, 40)
    shown = sf.Lasso().path(X, y, n_alphas=10).plot(ax=False, most=3)
    assert shown.names[:2] == ("x0", "x1")
    assert "3 of" in shown.note
    np.testing.assert_allclose(shown.places, -np.log10(shown.alphas))


# ---- cross-validation ----


def problem(X, y, weight=None):
    source = as_source(X, y, weight, needs=Needs("test", target="numbers", sparse=True))
    return Problem("test", source, SquaredLoss(), L1(1.0))


def test_folds_as_sums_of_others_are_folds_of_rows():
    X, y = table()
    weight = np.random.default_rng(1).integers(0, 3, 90).astype(float)
    own = problem(X, y, weight)
    sums, rows = MomentFolds.of(own, 5), SourceFolds.of(own, 5)
    np.testing.assert_allclose(sums.weight, rows.weight)
    (first, one), (second, other) = (
        cross_validated(folds, 12, 0.01, Limits(100, 1e-12), "min") for folds in (sums, rows)
    )
    np.testing.assert_allclose(first.errors, second.errors, rtol=1e-6)
    np.testing.assert_allclose(one.state.slope, other.state.slope, atol=1e-7)


@pytest.mark.parametrize("model", [sf.Lasso("cv"), sf.ElasticNet("cv", l1_ratio=0.3), sf.Ridge("cv")])
def test_the_chosen_strength_is_the_one_that_was_fitted(model):
    X, y = table()
    model.fit(X, y)
    path = model.cv_path_
    chosen = type(model)(**{**model.get_params(), "alpha": model.alpha_}).fit(X, y)
    np.testing.assert_allclose(model.coef_, chosen.coef_, atol=1e-4)
    scale = 90.0 if isinstance(model, sf.Ridge) else 1.0
    np.testing.assert_allclose(model.alpha_, path.alpha * scale)
    assert path.error[path.chosen] == path.error.min()
    assert "chosen by 'min'" in str(path)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("kind", [sf.Lasso, sf.ElasticNet, sf.Ridge])
def test_one_standard_error_takes_the_stronger_penalty(kind):
    X, y = table()
    least, simple = kind("cv").fit(X, y), kind("cv", rule="1se").fit(X, y)
    path = simple.cv_path_
    assert simple.alpha_ > least.alpha_
    limit = path.error.min() + path.standard_error[path.best]
    assert path.error[path.chosen] <= limit
    assert path.chosen == 0 or path.error[path.chosen - 1] > limit


def test_errors_are_those_of_fits_without_the_fold():
    from suffice.data import Chunk
    from suffice.models.linear.cross_validation import fold_of

    X, y = table()
    model = sf.Ridge("cv", n_alphas=3).fit(X, y)
    fold = fold_of(Chunk(X, y), 5)
    alphas = model.cv_path_.alphas
    for number in range(5):
        rest = fold != number
        for k, strength in enumerate(alphas):
            one = sk.Ridge(strength * rest.sum()).fit(X[rest], y[rest])
            error = np.mean((y[~rest] - one.predict(X[~rest])) ** 2)
            np.testing.assert_allclose(model.cv_path_.errors[number, k], error, rtol=1e-8)


def test_equal_rows_are_in_one_fold_and_weights_are_repeated_rows():
    X, y = table()
    weight = np.random.default_rng(2).integers(0, 3, 90).astype(float)
    several = np.repeat(np.arange(90), weight.astype(int))
    for kind in (sf.Lasso, sf.Ridge):
        one = kind("cv").fit(X, y, sample_weight=weight)
        other = kind("cv").fit(X[several], y[several])
        np.testing.assert_allclose(one.cv_path_.errors, other.cv_path_.errors, rtol=1e-6)
        np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-6)


def test_files_give_the_folds_of_memory(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    X, y = table()
    columns = {f"x{j}": X[:, j] for j in range(12)}
    pq.write_table(pa.table({**columns, "y": y}), tmp_path / "rows.parquet", row_group_size=17)
    for kind in (sf.Lasso, sf.Ridge):
        read = kind("cv").fit(sf.scan(tmp_path / "rows.parquet", target="y"))
        np.testing.assert_allclose(read.cv_path_.errors, kind("cv").fit(X, y).cv_path_.errors, rtol=1e-8)


def test_wide_and_sparse_tables_choose_too():
    X, y = table(60, 1600)
    for rows in (X, sp.csr_array(X)):
        model = sf.Lasso("cv", n_alphas=10, folds=3).fit(rows, y)
        assert {0, 1} <= set(np.flatnonzero(model.coef_))


def test_cross_validation_refuses_what_it_cannot_split(tmp_path):
    with pytest.raises(InvalidData, match="Lasso: cross-validation needs rows in at least 2 folds"):
        sf.Lasso("cv").fit(np.ones((4, 2)), np.ones(4))
    X, y = table()
    with pytest.raises(InvalidData, match="alpha='cv' chooses for one target"):
        sf.Lasso("cv").fit(X, np.column_stack([y, y]))
    with pytest.raises(InvalidParameter, match="alpha='cv' needs all rows at once"):
        sf.Ridge("cv").partial_fit(X, y)


def test_a_model_with_its_errors_is_saved(tmp_path):
    X, y = table()
    for kind in (sf.ElasticNet, sf.Ridge):
        model = kind("cv").fit(X, y)
        sf.save(model, tmp_path / "model.suffice")
        back = sf.load(tmp_path / "model.suffice")
        np.testing.assert_array_equal(back.cv_path_.errors, model.cv_path_.errors)
        assert back.cv_path_.alpha == model.cv_path_.alpha


def test_scikit_learn_chooses_the_same_by_the_same_folds():
    X, y = load_diabetes(return_X_y=True)
    model = sf.Lasso("cv", n_alphas=30).fit(X, y)
    found = model.cv_path_
    folds = PredefinedSplit(fold_of(Chunk(X, y), model.folds))
    theirs = sk.LassoCV(alphas=found.alphas, cv=folds, tol=1e-8, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(found.errors, theirs.mse_path_.T, rtol=1e-5)
    assert found.alphas[found.errors.mean(axis=0).argmin()] == theirs.alpha_  # where every fold counts the same
