"""Paths and chosen strengths of classifiers and generalized linear models."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as sk

import suffice as sf
from suffice.data import Chunk
from suffice.errors import InvalidData, InvalidParameter
from suffice.models.linear.cross_validation import fold_of
from suffice.penalties import L1

pytestmark = pytest.mark.native


def table(n=120, p=5, classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + 0.5 * rng.normal(size=(n, 1))
    scores = X[:, :3] @ rng.normal(size=(3, classes)) + rng.gumbel(size=(n, classes))
    return X, np.array(list("abcd"))[np.argmax(scores, axis=1)]


def peer(strength, n, ratio):
    solver = "lbfgs" if ratio == 0 else "saga"
    return sk.LogisticRegression(
        C=1 / (strength * n), l1_ratio=ratio, solver=solver, tol=1e-9, max_iter=100_000, random_state=0
    )


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("ratio", [0.0, 0.5, 1.0])
def test_paths_are_those_of_scikit_learn(classes, ratio):
    X, y = table(classes=classes)
    model = sf.LogisticRegression(l1_ratio=ratio)
    found = model.path(X, y, n_alphas=6, eps=0.02)
    assert found.coef.shape == ((6, 5) if classes == 2 else (6, 3, 5))
    assert found.classes == (() if classes == 2 else ("a", "b", "c"))
    assert not hasattr(model, "coef_")
    if ratio > 0:
        assert found.nonzero[0] == 0
        assert found.explained[0] == pytest.approx(0, abs=1e-9)
        assert found.nonzero[1] > 0
    assert np.all(np.diff(found.explained) > 0)
    for k in (2, 5):
        other = peer(found.alphas[k], len(y), ratio).fit(X, y)
        np.testing.assert_allclose(found.coef[k].reshape(other.coef_.shape), other.coef_, atol=2e-4)
        fitted = sf.LogisticRegression(C=1 / (found.alphas[k] * len(y)), l1_ratio=ratio).fit(X, y)
        np.testing.assert_allclose(found.coef[k].reshape(fitted.coef_.shape), fitted.coef_, atol=1e-4)


def test_the_first_strength_is_the_least_that_keeps_all_slopes_at_zero():
    X, y = table()
    top = sf.LogisticRegression(l1_ratio=1).path(X, y, n_alphas=2).alphas[0]
    share = np.array([np.mean(y == c) for c in "abc"])
    gradient = X.T @ (share - (y[:, None] == list("abc"))) / len(y)
    assert top == pytest.approx(np.abs(gradient).max())


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_wide_tables_have_paths_too(layout):
    X, y = table(60, 600, 2)
    found = sf.LogisticRegression(l1_ratio=1).path(layout(X), y, alphas=[0.05, 0.1])
    one = sf.LogisticRegression(l1_ratio=1, C=1 / (0.05 * 60)).fit(X, y)
    np.testing.assert_allclose(found.coef[1], one.coef_[0], atol=1e-5)


def test_a_path_of_classes_is_drawn_with_their_names():
    X, y = table()
    found = sf.LogisticRegression(l1_ratio=1).path(X, y, n_alphas=5)
    shown = found.plot(ax=False, most=4)
    assert len(shown.names) == 4
    assert {name.partition(": ")[0] for name in shown.names} <= set("abc")
    np.testing.assert_array_equal(shown.coef[0], 0)
    few = sf.LogisticRegression(l1_ratio=1).path(X, y, n_alphas=2, eps=0.8).plot(ax=False)
    assert 0 < len(few.names) < 10  # slopes that are always 0 are not drawn


# ---- chosen strengths ----


@pytest.mark.parametrize("classes", [2, 3])
def test_errors_are_those_of_fits_without_the_fold(classes):
    X, y = table(classes=classes)
    model = sf.LogisticRegression(C="cv", n_alphas=3, folds=4).fit(X, y)
    code = np.unique(y, return_inverse=True)[1]
    fold = fold_of(Chunk(X, 2.0 * code - 1 if classes == 2 else code), 4)
    path = model.cv_path_
    for number in range(4):
        rest = fold != number
        for k, strength in enumerate(path.alphas):
            one = peer(strength, rest.sum(), 0.0).fit(X[rest], y[rest])
            own = one.predict_log_proba(X[~rest])[np.arange((~rest).sum()), code[~rest]]
            assert path.errors[number, k] == pytest.approx(-2 * own.mean(), rel=1e-4)
    assert pytest.approx(1 / (path.alpha * len(y))) == model.C_
    same = sf.LogisticRegression(C=model.C_).fit(X, y)
    np.testing.assert_allclose(model.coef_, same.coef_, rtol=1e-9)


def test_one_standard_error_takes_the_stronger_penalty():
    X, y = table(classes=2)
    least, simple = (
        sf.LogisticRegression(C="cv", l1_ratio=1, rule=rule, n_alphas=20).fit(X, y) for rule in ("min", "1se")
    )
    assert simple.C_ < least.C_
    path = simple.cv_path_
    assert path.error[path.chosen] <= path.error.min() + path.standard_error[path.best]


def test_weights_are_repeated_rows_and_balance_counts():
    X, y = table(classes=2)
    weight = np.random.default_rng(2).integers(0, 3, len(y)).astype(float)
    several = np.repeat(np.arange(len(y)), weight.astype(int))
    model = sf.LogisticRegression(C="cv", n_alphas=5, class_weight="balanced")
    one = sf.LogisticRegression(**model.get_params()).fit(X, y, sample_weight=weight)
    other = model.fit(X[several], y[several])
    np.testing.assert_allclose(one.cv_path_.errors, other.cv_path_.errors, rtol=1e-6)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-6)


def test_a_class_of_one_fold_alone_is_said():
    X, y = table()
    y[0] = "d"
    with pytest.raises(InvalidData, match="no row of one of the classes is among those learned from"):
        sf.LogisticRegression(C="cv").fit(X, y)
    y = np.where(np.arange(120) == 0, "b", "a")
    with pytest.raises(InvalidData, match="no row of one of the classes is among those learned from"):
        sf.LogisticRegression(C="cv").fit(X, y)


def test_a_chosen_model_is_saved(tmp_path):
    X, y = table()
    model = sf.LogisticRegression(C="cv", n_alphas=3).fit(X, y)
    sf.save(model, tmp_path / "model.suffice")
    back = sf.load(tmp_path / "model.suffice")
    assert back.C_ == model.C_
    np.testing.assert_array_equal(back.cv_path_.errors, model.cv_path_.errors)


def test_generalized_models_choose_and_have_paths():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    y = rng.poisson(np.exp(0.5 * X[:, 0] + 1)).astype(float)
    model = sf.PoissonRegressor(alpha="cv", n_alphas=10).fit(X, y)
    other = sk.PoissonRegressor(alpha=model.alpha_, tol=1e-10, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(model.coef_, other.coef_, atol=1e-5)
    assert model.alpha_ == model.cv_path_.alpha
    found = sf.PoissonRegressor().path(X, y, alphas=[0.1, 0.01])
    other = sk.PoissonRegressor(alpha=0.01, tol=1e-10, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(found.coef[1], other.coef_, atol=1e-5)
    sparse = sf.GeneralizedLinearRegressor("poisson", penalty="l1").path(X, y, n_alphas=5)
    assert sparse.nonzero[0] == 0
    offset = sf.PoissonRegressor(offset=3).path(X, y, alphas=[0.1])
    np.testing.assert_allclose(offset.coef[0], sf.PoissonRegressor(alpha=0.1, offset=3).fit(X, y).coef_, atol=1e-6)


def test_any_composition_has_a_path_where_there_is_something_to_fall():
    X, _ = table()
    y = X[:, 0] + np.random.default_rng(0).normal(size=120)
    found = sf.LinearModel("huber", penalty="l1").path(X, y, n_alphas=5)
    one = sf.LinearModel("huber", penalty=L1(found.alphas[3])).fit(X, y)
    np.testing.assert_allclose(found.coef[3], one.coef_, atol=1e-5)
    with pytest.raises(InvalidParameter, match="LinearModel: a path needs a penalty"):
        sf.LinearModel().path(X, y)
    with pytest.raises(InvalidParameter, match="a loss with a gradient everywhere, which AbsoluteLoss has not"):
        sf.LinearModel("absolute", penalty="l1").path(X, y)
    with pytest.raises(InvalidParameter, match="eps"):
        sf.LinearModel("huber", penalty="l1").path(X, y, eps=2)


def test_the_function_is_the_method():
    X, _ = table()
    y = X[:, 0] + np.random.default_rng(0).normal(size=120)
    one, other = sf.lasso_path(X, y, n_alphas=7), sf.Lasso().path(X, y, n_alphas=7)
    np.testing.assert_allclose(one.coef, other.coef, atol=1e-7)
    one, other = sf.lasso_path(X, y, l1_ratio=0.3, n_alphas=7), sf.ElasticNet(l1_ratio=0.3).path(X, y, n_alphas=7)
    np.testing.assert_allclose(one.coef, other.coef, atol=1e-9)
    centred = X - X.mean(axis=0)
    _, coef, _ = sk.lasso_path(centred, y, alphas=sf.lasso_path(X, y, n_alphas=7).alphas, tol=1e-12)
    np.testing.assert_allclose(sf.lasso_path(centred, y, fit_intercept=False, n_alphas=7).coef, coef.T, atol=1e-5)
    with pytest.raises(InvalidParameter, match="l1_ratio"):
        sf.lasso_path(X, y, l1_ratio=2)
