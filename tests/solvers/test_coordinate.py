"""Coordinate descent: optimality, equality of all its forms, other losses and penalties, and degenerate tables."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model as sk
from hypothesis import given, settings
from hypothesis import strategies as st

import suffice as sf
from suffice.data import Needs, as_source
from suffice.errors import IllConditioned, InvalidParameter
from suffice.losses import (
    AbsoluteLoss,
    CrammerSingerLoss,
    HuberLoss,
    LogisticLoss,
    PoissonLoss,
    SquaredHingeLoss,
    SquaredLoss,
)
from suffice.penalties import L1, L2, MCP, SCAD, ElasticNetPenalty, GroupLasso, NonNegative, NoPenalty
from suffice.solvers import FISTA, CoordinateDescent, Limits, Problem
from suffice.solvers.columns import ArrayColumns, MomentColumns, SourceColumns, SparseColumns, columns_of
from suffice.solvers.coordinate import Rounds

pytestmark = pytest.mark.native
NEEDS = Needs("test", target="numbers", sparse=True)


def problem(X, y, penalty, loss=None, weight=None, fit_intercept=True, columns=None):
    return Problem("test", as_source(X, y, weight, needs=NEEDS), loss or SquaredLoss(), penalty, fit_intercept)


def solved(*args, tol=1e-10, max_iter=500, **named):
    own = problem(*args, **named)
    outcome = CoordinateDescent().solve(own, own.zero(), Limits(max_iter, tol))
    assert outcome.history.status == "converged"
    return own, outcome.state


def value(own, at):
    return own.objective(at, own.sums(at))


def table(rng, n, p, noise=1.0):
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.3 * rng.normal(size=(p, p)) / np.sqrt(p)) + 2
    w = np.where(rng.random(p) < 0.2, rng.normal(size=p), 0.0)
    return X, X @ w + noise * rng.normal(size=n)


def largest(X, y, penalty):
    return penalty.largest(-(X - X.mean(axis=0)).T @ (y - y.mean()) / len(y))


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(2, 40),
    p=st.integers(1, 60),
    share=st.sampled_from([0.9, 0.3, 0.03]),
    ratio=st.sampled_from([1.0, 0.5, 0.0]),
    positive=st.booleans(),
    fit_intercept=st.booleans(),
)
def test_solutions_fulfil_the_conditions_of_optimality(seed, n, p, share, ratio, positive, fit_intercept):
    rng = np.random.default_rng(seed)
    X, y = table(rng, n, p)
    weight = rng.integers(0, 3, n).astype(float)
    weight[0] = 1.0
    strength = share * np.abs(X.T @ (y - y.mean())).max() / n + 1e-3
    penalty = ElasticNetPenalty(strength, ratio, positive=positive)
    own, at = solved(X, y, penalty, weight=weight, fit_intercept=fit_intercept, tol=1e-12)
    gradient = own.sums(at).slope / weight.sum()
    unit = np.abs(X).max() * max(np.abs(y).max(), 1.0)
    assert np.abs(penalty.distance(at.slope, gradient)).max() < 1e-4 * unit
    if fit_intercept:
        assert abs(float(own.sums(at).offset)) < 1e-8 * unit * weight.sum()


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray, sp.csr_array])
@pytest.mark.parametrize("ratio", [1.0, 0.4])
@pytest.mark.parametrize("shape", [(80, 12), (60, 350), (40, 700)])
def test_the_answer_is_that_of_scikit_learn(layout, ratio, shape):
    rng = np.random.default_rng(3)
    X, y = table(rng, *shape)
    X *= rng.random(X.shape) < 0.3
    strength = 0.05 * largest(X, y, L1()) / ratio
    _, at = solved(layout(X), y, ElasticNetPenalty(strength, ratio), tol=1e-12)
    theirs = sk.ElasticNet(alpha=strength, l1_ratio=ratio, tol=1e-14, max_iter=10**6).fit(X, y)
    np.testing.assert_allclose(at.slope, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(at.intercept, theirs.intercept_, atol=1e-6)


def test_all_forms_of_the_columns_give_the_same():
    rng = np.random.default_rng(5)
    X, y = table(rng, 50, 40)
    weight = rng.integers(0, 3, 50).astype(float)
    own = problem(X, y, L1(0.05), weight=weight)
    chunk = own.source.in_memory
    sparse = problem(sp.csr_array(X), y, L1(0.05), weight=weight)
    forms = [
        MomentColumns.of(own), ArrayColumns(own, chunk), SourceColumns(own),
        SparseColumns(sparse, sparse.source.in_memory),
    ]  # fmt: skip
    answers = []
    for form in forms:
        rounds, at, done = Rounds(own, form, own.penalty, 1e-12), form.null, False
        while not done:
            step = rounds.step(at)
            at, done = step.state, step.done
        answers.append(np.append(at.slope, at.intercept))
    for other in answers[1:]:
        np.testing.assert_allclose(other, answers[0], atol=1e-7)


def test_the_form_follows_the_rows():
    rng = np.random.default_rng(0)
    X, y = table(rng, 20, 600)
    assert type(columns_of(problem(X[:, :5], y, L1()))) is MomentColumns
    assert type(columns_of(problem(X, y, L1()))) is ArrayColumns
    assert type(columns_of(problem(sp.csr_array(X), y, L1()))) is SparseColumns
    assert type(columns_of(problem(X, np.sign(y), L1(), LogisticLoss()))) is SourceColumns


@pytest.mark.parametrize("loss", [LogisticLoss(), PoissonLoss(), HuberLoss(), SquaredHingeLoss()])
@pytest.mark.parametrize("penalty", [L1(0.03), ElasticNetPenalty(0.05, 0.5), L1(0.02, positive=True)])
@pytest.mark.parametrize("columns", [15, 600])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_other_losses_are_minimised_by_proximal_newton(loss, penalty, columns, layout):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(120, columns)) * (rng.random((120, columns)) < 0.4)
    eta = X[:, :4] @ np.array([1.0, -1.0, 0.5, 0.5])
    y = np.where(eta + rng.logistic(size=120) > 0, 1.0, -1.0)
    y = rng.poisson(np.exp(eta)).astype(float) if isinstance(loss, PoissonLoss) else y
    own, at = solved(layout(X), y, penalty, loss)
    other = FISTA().solve(own, own.zero(), Limits(20000, 1e-14)).state
    assert value(own, at) <= value(own, other) + 1e-8
    gradient = own.sums(at).slope / len(y)
    assert np.abs(penalty.distance(at.slope, gradient)).max() < 1e-4


@pytest.mark.parametrize("penalty", [MCP(0.2), SCAD(0.2), MCP(0.1, 1.5)])
def test_concave_penalties_end_where_nothing_is_gained(penalty):
    rng = np.random.default_rng(11)
    X = rng.normal(size=(100, 20))
    y = X[:, :3] @ np.array([3.0, -2.0, 1.0]) + 0.1 * rng.normal(size=100)
    own, at = solved(X, y, penalty)
    gradient = own.sums(at).slope / len(y)
    assert set(np.flatnonzero(at.slope)) >= {0, 1}
    np.testing.assert_allclose(at.slope[:2], [3.0, -2.0], atol=0.1)  # not drawn to 0
    assert np.abs(penalty.distance(at.slope, gradient, step=0.1)).max() < 1e-5


def test_bounds_without_costs_are_non_negative_least_squares():
    from scipy.optimize import nnls

    rng = np.random.default_rng(2)
    X, y = table(rng, 50, 10)
    _, at = solved(X, y, NonNegative(), fit_intercept=False)
    np.testing.assert_allclose(at.slope, nnls(X, y)[0], atol=1e-7)


def test_history_shows_the_dual_gap_which_bounds_what_is_left():
    rng = np.random.default_rng(4)
    X, y = table(rng, 60, 800)
    own = problem(X, y, L1(0.02 * largest(X, y, L1())))
    outcome = CoordinateDescent().solve(own, own.zero(), Limits(500, 1e-10))
    objective, gap = outcome.history.objective, outcome.history.metric("dual_gap")
    assert len(objective) > 2
    assert np.all(np.diff(objective) < 0)
    assert np.all(objective - objective[-1] <= gap + 1e-12)
    assert gap[-1] <= 1e-10 * np.var(y)


# ---- degenerate tables ----


def test_at_the_largest_strength_all_slopes_are_0_and_just_below_one_is_not():
    rng = np.random.default_rng(1)
    for n, p in ((60, 5), (30, 400)):
        X, y = table(rng, n, p)
        top = largest(X, y, L1())
        assert not solved(X, y, L1(top * (1 + 1e-9)))[1].slope.any()
        assert np.count_nonzero(solved(X, y, L1(top * 0.999))[1].slope) == 1


def test_without_strength_it_is_least_squares():
    rng = np.random.default_rng(1)
    X, y = table(rng, 60, 5)
    for penalty in (NoPenalty(), L1(0.0), L2(0.0)):
        at = solved(X, y, penalty)[1]
        np.testing.assert_allclose(at.slope, sk.LinearRegression().fit(X, y).coef_, rtol=1e-8)
    wide, target = table(rng, 20, 50)
    own, at = solved(wide, target, L1(0.0))
    assert value(own, at) < 1e-8 * np.var(target)


def test_constant_columns_keep_slopes_of_0_and_duplicates_cost_no_more_than_one():
    rng = np.random.default_rng(6)
    X, y = table(rng, 40, 6)
    X[:, 2] = 1 / 3
    for own in (X, np.hstack([X, X]), np.hstack([X] * 80), sp.csr_array(np.hstack([X] * 100))):
        pair, at = solved(own, y, L1(0.05))
        assert not at.slope[2::6].any()
        assert value(pair, at) <= value(*solved(X, y, L1(0.05))) + 1e-7


@pytest.mark.parametrize("copies", [1, 70])
def test_the_units_of_columns_do_not_matter(copies):
    rng = np.random.default_rng(8)
    X, y = table(rng, 50, 8 * copies)
    unit = 10.0 ** rng.integers(-8, 9, 8 * copies)
    strength = 0.05 * largest(X, y, L1())
    plain = solved(X, y, L1(strength), tol=1e-12)[1]
    scaled = solved(X * unit, y, L1(strength, weights=unit), tol=1e-12)[1]
    np.testing.assert_allclose(scaled.slope * unit, plain.slope, atol=1e-6)


def test_a_constant_target_has_no_slopes():
    rng = np.random.default_rng(9)
    X, _ = table(rng, 30, 400)
    for columns in (5, 400):
        at = solved(X[:, :columns], np.full(30, 2.5), L1(1e-6))[1]
        assert not at.slope.any()
        assert float(at.intercept) == 2.5


def test_rows_without_weight_count_nothing():
    rng = np.random.default_rng(10)
    X, y = table(rng, 40, 400)
    weight = (rng.random(40) < 0.6).astype(float)
    some = weight > 0
    for own in (X, X[:, :9], sp.csr_array(np.hstack([X, X]))):
        kept = own.tocsr()[some] if sp.issparse(own) else own[some]
        at, other = solved(own, y, L1(0.1), weight=weight)[1], solved(kept, y[some], L1(0.1))[1]
        np.testing.assert_allclose(own @ at.slope + at.intercept, own @ other.slope + other.intercept, atol=1e-4)


def test_what_it_lacks_is_named():
    X, y = table(np.random.default_rng(0), 20, 3)
    for loss, penalty, words in (
        (SquaredLoss(), GroupLasso(0.1), "a sum over single slopes"),
        (AbsoluteLoss(), L1(0.1), "a gradient and a curvature"),
        (CrammerSingerLoss(), L1(0.1), "a gradient and a curvature"),
    ):
        with pytest.raises(InvalidParameter, match=words):
            CoordinateDescent().checked(problem(X, np.abs(np.round(y)), penalty, loss))


# ---- working sets that are too large for products ----


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray, np.float32, sp.csr_array])
@pytest.mark.parametrize("ratio", [1.0, 0.3])
@pytest.mark.parametrize("positive", [False, True])
def test_large_working_sets_are_solved_by_residuals(monkeypatch, layout, ratio, positive):
    rng = np.random.default_rng(12)
    X, y = table(rng, 60, 900)
    X = X.astype(np.float32).astype(float)
    penalty = ElasticNetPenalty(0.02 * largest(X, y, L1()) / ratio, ratio, positive=positive)
    by_products = solved(X, y, penalty)
    for module in ("parabola", "columns"):
        monkeypatch.setattr(f"suffice.solvers.{module}.PRODUCTS", 10)
    _, at = solved(layout(X), y, penalty, tol=1e-7)
    assert abs(value(by_products[0], at) - value(*by_products)) < 1e-6 * np.var(y)


def test_residuals_are_extrapolated_where_columns_are_alike(monkeypatch):
    from suffice.solvers.parabola import Parabola

    rng = np.random.default_rng(13)
    X = np.asfortranarray(rng.normal(size=(200, 30)) + 5 * rng.normal(size=(200, 1)))
    X -= X.mean(axis=0)
    y = X @ rng.normal(size=30) + rng.normal(size=200)
    own = Parabola(X, np.ones(200), y - y.mean(), 200.0, np.zeros(30))
    costs = L1(1e-3).costs(np.zeros(30))
    exact = own.least(np.zeros(30), costs, 1e-14)
    monkeypatch.setattr("suffice.solvers.parabola.PRODUCTS", 1)
    found = own.least(np.zeros(30), costs, 1e-14)

    def cost(w):
        return 0.5 * np.mean((y - y.mean() - X @ w) ** 2) + 1e-3 * np.abs(w).sum()

    assert cost(found) <= cost(exact) * 1.01
    calls = []
    monkeypatch.setattr(Parabola, "_extrapolated", lambda self, blocks, costs: calls.append(1) or blocks[-1])
    assert cost(own.least(np.zeros(30), costs, 1e-14)) > 1.2 * cost(found)  # without it they are far from done
    assert calls


# ---- hard tables ----


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("columns", [20, 310, 600])
def test_without_an_intercept_residuals_need_not_sum_to_0(layout, columns):
    rng = np.random.default_rng(14)
    X, y = table(rng, 40, columns)
    y += 5
    strength = 0.05 * np.abs(X.T @ y).max() / 40
    own = problem(layout(X), y, L1(strength), fit_intercept=False)
    outcome = CoordinateDescent().solve(own, own.zero(), Limits(100, 1e-8))
    assert outcome.history.metric("dual_gap")[-1] <= 1e-8 * np.mean(y**2)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_columns_that_follow_one_another_take_few_iterations(layout):
    rng = np.random.default_rng(15)
    X = np.cumsum(rng.normal(size=(40, 600)), axis=1)
    y = X[:, 0] + rng.normal(size=40)
    own = problem(layout(X), y, L1(1e-5 * largest(X, y, L1())))
    outcome = CoordinateDescent().solve(own, own.zero(), Limits(60, 1e-8))
    assert outcome.history.status == "converged"
    assert outcome.history.metric("dual_gap")[-1] <= 1e-8 * np.var(y)


def test_a_descent_that_rounding_ends_says_so(monkeypatch):
    rng = np.random.default_rng(16)
    X, y = table(rng, 30, 10)
    monkeypatch.setattr(MomentColumns, "improved", lambda self, at, *others: at)
    own = problem(X, y, L1(0.01))
    with pytest.warns(IllConditioned, match="test: rounding ends the descent with a dual gap of"):
        CoordinateDescent().solve(own, own.zero(), Limits(100, 1e-8))


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_many_sparse_columns_are_worked_on_where_they_are(monkeypatch, fit_intercept):
    """The same answer from all columns at their places as from copies of those in the working set."""
    rng = np.random.default_rng(5)
    X = sp.random(300, 700, density=0.03, format="csr", random_state=rng)
    y = X @ (rng.normal(size=700) * (rng.random(700) < 0.2)) + 0.1 * rng.normal(size=300) + 0.3
    models = [
        sf.Lasso(1e-4, fit_intercept=fit_intercept, tol=1e-12),
        sf.LogisticRegression(C=20.0, l1_ratio=1, fit_intercept=fit_intercept, tol=1e-12),
    ]
    for model, target in zip(models, (y, y > 0.3), strict=True):
        found = []
        for share in (0.0, 2.0):
            monkeypatch.setattr("suffice.solvers.columns._SHARE", share)
            found.append(model.fit(X, target).coef_.copy())
        assert np.count_nonzero(found[0]) > 20
        np.testing.assert_allclose(found[0], found[1], atol=1e-6)
