"""Support vector machines: what holds of all of them."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import svm

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, NotConverged, TimeLimit
from suffice.kernels import GaussianKernel, LinearKernel
from suffice.models.kernel.support_vectors import scale_of
from suffice.observing import Observer, observe
from suffice.resampling.calibration import Isotonic, Sigmoid
from suffice.solvers import blocks, face, smo

pytestmark = pytest.mark.native
MACHINES = ("NuSVC", "NuSVR", "OneClassSVM", "SVC", "SVR")


def made(n=300, d=4, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    scores = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)
    return X, scores, np.digitize(scores, np.quantile(scores, np.arange(1, classes) / classes))


def answers(model, X):
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


@pytest.fixture
def in_blocks(monkeypatch):
    """Small tables are solved as large ones are."""
    monkeypatch.setattr(smo, "SMALL", 10)
    monkeypatch.setattr(blocks, "_SIZE", 32)
    monkeypatch.setattr(blocks, "_PATIENCE", 3)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("given", [{}, {"shrinking": False}, {"cache_size": 0.02}, {"kernel": "linear"}])
def test_blocks_give_what_one_programme_gives(name, given, in_blocks, monkeypatch):
    if name == "NuSVC" and given:
        given = {**given, "kernel": "rbf"}  # no plane has a margin
    X, scores, y = made(classes=3)
    target = scores if name.endswith("R") else y
    model = getattr(sf, name)(tol=1e-6, **given, **({"nu": 0.6} if name.startswith("Nu") else {}))
    blockwise = answers(model.fit(X, target), X)
    assert model.history_.status == "converged"
    objective, gap = model.history_.objective, model.history_.iterations[-1].metrics["gap"]
    size = max(1.0, abs(objective[-1]))
    assert np.all(np.diff(objective) <= 1e-12 * size)
    monkeypatch.undo()
    whole = answers(model.fit(X, target), X)
    np.testing.assert_allclose(blockwise, whole, atol=2e-4)
    assert abs(objective[-1] - model.history_.objective[-1]) < 1e-6 * size
    assert gap < 1e-3 * size


@pytest.mark.parametrize("name", MACHINES)
def test_sparse_rows_and_matrices_give_what_rows_give(name):
    X, scores, y = made()
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    target = scores if name.endswith("R") else y
    model = getattr(sf, name)(tol=1e-9, gamma=0.4)
    wanted = answers(model.fit(X, target), X)
    np.testing.assert_allclose(answers(model.fit(sparse.csr_array(X), target), sparse.csr_array(X)), wanted, atol=1e-6)
    np.testing.assert_allclose(answers(model, X), wanted, atol=1e-6)  # dense rows after sparse ones
    gram = GaussianKernel(gamma=0.4)(X)
    by_matrix = getattr(sf, name)(tol=1e-9, kernel="precomputed").fit(gram, target)
    np.testing.assert_allclose(answers(by_matrix, gram), wanted, atol=1e-6)
    by_function = getattr(sf, name)(tol=1e-9, kernel=lambda A, B: GaussianKernel(gamma=0.4)(A, B)).fit(X, target)
    np.testing.assert_allclose(answers(by_function, X), wanted, atol=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_rows_of_singles_give_what_doubles_give(kernel):
    """Far from the origin, products of singles would not hold what tells the rows apart."""
    rows = (20 + np.random.default_rng(0).normal(size=(60, 3))).astype(np.float32)
    y = rows[:, 0] - 2.0 * rows[:, 1] + 20
    model = sf.SVR(kernel=kernel, C=30.0, epsilon=0.3, coef0=1.0, degree=2)
    wanted = model.fit(rows.astype(np.float64), y).predict(rows.astype(np.float64))
    for kind in (np.asarray, sparse.csr_array):
        np.testing.assert_allclose(model.fit(kind(rows), y).predict(kind(rows)), wanted, atol=5e-3)


def test_a_linear_kernel_is_the_linear_machine():
    X, _, y = made()
    ours = sf.SVC(kernel="linear", C=0.7, tol=1e-10).fit(X, y)
    linear = sf.LinearSVC(loss="hinge", C=0.7, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(ours.coef_, linear.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, linear.intercept_, atol=1e-5)
    np.testing.assert_allclose(X @ ours.coef_[0] + ours.intercept_, ours.decision_function(X), atol=1e-9)


def test_a_linear_kernel_is_the_linear_regression():
    X, scores, _ = made()
    ours = sf.SVR(kernel=LinearKernel(), C=0.7, epsilon=0.3, tol=1e-10).fit(X, scores)
    linear = sf.LinearSVR(C=0.7, epsilon=0.3, tol=1e-12).fit(X, scores)
    np.testing.assert_allclose(ours.coef_[0], linear.coef_, atol=1e-5)


@pytest.mark.parametrize("classes", [2, 4])
def test_attributes_are_scikit_learns(classes):
    X, _, y = made(classes=classes)
    ours, theirs = (kind(C=3, tol=1e-9).fit(X, y) for kind in (sf.SVC, svm.SVC))
    for name in ("support_", "n_support_", "shape_fit_", "class_weight_", "fit_status_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    for name in ("dual_coef_", "intercept_", "support_vectors_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-4)
    for shape in ("ovo", "ovr"):
        ours.set_params(decision_function_shape=shape)
        theirs.set_params(decision_function_shape=shape)
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-5)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_margins_lie_where_they_should():
    X, _, y = made()
    model = sf.SVC(C=2, tol=1e-8).fit(X, y)
    margins = model.margins(X, y)
    at_bound = np.abs(model.dual_coef_[0]) >= 2 - 1e-9
    assert np.all(margins[np.setdiff1d(np.arange(len(X)), model.support_)] >= 1 - 1e-6)
    np.testing.assert_allclose(margins[model.support_[~at_bound]], 1.0, atol=1e-6)
    assert np.all(margins[model.support_[at_bound]] <= 1 + 1e-6)


# ---- hard margins ----


@pytest.mark.parametrize("cost", [100.0, 1e4])
@pytest.mark.parametrize("copies", [1, 4])
def test_what_is_called_solved_is_solved(copies, cost):
    """A kernel of rank 3 has moves that change nothing: what rounding leaves along them must not pass for slopes."""
    X, _, y = made(400 // copies, 3)
    X, y = np.repeat(X, copies, axis=0), np.repeat(y, copies) + 0.3 * np.sin(np.arange(400))
    model = sf.SVR(kernel="linear", C=cost).fit(X, y)
    a = np.zeros(len(X))
    a[model.support_] = model.dual_coef_[0]
    lacking = y - X @ (X.T @ a)
    rise, fall = lacking - np.where(a >= 0, 0.1, -0.1), lacking - np.where(a > 0, 0.1, -0.1)
    assert rise[a < cost].max() - fall[a > -cost].min() < 1.01e-3
    assert model.history_.status == "converged"


def test_a_hard_margin_is_the_limit_of_large_costs():
    X, _, y = made(60)
    hard = sf.SVC(C=np.inf, gamma=2.0, tol=1e-9).fit(X, y)
    soft = sf.SVC(C=1e9, gamma=2.0, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(hard.decision_function(X), soft.decision_function(X), atol=1e-6)
    assert hard.margins(X, y).min() > 1 - 1e-6


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_classes_that_overlap_have_no_hard_margin(kernel):
    X, _, y = made(80)
    if kernel == "rbf":
        X, y = np.concatenate([X, X[:1]]), np.append(y, 1 - y[0])  # the same row in both classes
    with pytest.raises(InvalidData, match=r"SVC: there is no hard margin, C=inf: no plane tells two classes apart"):
        sf.SVC(C=np.inf, kernel=kernel).fit(X, y)


# ---- probabilities ----


def test_probabilities_are_calibrated_and_decide():
    X, _, y = made(600, classes=3)
    model = sf.SVC(probability=True, random_state=0).fit(X[:400], y[:400])
    chances = model.predict_proba(X[400:])
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(X[400:]), model.classes_[chances.argmax(axis=1)])
    hits = chances[np.arange(200), y[400:]]
    assert abs(chances.max(axis=1).mean() - model.score(X[400:], y[400:])) < 0.12
    assert -np.log(hits).mean() < 0.75 * np.log(3)
    again = sf.SVC(probability=True, random_state=0).fit(X[:400], y[:400])
    np.testing.assert_array_equal(again.predict_proba(X[400:]), chances)


def test_two_classes_follow_the_sign_of_the_slope():
    X, _, y = made()
    model = sf.SVC(probability=True, random_state=0).fit(X, y)
    order = np.argsort(model.decision_function(X))
    assert np.all(np.diff(model.predict_proba(X)[order, 1]) >= 0)


def test_sigmoid_has_the_least_cross_entropy():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=200)
    yes = rng.random(200) < 1 / (1 + np.exp(-2 * scores + 0.5))
    found = Sigmoid.of(scores, yes)
    best = min(
        _loss(scores, yes, found.slope + da, found.level + db) for da in (-1e-3, 0, 1e-3) for db in (-1e-3, 0, 1e-3)
    )
    assert best == _loss(scores, yes, found.slope, found.level)
    weighted = Sigmoid.of(np.repeat(scores, 2), np.repeat(yes, 2))
    twice = Sigmoid.of(scores, yes, np.full(200, 2.0))
    np.testing.assert_allclose([weighted.slope, weighted.level], [twice.slope, twice.level], rtol=1e-8)


def _loss(scores, yes, slope, level):
    many, few = yes.sum(), (~yes).sum()
    target = np.where(yes, (many + 1) / (many + 2), 1 / (few + 2))
    p = 1 / (1 + np.exp(slope * scores + level))
    return -np.sum(target * np.log(p) + (1 - target) * np.log1p(-p))


def test_isotonic_never_falls_and_keeps_the_mean():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=100).round(1)
    yes = rng.random(100) < 1 / (1 + np.exp(-scores))
    chances = Isotonic.of(scores, yes)(scores)
    assert np.all(np.diff(chances[np.argsort(scores, kind="stable")]) >= 0)
    np.testing.assert_allclose(chances.mean(), yes.mean())


# ---- paths and limits ----


def test_a_path_gives_the_fits_by_themselves():
    X, _, y = made(classes=3)
    found = sf.SVC(tol=1e-8).path(X, y, C=[0.1, 1.0, 10.0])
    assert [model.C for model in found] == [0.1, 1.0, 10.0]
    for model in found:
        alone = sf.SVC(C=model.C, tol=1e-8).fit(X, y)
        np.testing.assert_allclose(model.decision_function(X), alone.decision_function(X), atol=1e-5)
    assert found[-1].n_iter_.sum() < 1.5 * alone.n_iter_.sum()


def test_too_few_pairs_are_told():
    X, _, y = made()
    with pytest.warns(NotConverged, match="SVC: not converged after max_iter=3"):
        model = sf.SVC(max_iter=3).fit(X, y)
    assert model.history_.status == "max_iter"
    assert model.fit_status_ == 1
    assert model.n_iter_.tolist() == [3]


class _Ends(Observer):
    """A limit that runs out after some iterations."""

    def __init__(self, after):
        self.left = after

    def iteration_done(self, done, snapshot):
        self.left -= 1
        if not self.left:
            raise TimeLimit("over")


@pytest.mark.parametrize("after", [1, 40])
def test_limits_leave_a_model_with_its_intercept(in_blocks, after):
    X, _, y = made(600)
    with observe(_Ends(after)):
        model = sf.SVC(C=10, tol=1e-12).fit(X + 1, y)
    assert model.history_.status == "time_limit"
    assert len(model.history_.iterations) == after
    assert model.intercept_[0] != 0
    assert model.score(X + 1, y) > (0.8 if after > 1 else 0.4)


def test_threads_do_not_change_a_bit(in_blocks):
    X, scores, y = made(400, classes=3)
    for model, target in ((sf.SVC(C=5), y), (sf.SVR(C=5), scores)):
        found = []
        for threads in (1, 3):
            with sf.threads(threads):
                found.append(answers(model.fit(X, target), X))
        np.testing.assert_array_equal(*found)


# ---- what is refused ----


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"gamma": 0.0}, "SVC: gamma must be"),
        ({"gamma": np.inf}, "SVC: gamma must be"),
        ({"C": 0}, "SVC: C must be a number, above 0"),
        ({"kernel": "rfb"}, "SVC: kernel must be.*rbf"),
        ({"kernel": "precomputed"}, r"SVC: a precomputed kernel must be a square matrix.*\(300, 4\)"),
        ({"kernel": lambda A, B: np.ones(3)}, r"SVC: kernel must give one number for each pair of rows"),
        ({"class_weight": {9: 1.0}}, "SVC: class_weight names the class 9"),
    ],
)
def test_refusals(given, words):
    X, _, y = made()
    with pytest.raises((InvalidData, InvalidParameter), match=words):
        sf.SVC(**given).fit(X, y)


def test_one_class_is_refused():
    with pytest.raises(InvalidData, match="SVC: y holds one class, 'a'"):
        sf.SVC().fit([[1.0], [2.0]], ["a", "a"])


def test_a_matrix_that_is_not_symmetric_is_refused():
    gram = np.array([[1.0, 0.5], [0.1, 1.0]])
    with pytest.raises(InvalidData, match="SVC: a precomputed kernel must be symmetric"):
        sf.SVC(kernel="precomputed").fit(gram, [0, 1])


def test_ties_and_pairs_do_not_go_together():
    X, _, y = made(classes=3)
    model = sf.SVC(decision_function_shape="ovo", break_ties=True).fit(X, y)
    with pytest.raises(InvalidParameter, match="break_ties must be False"):
        model.predict(X)


def test_too_large_a_share_is_refused():
    with pytest.raises(InvalidData, match=r"NuSVC: specified nu is infeasible.*class 'b'.*at most 0.5"):
        sf.NuSVC(nu=0.9).fit(np.arange(8.0)[:, None], list("aaaaaabb"))


@pytest.mark.filterwarnings("ignore:NuSVC. there is (no|a) margin")
@pytest.mark.parametrize("shape", [(2, 1), (3, 50), (40, 1)])
@pytest.mark.parametrize("name", MACHINES)
def test_odd_shapes(name, shape):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=shape), np.arange(shape[0]) % 2
    for rows in (X, X.astype(np.float32), np.asfortranarray(X), np.ones(shape)):
        found = answers(getattr(sf, name)().fit(rows, y), rows)
        assert found.dtype == rows.dtype
        assert np.isfinite(found).all()


def test_scale_counts_weights_as_repeated_rows():
    X, _, _ = made(50)
    weight = np.arange(50) % 3
    repeated = scale_of("scale", np.repeat(X, weight, axis=0), None)
    np.testing.assert_allclose(scale_of("scale", X, weight.astype(float)), repeated)
    np.testing.assert_allclose(scale_of("scale", sparse.csr_array(X), weight.astype(float)), repeated)


def test_models_are_saved(tmp_path):
    X, scores, y = made()
    for name, rows in (("SVC", X), ("SVR", sparse.csr_array(X))):
        model = getattr(sf, name)().fit(rows, y if name == "SVC" else scores)
        sf.save(model, tmp_path / "model.sff")
        np.testing.assert_array_equal(answers(sf.load(tmp_path / "model.sff"), X), answers(model, X))


def test_no_warnings():
    X, _, y = made()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shares = sf.SVC(probability=True).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_a_fit_cut_short_has_its_intercept(in_blocks):
    X, _, y = made(1500)
    with sf.limits(seconds=0.3):
        model = sf.SVC(C=1e5, tol=1e-12).fit(X + 1, y)
    assert model.history_.status == "time_limit"
    assert model.intercept_[0] != 0
    assert model.score(X + 1, y) > 0.6  # how far it came hangs on the machine


def test_the_clock_is_looked_at_within_a_block(monkeypatch):
    X, _, y = made(300)
    monkeypatch.setattr(smo, "SMALL", 10)
    monkeypatch.setattr(face, "_PAIRS", 100)
    with observe(_Ends(4)):
        model = sf.SVC(C=1e5, kernel="linear", tol=1e-12).fit(X * [1, 1e3, 1, 1], y)
    assert model.history_.status == "time_limit"
    assert model.n_iter_[0] <= 500


def test_cells_whose_variance_vanishes_are_told():
    X, _, y = made(20)
    with pytest.raises(InvalidData, match="SVC: X holds numbers so small that their squares underflow"):
        sf.SVC().fit(X * 1e-160, y)


def test_no_pairs_at_all():
    X, _, y = made()
    with pytest.warns(NotConverged):
        model = sf.SVC(max_iter=0).fit(X, y)
    assert len(model.support_) == 0
    assert len(set(model.predict(X))) == 1


def test_kernels_too_large_are_refused():
    X, _, y = made()
    for rows in (X, sparse.csr_array(X), X.astype(np.float32)):
        with pytest.raises(InvalidData, match=r"SVC: kernel gives numbers up to .* scale the columns down"):
            sf.SVC(kernel="poly", degree=1000).fit(rows * 100, y)


def test_rows_of_very_different_lengths_are_solved():
    """Curvature counts beside the kernels of its own two rows, not beside the largest of all."""
    X, _, y = made()
    X[0] *= 1e8
    for given in ({"kernel": "linear"}, {"kernel": "poly", "degree": 50, "coef0": 1.0}):
        rows = X if given["kernel"] == "linear" else X / np.abs(X).max() * 4
        model = sf.SVC(**given, max_iter=1_000_000).fit(rows, y)
        assert model.history_.status == "converged"


def test_a_tolerance_below_rounding_ends():
    X, _, y = made()
    with pytest.warns(NotConverged, match=r"tol=1e-300, which is finer than rounding allows"):
        model = sf.SVC(tol=1e-300).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), sf.SVC(tol=1e-12).fit(X, y).decision_function(X), atol=1e-9)


def test_the_end_of_a_path_has_the_intercept_of_a_fit():
    """Variables that come to their bounds but for rounding are not free."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    path = sf.SVC(tol=1e-10).path(X, y, C=[1, 10, 0.1, 1e4, 0.01])
    for model in path:
        alone = sf.SVC(C=model.C, tol=1e-10).fit(X, y)
        np.testing.assert_allclose(model.intercept_, alone.intercept_, atol=1e-7 * max(1, model.C))


def test_no_hard_share():
    X, scores, _ = made()
    with pytest.raises(InvalidParameter, match=r"NuSVR: C must be a number, above 0, below inf"):
        sf.NuSVR(C=np.inf).fit(X, scores)


def test_costs_of_classes_leave_the_scale_of_columns():
    X, _, y = made()
    given = {"class_weight": {0: 10.0, 1: 0.1}, "tol": 1e-6}
    ours, theirs = (model.fit(X, y).decision_function(X) for model in (sf.SVC(**given), svm.SVC(**given)))
    np.testing.assert_allclose(ours, theirs, atol=1e-4)
