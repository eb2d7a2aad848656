"""Columns whose squares underflow or overflow: the right answer, or a sentence."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from suffice.errors import Diverged, IllConditioned, InvalidData

pytestmark = pytest.mark.native

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X @ [1.0, -2.0, 0.5] + 0.3 + 0.1 * RNG.normal(size=60)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, np.array([1e-160, 1.0, 1.0])])
@pytest.mark.parametrize("options", [{}, {"positive": True}, {"fit_intercept": False}])
def test_least_squares_of_tiny_columns(scale, options):
    model, plain = (sf.LinearRegression(**options).fit(rows, Y) for rows in (X * scale, X))
    np.testing.assert_allclose(model.predict(X * scale), plain.predict(X), rtol=1e-10)
    assert not np.isinf(model.standard_errors_).any()


def test_least_squares_of_few_tiny_rows():
    rows = np.random.default_rng(1).normal(size=(5, 9))
    with pytest.warns(IllConditioned, match="rank 5"):
        model = sf.LinearRegression(fit_intercept=False).fit(rows * 1e-160, Y[:5])
    np.testing.assert_allclose(model.predict(rows * 1e-160), Y[:5], rtol=1e-10)


def test_normal_equations_of_tiny_columns_warn():
    with pytest.warns(IllConditioned, match="Scale the columns up"):
        sf.LinearRegression(solver="moments").fit(X * 1e-160, Y)
    with pytest.warns(IllConditioned, match="Scale the columns up"):
        sf.LinearRegression().partial_fit(X * 1e-160, Y)


@pytest.mark.parametrize("scale", [1e-300, 1e-160])
@pytest.mark.parametrize(
    "model",
    [sf.LinearModel(), sf.GeneralizedLinearRegressor(), sf.LpRegressor(), sf.StudentTRegressor()],
    ids=lambda model: type(model).__name__,
)
def test_iterations_refuse_tiny_columns(model, scale):
    with pytest.raises(InvalidData, match="column 'x0' holds numbers so small that their squares underflow"):
        model.fit(X * scale, Y)
    with pytest.raises(InvalidData, match="column 'x1' holds numbers so small"):
        model.fit(X * [1.0, scale, 1.0], Y)


def test_columns_of_zeros_are_not_tiny():
    model = sf.LinearModel().fit(X * [1.0, 0.0, 1.0], Y)
    assert model.coef_[1] == 0


def test_the_perceptron_tells_of_an_overflow():
    with pytest.warns(Diverged, match="Perceptron: diverged"):
        sf.Perceptron().fit(X * 1e200, Y > 0)


@pytest.mark.parametrize("model", [sf.GaussianMixture(2), sf.GaussianImputer()], ids=lambda model: type(model).__name__)
def test_mixtures_name_tiny_columns(model):
    with pytest.raises(InvalidData, match="so small that their squares underflow; scale the columns up"):
        model.fit(X * 1e-160)


@pytest.mark.parametrize(
    "model",
    [sf.KBinsDiscretizer(4), sf.SimpleImputer(strategy="median"), sf.MissingIndicator(features="all")],
    ids=lambda model: type(model).__name__,
)
def test_what_only_compares_takes_the_largest_numbers(model):
    rows = np.where(X < -1.5, np.nan, X) if isinstance(model, sf.SimpleImputer | sf.MissingIndicator) else X
    large = model.fit_transform(rows * 1e307)
    scale = 1e307 if isinstance(model, sf.SimpleImputer) else 1.0
    np.testing.assert_allclose(large / scale, model.fit_transform(rows), rtol=1e-12)


def test_modes_of_the_largest_numbers():
    codes = np.random.default_rng(0).integers(0, 3, (60, 2)).astype(float)
    found = [sf.KModes(2, init="cao").fit(rows).labels_.tolist() for rows in (codes, codes * 5e307)]
    assert found[0] == found[1]
