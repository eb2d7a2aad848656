"""Parameters that are changed after a fit count for the next one, also in a model file."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf

pytestmark = pytest.mark.native

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = np.exp(X @ [0.5, -0.3]) + 0.1


@pytest.mark.parametrize(
    ("model", "changed"),
    [
        (sf.TweedieRegressor(power=1.5), {"power": 0}),
        (sf.GeneralizedLinearRegressor("gamma"), {"loss": "squared"}),
        (sf.LinearModel("poisson"), {"loss": "squared"}),
        (sf.HistGradientBoostingRegressor("poisson", max_iter=3), {"loss": "squared_error"}),
        (sf.KernelKMeans(2, random_state=0), {"kernel": "linear"}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_predictions_are_those_of_the_fit(model, changed, tmp_path):
    known = model.fit(X, Y).predict(X)
    model.set_params(**changed)
    np.testing.assert_array_equal(model.predict(X), known)
    sf.save(model, tmp_path / "model.suffice")
    np.testing.assert_array_equal(sf.load(tmp_path / "model.suffice").predict(X), known)


def test_inference_is_that_of_the_fit():
    model = sf.GeneralizedLinearRegressor("gamma").fit(X, Y)
    known = model.robust_coefficients(X, Y).standard_error, model.score(X, Y), model.predict_interval(X)
    model.set_params(loss="poisson")
    found = model.robust_coefficients(X, Y).standard_error, model.score(X, Y), model.predict_interval(X)
    for one, two in zip(known, found, strict=True):
        np.testing.assert_array_equal(one, two)


def test_softness_is_that_of_the_fit():
    model = sf.SoftKMeans(2, random_state=0).fit(X)
    known = model.predict_proba(X)
    np.testing.assert_array_equal(model.set_params(beta=7.0).predict_proba(X), known)
