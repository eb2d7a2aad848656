"""KMeans against a plain Lloyd, at its edges, under its observers."""

import importlib
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import suffice as sf
from suffice.errors import InvalidData, InvalidParameter, NotConverged
from suffice.observing import Observer, observe


def squares(X, centres):
    """Squared distances (n, k), as they stand."""
    return np.stack([np.sum((np.asarray(X, np.float64) - c) ** 2, axis=1) for c in centres], axis=1)


def plain_lloyd(X, w, centres, max_iter=300):
    """Labels, centres and the cost after every half step; stops when no row changes its centre."""
    X, centres, labels, costs = np.asarray(X, np.float64), np.array(centres, np.float64), None, []
    for _ in range(max_iter):
        far = squares(X, centres)
        before, labels = labels, np.argmin(far, axis=1)
        own = far[np.arange(len(X)), labels]
        costs.append(w @ own)
        weight = np.bincount(labels, w, minlength=len(centres))
        new = centres.copy()
        for c in np.flatnonzero(weight):
            new[c] = np.average(X[labels == c], axis=0, weights=w[labels == c])
        costs.append(w @ np.sum((X - new[labels]) ** 2, axis=1))
        order = [i for i in np.argsort(-np.where(w > 0, own, 0), kind="stable") if own[i] > 0 and w[i] > 0]
        refilled = list(zip(np.flatnonzero(weight == 0), order, strict=False))
        for c, i in refilled:
            new[c] = X[i]
        centres = new
        if not refilled and before is not None and (before == labels).all():
            break
    return np.argmin(squares(X, centres), axis=1), centres, np.array(costs)


