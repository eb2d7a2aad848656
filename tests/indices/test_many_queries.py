"""Many queries and columns, where rows may be ruled out by products of bytes: the answers stay those in double."""

import numpy as np
import pytest

from suffice import backend
from suffice.backend.neighbors import Panels
from suffice.indices import Brute

N, D, M = 1500, 70, 250


def made(kind, rng):
    """Rows and queries that are easy or hard to tell apart in eight bits."""
    X, Q = rng.normal(size=(N, D)), rng.normal(size=(M, D))
    if kind == "whole numbers and ties":
        X, Q = rng.integers(-1, 2, X.shape) * 1.0, rng.integers(-1, 2, Q.shape) * 1.0
        X[N // 2 :] = X[: N // 2]
    elif kind == "queries are rows":
        Q[:] = X[:M]
    elif kind == "one row far away":
        X[7] *= 1e6
    elif kind == "one column rules":
        X[:, 3], Q[:, 3] = 1e5 * X[:, 3], 1e5 * Q[:, 3]
    elif kind == "tight groups far apart":
        groups = 1e4 * rng.normal(size=(4, D))
        X, Q = X + groups[rng.integers(0, 4, N)], Q + groups[rng.integers(0, 4, M)]
    elif kind == "spikes":
        X, Q = X**9, Q**9
    elif kind == "equal":
        X[:], Q[:] = 3.0, 3.0
    elif kind == "some queries far away":
        Q[::9] *= 1e4
    return X, Q


KINDS = [
    "normal",
    "whole numbers and ties",
    "queries are rows",
    "one row far away",
    "one column rules",
    "tight groups far apart",
    "spikes",
    "equal",
    "some queries far away",
]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", KINDS)
def test_nearest(rng, kind, dtype):
    X, Q = made(kind, rng)
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
    X, Q = made("normal", rng)
    panels = Panels.of(X)
    with backend.threads(threads):
        found = panels.nearest(Q, X, 5)
    again = panels.nearest(Q, X, 5)
    np.testing.assert_array_equal(found.rows, again.rows)
    np.testing.assert_array_equal(found.distances, again.distances)
