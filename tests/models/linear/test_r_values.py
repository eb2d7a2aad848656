"""Linear models against R: glm, lm, rq, rlm, multinom, glmnet, sandwich and nnls (make_linear_values.R)."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import suffice as sf
from suffice.errors import IllConditioned
from suffice.losses import BinomialLoss, GammaLoss, HuberLoss, NegativeBinomialLoss, TweedieLoss
from suffice.models.linear.paths import CrossValidatedPath
from suffice.penalties import ElasticNetPenalty

VALUES = json.loads((Path(__file__).parents[2] / "reference" / "linear_values.json").read_text(encoding="utf-8"))
GLM = sf.GeneralizedLinearRegressor
FAMILIES = {
    "esoph": "binomial",
    "esoph_interactions": "binomial",
    "anorexia": "squared",
    "clotting1": GammaLoss("inverse"),
    "clotting2": GammaLoss("inverse"),
    "clotting_log": "gamma",
    "clotting_inverse_gaussian": TweedieLoss(3),
    "dobson": "poisson",
    "insurance": "poisson",
    "quine_poisson": "poisson",
    "birthweight": "binomial",
    "birthweight_probit": BinomialLoss("probit"),
    "birthweight_cloglog": BinomialLoss("cloglog"),
}


def rows(data):
    """X, y and the weights of an entry."""
    X, y = np.array(data["x"], dtype=float), np.array(data["y"])
    weight = data.get("weight")
    return X.reshape(len(y), -1), y, None if weight is None else np.array(weight, dtype=float)


def fitted(name, loss):
    """A generalized linear model of an entry, and how many columns have slopes of their own."""
    data = VALUES["glm"][name]["data"]
    X, y, weight = rows(data)
    given = {key: X.shape[1] for key in ("offset", "exposure") if key in data}
    beside = [np.array(data[key])[:, None] for key in given]
    return GLM(loss, tol=1e-12, **given).fit(np.hstack([X, *beside]), y, weight), X.shape[1]


@pytest.mark.parametrize("name", FAMILIES)
def test_glm(name):
    known = VALUES["glm"][name]
    model, p = fitted(name, FAMILIES[name])
    table = model.coefficients()
    assert_allclose(table.estimate[: p + 1, 0], known["estimate"], rtol=1e-6, atol=1e-8)
    assert_allclose(table.standard_error[: p + 1, 0], known["error"], rtol=2e-6)
    assert_allclose(table.p[: p + 1, 0], known["p"], rtol=1e-4)
    covariance = np.roll(model.covariance_, 1, axis=(0, 1))
    assert_allclose(covariance, known["vcov"], rtol=1e-5, atol=1e-6 * np.abs(known["vcov"]).max())
    assert_allclose(model.deviance_, known["deviance"], rtol=1e-8)
    assert_allclose(model.null_deviance_, known["null_deviance"], rtol=1e-8)
    assert_allclose(model.dispersion_, known["dispersion"], rtol=1e-6)


@pytest.mark.parametrize("name", [name for name in FAMILIES if not name.startswith("esoph")])
def test_criteria_of_glm(name):
    """Of grouped counts R has a binomial coefficient beside them, and its weights are no rows."""
    known, (model, _) = VALUES["glm"][name], fitted(name, FAMILIES[name])
    assert_allclose(model.aic_, known["aic"], rtol=1e-8)
    assert model.degrees_of_freedom_ == known["df"]


def test_negative_binomial_by_glm():
    known = VALUES["glm"]["quine"]
    model, _ = fitted("quine", NegativeBinomialLoss(known["theta"]))
    table = model.coefficients()
    assert_allclose(table.estimate[:, 0], known["estimate"], rtol=1e-6)
    assert_allclose(table.standard_error[:, 0], known["error"], rtol=1e-6)
    assert_allclose(model.deviance_, known["deviance"], rtol=1e-8)


def test_esoph_is_logistic_regression_too():
    """Counts of successes and failures as rows of two classes with weights."""
    known = VALUES["glm"]["esoph"]
    X, share, trials = rows(known["data"])
    cases = np.repeat([1, 0], len(X))
    model = sf.LogisticRegression(C=np.inf, tol=1e-12)
    model.fit(np.vstack([X, X]), cases, np.concatenate([share * trials, (1 - share) * trials]))
    table = model.coefficients()
    assert_allclose(table.estimate[:, 0], known["estimate"], rtol=1e-6)
    assert_allclose(table.standard_error[:, 0], known["error"], rtol=1e-6)
    age = sf.LogisticRegression(C=np.inf, tol=1e-12)
    age.fit(np.vstack([X, X])[:, :5], cases, np.concatenate([share * trials, (1 - share) * trials]))
    test = sf.likelihood_ratio_test(age, model)
    assert_allclose([test.statistic, test.p], [known["ratio"], known["ratio_p"]], rtol=1e-6)


@pytest.mark.parametrize("name", ["esoph", "dobson", "birthweight_cloglog"])
def test_errors_of_means(name):
    """predict(type = "response", se.fit = TRUE) has errors by the delta method, ours intervals of the predictor."""
    known, (model, _) = VALUES["glm"][name], fitted(name, FAMILIES[name])
    X, _, _ = rows(known["data"])
    assert_allclose(model.predict(X[:3]), known["mean"], rtol=1e-7)
    low, high = model.predict_interval(X[:3], level=1e-4).T  # so narrow that the link is straight
    assert_allclose((high - low) / (2 * 1.2533141374e-4), known["mean_error"], rtol=1e-4)


@pytest.mark.parametrize("positive", [False, True])
def test_longley_and_swiss(positive):
    if positive:
        known = VALUES["non_negative"]
        X, y, _ = rows(known["data"])
        model = sf.LinearRegression(positive=True).fit(X, y)
        assert_allclose([model.intercept_, *model.coef_], [known["intercept"], *known["slope"]], atol=1e-8)
        return
    known = VALUES["longley"]
    X, y, _ = rows(known["data"])
    model = sf.LinearRegression().fit(X, y)
    table = model.coefficients()
    assert_allclose(table.estimate[:, 0], known["estimate"], rtol=1e-7)
    assert_allclose(table.standard_error[:, 0], known["error"], rtol=1e-7)
    for kind in ("HC0", "HC1", "HC2", "HC3"):
        assert_allclose(model.robust_coefficients(X, y, kind=kind).standard_error[:, 0], known[kind], rtol=1e-6)
    fit, low, high = np.array(known["prediction"]).T
    assert_allclose(model.predict(X[:4]), fit, rtol=1e-9)
    assert_allclose(model.predict_interval(X[:4], level=0.9, of="target"), np.column_stack([low, high]), rtol=1e-9)
    scaled = sf.Ridge(known["ridge_lambda"]).fit(X / known["ridge_scales"], y)
    assert_allclose(scaled.coef_ / known["ridge_scales"], known["ridge"][1:], rtol=1e-7)


@pytest.mark.parametrize("kind", ["HC0", "HC1", "HC2", "HC3"])
def test_sandwich_of_quine(kind):
    X, y, _ = rows(VALUES["glm"]["quine_poisson"]["data"])
    found = GLM("poisson", tol=1e-12).fit(X, y).robust_coefficients(X, y, kind=kind)
    assert_allclose(found.standard_error[:, 0], VALUES["quine_robust"][kind], rtol=1e-6)


@pytest.mark.parametrize("name", VALUES["rq"])
def test_rq(name):
    known = VALUES["rq"][name]
    X, y, _ = rows(known["data"])
    for tau, estimate, loss in zip(known["tau"], known["estimate"], known["loss"], strict=True):
        model = sf.QuantileRegressor(quantile=tau, alpha=0).fit(X, y)
        residual = y - model.predict(X)
        assert_allclose(np.sum(residual * (tau - (residual < 0))), loss, rtol=1e-10)
        assert_allclose([model.intercept_, *model.coef_], estimate, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("name", VALUES["rlm"])
def test_rlm(name):
    """Huber's loss at the scale that rlm ends at."""
    known = VALUES["rlm"][name]
    X, y, _ = rows(known["data"])
    model = sf.LinearModel(HuberLoss(known["k"] * known["scale"]), tol=1e-12).fit(X, y)
    assert_allclose([model.intercept_, *model.coef_], known["estimate"], rtol=1e-5, atol=1e-6)


