"""Least squares and ridge against R, NIST and scikit-learn."""

import numpy as np
import pytest
import sklearn.base
import sklearn.linear_model as sk
from numpy.testing import assert_allclose

import suffice as sf
from suffice.errors import IllConditioned, InvalidData, InvalidParameter

MINIMUM_DIGITS = {"Longley": 11, "Norris": 12, "Filip": 6}


def design(problem):
    model, data = problem["model"], problem["data"]
    powers = range(1, model["degree"] + 1)
    X = np.column_stack([np.array(data[name], float) ** k for name in model["predictors"] for k in powers])
    return X, np.array(data["y"], float)


def estimates(model):
    first = [(model.intercept_, model.intercept_standard_error_)] if model.fit_intercept else []
    return np.array([*first, *zip(model.coef_, model.standard_errors_, strict=True)]).T


def digits(found, certified):
    certified = np.array([float(text) for text in certified])
    error = np.abs(found - certified) / np.where(certified == 0, 1, np.abs(certified))
    return -np.log10(np.maximum(error, 1e-16)).min()


@pytest.mark.parametrize(
    "name",
    ["Norris", "Pontius", "NoInt1", "NoInt2", "Filip", "Longley", *(f"Wampler{i}" for i in range(1, 6))],
)
def test_nist(nist, name):
    problem = nist[name]
    X, y = design(problem)
    model = sf.LinearRegression(fit_intercept=problem["model"]["intercept"]).fit(X, y)
    coefficients, errors = estimates(model)
    assert digits(coefficients, problem["certified"]["coefficients"]) >= MINIMUM_DIGITS.get(name, 9)
    assert digits(errors, problem["certified"]["standard_deviations"]) >= min(7, MINIMUM_DIGITS.get(name, 7))
    assert model.degrees_of_freedom_ == pytest.approx(problem["certified"]["residual_df"])


def test_filip_by_normal_equations_warns(nist):
    X, y = design(nist["Filip"])
    with pytest.warns(IllConditioned, match="the 10 columns have rank"):
        model = sf.LinearRegression(solver="moments").fit(X, y)
    assert np.isnan(model.standard_errors_).all()


@pytest.mark.parametrize("solver", ["auto", "moments", "qr"])
def test_r_lm(r_values, solver):
    iris = sf.datasets.load("iris").matrix()
    r = r_values["lm_iris"]
    model = sf.LinearRegression(solver=solver).fit(iris[:, 1:], iris[:, 0])
    table = model.coefficients(level=0.95)
    assert_allclose(table.estimate[:, 0], r["coef"], rtol=1e-10)
    assert_allclose(table.standard_error[:, 0], r["std_err"], rtol=1e-10)
    assert_allclose(table.t[:, 0], r["t"], rtol=1e-9)
    assert_allclose(table.p[:, 0], r["p"], rtol=1e-6)
    assert_allclose(np.column_stack([table.low, table.high]), r["confint95"], rtol=1e-9)
    assert_allclose(model.noise_variance_, r["sigma2"], rtol=1e-10)
    assert_allclose(model.score(iris[:, 1:], iris[:, 0]), r["r_squared"], rtol=1e-10)


@pytest.mark.parametrize("solver", ["moments", "qr"])
def test_weights_are_repetitions_as_r_sees_them(r_values, solver):
    faithful, r = sf.datasets.load("faithful"), r_values["lm_faithful_repeated"]
    X, y = faithful.matrix(["eruptions"]), faithful["waiting"]
    model = sf.LinearRegression(solver=solver).fit(X, y, sample_weight=r["weights"])
    assert_allclose(estimates(model), [r["coef"], r["std_err"]], rtol=1e-10)
    assert model.degrees_of_freedom_ == pytest.approx(r["df_residual"])
    assert_allclose(estimates(model)[0], r_values["lm_faithful_weights"]["coef"], rtol=1e-10)


def test_several_targets(r_values):
    arrests, r = sf.datasets.load("usarrests"), r_values["lm_usarrests_two_targets"]
    X, Y = arrests.matrix(["Assault", "UrbanPop"]), arrests.matrix(["Murder", "Rape"])
    model = sf.LinearRegression().fit(X, Y)
    table = model.coefficients()
    assert_allclose(table.estimate, r["coef"], rtol=1e-10)
    for j, target in enumerate(r["targets"]):
        assert_allclose(table.standard_error[:, j], r["each"][target]["std_err"], rtol=1e-10)
        assert_allclose(model.noise_variance_[j], r["each"][target]["sigma2"], rtol=1e-10)
    assert model.predict(X).shape == (50, 2)
    assert str(table).count("intercept") == 2


