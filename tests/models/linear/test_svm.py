"""Linear support vector machines against liblinear, by scikit-learn, and against each other."""

import warnings

import numpy as np
import pytest
import sklearn.svm
from scipy import sparse

import suffice as sf
from suffice.contracts.loss_laws import check_loss
from suffice.data import as_source
from suffice.errors import InvalidData, InvalidParameter, NotConverged
from suffice.losses import CrammerSingerLoss, EpsilonInsensitiveLoss, HingeLoss, LogisticLoss, SquaredHingeLoss
from suffice.losses import SquaredEpsilonInsensitiveLoss as SquaredInsensitiveLoss
from suffice.penalties import L1, L2
from suffice.solvers import FISTA, DualCoordinateDescent, GradientDescent, Limits, Newton, Problem, Smoothing
from suffice.solvers.steps import DecayingStep

pytestmark = pytest.mark.native

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 6)) + 0.5
SCORE = X @ [1.0, -2.0, 0.5, 0.0, 1.0, 0.0] + RNG.normal(size=400)
SIGNS = np.where(SCORE > 0, 1.0, -1.0)
CODES = np.digitize(SCORE, [-1.0, 1.0])


def problem(loss, lam=0.01, rows=X, fit_intercept=True):
    classes = 3 if loss.target == "classes" else None
    y = {"signs": SIGNS, "numbers": SCORE, "classes": CODES}[loss.target]
    return Problem("test", as_source(rows, y), loss, L2(lam), fit_intercept, classes)


def least(solver, what, tol=1e-9, max_iter=5000):
    found = solver.solve(what, what.zero(), Limits(max_iter, tol))
    assert found.history.status == "converged"
    return what.objective(found.state, what.sums(found.state)), found.state


@pytest.mark.parametrize("loss", [HingeLoss(), EpsilonInsensitiveLoss(0.3), EpsilonInsensitiveLoss(0.0)], ids=repr)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_two_ways_to_a_minimum_with_kinks(loss, fit_intercept):
    what = problem(loss, fit_intercept=fit_intercept)
    dual, one = least(DualCoordinateDescent(), what)
    smooth, other = least(Smoothing(), what, 1e-10)
    np.testing.assert_allclose(dual, smooth, rtol=1e-7)
    assert dual <= smooth * (1 + 1e-9)
    np.testing.assert_allclose(one.slope, other.slope, atol=1e-3)
    slow = GradientDescent(DecayingStep(1.0, 0.5)).solve(what, what.zero(), Limits(500, 0.0))
    assert dual <= what.objective(slow.state, what.sums(slow.state))


@pytest.mark.parametrize("loss", [SquaredHingeLoss(), SquaredInsensitiveLoss(0.3)], ids=repr)
def test_two_ways_to_a_smooth_minimum(loss):
    what = problem(loss)
    dual, one = least(DualCoordinateDescent(), what, 1e-11)
    newton, other = least(Newton(), what)
    np.testing.assert_allclose(dual, newton, rtol=1e-10)
    np.testing.assert_allclose(one.slope, other.slope, atol=1e-4)


def test_what_the_dual_cannot_do_it_refuses():
    with pytest.raises(InvalidParameter, match="an L2 penalty of all slopes alike, above 0, which L1 is not"):
        DualCoordinateDescent().checked(Problem("test", as_source(X, SIGNS), HingeLoss(), L1(0.1)))
    with pytest.raises(InvalidParameter, match="a loss whose kinks can be rounded, which LogisticLoss"):
        Smoothing().checked(Problem("test", as_source(X, SIGNS), LogisticLoss(), L2(0.1)))


@pytest.mark.parametrize("loss", [HingeLoss(), EpsilonInsensitiveLoss(0.3), EpsilonInsensitiveLoss(0.0)], ids=repr)
@pytest.mark.parametrize("width", [0.7, 0.01])
def test_rounded_losses_are_losses_just_above(loss, width):
    rounded = loss.rounded(width)
    check_loss(rounded)
    eta = np.linspace(-3, 3, 1001)
    above = rounded.value(eta, np.ones(1001)) - loss.value(eta, np.ones(1001))
    assert above.min() >= -1e-15
    assert above.max() <= width / 2 + 1e-12  # two kinks may meet


