"""What linear models and the pipelines before them say of targets and parameters that they cannot use."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import sklearn.base

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter

X = np.arange(24.0).reshape(12, 2) % 7
Y = np.array(["no", "yes", "no"] * 4)


def test_a_class_that_weighs_nothing_has_no_intercept():
    with pytest.raises(InvalidParameter, match="gives the class 'yes' no weight"):
        sf.LogisticRegression(class_weight={"yes": 0}).fit(X, Y)


@pytest.mark.parametrize("model", [sf.LogisticRegression, sf.LinearSVC, sf.Perceptron, sf.SGDClassifier])
def test_weights_of_classes_are_numbers(model):
    with pytest.raises(InvalidParameter, match="class_weight must hold numbers"):
        model(class_weight={"yes": "2"}).fit(X, Y)


@pytest.mark.parametrize(
    "model",
    [
        sf.Lasso(np.inf), sf.ElasticNet(np.inf), sf.PoissonRegressor(alpha=np.inf), sf.HuberRegressor(alpha=np.inf),
        sf.QuantileRegressor(alpha=np.inf), sf.SGDRegressor(alpha=np.inf), sf.LpRegressor(np.inf),
    ],
)  # fmt: skip
def test_infinite_strengths_are_refused_by_the_model_itself(model):
    with pytest.raises(InvalidParameter, match=rf"{type(model).__name__}: \w+ must be a number"):
        model.fit(X, np.arange(12.0))


def test_a_pipeline_speaks_of_its_target_and_a_step_of_its_columns():
    table = pd.DataFrame(X, columns=["a", "b"]).assign(town=["Ely", "York", None] * 4)
    pipeline = sf.prepared(sf.LogisticRegression(), table)
    assert type(pipeline[0]) is sf.OneHotEncoder
    with pytest.raises(InvalidData, match="Pipeline: y, row 3 has no label"):
        pipeline.fit(table, np.where(np.arange(12) == 3, None, Y.astype(object)))
    with pytest.raises(InvalidData, match="Pipeline requires y"):
        pipeline.fit(table)
    with pytest.raises(InvalidData, match="Pipeline: y must be numbers"):
        sf.prepared(sf.Ridge(), table).fit(table, Y)


def test_missing_text_of_pandas_is_missing():
    town = pd.array(["Ely", None, "York"] * 4, dtype="string")
    table = pd.DataFrame(X, columns=["a", "b"]).assign(town=town)
    fitted = sf.prepared(sf.LogisticRegression(), table).fit(table, Y)
    other = table.assign(town=table["town"].astype(object).where(table["town"].notna(), None))
    np.testing.assert_array_equal(fitted.predict_proba(table), fitted.predict_proba(other))
    with pytest.raises(InvalidData, match="row 1 has no label"):
        sf.LogisticRegression().fit(X, pd.Series(town))
    sf.plots.MissingnessDisplay.from_table(table, ax=False)


MODELS_WITH_ERRORS = [
    sf.PoissonRegressor(alpha=0), sf.LogisticRegression(C=np.inf), sf.GeneralizedLinearRegressor("gamma"),
]  # fmt: skip


@pytest.mark.parametrize("model", MODELS_WITH_ERRORS, ids=repr)
@pytest.mark.parametrize("classes", [2, 3])
def test_robust_errors_are_those_of_the_rows_of_the_fit(model, classes):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, 2))
    y = rng.integers(0, classes, 80) if isinstance(model, sf.LogisticRegression) else rng.poisson(3.0, 80) + 1
    fitted = sklearn.base.clone(model).fit(rows, y)
    assert np.isfinite(fitted.robust_coefficients(rows, y).standard_error).all()
    for other, target, weight in (
        (rows[:-1], y[:-1], None),
        (rows + 0.1, y, None),
        (rows, y[::-1], None),
        (rows, y, np.full(80, 2.0)),
    ):
        with pytest.raises(InvalidData, match="robust_coefficients needs the rows of the fit, of weight 80"):
            fitted.robust_coefficients(other, target, weight)


@pytest.mark.parametrize("model", MODELS_WITH_ERRORS, ids=repr)
@pytest.mark.parametrize("classes", [2, 3])
def test_an_intercept_asked_for_after_the_fit_changes_nothing(model, classes):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(80, 2))
    y = rng.integers(0, classes, 80) if isinstance(model, sf.LogisticRegression) else rng.poisson(3.0, 80) + 1
    for fit_intercept in (True, False):
        fitted = sklearn.base.clone(model).set_params(fit_intercept=fit_intercept).fit(rows, y)
        expected = sklearn.base.clone(fitted).fit(rows, y)
        fitted.set_params(fit_intercept=not fit_intercept)
        np.testing.assert_array_equal(fitted.predict_interval(rows), expected.predict_interval(rows))
        assert str(fitted.coefficients()) == str(expected.coefficients())
        assert str(fitted.robust_coefficients(rows, y)) == str(expected.robust_coefficients(rows, y))


@pytest.mark.parametrize(
    ("model", "parameter"),
    [
        (sf.Lasso(positive=5), "positive"), (sf.Lasso(tol=[1.0, 2.0]), "tol"), (sf.ElasticNet(max_iter=()), "max_iter"),
        (sf.LinearModelClassifier(class_weight=5), "class_weight"), (sf.PoissonRegressor(max_iter=0), "max_iter"),
        (sf.GammaRegressor(fit_intercept=3), "fit_intercept"), (sf.TweedieRegressor(offset=[1.0, 2.0]), "offset"),
    ],
)  # fmt: skip
def test_a_path_refuses_what_a_fit_refuses(model, parameter):
    y = Y if isinstance(model, sf.LinearModelClassifier) else np.arange(12.0)
    for method in (model.fit, model.path):
        with pytest.raises(InvalidParameter, match=f"{type(model).__name__}: {parameter} must be"):
            method(X, y)


HUGE = 2**63


@pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
@pytest.mark.parametrize(
    "model",
    [
        sf.SGDRegressor(average=HUGE, max_iter=2, tol=None), sf.SGDRegressor(batch_size=HUGE, max_iter=2, tol=None),
        sf.SGDClassifier(average=HUGE, batch_size=HUGE, max_iter=2, tol=None), sf.LinearSVC(max_iter=HUGE),
        sf.PoissonRegressor(max_iter=HUGE), sf.LogisticRegression(max_iter=HUGE), sf.Lasso(0.1, max_iter=HUGE),
        sf.Perceptron(max_iter=HUGE), sf.HuberRegressor(max_iter=HUGE), sf.LinearSVR(max_iter=HUGE),
    ],
    ids=repr,
)  # fmt: skip
def test_counts_may_be_larger_than_any_that_kernels_take(model):
    model.fit(X, Y if sklearn.base.is_classifier(model) else np.arange(12.0))
    assert np.isfinite(model.coef_).all()


@pytest.mark.filterwarnings("ignore::suffice.errors.SufficeWarning")
@pytest.mark.parametrize("solver", ["auto", "lbfgs", "proximal"])
def test_losses_beyond_every_number_are_refused(solver):
    with pytest.raises(InvalidData, match="LpRegressor: the objective is inf"):
        sf.LpRegressor(p=1e7, solver=solver, max_iter=300).fit([[1.0], [2.0]], [3.0, -1.0])


def test_a_kink_beyond_every_residual_is_refused():
    with pytest.raises(InvalidParameter, match="epsilon must be a number, at least 1, at most 1e\\+100"):
        sf.HuberRegressor(epsilon=1e200).fit(X, np.arange(12.0))


@pytest.mark.parametrize(
    "step", [sf.FunctionTransformer("log"), sf.OneHotEncoder(), sf.QuantileTransformer()], ids=repr
)
def test_steps_that_square_nothing_take_the_largest_numbers(step):
    found = step.fit_transform(np.array([[1e300], [1.0], [3.0]]))
    assert np.isfinite(np.asarray(found.toarray() if hasattr(found, "toarray") else found)).all()


@pytest.mark.parametrize("model", [sf.LogisticRegression, sf.LinearSVC, sf.LinearSVR])
def test_a_strength_beyond_every_number_is_refused(model):
    y = np.arange(12.0) if model is sf.LinearSVR else Y
    for C, weight in ((1e-6, 1e-320), (1e-306, 1e-3)):
        with pytest.raises(InvalidParameter, match=f"{model.__name__}: C times the weight of all rows"):
            model(C=C).fit(X, y, np.full(12, weight))
