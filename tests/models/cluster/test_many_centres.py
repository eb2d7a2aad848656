"""Many centres and columns, where centres may be ruled out by products of bytes: the answers stay those in double."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from near_ties import KINDS, made
from suffice import backend
from suffice.backend import kmeans

pytestmark = pytest.mark.native

N, K, D = 150, 260, 50


def assert_nearest(X, centres, shift, first=True):
    """The distance is the least one, and of centres that far it is the first, where no last digit decides."""
    labels, squared = kmeans.nearest(X, centres, shift)
    with backend.using("portable"):
        wanted = kmeans.nearest(X, centres, shift)
    assert_allclose(squared, wanted[1], rtol=1e-13, atol=1e-300)
    assert not first or np.array_equal(labels, wanted[0])
    assert_array_equal(kmeans.labels_only(X, centres, shift), labels)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", KINDS)
def test_nearest(rng, kind, dtype):
    X, centres = made(kind, rng, N, K, D)
    assert_nearest(X.astype(dtype), centres, centres.mean(axis=0))


@pytest.mark.parametrize("scale", [1e-120, 1e-60, 1e-25, 1e-15, 1e14, 1e18, 1e25, 1e60, 1e120])
def test_tiny_and_huge_numbers(rng, scale):
    X, centres = made("rows are points", rng, N, K, D)
    assert_nearest(X * scale, centres * scale, np.zeros(D))
    some = np.where(np.arange(K) % 2, 1.0, scale)[:, None]
    assert_nearest(X, centres * some, np.zeros(D), first=False)
    assert_nearest(X * some[:N], centres, np.zeros(D), first=False)


@given(st.integers(0, 2**32), st.sampled_from(KINDS), st.sampled_from([48, 49, 51, 64, 130]))
@settings(max_examples=60, deadline=None)
def test_nearest_of_any_width(seed, kind, d):
    X, centres = made(kind, np.random.default_rng(seed), N, K, d)
    assert_nearest(X, centres, centres.mean(axis=0))


@pytest.mark.parametrize("kind", KINDS)
def test_iterations_with_bounds(rng, kind):
    """As the centres move, labels after every iteration are those of a new assignment."""
    X, centres = made(kind, rng, N, K, D)
    shift, drift = centres.mean(axis=0), np.zeros(K)
    rows = kmeans.BoundedRows(X, None, shift, float(np.sum((X - shift) ** 2)), K)
    for _ in range(4):
        rows.iterate(centres, drift)
        assert_array_equal(rows.labels, kmeans.nearest(X, centres, shift)[0])
        moved = centres + 0.03 * rng.normal(size=centres.shape) * (rng.random((K, 1)) < 0.5)
        drift, centres = np.sqrt(np.sum((moved - centres) ** 2, axis=1)), moved


def test_rows_with_cells_that_are_no_numbers(rng):
    X, centres = made("normal", rng, N, K, D)
    wanted = kmeans.labels_only(X, centres, np.zeros(D))
    X[[3, 40, 90], [0, 1, D - 1]] = np.nan, np.inf, -np.inf
    wanted[[3, 40, 90]] = -1
    assert_array_equal(kmeans.labels_only(X, centres, np.zeros(D)), wanted)