# ---- models ----


def objective(model, loss, y, C=1.0):
    eta = X @ np.atleast_2d(model.coef_)[0] + np.atleast_1d(model.intercept_)[0]
    return 0.5 * np.sum(np.square(model.coef_)) + C * loss.value(eta, y).sum()


@pytest.mark.parametrize(("name", "loss"), [("hinge", HingeLoss()), ("squared_hinge", SquaredHingeLoss())])
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_the_answer_of_liblinear_where_its_intercept_costs_little(name, loss, C):
    """With a large intercept_scaling, scikit-learn's penalty of the intercept all but vanishes."""
    ours = sf.LinearSVC(loss=name, C=C).fit(X, SIGNS)
    theirs = sklearn.svm.LinearSVC(loss=name, C=C, intercept_scaling=30, tol=1e-8, max_iter=1_000_000).fit(X, SIGNS)
    mine, other = objective(ours, loss, SIGNS, C), objective(theirs, loss, SIGNS, C)
    assert mine <= other * (1 + 1e-6)
    np.testing.assert_allclose(mine, other, rtol=1e-3)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=5e-3)


@pytest.mark.parametrize("name", ["hinge", "squared_hinge"])
def test_the_answer_of_liblinear_without_an_intercept(name):
    given = {"loss": name, "fit_intercept": False}
    ours = sf.LinearSVC(**given, tol=1e-10, max_iter=5000).fit(X, SIGNS)
    theirs = sklearn.svm.LinearSVC(**given, tol=1e-9, max_iter=1_000_000).fit(X, SIGNS)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


@pytest.mark.parametrize("name", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_regression_without_an_intercept_is_liblinears(name):
    given = {"loss": name, "fit_intercept": False, "epsilon": 0.2}
    ours = sf.LinearSVR(**given, tol=1e-10, max_iter=5000).fit(X, SCORE)
    theirs = sklearn.svm.LinearSVR(**given, tol=1e-9, max_iter=1_000_000).fit(X, SCORE)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


def test_crammer_and_singers_planes_are_liblinears():
    given = {"multi_class": "crammer_singer", "fit_intercept": False}
    ours = sf.LinearSVC(**given, tol=1e-9, max_iter=5000).fit(X, CODES)
    theirs = sklearn.svm.LinearSVC(**given, tol=1e-8, max_iter=1_000_000).fit(X, CODES)

    def cost(model):
        return 0.5 * np.sum(model.coef_**2) + CrammerSingerLoss().value(X @ model.coef_.T, CODES).sum()

    np.testing.assert_allclose(cost(ours), cost(theirs), rtol=1e-6)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
    free = sf.LinearSVC(multi_class="crammer_singer").fit(X, CODES)
    assert free.score(X, CODES) > 0.7
    assert cost(sf.LinearSVC(**given).fit(X, CODES)) < 1.0001 * cost(ours)


def test_crammer_and_singer_of_two_classes_is_the_hinge_of_half_the_slopes():
    both = sf.LinearSVC(multi_class="crammer_singer", tol=1e-9, max_iter=5000).fit(X, SIGNS)
    assert both.coef_.shape == (1, 6)
    assert np.mean(both.predict(X) == SIGNS) > 0.85


def test_l1_selects_columns():
    model = sf.LinearSVC(penalty="l1", C=0.02).fit(X, SIGNS)
    what = Problem("test", as_source(X, SIGNS), SquaredHingeLoss(), L1(1 / (0.02 * 400)))
    exact = FISTA().solve(what, what.zero(), Limits(5000, 1e-13)).state
    np.testing.assert_allclose(model.coef_[0], exact.slope, atol=1e-3)
    assert (model.coef_ == 0).any()
    with pytest.raises(InvalidParameter, match="penalty='l1' needs loss='squared_hinge'"):
        sf.LinearSVC(penalty="l1", loss="hinge").fit(X, SIGNS)


@pytest.mark.parametrize("name", ["hinge", "squared_hinge"])
def test_dense_and_sparse_rows_are_the_same(name):
    rows = np.where(np.abs(X) > 0.7, X, 0.0)
    dense, thin = (sf.LinearSVC(loss=name).fit(table, CODES) for table in (rows, sparse.csr_matrix(rows)))
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-6, atol=1e-8)


