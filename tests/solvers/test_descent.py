"""Gradient descent as it is taught: every rule of steps reaches the minimum, and steps that are too large are seen."""

import warnings

import numpy as np
import pytest

from suffice.data import as_source
from suffice.errors import Diverged, InvalidParameter
from suffice.losses import HingeLoss, LogisticLoss, SquaredLoss
from suffice.models.linear import LogisticRegression
from suffice.penalties import L1, L2
from suffice.solvers import STEP_RULES, GradientDescent, Limits, Newton, Problem
from suffice.solvers.steps import Backtracking, BoldDriver, DecayingStep, FixedStep, LineSearch, Momentum


def problem(loss, penalty, n=200, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = X @ np.arange(1.0, d + 1) + 0.3 * rng.normal(size=n) + 0.5
    y = np.where(y > 0, 1.0, -1.0) if loss.target == "signs" else y
    return Problem("test", as_source(X, y).mapped(lambda chunk: chunk), loss, penalty)


def solved(solver, what, max_iter=5000, tol=1e-12):
    return solver.solve(what, what.zero(), Limits(max_iter, tol))


@pytest.mark.parametrize("rule", sorted(set(STEP_RULES)))
def test_every_rule_reaches_the_minimum(rule):
    what = problem(LogisticLoss(), L2(0.1))
    least = solved(Newton(), what).history.objective[-1]
    found = solved(GradientDescent(DecayingStep(10.0, 1.0) if rule == "1/t" else rule), what)
    slow = isinstance(STEP_RULES.make(rule), DecayingStep)
    assert found.history.objective[-1] - least < (1e-5 if slow else 1e-9)
    assert slow or found.history.status == "converged"


@pytest.mark.parametrize("rule", [FixedStep(0.5), Backtracking(), LineSearch(), BoldDriver(0.5)])
def test_these_never_raise_the_objective(rule):
    found = solved(GradientDescent(rule), problem(SquaredLoss(), L2(0.01)))
    assert np.all(np.diff(found.history.objective) <= 1e-12)


def test_a_line_search_takes_fewer_steps_than_a_small_fixed_one():
    what = problem(SquaredLoss(), L2(0.01))
    searched, small = (solved(GradientDescent(rule), what) for rule in (LineSearch(), FixedStep(0.05)))
    assert len(searched.history) < len(small.history) / 5


def test_a_step_beyond_two_over_the_curvature_diverges_and_one_below_converges():
    what = problem(SquaredLoss(), L2(0.0))
    X = np.column_stack([np.concatenate([c.X for c in what.source.chunks()]), np.ones(200)])
    most = np.linalg.eigvalsh(X.T @ X / 200)[-1]
    below, above = (solved(GradientDescent(FixedStep(c / most)), what) for c in (1.9, 2.1))
    assert below.history.status == "converged"
    assert above.history.status == "diverged"
    assert np.isfinite(above.history.objective).all()
    assert np.all(np.diff(above.history.objective[5:]) > 0)
    assert np.isfinite(above.state.slope).all()


def test_momentum_too_can_diverge():
    assert solved(GradientDescent(Momentum(50.0)), problem(SquaredLoss(), L2(0.0))).history.status == "diverged"


def test_a_model_warns_in_one_sentence():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2)) * [1.0, 1e4]
    y = X[:, 0] + 1e-4 * X[:, 1] + rng.normal(size=100) > 0
    with pytest.warns(Diverged, match="LogisticRegression: diverged, .* after .*StandardScaler"):
        model = LogisticRegression(solver=GradientDescent(FixedStep(1e4))).fit(X, y)
    assert model.history_.status == "diverged"
    assert np.isfinite(model.coef_).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LogisticRegression(solver=GradientDescent(FixedStep(1.0)), max_iter=10_000).fit(X / X.std(axis=0), y)


def test_kinks_take_decaying_steps():
    what = problem(HingeLoss(), L2(0.1))
    found = solved(GradientDescent(DecayingStep(1.0, 0.5)), what, max_iter=3000)
    finer = solved(GradientDescent(DecayingStep(1.0, 1.0)), what, max_iter=3000)
    assert abs(found.history.objective[-1] - finer.history.objective[-1]) < 1e-3
    with pytest.raises(InvalidParameter, match="a loss with a gradient everywhere, which HingeLoss has not"):
        GradientDescent("fixed").checked(what)
    with pytest.raises(InvalidParameter, match="a penalty with a gradient everywhere, which L1 has not"):
        GradientDescent("1/t").checked(problem(LogisticLoss(), L1(0.1)))


def test_which_powers_have_the_sums_of_robbins_and_monro():
    assert [DecayingStep(1.0, p).is_robbins_monro for p in (0.5, 0.6, 1.0)] == [False, True, True]


@pytest.mark.parametrize("make", [lambda: FixedStep(0), lambda: Momentum(0.1, 1.0), lambda: BoldDriver(0.1, grow=0.9)])
def test_numbers_out_of_bounds_are_refused(make):
    with pytest.raises(InvalidParameter, match="must be a number, above"):
        make()
