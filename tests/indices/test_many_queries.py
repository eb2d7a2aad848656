"""Many queries and columns, where rows may be ruled out by products of bytes: the answers stay those in double."""

import numpy as np
import pytest
from scipy import sparse

from near_ties import KINDS, made
from suffice import backend
from suffice.backend.distances import Term
from suffice.backend.neighbors import Panels, nearest_rows, rows_within
from suffice.indices import LSH, Brute

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


@pytest.mark.parametrize("share", [0.0, 0.001, 0.02, 0.5, 1.0])
@pytest.mark.parametrize("m", [5, M])
@pytest.mark.parametrize("kind", KINDS)
def test_within_a_radius_that_is_the_distance_of_a_row(rng, kind, m, share):
    Q, X = made(kind, rng, M, N, D)
    Q, term = Q[:m], Term("squared")
    radius = float(np.quantile(nearest_rows(Q[:2], X, term, N).distances, share, method="lower"))
    index = Brute().built(X, "sqeuclidean")
    for one, other in zip(index.radius_neighbors(Q, radius), rows_within(Q, X, term, radius), strict=True):
        np.testing.assert_array_equal(one, other)


def test_queries_far_from_all_rows(rng):
    X = rng.normal(size=(N, D))
    Q = X[:3] + 1e9
    term, panels = Term("squared"), Panels.of(X)
    radius = float(np.median(nearest_rows(Q, X, term, N).distances))
    assert panels is not None
    assert panels.suits(Q, X)
    for one, other in zip(panels.within(Q, X, radius), rows_within(Q, X, term, radius), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("size", [1e-18, 1.0, 1e15])
def test_hash_tables_lose_no_row_at_the_radius(rng, size):
    X = size * rng.normal(size=(N, D))
    Q, index = X[:20], LSH().built(X, "sqeuclidean")
    for radius in index.kneighbors(Q, 5).distances[:, -1]:
        found, more = (index.radius_neighbors(Q, float(radius) * factor) for factor in (1.0, 1.01))
        inside = more.distances <= radius
        np.testing.assert_array_equal(found.rows, more.rows[inside])
        np.testing.assert_array_equal(found.distances, more.distances[inside])


@pytest.mark.parametrize("far", [0.0, 1e6])
@pytest.mark.parametrize(("n", "d"), [(70, 1023), (70, 1025), (96, 2049), (77, 4100)])
def test_rows_of_thousands_of_columns_are_decided_exactly(n, d, far):
    """Columns are added up in parts; rows that differ by rounding, and equal ones, are told apart in double."""
    rng = np.random.default_rng(d)
    X = rng.normal(size=(n, d)) + far
    X[10:20] = X[10] + 1e-9 * rng.normal(size=(10, d))
    X[30:34] = X[30]
    Q = np.concatenate([X[8:40], rng.normal(size=(30, d)) + far])
    panels, term = Panels.of(X), Term("squared")
    assert panels is not None
    wanted = nearest_rows(Q, X, term, 6)
    found = panels.nearest(Q, X, 6)
    np.testing.assert_array_equal(found.rows, wanted.rows)
    np.testing.assert_array_equal(found.distances, wanted.distances)
    radius = float(np.median(wanted.distances[:, 3]))
    for one, other in zip(panels.within(Q, X, radius), rows_within(Q, X, term, radius), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("density", [0.003, 0.05, 0.4])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_sparse_rows_are_answered_as_dense_ones(metric, density):
    """Few rows that share a column with a query, and most of them."""
    rng = np.random.default_rng(3)
    cells = np.where(rng.random((400, 90)) < density, rng.integers(1, 9, (400, 90)), 0).astype(float)
    cells[:, 0] = 1.0  # every row has a direction
    X, Q = cells[:300], cells[300:]
    found, wanted = Brute().built(sparse.csr_array(X), metric), Brute().built(X, metric)
    assert found._lists is not None
    near, far = found.kneighbors(sparse.csr_array(Q), 7), wanted.kneighbors(Q, 7)
    np.testing.assert_allclose(near.distances, far.distances, rtol=1e-9, atol=1e-7)
    radius = float(np.median(far.distances)) + 1e-6
    some, all_dense = found.radius_neighbors(sparse.csr_array(Q), radius), wanted.radius_neighbors(Q, radius)
    np.testing.assert_array_equal(some.ends, all_dense.ends)
    np.testing.assert_allclose(some.distances, all_dense.distances, rtol=1e-9, atol=1e-7)
    with backend.using("portable"):
        plain = found.kneighbors(sparse.csr_array(Q), 7)
    np.testing.assert_allclose(near.distances, plain.distances, rtol=1e-9, atol=1e-7)
