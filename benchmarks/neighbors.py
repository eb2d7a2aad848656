"""Neighbours"""

from __future__ import annotations

import faiss
import numpy as np
import sklearn.neighbors as sk
from scipy import sparse
from scipy.spatial import cKDTree

from suffice.backend import thread_count
from suffice.indices import LSH, Brute
from suffice.models.neighbors import NearestNeighbors

from .harness import Workload

K = 10


def _same(ours, theirs, name: str) -> None:
    """Equal distances; where rows are equally near, either may be named."""
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-3, atol=1e-3 * float(ours[0].max()), err_msg=name)
    assert np.mean(ours[1] == theirs[1]) > 0.999, name


def _brute(n: int, d: int, queries: int, floor: float) -> Workload:
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(n, d)), rng.normal(size=(queries, d))
    X32, Q32 = X.astype(np.float32), Q.astype(np.float32)

    def flat():
        index = faiss.IndexFlatL2(d)
        index.add(X32)
        squared, rows = index.search(Q32, K)
        return np.sqrt(squared), rows

    def check(ours, peers):
        for name, theirs in peers.items():
            _same(ours, theirs, name)

    return Workload(
        "NearestNeighbors, brute force, k = 10",
        f"{n:,} × {d}, {queries:,} queries",
        lambda: NearestNeighbors(algorithm="brute").fit(X).kneighbors(Q, K),
        {
            "scikit-learn": lambda: sk.NearestNeighbors(algorithm="brute").fit(X).kneighbors(Q, K),
            "faiss, flat, float32": flat,
        },
        check,
        floor={"scikit-learn": floor, "faiss, flat, float32": floor},
        operations=n * queries * d * 2.0,
        repeat=3,
    )


def _tree(n: int, d: int) -> Workload:
    X = np.random.default_rng(0).normal(size=(n, d))

    def check(ours, peers):
        np.testing.assert_array_equal(ours[1], peers["scipy, cKDTree"][1])

    return Workload(
        "NearestNeighbors, k-d tree, build and query, k = 10",
        f"{n:,} × {d}, all rows",
        lambda: NearestNeighbors(algorithm="kd_tree").fit(X).kneighbors(X, K),
        {"scipy, cKDTree": lambda: cKDTree(X).query(X, K, workers=thread_count())},
        check,
        floor={"scipy, cKDTree": 1.3},
        bytes_read=X.nbytes,
        repeat=3,
    )


def _sparse(n: int, d: int, entries: int, queries: int) -> Workload:
    rng = np.random.default_rng(0)
    columns = np.sort(rng.integers(0, d, size=(n, entries)), axis=1).ravel()
    X = sparse.csr_matrix((rng.random(n * entries), columns, np.arange(0, n * entries + 1, entries)), shape=(n, d))
    X.sum_duplicates()
    Q = X[:queries]

    def check(ours, peers):
        _same(ours, peers["scikit-learn, brute"], "scikit-learn")

    return Workload(
        "NearestNeighbors, inverted lists, cosine, k = 10",
        f"{n:,} × {d:,}, {entries} a row, {queries:,} queries",
        lambda: NearestNeighbors(metric="cosine").fit(X).kneighbors(Q, K),
        {
            "scikit-learn, brute": lambda: (
                sk.NearestNeighbors(metric="cosine", algorithm="brute").fit(X).kneighbors(Q, K)
            )
        },
        check,
        floor={"scikit-learn, brute": 3.0},
        repeat=3,
    )


def _hashed(n: int, d: int, queries: int) -> Workload:
    rng = np.random.default_rng(0)
    centres = 3 * rng.normal(size=(2000, d))
    X = centres[rng.integers(0, 2000, n + queries)] + rng.normal(size=(n + queries, d))
    X, Q = X[:n], X[n:]
    hashed, brute = LSH(recall=0.9).built(X), Brute().built(X)

    def check(ours, peers):
        exact = peers["suffice, brute force"].rows
        share = np.mean([len(np.intersect1d(a, b)) / K for a, b in zip(ours.rows, exact, strict=True)])
        assert share >= 0.9, f"recall {share:.3f}; stated {hashed.measured_recall:.3f}"

    return Workload(
        "LSH, recall 0.9, query, k = 10",
        f"{n:,} × {d} in 2,000 clusters, {queries:,} queries",
        lambda: hashed.kneighbors(Q, K),
        {"suffice, brute force": lambda: brute.kneighbors(Q, K)},
        check,
        floor={"suffice, brute force": 5.0},
    )


WORKLOADS = [
    lambda: _brute(50_000, 20, 5000, 1.5),
    lambda: _brute(20_000, 784, 5000, 1.2),
    lambda: _tree(200_000, 3),
    lambda: _sparse(50_000, 50_000, 100, 5000),
    lambda: _hashed(200_000, 64, 2000),
]