def quietly(model, X, w=None):
    """Fit without the warning that there are fewer distinct rows than clusters."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        return model.fit(X, sample_weight=w)


@st.composite
def problems(draw, kinds=("normal", "copies", "lattice")):
    """Rows, weights or None, and first centres: some of the rows, or points near them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(1, 90)), draw(st.integers(1, 40))
    kind = draw(st.sampled_from(kinds))
    X = rng.integers(-2, 3, (n, d)).astype(float) if kind == "lattice" else rng.normal(size=(n, d)) * 3
    if kind == "copies":
        X = X[rng.integers(0, max(1, n // 3), n)]
    X = X.astype(draw(st.sampled_from([np.float32, np.float64])))
    w = draw(st.sampled_from([None, "whole", "real"]))
    w = None if w is None else rng.integers(0, 3, n).astype(float) if w == "whole" else rng.random(n)
    if w is not None and not w.any():
        w[0] = 1
    k = draw(st.integers(1, n if w is None else np.count_nonzero(w)))
    init = X[rng.choice(n, k, replace=False)].astype(np.float64)
    return X, w, init if draw(st.booleans()) else init + 0.1 * rng.normal(size=init.shape)


@given(problems())
@settings(max_examples=150, deadline=None)
def test_bounds_change_nothing(problem):
    X, w, init = problem
    models = [quietly(sf.KMeans(len(init), init=init, algorithm=a, tol=0), X, w) for a in ("auto", "bounds", "lloyd")]
    last = models[-1]
    for model in models[:-1]:
        assert_array_equal(model.labels_, last.labels_)
        assert_allclose(model.cluster_centers_, last.cluster_centers_, rtol=1e-12, atol=1e-14)
        assert_allclose(model.history_.objective, last.history_.objective, rtol=1e-10, atol=1e-9)
        assert_allclose(model.inertia_, last.inertia_, rtol=1e-10, atol=1e-9)


def distinct(X, w):
    """How many different rows weigh something."""
    return len(np.unique(X if w is None else X[w > 0], axis=0))


@given(problems(kinds=("normal", "copies")))
@settings(max_examples=150, deadline=None)
def test_a_plain_lloyd_finds_the_same(problem):
    """Where the rounding of a mean decides nothing.

    It does on a lattice, with a centre too many, and where one of two rows that make up a cluster goes elsewhere.
    """
    X, w, init = problem
    assume(distinct(X, w) > len(init))
    model = quietly(sf.KMeans(len(init), init=init, tol=0), X, w)
    assume(not model.history_.metric("refilled")[1:].any())
    labels, centres, costs = plain_lloyd(X, np.ones(len(X)) if w is None else w, init)
    assert_array_equal(model.labels_, labels)
    assert_allclose(model.cluster_centers_, centres, rtol=1e-9, atol=1e-9)
    mine = np.column_stack([model.history_.metric("assigned"), model.history_.objective]).ravel()
    assert_allclose(mine[: len(costs)], costs[: len(mine)], rtol=1e-8, atol=1e-8 * (1 + costs[0]))
    assert abs(len(mine) - len(costs)) <= 2  # whether the last iteration, which changes nothing, is made


@given(problems(kinds=("copies",)))
@settings(max_examples=100, deadline=None)
def test_centres_too_many_do_not_keep_it_going(problem):
    X, w, init = problem
    assume(distinct(X, w) < len(init))
    model = quietly(sf.KMeans(len(init), init=init, tol=0), X, w)
    assert model.n_iter_ < 50
    assert model.inertia_ <= 1e-25 * (1 + np.sum(X**2))


@given(problems())
@settings(max_examples=100, deadline=None)
def test_the_objective_falls_at_every_half_step(problem):
    X, w, init = problem
    model = quietly(sf.KMeans(len(init), init=init, tol=0), X, w)
    steps = np.column_stack([model.history_.metric("assigned"), model.history_.objective]).ravel()
    assert np.all(np.diff(steps) <= 1e-9 * (1 + steps[0])), steps
    weight = np.ones(len(X)) if w is None else w
    near = squares(X, model.cluster_centers_).min(axis=1)
    assert_allclose(model.inertia_, weight @ near, rtol=1e-9, atol=1e-9)
    assert model.inertia_ <= steps[-1] + 1e-9 * (1 + steps[0])
    assert_array_equal(model.predict(X), model.labels_)


def test_every_iteration_is_recorded(rng):
    X, init = rng.normal(size=(200, 7)), rng.normal(size=(5, 7))
    with sf.recording() as trace:
        model = sf.KMeans(5, init=init, tol=0).fit(X)
    shown = [snapshot["cluster_centers_"] for snapshot in trace.fits[0].snapshots]
    assert len(shown) == model.n_iter_ == len(model.history_) > 2
    for i in range(len(shown)):
        assert_allclose(shown[i], plain_lloyd(X, np.ones(200), init, i + 1)[1], rtol=1e-10, atol=1e-12)
    assert_array_equal(shown[-1], model.cluster_centers_)


class Interrupt(Observer):
    """Ctrl-C when `iterations` iterations are done."""

    def __init__(self, iterations):
        self.left = iterations

    def iteration_done(self, done, snapshot):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def test_ctrl_c_keeps_the_centres(rng):
    X, init = rng.normal(size=(300, 4)), rng.normal(size=(9, 4))
    model = sf.KMeans(9, init=init, tol=0)
    with observe(Interrupt(2)), pytest.raises(KeyboardInterrupt):
        model.fit(X)
    labels, centres, _ = plain_lloyd(X, np.ones(300), init, 2)
    assert (model.history_.status, model.n_iter_) == ("interrupted", 2)
    assert_allclose(model.cluster_centers_, centres, rtol=1e-10)
    assert_array_equal(model.predict(X), labels)


class Late(Observer):
    """A clock that stands still until the third iteration is done."""

    now = 0.0

    def iteration_done(self, done, snapshot):
        self.now = 0.0 if done.number < 3 else 9.0


def test_limits(rng, monkeypatch):
    X, init, clock = rng.normal(size=(500, 3)), rng.normal(size=(9, 3)), Late()
    module = importlib.import_module("suffice.engine.limits")  # the package has a function of that name
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock.now))
    with observe(clock), sf.limits(seconds=5):
        model = sf.KMeans(9, init=init, tol=0).fit(X)
    assert (model.history_.status, model.n_iter_) == ("time_limit", 3)
    assert_allclose(model.cluster_centers_, plain_lloyd(X, np.ones(500), init, 3)[1], rtol=1e-10)


@pytest.mark.parametrize("d", [3, 9, 70])
@pytest.mark.parametrize("init", ["k-means++", "farthest", "pca", "random_assignment"])
def test_any_number_of_threads_gives_the_same_bits(rng, d, init):
    X = rng.normal(size=(6000, d)) + 4 * rng.integers(0, 3, (6000, 1))
    found = []
    for threads in (1, 2, 3):
        with sf.threads(threads):
            found.append(sf.KMeans(7, init=init, n_init=1, random_state=3, max_iter=20).fit(X))
    for model in found[1:]:
        assert_array_equal(model.labels_, found[0].labels_)
        assert_array_equal(model.cluster_centers_, found[0].cluster_centers_)
        assert model.inertia_ == found[0].inertia_


def test_empty_clusters_are_refilled(rng):
    X = np.vstack([rng.normal(size=(50, 2)), rng.normal(size=(50, 2)) + 20])
    init = np.array([[0.0, 0.0], [1e3, 1e3], [-1e3, 0.0], [1e3, -1e3]])
    model = sf.KMeans(4, init=init, tol=0).fit(X)
    assert model.history_.metric("refilled")[0] == 3
    assert sorted(set(model.labels_)) == [0, 1, 2, 3]
    assert_allclose(model.inertia_, plain_lloyd(X, np.ones(100), init)[2][-1], rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("algorithm", ["bounds", "lloyd"])
def test_more_clusters_than_distinct_rows(dtype, algorithm):
    X = np.repeat(np.array([[0, 0], [1, 0], [5, 5]], dtype), 4, axis=0)
    with pytest.warns(NotConverged, match=r"only 3 of 5 clusters have rows; there are fewer distinct rows"):
        model = sf.KMeans(5, algorithm=algorithm, random_state=0).fit(X)
    assert model.inertia_ == 0
    assert_array_equal(model.cluster_centers_[model.labels_], X)


def test_one_cluster_is_the_mean(rng):
    X, w = rng.normal(size=(80, 9)) + 1e6, rng.random(80)
    model = sf.KMeans(1).fit(X, sample_weight=w)
    mean = np.average(X, axis=0, weights=w)
    assert_allclose(model.cluster_centers_[0], mean, rtol=1e-15)
    assert_allclose(model.inertia_, w @ np.sum((X - mean) ** 2, axis=1), rtol=1e-9)
    assert not model.labels_.any()


@pytest.mark.parametrize("d", [1, 4, 12])
def test_a_cluster_for_each_row(rng, d):
    X = rng.normal(size=(30, d))
    model = sf.KMeans(30, random_state=0).fit(X)
    assert model.inertia_ < 1e-28
    assert_array_equal(np.sort(model.labels_), np.arange(30))
    assert_allclose(model.cluster_centers_[model.labels_], X, rtol=1e-14)


def test_one_row_and_equal_rows():
    assert_array_equal(sf.KMeans(1).fit([[3.0, 4.0]]).cluster_centers_, [[3, 4]])
    same = sf.KMeans(1, random_state=0).fit(np.full((9, 3), 0.1))
    assert_allclose(same.cluster_centers_, [[0.1] * 3], rtol=1e-15)
    assert same.inertia_ < 1e-30
    with pytest.raises(InvalidData, match=r"n_samples=2 should be >= n_clusters=3"):
        sf.KMeans(3).fit(np.eye(2))


def test_rows_that_weigh_nothing_are_labelled_only(rng):
    X, w = np.vstack([rng.normal(size=(60, 3)), 1e4 + rng.normal(size=(5, 3))]), np.repeat([1.0, 0.0], [60, 5])
    model = sf.KMeans(4, n_init=5, random_state=1).fit(X, sample_weight=w)
    alone = sf.KMeans(4, n_init=5, random_state=1).fit(X[:60])
    assert_allclose(model.cluster_centers_, alone.cluster_centers_, rtol=1e-12)
    assert_allclose(model.inertia_, alone.inertia_, rtol=1e-9)
    assert_array_equal(model.labels_, alone.predict(X))
    with pytest.raises(InvalidData):
        sf.KMeans(2).fit(X, sample_weight=np.zeros(65))


def test_predict_transform_score_and_output(rng):
    pd = pytest.importorskip("pandas")
    X, w = rng.normal(size=(90, 8)), rng.random(90)
    model = sf.KMeans(5, random_state=0).fit(X, sample_weight=w)
    assert_array_equal(model.predict(X), model.labels_)
    assert_allclose(model.transform(X) ** 2, squares(X, model.cluster_centers_), rtol=1e-12)
    assert_allclose(model.score(X, sample_weight=w), -model.inertia_, rtol=1e-10)
    assert model.transform(X.astype(np.float32)).dtype == np.float32
    frame = model.set_output(transform="pandas").transform(X)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == list(model.get_feature_names_out()) == [f"kmeans{i}" for i in range(5)]


def test_init_of_the_wrong_shape(rng):
    for init in (np.zeros((2, 3)), np.zeros((3, 2)), lambda X, k, random_state: X[:2]):
        with pytest.raises(InvalidParameter, match=r"init must have one row a cluster .*, shape \(3, 3\); got shape"):
            sf.KMeans(3, init=init).fit(rng.normal(size=(9, 3)))
    with pytest.raises(InvalidParameter, match="init must be finite"):
        sf.KMeans(2, init=np.array([[np.nan, 1], [0, 1]])).fit(rng.normal(size=(9, 2)))


@pytest.fixture(scope="module")
def long_table():
    """Large enough for the search for bad cells to be left to the end."""
    return np.random.default_rng(0).normal(size=(30_000, 5)) + 10 * np.repeat(np.eye(5), 6000, axis=0)


BAD_CELLS = [
    (sf.KMeans(5), np.inf),
    (sf.KMeans(5, metric="cosine"), -np.inf),
    (sf.KMeans(5, metric="mahalanobis"), np.nan),
    (sf.MiniBatchKMeans(5), np.nan),
]


@pytest.mark.parametrize(("model", "value"), BAD_CELLS)
def test_a_bad_cell_of_a_long_table_is_found(long_table, model, value):
    X = long_table.copy()
    model.set_params(random_state=0).fit(X)
    X[17_000, 2] = value
    for use in (model.predict, model.fit):
        with pytest.raises(sf.errors.InvalidData, match="17000"):
            use(X)


def test_missing_cells_of_a_long_table_are_predicted(long_table):
    X = long_table.copy()
    model = sf.KMeans(5, random_state=0).fit(X)
    plain = model.predict(X)
    X[[5, 20_000], [0, 1]] = np.nan
    odd = X[[5, 20_000]]
    wanted = [np.argmin(np.nansum((row - model.cluster_centers_) ** 2, axis=1)) for row in odd]
    found = model.predict(X)
    assert found[[5, 20_000]].tolist() == wanted
    assert np.count_nonzero(found != plain) <= 2


@pytest.mark.parametrize("model", [sf.KMeans(2), sf.MiniBatchKMeans(2), sf.BisectingKMeans(2)])
def test_a_score_of_bad_or_huge_cells_is_refused(model, rng):
    X = rng.normal(size=(600, 200))  # so many cells that they are searched only where the result shows a bad one
    model.fit(X)
    bad = X.copy()
    for cell in (np.inf, np.nan):
        bad[7, 3] = cell
        for method in (model.score, model.transform, model.predict):
            if np.isinf(cell) or not isinstance(model, sf.KMeans):
                with pytest.raises(InvalidData, match=r"\b7\b"):
                    method(bad)
            else:
                assert np.isfinite(method(bad)).all()
    bad[7, 3] = 1e200
    with pytest.raises(InvalidData, match="overflow"):
        model.score(bad)
