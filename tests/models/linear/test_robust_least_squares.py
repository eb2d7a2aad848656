"""Robust errors of least squares: their formula, statsmodels' values, and the same from every form of the rows."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

import suffice as sf
from suffice.errors import InvalidParameter

KINDS = ["HC0", "HC1", "HC2", "HC3"]
RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 3)) * [1.0, 5.0, 0.1] + [0.0, 3.0, 1.0]
Y = 1 + X @ [2.0, -0.5, 4.0] + RNG.normal(size=60) * (0.3 + np.abs(X[:, 0]))


def sandwich(X, y, kind, times=None, alpha=0.0, intercept=True):
    """By its formula; weights are repeated rows."""
    rows = np.repeat(np.arange(len(X)), 1 if times is None else times)
    A = np.column_stack([np.ones(len(rows)), X[rows]]) if intercept else X[rows]
    ridge = np.diag([0.0] * intercept + [alpha] * X.shape[1])
    bread = np.linalg.inv(A.T @ A + ridge)
    residual = y[rows] - A @ bread @ A.T @ y[rows]
    left = 1 - np.einsum("np,pq,nq->n", A, bread, A)
    used = np.trace(bread @ A.T @ A)
    factor = {"HC0": 1, "HC1": len(A) / (len(A) - used), "HC2": 1 / left, "HC3": 1 / left**2}[kind]
    spread = A.T @ (A * (factor * residual**2)[:, None])
    return np.sqrt(np.diagonal(bread @ spread @ bread))


@pytest.mark.parametrize("kind", KINDS)
def test_values_of_statsmodels(kind):
    """mtcars, mpg on wt and hp, as the generalized linear model of squares has them."""
    folder = Path(__file__).parents[2] / "reference"
    known = json.loads((folder / "likelihood_values.json").read_text())["least squares"][kind]
    cars = np.genfromtxt(folder / "mtcars.csv", delimiter=",", names=True, dtype=None, encoding="utf-8")
    rows, y = np.column_stack([cars["wt"], cars["hp"] / 100]), cars["mpg"]
    table = sf.LinearRegression().fit(rows, y).robust_coefficients(rows, y, kind=kind)
    assert_allclose(table.standard_error[:, 0], known, rtol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercept", [True, False])
def test_by_their_formula_with_weights_and_penalties(kind, intercept):
    times = np.arange(60) % 3
    for model, alpha in ((sf.LinearRegression(), 0.0), (sf.Ridge(2.0), 2.0)):
        fit = model.set_params(fit_intercept=intercept).fit(X, Y, times)
        found = fit.robust_coefficients(X, Y, times, kind=kind).standard_error[:, 0]
        assert_allclose(found, sandwich(X, Y, kind, times, alpha, intercept), rtol=1e-9)


@pytest.mark.parametrize("solver", ["moments", "qr"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_every_form_of_the_rows(solver, form):
    model = sf.LinearRegression(solver=solver).fit(form(X), Y)
    assert_allclose(
        model.robust_coefficients(form(X), Y, kind="HC3").standard_error[:, 0], sandwich(X, Y, "HC3"), rtol=1e-8
    )


def test_several_targets_each_have_theirs():
    both = np.column_stack([Y, Y[::-1]])
    table = sf.LinearRegression().fit(X, both).robust_coefficients(X, both, kind="HC2")
    for k in range(2):
        assert_allclose(table.standard_error[:, k], sandwich(X, both[:, k], "HC2"), rtol=1e-9)
    penalised = sf.Ridge([1.0, 5.0]).fit(X, both).robust_coefficients(X, both, kind="HC1")
    assert_allclose(penalised.standard_error[:, 1], sandwich(X, both[:, 1], "HC1", None, 5.0), rtol=1e-9)


def test_least_squares_agree_with_the_generalized_model():
    kinds = {kind: sf.LinearRegression().fit(X, Y).robust_coefficients(X, Y, kind=kind) for kind in KINDS}
    for kind, table in kinds.items():
        known = sf.GeneralizedLinearRegressor("squared").fit(X, Y).robust_coefficients(X, Y, kind=kind)
        assert_allclose(table.standard_error, known.standard_error, rtol=1e-6)
        assert_allclose(table.p, known.p, atol=1e-6)


def test_dependent_columns_have_none():
    rows = np.column_stack([X, X[:, 0]])
    with pytest.warns(sf.errors.IllConditioned):
        model = sf.LinearRegression().fit(rows, Y)
    errors = model.robust_coefficients(rows, Y).standard_error[:, 0]
    alone = sf.LinearRegression().fit(X, Y).robust_coefficients(X, Y).standard_error[:, 0]
    assert np.isnan(errors[[1, -1]]).all()
    assert_allclose(errors[2:-1], alone[2:], rtol=1e-8)


def test_refusals():
    model = sf.LinearRegression().fit(X, Y)
    with pytest.raises(InvalidParameter, match="kind must be one of HC0, HC1, HC2, HC3; got 'HC4'"):
        model.robust_coefficients(X, Y, kind="HC4")
    with pytest.raises(InvalidParameter, match="level must be a number between 0 and 1"):
        model.robust_coefficients(X, Y, level=2)
    three = np.arange(60) % 3
    classes = sf.LogisticRegression(C=np.inf).fit(X, three)
    few, some = (classes.robust_coefficients(X, three, kind=kind).standard_error for kind in ("HC0", "HC1"))
    assert_allclose(some / few, np.sqrt(60 / (60 - 8)), rtol=1e-9)
    with pytest.raises(InvalidParameter, match="several classes, so that kind must be HC0 or HC1; got 'HC2'"):
        classes.robust_coefficients(X, three, kind="HC2")


def test_a_reference_is_a_class_which_numbers_have_not():
    rows = np.arange(12.0).reshape(6, 2) ** 2
    model = sf.LinearRegression().fit(rows, np.arange(6.0) % 4)
    with pytest.raises(InvalidParameter, match="reference names a class, and the target has none"):
        model.robust_coefficients(rows, np.arange(6.0) % 4, reference="a")