def test_multinom():
    known = VALUES["multinom"]["housing"]
    X, y, weight = rows(known["data"])
    model = sf.LogisticRegression(C=np.inf, tol=1e-12).fit(X, y, weight)
    table = model.coefficients(reference=known["classes"][0])
    order = [known["classes"][1:].index(name.partition(" ")[0]) for name in table.targets]
    assert_allclose(table.estimate.T, np.array(known["estimate"])[order], rtol=1e-4, atol=1e-5)
    assert_allclose(table.standard_error.T, np.array(known["error"])[order], rtol=1e-5)
    assert_allclose([model.deviance_, model.aic_], [known["deviance"], known["aic"]], rtol=1e-9)


@pytest.mark.parametrize("family", ["gaussian", "binomial", "poisson", "multinomial"])
@pytest.mark.parametrize("which", [0, 1])
def test_glmnet(family, which):
    """The tables of the vignette of glmnet (the last two cut to 150 × 10), at parts of the largest λ."""
    known = VALUES["glmnet"][family]
    X, y, _ = rows(known["data"])
    path = known["paths"][which]
    for k, strength in enumerate(path["lambda"]):
        model = penalised(family, strength, path["alpha"], y).fit(X, y)
        slopes = [path["slope"][c][k] for c in path["slope"]] if family == "multinomial" else path["slope"][k]
        assert_allclose(np.squeeze(model.coef_), slopes, atol=2e-6)
        if family != "multinomial":
            assert_allclose(np.squeeze(model.intercept_), path["intercept"][k], atol=1e-5)


