"""Many queries and columns, where rows may be ruled out by products of bytes: the answers stay those in double."""

import numpy as np
import pytest

from near_ties import KINDS, made
from suffice import backend
from suffice.backend.neighbors import Panels
from suffice.indices import Brute

pytestmark = pytest.mark.native

N, D, M = 1500, 70, 250


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", KINDS)
def test_nearest(rng, kind, dtype):
    Q, X = made(kind, rng, M, N, D)
    X = X.astype(dtype)
    found = Brute().built(X, "euclidean").kneighbors(Q, 10)
    with backend.using("portable"):
        wanted = Brute().built(X, "euclidean").kneighbors(Q, 10)
    np.testing.assert_allclose(found.distances, wanted.distances, rtol=1e-12, atol=1e-300)
    squared = np.stack([((X[rows].astype(float) - q) ** 2).sum(axis=1) for rows, q in zip(found.rows, Q, strict=True)])
    np.testing.assert_allclose(np.sqrt(squared), found.distances, rtol=1e-12)
    if kind == "whole numbers and ties":
        np.testing.assert_array_equal(found.rows, wanted.rows)


@pytest.mark.parametrize("threads", [1, 3])
def test_any_number_of_threads_gives_the_same(rng, threads):
    Q, X = made("normal", rng, M, N, D)
    panels = Panels.of(X)
    with backend.threads(threads):
        found = panels.nearest(Q, X, 5)
    again = panels.nearest(Q, X, 5)
    np.testing.assert_array_equal(found.rows, again.rows)
    np.testing.assert_array_equal(found.distances, again.distances)
