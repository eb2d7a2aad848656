"""The kernels of k-means: native equals portable, whatever the shape, the order in memory and the scale."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import suffice as sf
from suffice import backend
from suffice.backend import kmeans


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
def test_rounds_with_bounds(problem, rounds):
    """After every round labels and sums are those of a new assignment, as the centres move."""
    X, centres, weight = problem
    shift, bounds = centres.mean(axis=0), kmeans.Bounds.of(len(X))
    sums, total, drift = np.zeros_like(centres), np.zeros(len(centres)), np.zeros(len(centres))
    rng = np.random.default_rng(0)
    for _ in range(rounds):
        change = kmeans.bounded_round(X, centres, shift, drift, bounds, weight)
        sums, total = sums + change.sums, total + change.weight
        whole = kmeans.assign(X, centres, shift, weight)
        assert_array_equal(bounds.labels, whole.labels)
        assert_allclose(sums, whole.sums, atol=1e-10)
        assert_allclose(total, whole.weight, atol=1e-12)
        assert change.scanned <= len(X)
        moved = centres + 0.05 * rng.normal(size=centres.shape) * (rng.random((len(centres), 1)) < 0.5)
        drift, centres = np.sqrt(np.sum((moved - centres) ** 2, axis=1)), moved


def test_settled_rows_are_not_read(rng):
    X = np.repeat(np.eye(8) * 100, 50, axis=0) + rng.normal(size=(400, 8))
    bounds, still = kmeans.Bounds.of(400), np.zeros(8)
    assert kmeans.bounded_round(X, np.eye(8) * 100, X.mean(axis=0), still, bounds).scanned == 400
    again = kmeans.bounded_round(X, np.eye(8) * 100, X.mean(axis=0), still, bounds)
    assert (again.scanned, again.changed) == (0, 0)


@pytest.mark.parametrize("d", [2, 8])
@pytest.mark.parametrize("weighted", [False, True])
def test_rounds_are_the_same_portably(rng, d, weighted):
    X, weight = rng.normal(size=(200, d)), rng.random(200) if weighted else None
    centres, found = X[:5].copy(), []
    for name in ("native", "portable"):
        bounds = kmeans.Bounds.of(200)
        with backend.using(name):
            change = kmeans.bounded_round(X, centres, X.mean(axis=0), np.zeros(5), bounds, weight)
        found.append((bounds.labels, change))
    assert_array_equal(found[0][0], found[1][0])
    assert_allclose(found[0][1].sums, found[1][1].sums, rtol=1e-11, atol=1e-12)
    assert_allclose(found[0][1].weight, found[1][1].weight, rtol=1e-12)
    assert found[0][1].changed == found[1][1].changed == 200


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("d", [1, 7, 64])
def test_seeding_is_the_same_portably(rng, dtype, d):
    X, weight = rng.normal(size=(3000, d)).astype(dtype), rng.integers(0, 3, 3000).astype(float)
    made = []
    for name in ("native", "portable"):
        with backend.using(name):
            seeds = kmeans.Seeding(X, weight, 20, 3)
            for i in range(20):
                seeds.add(X[3 * i : 3 * i + 3].astype(float))
            made.append(seeds)
    assert_array_equal(made[0].centres, made[1].centres)
    assert_array_equal(made[0].nearest, made[1].nearest)
    assert_allclose(made[0].squared, made[1].squared, rtol=1e-6)
    assert_allclose(made[0].totals, made[1].totals, rtol=1e-6)
    exact = np.min([np.sum((X.astype(float) - c) ** 2, axis=1) for c in made[0].centres], axis=0)
    assert_allclose(made[0].squared, exact, rtol=1e-6, atol=1e-12)
    height = kmeans.stripe_height(3000)
    stripes = [float((weight * exact)[i : i + height].sum()) for i in range(0, 3000, height)]
    assert_allclose(made[0].totals, stripes, rtol=1e-6)


def test_half_gaps(rng):
    centres = rng.normal(size=(12, 5))
    apart = np.sqrt(kmeans.pair_squares(centres, centres)) + np.diag(np.full(12, np.inf))
    found = kmeans.half_gaps(centres)
    assert_allclose(found, apart.min(axis=1) / 2, rtol=1e-8)
    assert np.all(found < apart.min(axis=1) / 2)
    assert np.isinf(kmeans.half_gaps(centres[:1])).all()
