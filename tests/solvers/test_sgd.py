"""Stochastic gradient descent: losses and steps by their definitions, Pegasos, averages, and orders of rows."""

import numpy as np
import pytest
from scipy import sparse

import suffice as sf
from suffice.backend.dispatch import using
from suffice.backend.sgd import Descent, RateLaw, Rule, epoch
from suffice.contracts.discover import losses
from suffice.data import as_source
from suffice.errors import InvalidParameter
from suffice.losses import HingeLoss, LogisticLoss, SoftmaxLoss, SquaredLoss
from suffice.penalties import L1, L2, NonNegative, NoPenalty
from suffice.solvers import LEARNING_RATES, SGD, GradientDescent, Limits, Newton, Problem
from suffice.solvers.orders import shuffled
from suffice.solvers.rates import AdaptiveRate, ConstantRate, InverseScaling, OptimalRate, PegasosRate

pytestmark = pytest.mark.native

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 4))
Y = X @ [1.0, -2.0, 0.5, 0.0] + 0.5 * RNG.normal(size=400) + 0.3
SIGNS = np.where(Y > 0, 1.0, -1.0)


def problem(loss, penalty):
    return Problem("test", as_source(X, SIGNS if loss.target == "signs" else Y), loss, penalty)


@pytest.mark.parametrize(
    "loss", [one for cls in losses() for one in cls.examples() if one.target != "classes"], ids=repr
)
def test_every_loss_by_its_definition(loss):
    y = loss.example(np.random.default_rng(1), 60)
    at = Descent.at(np.full((1, 4), 0.1), np.full(1, 0.2))
    rule = Rule(loss, RateLaw(0.01, 1.0, 0.5), l2=0.1, l1=0.01, average_from=3)
    rows = np.abs(X[:60]) * 0.3
    for table in (rows, sparse.csr_array(rows * (rows > 0.1))):
        found = epoch(table, y, None, np.arange(60), at, rule)
        with using("portable"):
            expected = epoch(table, y, None, np.arange(60), at, rule)
        for name, values in expected.copied().items():
            np.testing.assert_allclose(getattr(found, name), values, rtol=1e-9, atol=1e-12, err_msg=name)


def test_pegasos_takes_its_steps():
    """w ← (1 − 1/t) w + [y x·w < 1] y x / (λ t), row by row."""
    lam, w = 0.1, np.zeros(4)
    for t, (x, y) in enumerate(zip(X, SIGNS, strict=True), 1):
        inside = y * (x @ w) < 1
        w = (1 - 1 / t) * w + (y * x / (lam * t) if inside else 0.0)
    what = problem(HingeLoss(), L2(lam))
    what.fit_intercept = False
    found = SGD("pegasos", shuffle=False).solve(what, what.zero(), Limits(1, -np.inf))
    np.testing.assert_allclose(found.state.slope, w, rtol=1e-10)
    assert PegasosRate().law(HingeLoss(), 2 * lam).at(7) == pytest.approx(1 / (2 * lam * 7))  # of λ‖w‖²


def test_pegasos_reaches_the_minimum():
    what = problem(HingeLoss(), L2(0.05))
    exact = GradientDescent("1/sqrt(t)").solve(what, what.zero(), Limits(4000, 0.0))
    found = SGD("pegasos", average=True).solve(what, what.zero(), Limits(300, -np.inf))
    least = what.objective(exact.state, what.sums(exact.state))
    assert what.objective(found.state, what.sums(found.state)) < least * 1.01


@pytest.mark.parametrize("rate", [ConstantRate(0.05), InverseScaling(2.0, 0.5), OptimalRate(), AdaptiveRate(0.2)])
@pytest.mark.parametrize("batch", [1, 16])
def test_averages_come_close_to_the_minimum(rate, batch):
    what = problem(LogisticLoss(), L2(0.01))
    exact = Newton().solve(what, what.zero(), Limits())
    found = SGD(rate, batch, average=400).solve(what, what.zero(), Limits(60, -np.inf))
    gained = [what.objective(one.state, what.sums(one.state)) for one in (exact, found)]
    assert gained[1] < gained[0] * 1.02


def test_l1_leaves_slopes_at_zero():
    what = problem(SquaredLoss(), L1(0.2))
    found = SGD(InverseScaling(0.1, 0.5)).solve(what, what.zero(), Limits(50, -np.inf)).state
    assert found.slope[3] == 0
    assert np.count_nonzero(found.slope) == 3


def test_weights_of_zero_are_absent_rows():
    weight = np.where(np.arange(400) % 3, 1.0, 0.0)
    both = []
    for rows, w in ((X, weight), (X[weight > 0], None)):
        y = SIGNS if w is not None else SIGNS[weight > 0]
        what = Problem("test", as_source(rows, y, w), HingeLoss(), L2(0.01))
        both.append(SGD().solve(what, what.zero(), Limits(3, -np.inf)).state.slope)
    np.testing.assert_allclose(both[0], both[1], rtol=1e-12)


@pytest.mark.parametrize("n", [1 << 16, (1 << 16) + 13, 200_000])
def test_an_order_has_every_row_once(n):
    order = shuffled(n, np.random.default_rng(0))
    np.testing.assert_array_equal(np.sort(order), np.arange(n))


def test_the_order_belongs_to_the_seed():
    what = problem(HingeLoss(), L2(0.01))
    first, again, other = (SGD(seed=s).solve(what, what.zero(), Limits(2, -np.inf)).state.slope for s in (1, 1, 2))
    assert first.tobytes() == again.tobytes() != other.tobytes()


def test_what_it_cannot_do_it_refuses():
    with pytest.raises(InvalidParameter, match="an L1 or L2 penalty of all slopes alike, which NonNegative is not"):
        SGD().checked(problem(SquaredLoss(), NonNegative()))
    with pytest.raises(InvalidParameter, match="an L1 or L2 penalty of all slopes alike, which L2 is not"):
        SGD().checked(problem(SquaredLoss(), L2(1.0, (1.0, 2.0, 3.0, 4.0))))
    with pytest.raises(InvalidParameter, match="one predictor a row"):
        SGD().checked(Problem("test", as_source(X, Y), SoftmaxLoss(), L2(0.1), classes=3))
    with pytest.raises(InvalidParameter, match=r"the rate is 1 / .λ t., and the L2 penalty has a strength λ of 0"):
        SGD("pegasos").solve(problem(HingeLoss(), L2(0.0)), Problem.zero(problem(HingeLoss(), L2(0.0))), Limits())


def test_a_rate_by_the_strength_is_not_proposed_without_one():
    """Neither to others, where the list of solvers that can is given."""
    with pytest.raises(InvalidParameter, match=r"OptimalRate is 1 / .λ t.; or take InverseScaling"):
        SGD().checked(problem(HingeLoss(), NoPenalty()))
    assert SGD("invscaling").lacks(problem(HingeLoss(), NoPenalty())) == ""
    with pytest.raises(InvalidParameter, match=r"Solvers that can: linear_programme\.$"):
        sf.LinearModel("absolute", solver="newton").fit(X, Y)


def test_the_names_of_rates():
    assert set(LEARNING_RATES) >= {"constant", "invscaling", "optimal", "adaptive", "pegasos", "1/t", "1/sqrt(t)"}
    assert LEARNING_RATES.make("1/t").power == 1.0
    assert [InverseScaling(1.0, p).is_robbins_monro for p in (0.5, 0.75, 1.0)] == [False, True, True]
