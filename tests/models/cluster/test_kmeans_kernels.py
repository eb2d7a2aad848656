"""The kernels of k-means: native equals portable, whatever the shape, the order in memory and the scale."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import suffice as sf
from suffice import backend
from suffice.backend import kmeans

pytestmark = pytest.mark.native


def portably(function, *arguments):
    with backend.using("portable"):
        return function(*arguments)


def gap(X, centres, labels, others):
    """How much farther than the nearest centre the labelled one is, relative; 0 where two are equally near."""
    Z = np.asarray(X, np.float64)
    mine, theirs = (np.sum((Z - centres[found]) ** 2, axis=1) for found in (labels, others))
    return np.max(np.abs(mine - theirs) / np.maximum(np.maximum(mine, theirs), 1e-300), initial=0)


def assert_assigned(X, centres, shift, weight=None):
    """Labels, distances, sums and cost are those of the portable code; ties may go by the last bit."""
    mine, theirs = kmeans.assign(X, centres, shift, weight), portably(kmeans.assign, X, centres, shift, weight)
    assert gap(X, centres, mine.labels, theirs.labels) < 1e-13
    size = np.max(np.abs(np.asarray(X, np.float64) - shift), initial=0) ** 2
    assert_allclose(mine.squared, theirs.squared, rtol=1e-11, atol=1e-28 * size)
    assert_allclose(mine.cost, theirs.cost, rtol=1e-11, atol=1e-28 * size)
    if (mine.labels == theirs.labels).all():
        assert_allclose(mine.weight, theirs.weight, rtol=1e-13)
        assert_allclose(mine.sums, theirs.sums, rtol=1e-11, atol=1e-12 * np.sqrt(size) * len(X))
    labels, squared = kmeans.nearest(X, centres, shift)
    assert_array_equal(labels, mine.labels)
    assert_array_equal(squared, mine.squared)


@st.composite
def rows_and_centres(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, k = draw(st.integers(1, 70)), draw(st.integers(1, 40))
    d = draw(st.sampled_from([1, 2, 5, 6, 7, 16, 33, 64, 100]))
    lattice = draw(st.booleans())
    X, centres = (rng.integers(-3, 4, (m, d)).astype(float) if lattice else rng.normal(size=(m, d)) for m in (n, k))
    weight = rng.integers(0, 3, n).astype(float) if draw(st.booleans()) else None
    return X.astype(draw(st.sampled_from([np.float32, np.float64]))), centres, weight


@given(rows_and_centres())
@settings(max_examples=200, deadline=None)
def test_assign(problem):
    X, centres, weight = problem
    assert_assigned(X, centres, centres.mean(axis=0), weight)


@pytest.mark.parametrize("d", [3, 6, 20, 64, 90])
def test_the_first_of_equally_near_centres(d):
    """Whole numbers have no rounding, so a tie is a tie in both."""
    rng = np.random.default_rng(d)
    X, centres = rng.integers(-2, 3, (400, d)).astype(float), rng.integers(-1, 2, (24, d)).astype(float)
    centres[12:] = centres[:12]
    labels = kmeans.nearest(X, centres, np.zeros(d))[0]
    assert_array_equal(labels, portably(kmeans.nearest, X, centres, np.zeros(d))[0])
    assert labels.max() < 12


@pytest.mark.parametrize("d", [2, 10, 80])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_order_in_memory(rng, d, dtype):
    X = rng.normal(size=(300, d)).astype(dtype)
    centres, shift = X[:9].astype(float), X.mean(axis=0, dtype=float)
    plain = kmeans.assign(X, centres, shift)
    views = (np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], np.repeat(X, 3, axis=0)[::3], X[::-1].copy()[::-1])
    for view in views:
        found = kmeans.assign(view, centres, shift)
        assert_array_equal(found.labels, plain.labels)
        assert_array_equal(found.squared, plain.squared)
        assert_array_equal(found.sums, plain.sums)
    fits = [sf.KMeans(9, init=centres).fit(view) for view in (X, *views)]
    for fit in fits[1:]:
        assert_array_equal(fit.labels_, fits[0].labels_)
        assert_array_equal(fit.cluster_centers_, fits[0].cluster_centers_)


@pytest.mark.parametrize("k", [1, 2, 31, 32, 33])
@pytest.mark.parametrize("d", [63, 64, 65, 200])
def test_long_rows_and_few_centres(rng, k, d):
    X = rng.normal(size=(150, d)) + 50
    assert_assigned(X, X[:k] + 0.01, X.mean(axis=0), rng.random(150))


@pytest.mark.parametrize("d", [4, 8, 70])
def test_a_large_mean_costs_only_the_digits_it_must(rng, d):
    X = rng.normal(size=(400, d)) + 3 * rng.integers(0, 4, (400, 1))
    far = X + 1e9
    assert_assigned(far, far[:6], far.mean(axis=0))
    near, moved = sf.KMeans(4, init=X[:4], tol=0).fit(X), sf.KMeans(4, init=far[:4], tol=0).fit(far)
    assert_allclose(moved.cluster_centers_ - 1e9, near.cluster_centers_, atol=1e-5)
    assert_allclose(moved.inertia_, near.inertia_, rtol=1e-5)


@pytest.mark.parametrize("scale", [1e-100, 1e-20, 1e-12, 1e12, 1e20, 1e100])
@pytest.mark.parametrize("d", [4, 8, 70])
def test_tiny_and_huge_numbers(rng, scale, d):
    """Where single precision cannot hold the squares, everything is computed in double."""
    X = rng.normal(size=(400, d)) + 5 * rng.integers(0, 4, (400, 1))
    init = X[[0, 1, 2, 3]]
    plain, scaled = sf.KMeans(4, init=init).fit(X), sf.KMeans(4, init=init * scale).fit(X * scale)
    assert_array_equal(scaled.labels_, plain.labels_)
    assert_allclose(scaled.cluster_centers_ / scale, plain.cluster_centers_, rtol=1e-9, atol=1e-12)
    assert_allclose(scaled.inertia_ / scale / scale, plain.inertia_, rtol=1e-9)
    assert_assigned(X * scale, init * scale, X.mean(axis=0) * scale)


@pytest.mark.parametrize("scale", [1e-25, 1e20])
@pytest.mark.parametrize("init", ["k-means++", "farthest"])
def test_seeding_tiny_and_huge_numbers(rng, scale, init):
    X = rng.normal(size=(400, 5)) + 30 * rng.integers(0, 4, (400, 1))
    plain, scaled = (sf.KMeans(4, init=init, random_state=0).fit(rows) for rows in (X, X * scale))
    assert_allclose(scaled.inertia_ / scale / scale, plain.inertia_, rtol=1e-6)


@given(rows_and_centres(), st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_iterations_with_bounds(problem, iterations):
    """After every iteration labels and sums are those of a new assignment, as the centres move."""
    X, centres, weight = problem
    shift, drift = centres.mean(axis=0), np.zeros(len(centres))
    rows = kmeans.BoundedRows(X, weight, shift, spread(X, shift, weight), len(centres))
    rng = np.random.default_rng(0)
    for _ in range(iterations):
        done = rows.iterate(centres, drift)
        whole = kmeans.assign(X, centres, shift, weight)
        assert_array_equal(rows.labels, whole.labels)
        assert_allclose(rows.sums, whole.sums, atol=1e-10)
        assert_allclose(rows.mass, whole.weight, atol=1e-12)
        assert_allclose(done.before, whole.cost, rtol=1e-9, atol=1e-9)
        assert (done.scanned <= len(X), done.empty) == (True, np.sum(rows.mass == 0))
        moved = centres + 0.05 * rng.normal(size=centres.shape) * (rng.random((len(centres), 1)) < 0.5)
        drift, centres = np.sqrt(np.sum((moved - centres) ** 2, axis=1)), moved


def spread(X, shift, weight):
    return float(np.sum((X - shift) ** 2 * (1.0 if weight is None else weight[:, None])))


def test_settled_rows_are_not_read(rng):
    X = np.repeat(np.eye(8) * 100, 50, axis=0) + rng.normal(size=(400, 8))
    rows, still = kmeans.BoundedRows(X, None, X.mean(axis=0), 1.0, 8), np.zeros(8)
    assert rows.iterate(np.eye(8) * 100, still).scanned == 400
    again = rows.iterate(np.eye(8) * 100, still)
    assert (again.scanned, again.changed) == (0, 0)


def test_an_interrupted_iteration_is_forgotten(rng, monkeypatch):
    class Interrupted:
        def kmeans_round(self, *arguments):
            arguments[8][:100], arguments[11][:] = 0, 7.0  # labels and sums of an iteration that was not done
            raise KeyboardInterrupt

    X, still = rng.normal(size=(300, 4)), np.zeros(5)
    rows = kmeans.BoundedRows(X, None, X.mean(axis=0), 1.0, 5)
    rows.iterate(X[:5].copy(), still)
    with monkeypatch.context() as patched:
        patched.setattr(kmeans.native, "kernels", Interrupted)
        with pytest.raises(KeyboardInterrupt):
            rows.iterate(X[5:10].copy(), still)
    rows.iterate(X[:5].copy(), still)
    whole = kmeans.assign(X, X[:5].copy(), X.mean(axis=0))
    assert_array_equal(rows.labels, whole.labels)
    assert_allclose(rows.sums, whole.sums, atol=1e-10)


def test_rows_near_their_centre_are_settled_by_the_gap_to_the_next(rng):
    """The centre moved so much that the lower bound is lost; half the way to the next centre still tells."""
    X = np.repeat(np.eye(8) * 100, 50, axis=0) + rng.normal(size=(400, 8))
    rows = kmeans.BoundedRows(X, None, X.mean(axis=0), 1.0, 8)
    rows.iterate(np.eye(8) * 100, np.zeros(8))
    assert rows.iterate(np.eye(8) * 100, np.full(8, 60.0)).scanned == 0


@pytest.mark.parametrize("d", [2, 8])
@pytest.mark.parametrize("weighted", [False, True])
def test_iterations_are_the_same_portably(rng, d, weighted):
    X, weight = rng.normal(size=(200, d)), rng.random(200) if weighted else None
    centres, shift, found = X[:5].copy(), X.mean(axis=0), []
    for name in ("native", "portable"):
        rows = kmeans.BoundedRows(X, weight, shift, spread(X, shift, weight), 5)
        with backend.using(name):
            found.append((rows, rows.iterate(centres, np.zeros(5))))
    (mine, done), (theirs, wanted) = found
    assert_array_equal(mine.labels, theirs.labels)
    for ours, other in zip((mine.sums, mine.mass, *done), (theirs.sums, theirs.mass, *wanted), strict=True):
        assert_allclose(ours, other, rtol=1e-11, atol=1e-12)
    assert done.changed == 200


def test_the_update_gives_means_costs_and_drift(rng):
    X, centres = rng.normal(size=(300, 3)), rng.normal(size=(4, 3))
    rows = kmeans.BoundedRows(X, None, X.mean(axis=0), spread(X, X.mean(axis=0), None), 4)
    done = rows.iterate(centres, np.zeros(4))
    means = np.array([X[rows.labels == j].mean(axis=0) for j in range(4)])
    assert_allclose(done.centres, means, rtol=1e-12)
    assert_allclose(done.drift, np.linalg.norm(means - centres, axis=1), rtol=1e-12)
    assert_allclose(done.after, np.sum((X - means[rows.labels]) ** 2), rtol=1e-12)
    assert_allclose(done.squared, np.sum((means - centres) ** 2), rtol=1e-12)


@pytest.mark.parametrize("farthest", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 7, 64])
def test_seeds_are_the_same_portably(rng, dtype, d, farthest):
    X, weight = rng.normal(size=(3000, d)).astype(dtype), rng.integers(0, 3, 3000).astype(float)
    uniform = rng.random((20, 1 if farthest else 3))
    mine = kmeans.seeds(X, weight, uniform, farthest)
    assert_array_equal(mine, portably(kmeans.seeds, X, weight, uniform, farthest))
    assert len(np.unique(mine, axis=0)) == 20


@pytest.mark.parametrize("trials", [2, 9, 40])
@pytest.mark.parametrize("kind", ["far groups", "one far row", "whole numbers", "tiny", "huge", "beyond"])
def test_seeds_where_single_precision_cannot_tell(rng, kind, trials):
    """The best candidate is then told in double, so that the seeds are the same."""
    X = rng.normal(size=(2500, 6))
    if kind == "far groups":
        X += 1e6 * rng.normal(size=(5, 6))[rng.integers(0, 5, 2500)]
    elif kind == "one far row":
        X[17] = 1e9
    elif kind == "whole numbers":
        X = np.rint(X)
    else:
        X *= {"tiny": 1e-60, "huge": 1e60, "beyond": 1e130}[kind]
    uniform = rng.random((25, trials))
    assert_array_equal(kmeans.seeds(X, None, uniform), portably(kmeans.seeds, X, None, uniform))


def test_seeds_when_all_rows_are_centres_already(rng):
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 5, axis=0)
    found = kmeans.seeds(X, None, rng.random((6, 2)))
    assert {tuple(row) for row in found.tolist()} == {(0.0, 0.0), (1.0, 1.0)}


def test_seeds_are_drawn_by_squared_distance(rng):
    """From a first centre at 0, the rows at 1 and 3 must come up nine to one."""
    X, weight = np.array([[0.0], [1.0], [3.0]]), np.array([1.0, 1.0, 1.0])
    second = [kmeans.seeds(X, weight, np.array([[0.1], [u]]))[1, 0] for u in rng.random(4000)]
    assert abs(np.mean(np.array(second) == 3.0) - 0.9) < 0.02


@pytest.mark.parametrize("d", [2, 16, 100])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_labels_only(rng, dtype, d):
    X, centres = rng.normal(size=(500, d)).astype(dtype), rng.normal(size=(7, d))
    wanted = kmeans.nearest(X, centres, np.zeros(d))[0]
    assert_array_equal(kmeans.labels_only(X, centres, np.zeros(d)), wanted)
    X[[3, 40, 90], [0, 1, d - 1]] = np.nan, np.inf, -np.inf
    wanted[[3, 40, 90]] = -1
    assert_array_equal(kmeans.labels_only(X, centres, np.zeros(d)), wanted)
    assert_array_equal(portably(kmeans.labels_only, X, centres, np.zeros(d)), wanted)


@pytest.mark.parametrize("d", [16, 100])
def test_rows_beyond_single_precision_are_decided_in_double(d):
    centres = np.zeros((3, d))
    centres[1, 0], centres[2, 1] = 1.0, 1.0
    X = np.zeros((2, d))
    X[0, :2], X[1, :2] = (1e60, 3e60), (3e60, -1e60)
    assert_array_equal(kmeans.labels_only(X, centres, np.zeros(d)), kmeans.nearest(X, centres, np.zeros(d))[0])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(("d", "k"), [(1, 1), (3, 9), (700, 20), (1100, 33)])
def test_distances_keep_their_digits_far_from_the_origin_and_near_a_centre(rng, d, k, order, dtype):
    X = np.asarray(1e3 + rng.normal(size=(70, d)), dtype=dtype, order=order)
    centres = np.ascontiguousarray(X[:k], np.float64)
    centres[-1] += 1e-7
    found = kmeans.distances(X, centres, centres.mean(axis=0))
    assert found.dtype == dtype
    tolerance = {"rtol": 1e-10} if dtype == np.float64 else {"rtol": 1e-6}
    assert_allclose(found, portably(kmeans.distances, X, centres, centres.mean(axis=0)), **tolerance)


def test_long_rows_are_assigned_as_short_ones(rng):
    """Sums within panels of columns are in single precision, and decide only what they can."""
    near = rng.normal(size=5000)
    centres = near + 1e-5 * rng.normal(size=(7, 5000))  # single precision alone could not tell them apart
    X = np.vstack([near + 1e-5 * rng.normal(size=(40, 5000)), 10 * rng.normal(size=(40, 5000))])
    assert_assigned(X, centres, centres.mean(axis=0))
    assert_assigned(X, centres, np.zeros(5000))


def test_the_rows_of_a_stripe_do_not_matter(rng):
    X, centres = rng.normal(size=(300, 3000)), rng.normal(size=(4, 3000))
    whole = kmeans.nearest(X, centres, centres.mean(axis=0))
    parts = [kmeans.nearest(X[rows], centres, centres.mean(axis=0)) for rows in (slice(0, 101), slice(101, 300))]
    for found, halves in zip(whole, zip(*parts, strict=True), strict=True):
        assert_array_equal(found, np.concatenate(halves))
