"""Coordinate descent on columns far off 0, whose slopes are those of the same columns about 0"""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from suffice.penalties import L1

MODELS = [
    sf.LogisticRegression(l1_ratio=1, C=100.0, solver="coordinate"),
    sf.LinearModelClassifier("squared_hinge", penalty=L1(1e-4), solver="coordinate"),
    sf.LinearModelClassifier("softmax", penalty=L1(1e-4), solver="coordinate"),
    sf.LinearModel("poisson", penalty=L1(1e-4), solver="coordinate"),
]


@pytest.mark.parametrize(("model", "columns"), [*((model, 5) for model in MODELS), (MODELS[0], 120), (MODELS[3], 120)])
def test_rounding_of_the_intercept_is_no_dual_gap(model: sf.LinearModel, columns: int) -> None:
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(200, columns)), 6)
    y = (X[:, 0] - X[:, 1] + rng.logistic(size=200) > 0).astype(float)
    near = model.fit(X, y).coef_
    far = model.fit(X + 2.0**17, y).coef_  # a warning would be an error
    np.testing.assert_allclose(far, near, atol=1e-5 * np.abs(near).max())
