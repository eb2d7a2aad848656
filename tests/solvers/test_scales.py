"""Penalised fits of columns in very different units: the conditions of a minimum hold, and nobody is warned."""

import numpy as np
import pytest

import suffice as sf
from suffice.losses import as_loss
from suffice.penalties import L1, ElasticNetPenalty

LOSSES = ["squared", "huber", "poisson", "gamma", "student_t", "logistic", "squared_hinge"]
n, p = 200, 12


def rows(seed, name):
    """Rows of spread 1, and targets of a loss."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, p)) + rng.normal(size=(n, 1))
    eta = np.clip(Z[:, 0] - 0.5 * Z[:, 1] + 0.5, -3, 3)
    if name in ("poisson", "gamma"):
        return Z, rng.poisson(np.exp(eta)) if name == "poisson" else rng.gamma(2.0, np.exp(eta) / 2) + 1e-6
    return (
        (Z, np.sign(eta + rng.logistic(size=n)))
        if name in ("logistic", "squared_hinge")
        else (Z, eta + rng.normal(size=n))
    )


def left(name, model, X, y, absolute, squared):
    """How far each slope is from the conditions of a minimum, in the unit of its column."""
    _, gradient = as_loss(name, "test").value_and_gradient(X @ model.coef_.ravel() + model.intercept_, y)
    w, pull = model.coef_.ravel(), -(X - X.mean(axis=0)).T @ gradient / n
    rest = pull - squared * w - absolute * np.sign(w)
    return np.where(w == 0, np.maximum(np.abs(pull) - absolute, 0), np.abs(rest)) / X.std(axis=0)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("unit", ["mixed", "tiny", "huge", "far", "none"])
def test_minimum_in_any_units(name, unit):
    """Warnings are errors here."""
    exponents = np.linspace(-6, 6, p)
    units = {"mixed": 10.0**exponents, "tiny": np.full(p, 1e-6), "huge": np.full(p, 1e6)}.get(unit, np.ones(p))
    for seed in range(2):
        Z, y = rows(seed, name)
        X = Z * units + (1e4 if unit == "far" else 0.0)
        for penalty, share in ((L1(0.05), 1.0), (ElasticNetPenalty(0.05, 0.5), 0.5)):
            kind = sf.LinearModelClassifier if name in ("logistic", "squared_hinge") else sf.LinearModel
            model = kind(name, penalty=penalty).fit(X, y)
            assert left(name, model, X, y, 0.05 * share, 0.05 * (1 - share)).max() < 1e-5


@pytest.mark.parametrize("seed", range(4))
def test_shortened_steps_leave_no_slope_near_0(seed):
    """Steps by the expected curvature are halved often, and a slope that is halved again and again is never 0."""
    Z, y = rows(seed, "gamma")
    model = sf.LinearModel("gamma", penalty=L1(0.1), fit_intercept=False).fit(Z + 2.0, y * np.exp(Z[:, 3]))
    some = np.abs(model.coef_[model.coef_ != 0])
    assert len(some) == 0 or some.min() > 1e-6
