"""Few rows are fitted by several iterations in one call: the same ones that somebody who watches sees."""

import warnings

import numpy as np
import pytest

import suffice as sf
from suffice.backend import using
from suffice.backend.sgd import RateLaw
from suffice.data import as_source
from suffice.errors import IllConditioned
from suffice.losses import (
    EpsilonInsensitiveLoss,
    GammaLoss,
    HingeLoss,
    LogisticLoss,
    PoissonLoss,
    SquaredEpsilonInsensitiveLoss,
    SquaredHingeLoss,
    TweedieLoss,
)
from suffice.penalties import L2
from suffice.solvers import Limits, Newton, Problem
from suffice.solvers.small import SmallProblem

pytestmark = pytest.mark.native

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 4)) + 3
CODES = (X @ [1.0, -1.0, 0.5, 0.0] + rng.logistic(size=120) > 1.5).astype(int)
THREE = CODES + (rng.random(120) < 0.3)
COUNTS = rng.poisson(np.exp(0.3 * X[:, 0] - 0.5)).astype(float)
NUMBERS = X @ [1.0, 2.0, 0.0, -1.0] + rng.normal(size=120)
MODELS = [
    (sf.LinearSVC(), CODES),
    (sf.LinearSVC(), THREE),
    (sf.LinearSVC(loss="hinge"), CODES),
    (sf.LinearSVR(epsilon=0.1), NUMBERS),
    (sf.LinearSVR(loss="squared_epsilon_insensitive"), NUMBERS),
    (sf.LogisticRegression(), CODES),
    (sf.PoissonRegressor(), COUNTS),
    (sf.GammaRegressor(), COUNTS + 0.5),
    (sf.TweedieRegressor(power=1.5), COUNTS),
    (sf.SGDRegressor(random_state=0), NUMBERS),
    (sf.SGDRegressor(random_state=0, penalty="l1", average=20), NUMBERS),
    (sf.SGDRegressor(random_state=0, learning_rate="adaptive"), NUMBERS),
    (sf.SGDClassifier(random_state=0), CODES),
    (sf.SGDClassifier(random_state=0, average=True), THREE),
    (sf.Perceptron(tol=None), X[:, 0] > 3),
]


@pytest.mark.parametrize(("model", "y"), MODELS, ids=lambda value: repr(value) if hasattr(value, "fit") else "")
def test_who_watches_sees_the_iterations_of_the_history(model, y):
    rows = X - 3 if "random_state" in model.get_params() else X
    alone = type(model)(**model.get_params()).fit(rows, y)
    with sf.recording() as trace:
        watched = type(model)(**model.get_params()).fit(rows, y)
    np.testing.assert_allclose(alone.coef_, watched.coef_, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(alone.intercept_, watched.intercept_, rtol=1e-11, atol=1e-13)
    seen = [done.objective for done in trace.fits[0].iterations]
    np.testing.assert_allclose(alone.history_.objective, seen, rtol=1e-11)
    assert alone.history_.status == watched.history_.status
    assert np.all(np.diff(alone.history_.seconds) > 0)


@pytest.mark.parametrize("most", [1, 3, 9, 20])
def test_no_more_iterations_than_asked_for(most):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = sf.SGDRegressor(random_state=0, max_iter=most, tol=None).fit(X / 3 - 1, NUMBERS)
        newton = sf.LogisticRegression(max_iter=min(most, 3)).fit(X, CODES)
    assert len(model.history_) == most
    assert len(newton.history_) == min(most, 3)
    assert newton.history_.status == "max_iter"


LOSSES = [
    (LogisticLoss(), 2.0 * CODES - 1),
    (SquaredHingeLoss(), 2.0 * CODES - 1),
    (HingeLoss().rounded(0.3), 2.0 * CODES - 1),
    (PoissonLoss(), COUNTS),
    (GammaLoss(), COUNTS + 1),
    (TweedieLoss(1.7), COUNTS),
    (TweedieLoss(2.0), COUNTS + 1),
    (SquaredEpsilonInsensitiveLoss(0.4), NUMBERS),
    (EpsilonInsensitiveLoss(0.2).rounded(0.3), NUMBERS),
]


@pytest.mark.parametrize(("loss", "y"), LOSSES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_kernels_know_the_losses(loss, y, fit_intercept):
    weight = np.arange(120) % 3 * 1.0
    what = Problem("test", as_source(X, y, weight), loss, L2(0.1), fit_intercept)
    assert SmallProblem.of(what) is not None
    found = Newton().solve(what, what.zero(), Limits(100, 1e-12)).state
    with using("portable"):
        portable = Newton().solve(what, what.zero(), Limits(100, 1e-12)).state
    np.testing.assert_allclose(found.slope, portable.slope, rtol=1e-6, atol=1e-8)
    sums = what.sums(found)
    np.testing.assert_allclose(sums.slope / sums.weight + 0.1 * found.slope, 0.0, atol=1e-6)
    if fit_intercept:
        assert abs(float(sums.offset) / sums.weight) < 1e-6


def test_dependent_columns_are_left_to_steps_one_by_one():
    rows = np.column_stack([X, X[:, 0] + X[:, 1]])
    with pytest.warns(IllConditioned, match="rank 4"):
        model = sf.LogisticRegression(C=np.inf).fit(rows, CODES)
    clean = sf.LogisticRegression(C=np.inf).fit(X, CODES)
    np.testing.assert_allclose(model.predict_proba(rows), clean.predict_proba(X), atol=1e-6)


def test_a_high_power_makes_a_rate_of_0_after_the_first_update():
    assert RateLaw(0.5, 0.0, 1e8).at(1) == 0.5
    assert RateLaw(0.5, 0.0, 1e8).at(2) == 0.0
    model = sf.SGDRegressor(power_t=1e8, penalty="l1", random_state=0).fit(X, NUMBERS)
    assert np.isfinite(model.coef_).all()
    with using("portable"):
        assert np.isfinite(sf.SGDRegressor(power_t=1e8, random_state=0).fit(X, NUMBERS).coef_).all()