@pytest.mark.parametrize("solver", ["auto", "moments", "qr"])
def test_ridge_against_r(r_values, solver):
    iris, r = sf.datasets.load("iris").matrix(), r_values["ridge_iris"]
    model = sf.Ridge(r["alpha"], solver=solver).fit(iris[:, 1:], iris[:, 0])
    assert_allclose([model.intercept_, *model.coef_], r["coef"], rtol=1e-10)


@pytest.mark.parametrize("solver", ["moments", "qr"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_ridge_against_scikit_learn(rng, solver, fit_intercept):
    X, Y, w = rng.normal(2, 3, (80, 5)), rng.normal(size=(80, 2)), rng.random(80)
    alpha = [0.5, 20.0]
    ours = sf.Ridge(alpha, fit_intercept=fit_intercept, solver=solver).fit(X, Y, sample_weight=w)
    theirs = sk.Ridge(alpha, fit_intercept=fit_intercept, solver="svd").fit(X, Y, sample_weight=w)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-12)


def test_ridge_standard_errors_are_those_of_the_estimate():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    truth = X @ [1.0, -2.0, 0.5]
    fits = [sf.Ridge(5.0).fit(X, truth + rng.normal(size=40)) for _ in range(2000)]
    spread = np.std([fit.coef_ for fit in fits], axis=0)
    assert_allclose(np.sqrt(np.mean([fit.standard_errors_**2 for fit in fits], axis=0)), spread, rtol=0.06)


@pytest.mark.parametrize("solver", ["auto", "moments", "qr"])
def test_dependent_columns_give_the_smallest_coefficients(rng, solver):
    X = rng.normal(size=(30, 3))
    X = np.column_stack([X, X[:, 0] * 2 - X[:, 1]])
    y = X @ [1.0, 2, 3, 4] + 5
    with pytest.warns(IllConditioned, match="the 4 columns have rank 3"):
        model = sf.LinearRegression(solver=solver).fit(X, y)
    assert_allclose(model.coef_, sk.LinearRegression().fit(X, y).coef_, rtol=1e-6)
    assert model.rank_ == 3


def test_more_columns_than_rows(rng):
    X, y = rng.normal(size=(5, 8)), rng.normal(size=5)
    with pytest.warns(IllConditioned):
        model = sf.LinearRegression().fit(X, y)
    assert_allclose(model.predict(X), y, rtol=1e-6)
    assert_allclose(model.coef_, sk.LinearRegression().fit(X, y).coef_, rtol=1e-6)


def test_units_are_no_ill_conditioning(rng):
    X = rng.normal(size=(100, 3)) * [1e-8, 1.0, 1e8]
    model = sf.LinearRegression().fit(X, X @ [1e8, 1.0, 1e-8])
    assert model.condition_ < 10
    assert_allclose(model.coef_, [1e8, 1.0, 1e-8], rtol=1e-9)


def test_one_alpha_for_each_target(rng):
    with pytest.raises(InvalidParameter, match="Ridge: alpha must have one number, or one for each target"):
        sf.Ridge([1.0, 2.0, 3.0]).fit(rng.normal(size=(9, 2)), rng.normal(size=(9, 2)))


def test_level_must_be_a_probability(rng):
    model = sf.LinearRegression().fit(rng.normal(size=(9, 2)), rng.normal(size=9))
    with pytest.raises(InvalidParameter, match="level must be a number between 0 and 1; got 95"):
        model.coefficients(level=95)


@pytest.mark.filterwarnings("ignore::suffice.errors.IllConditioned")  # where nothing is left of the squares of a column
@pytest.mark.parametrize("size", [1e-150, 1e-160, 1e-200, 1e-290])
@pytest.mark.parametrize("model", [sf.LinearRegression(), sf.Ridge(1.0), sf.Ridge("cv")], ids=repr)
def test_columns_whose_squares_vanish(model, size):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(30, 3))
    y = rows @ [1.0, 2.0, 3.0] + rng.normal(size=30)
    for unit in (np.full(3, size), np.array([1, size, 1])):
        small = sklearn.base.clone(model).fit(rows * unit, y)
        assert np.isfinite(small.history_.objective).all()
        assert np.isfinite(small.coef_).all()
        small.coefficients()


def test_slopes_larger_than_any_number_are_refused():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(30, 3))
    with pytest.raises(InvalidData, match="LinearRegression: slopes are larger than any number"):
        sf.LinearRegression().fit(rows * 1e-308, rows @ [1e3, 2e3, 3e3])
