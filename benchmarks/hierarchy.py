"""Hierarchies and distances"""

from __future__ import annotations

import fastcluster
import genieclust
import gower
import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances

from suffice.distances import Euclidean, Gower
from suffice.models.hierarchy import AgglomerativeClustering

from .harness import Workload


def _rows(n: int, d: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, d))


def _same_heights(found: np.ndarray, expected: np.ndarray) -> None:
    np.testing.assert_allclose(found, np.sort(expected), rtol=1e-10, atol=1e-12)


def _linkage(method: str, n: int) -> Workload:
    X = _rows(n, 10)
    peer = fastcluster.linkage_vector if method in ("ward", "centroid", "median") else fastcluster.linkage

    def check(ours, peers):
        _same_heights(np.sort(ours.distances_), peers["fastcluster"][:, 2])

    return Workload(
        f"AgglomerativeClustering, {method}",
        f"{n:,} × 10",
        lambda: AgglomerativeClustering(2, linkage=method).fit(X),
        {"fastcluster": lambda: peer(X, method)},
        check,
        floor={"fastcluster": 1.5},
        repeat=3,
    )


def _single(n: int) -> Workload:
    X = _rows(n, 3)

    def check(ours, peers):
        found, theirs = (np.sort(np.bincount(m.labels_)) for m in (ours, peers["genieclust"]))
        np.testing.assert_array_equal(found, theirs)

    return Workload(
        "AgglomerativeClustering, single",
        f"{n:,} × 3",
        lambda: AgglomerativeClustering(2, linkage="single").fit(X),
        {"genieclust": lambda: genieclust.Genie(n_clusters=2, gini_threshold=1.0).fit(X)},
        check,
        floor={"genieclust": 1.0},
        repeat=5,
    )


def _large_ward() -> Workload:
    X = _rows(100_000, 10)

    def check(ours, peers):
        squares = np.sum((X - X.mean(axis=0)) ** 2)
        np.testing.assert_allclose(np.sum(ours.distances_**2) / 2, squares, rtol=1e-10)

    return Workload(
        "AgglomerativeClustering, ward", "100,000 × 10", lambda: AgglomerativeClustering(2).fit(X), {}, check, repeat=3
    )


def _mixed() -> Workload:
    rng, n = np.random.default_rng(0), 5000
    X = np.column_stack([rng.normal(size=(n, 5)), rng.integers(0, 4, size=(n, 5))])
    is_code = [False] * 5 + [True] * 5

    def check(ours, peers):
        np.testing.assert_allclose(ours, peers["gower"], atol=1e-5)

    return Workload(
        "Gower, all pairs",
        "5,000 × 10",
        lambda: Gower(tuple(range(5, 10))).pairwise(X),
        {"gower": lambda: gower.gower_matrix(X, cat_features=is_code)},
        check,
        floor={"gower": 20.0},
        repeat=3,
    )


def _pairs(n: int, d: int) -> Workload:
    X = _rows(n, d)

    def check(ours, peers):
        for name, theirs in peers.items():
            np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6, err_msg=name)

    return Workload(
        "Euclidean, all pairs",
        f"{n:,} × {d}",
        lambda: Euclidean().pairwise(X),
        {"scipy": lambda: cdist(X, X), "scikit-learn": lambda: pairwise_distances(X)},
        check,
        repeat=5,
    )


WORKLOADS = [
    *(lambda m=m: _linkage(m, 5000) for m in ("complete", "average", "weighted", "ward")),
    *(lambda m=m: _linkage(m, 20_000) for m in ("complete", "average", "weighted", "ward")),
    lambda: _linkage("centroid", 5000),
    lambda: _single(20_000),
    lambda: _single(200_000),
    _large_ward,
    _mixed,
    lambda: _pairs(5000, 10),
    lambda: _pairs(3000, 300),
]