def test_many_rows_take_another_way_to_the_same_plane():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(8000, 3))
    y = np.where(rows @ [1.0, 2.0, 0.0] + rng.normal(size=8000) > 0.3, 1.0, -1.0)
    found = [sf.LinearSVC(loss="hinge", C=0.01, solver=how).fit(rows, y) for how in ("auto", "dual")]
    np.testing.assert_allclose(found[0].coef_, found[1].coef_, atol=2e-3)


def test_weights_repeat_rows_and_class_weights_count():
    weight = RNG.integers(0, 3, 400)
    for loss in ("hinge", "squared_hinge"):
        given = {"loss": loss, "tol": 1e-9, "max_iter": 5000}
        weighted = sf.LinearSVC(**given).fit(X, SIGNS, sample_weight=weight)
        repeated = sf.LinearSVC(**given).fit(np.repeat(X, weight, axis=0), np.repeat(SIGNS, weight))
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-6)
        heavy = sf.LinearSVC(**given, class_weight={1.0: 10.0}).fit(X, SIGNS)
        assert (heavy.predict(X) == 1).mean() > (sf.LinearSVC(**given).fit(X, SIGNS).predict(X) == 1).mean()


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_columns_of_any_size(scale):
    rows = X * np.array([scale, 1, 1, 1, 1, 1])
    assert np.isfinite(sf.LinearSVC().fit(rows, SIGNS).coef_).all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)  # of 1e8, after so many iterations
        assert np.isfinite(sf.LinearSVC(loss="hinge").fit(rows, SIGNS).coef_).all()
    assert np.isfinite(sf.LinearSVR(loss="squared_epsilon_insensitive").fit(rows, SCORE).coef_).all()


def test_constant_columns_one_row_and_one_class():
    rows = np.column_stack([X, np.full(400, 3.0)])
    assert sf.LinearSVC().fit(rows, SIGNS).score(rows, SIGNS) > 0.85
    with pytest.raises(InvalidData, match="y holds one class"):
        sf.LinearSVC().fit(X, np.ones(400))
    np.testing.assert_allclose(sf.LinearSVR().fit(X[:1], [3.0]).predict(X[:1]), [3.0])


def test_a_hard_margin_is_reached_as_c_grows():
    """Rows (±1, 0): the widest street has w = (1, 0) and b = 0."""
    rows, y = np.array([[1.0, 0.0], [-1.0, 0.0], [2.0, 3.0], [-3.0, 1.0]]), [1, 0, 1, 0]
    model = sf.LinearSVC(loss="hinge", C=1e3).fit(rows, y)
    np.testing.assert_allclose(model.coef_, [[1.0, 0.0]], atol=1e-3)
    np.testing.assert_allclose(model.intercept_, [0.0], atol=1e-3)


def test_the_intercept_is_found_on_the_way():
    """Its centre moves while the rows are still swept, and not only after they have converged around each centre."""
    rng = np.random.default_rng(0)
    rows = sparse.random(1500, 2000, density=0.01, format="csr", random_state=rng)
    eta = rows @ rng.normal(size=2000) + 1.0
    model = sf.LinearSVC(loss="hinge", solver="dual").fit(rows, eta + 2 * rng.normal(size=1500) > 0)
    assert model.history_.metric("sweeps")[-1] < 200
    regressor = sf.LinearSVR(epsilon=0.1, solver="dual").fit(rows, 3 * eta + rng.normal(size=1500))
    assert regressor.history_.metric("sweeps")[-1] < 600
