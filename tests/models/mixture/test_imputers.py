"""Imputers: the closed form of monotone patterns, data with known truth, draws, and scikit-learn's transformers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

import suffice as sf
from suffice.errors import InvalidData

COVARIANCE = np.array([[2.0, 1.2, 0.6], [1.2, 1.5, 0.9], [0.6, 0.9, 1.0]])
MEAN = np.array([1.0, -2.0, 3.0])


@pytest.fixture
def rows(rng):
    return rng.multivariate_normal(MEAN, COVARIANCE, 4000)


def monotone(X, seen_second, seen_third):
    """Column 2 is missing wherever column 1 is, and more often; what is missing depends on what was seen."""
    gappy, order = X.copy(), np.argsort(X[:, 0])
    gappy[order[seen_second:], 1] = np.nan
    gappy[order[seen_third:], 2] = np.nan
    return gappy


def factored(gappy):
    """The maximum of the likelihood by regressions of each column on those before it (Anderson, 1957)."""
    mean, covariance = np.array([gappy[:, 0].mean()]), np.array([[gappy[:, 0].var()]])
    for j in range(1, gappy.shape[1]):
        seen = gappy[~np.isnan(gappy[:, j])]
        A = np.column_stack([np.ones(len(seen)), seen[:, :j]])
        coefficients = np.linalg.lstsq(A, seen[:, j], rcond=None)[0]
        noise = np.mean((seen[:, j] - A @ coefficients) ** 2)
        across = covariance @ coefficients[1:]
        mean = np.append(mean, coefficients[0] + coefficients[1:] @ mean)
        corner = noise + coefficients[1:] @ across
        covariance = np.block([[covariance, across[:, None]], [across[None, :], np.array([[corner]])]])
    return mean, covariance


def test_monotone_missing_values_have_a_closed_form(rows):
    gappy = monotone(rows[:300], 220, 150)
    mean, covariance = factored(gappy)
    model = sf.GaussianImputer(reg_covar=0.0, tol=1e-14, max_iter=20_000).fit(gappy)
    assert_allclose(model.mean_, mean, rtol=1e-6)
    assert_allclose(model.covariance_, covariance, rtol=1e-5)
    assert np.all(np.diff(model.history_.objective) >= -1e-12)


def test_what_depends_on_seen_values_does_not_bias(rows):
    model = sf.GaussianImputer(tol=1e-9, max_iter=5000).fit(monotone(rows, 2500, 1500))
    assert_allclose(model.mean_, MEAN, atol=0.15)
    assert abs(np.nanmean(monotone(rows, 2500, 1500)[:, 1]) - MEAN[1]) > 0.3  # as the mean of the seen is


@pytest.mark.parametrize("column", [0, 1, 2])
def test_it_beats_the_mean_by_what_is_explained(rows, column):
    """The squared error is 1 − R² of that of the mean, R² of the regression on the other columns."""
    rest = [j for j in range(3) if j != column]
    gappy = rows.copy()
    gappy[::2, column] = np.nan
    filled = sf.GaussianImputer().fit_transform(gappy)
    constant = SimpleImputer().fit_transform(gappy)
    ratio = np.sum((filled - rows) ** 2) / np.sum((constant - rows) ** 2)
    inside = COVARIANCE[np.ix_(rest, rest)]
    explained = (
        COVARIANCE[column, rest] @ np.linalg.solve(inside, COVARIANCE[rest, column]) / COVARIANCE[column, column]
    )
    assert ratio == pytest.approx(1 - explained, rel=0.1)


def test_draws_have_the_conditional_distribution(rows):
    gappy = np.tile([np.nan, -1.0, 4.0], (20_000, 1))
    model = sf.GaussianImputer(sample=True, random_state=0).fit(rows)
    drawn = model.transform(gappy)[:, 0]
    mean, covariance = model.conditional(gappy[:1])
    assert drawn.mean() == pytest.approx(mean[0, 0], abs=0.03)
    assert drawn.var() == pytest.approx(covariance[0, 0, 0], rel=0.03)
    assert_allclose(drawn, model.transform(gappy)[:, 0])  # the seed is that of the model


def test_draws_keep_the_covariance_and_means_do_not(rows):
    gappy = rows.copy()
    gappy[::2, 0] = np.nan
    by_mean = sf.GaussianImputer().fit_transform(gappy)
    by_draw = sf.GaussianImputer(sample=True, random_state=0).fit_transform(gappy)
    assert np.var(by_draw[:, 0]) == pytest.approx(2.0, rel=0.07)
    assert np.var(by_mean[:, 0]) < 1.7


def test_what_is_complete_stays(rows):
    model = sf.GaussianImputer().fit(rows)
    assert_allclose(model.mean_, rows.mean(axis=0))
    covariance = np.cov(rows.T, ddof=0)
    assert_allclose(model.covariance_, (covariance + 1e-6 * np.diag(np.diag(covariance))) / (1 + 1e-6))
    assert_allclose(model.transform(rows), rows)
    assert_allclose(model.transform([[np.nan] * 3])[0], model.mean_)


def test_a_mixture_knows_which_group(rng):
    """Two lines that cross: the filling follows the group that the third column tells."""
    z, group = rng.normal(size=2000), np.repeat([-1.0, 1.0], 1000)
    X = np.column_stack([z, group * z, 8 * group]) + 0.1 * rng.normal(size=(2000, 3))
    gappy = X.copy()
    gappy[::3, 1] = np.nan
    away = np.isnan(gappy)
    errors = {}
    for name, model in {"one": sf.GaussianImputer(), "two": sf.MixtureImputer(2, random_state=0)}.items():
        errors[name] = np.mean((model.fit_transform(gappy) - X)[away] ** 2)
    assert errors["one"] == pytest.approx(1.0, rel=0.15)
    assert errors["two"] == pytest.approx(0.02, rel=0.2)


@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "spherical"])
def test_the_filling_is_that_of_the_mixture(rows, covariance_type):
    gappy = np.where(np.random.default_rng(0).random(rows.shape) < 0.2, np.nan, rows)[:500]
    imputer = sf.MixtureImputer(2, covariance_type=covariance_type, random_state=0).fit(gappy)
    mixture = sf.GaussianMixture(2, covariance_type=covariance_type, random_state=0, tol=1e-5, max_iter=1000)
    assert_allclose(imputer.transform(gappy), mixture.fit(gappy).impute(gappy))


def test_in_a_pipeline_with_names(rows):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(rows[:100], columns=["a", "b", "c"])
    frame.loc[3, "b"] = np.nan
    pipe = make_pipeline(sf.GaussianImputer(), sf.PCA(2)).set_output(transform="pandas")
    assert list(pipe[:1].fit_transform(frame).columns) == ["a", "b", "c"]
    assert pipe.fit_transform(frame).shape == (100, 2)
    assert list(sf.MixtureImputer().fit(frame).get_feature_names_out()) == ["a", "b", "c"]


def test_a_column_without_values(rows):
    rows[:, 1] = np.nan
    with pytest.raises(InvalidData, match=r"GaussianImputer: column 1 has only missing values"):
        sf.GaussianImputer().fit(rows)


def test_one_column_is_found_at_once():
    x = np.random.default_rng(0).normal(3.0, 2.0, (500, 1))
    x[::5] = np.nan
    model = sf.GaussianImputer(reg_covar=0).fit(x)
    assert model.n_iter_ == 1
    np.testing.assert_allclose(model.mean_, np.nanmean(x, axis=0), rtol=1e-12)
    np.testing.assert_allclose(model.covariance_[0], np.nanvar(x, axis=0), rtol=1e-12)


def test_one_component_of_complete_rows_takes_two_iterations():
    X = np.random.default_rng(0).normal(size=(200, 3)) @ np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 1.0]])
    model = sf.GaussianMixture(1, reg_covar=0).fit(X)
    assert model.n_iter_ == 2
    np.testing.assert_allclose(model.covariances_[0], np.cov(X.T, bias=True), rtol=1e-10)