def penalised(family, strength, share, y):
    if family == "gaussian":  # whose targets glmnet scales to variance 1, so that its squares count by their deviation
        lasso, ridge = strength * share, strength * (1 - share) / np.std(y)
        return sf.ElasticNet(lasso + ridge, l1_ratio=lasso / (lasso + ridge), tol=1e-12)
    if family == "poisson":
        penalty = ElasticNetPenalty(strength, share)
        return GLM("poisson", penalty=penalty, tol=1e-10)
    return sf.LogisticRegression(C=1 / (len(y) * strength), l1_ratio=share, tol=1e-12)


@pytest.mark.parametrize("kind", ["lm", "glm"])
def test_columns_that_follow_from_others(kind):
    """R leaves out the later of dependent columns; what is estimable has the same errors."""
    known = VALUES["aliased"][kind]
    X, y, _ = rows(known["data"])
    model = sf.LinearRegression() if kind == "lm" else sf.LogisticRegression(C=np.inf, tol=1e-12)
    with pytest.warns(IllConditioned, match="rank"):
        model.fit(X, y)
    table = model.coefficients()
    assert model.degrees_of_freedom_ == known["df"]
    of_r = {"lm": [0, 3, 4], "glm": [0, 1]}[kind]  # the intercept, and columns that nothing else determines
    assert_allclose(table.estimate[of_r, 0], np.array(known["estimate"], dtype=float)[of_r], rtol=1e-6)
    assert_allclose(table.standard_error[of_r, 0], np.array(known["error"], dtype=float)[of_r], rtol=1e-6)
    assert np.isnan(np.delete(table.standard_error[:, 0], of_r)).all()
    assert np.isfinite(model.predict_interval(X[:5])).all()
    assert np.isnan(model.predict_interval(X[:1] + np.eye(X.shape[1])[1])).all()  # one of two columns that go together


def test_folds_of_cv_glmnet():
    """The errors of the same folds, their mean, its standard error, and both rules of choice."""
    known = VALUES["cv_glmnet"]
    X, y, _ = rows(VALUES["glmnet"]["gaussian"]["data"])
    fold, alphas = np.array(known["fold"]), np.array(known["lambda"])
    errors = []
    for number in np.unique(fold):
        path = sf.Lasso(tol=1e-12).path(X[fold != number], y[fold != number], alphas=alphas)
        own = fold == number
        predicted = X[own] @ path.coef.T + path.intercept
        errors.append(np.mean((predicted - y[own, None]) ** 2, axis=0))
    weight = np.bincount(fold)[1:].astype(float)
    for rule, chosen in (("min", known["least"]), ("1se", known["within_one"])):
        found = CrossValidatedPath(alphas, np.array(errors), weight, rule)
        assert_allclose(found.error, known["error"], rtol=1e-5)
        assert_allclose(found.standard_error, known["standard_error"], rtol=1e-5)
        assert found.alpha == chosen
