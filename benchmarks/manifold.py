"""Maps of data: scaling, graphs of neighbours, and clusters of them"""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.cluster as clusters
import sklearn.manifold as sk
from scipy.spatial.distance import cdist

import suffice as sf

from .harness import Workload


def _roll(n: int, d: int) -> np.ndarray:
    """A rolled sheet in d columns, all but three of them noise."""
    rng = np.random.default_rng(0)
    t = 1.5 * np.pi * (1 + 2 * rng.random(n))
    noise = 0.3 * rng.normal(size=(n, d))
    noise[:, :3] += np.column_stack([t * np.cos(t), 21 * rng.random(n), t * np.sin(t)])
    return noise


def _rows(n: int, d: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, d)) @ np.random.default_rng(1).normal(size=(d, d))


def _no_more(name: str, slack: float = 0.02) -> Any:
    def check(ours: Any, peers: dict[str, Any]) -> None:
        def left(model: Any) -> float:
            found = getattr(model, name)
            return float(found() if callable(found) else found)

        mine, best = left(ours), min(left(peer) for peer in peers.values())
        assert mine <= best * (1 + slack) + 1e-12, f"{name} {mine:.6g} against {best:.6g}"

    return check


def _classical() -> Workload:
    X = _rows(3000, 10)
    D = cdist(X, X)

    def numpy_eigh() -> np.ndarray:
        B = -0.5 * D**2
        B = B - B.mean(axis=0) - B.mean(axis=1)[:, None] + B.mean()
        values, vectors = np.linalg.eigh(B)
        return vectors[:, -2:] * np.sqrt(values[-2:])

    def check(ours: Any, peers: dict[str, Any]) -> None:
        other = peers["numpy.linalg.eigh"][:, ::-1]
        assert np.allclose(np.abs(ours.embedding_), np.abs(other), atol=1e-6 * np.abs(other).max())

    return Workload(
        "ClassicalMDS(2).fit", "distances of 3,000 rows", lambda: sf.ClassicalMDS(2, metric="precomputed").fit(D),
        {"numpy.linalg.eigh": numpy_eigh}, check, floor={"numpy.linalg.eigh": 5}, repeat=2,
    )  # fmt: skip


def _metric() -> Workload:
    X = _rows(1000, 10)
    options: dict[str, Any] = {"n_init": 4, "max_iter": 100, "random_state": 0, "init": "random"}
    return Workload(
        "MDS(n_init=4, max_iter=100).fit", "1,000 × 10", lambda: sf.MDS(2, **options).fit(X),
        {"scikit-learn": lambda: sk.MDS(2, **options, n_jobs=1).fit(X)}, _no_more("stress_"),
        floor={"scikit-learn": 5}, repeat=2,
    )  # fmt: skip


def _nonmetric() -> Workload:
    X = _rows(500, 10)
    options: dict[str, Any] = {"metric_mds": False, "n_init": 1, "random_state": 0, "init": "random"}
    return Workload(
        "MDS(metric_mds=False).fit", "500 × 10", lambda: sf.MDS(2, **options).fit(X),
        {"scikit-learn": lambda: sk.MDS(2, **options, max_iter=300).fit(X)}, _no_more("stress_"),
        floor={"scikit-learn": 10}, repeat=2,
    )  # fmt: skip


def _isomap() -> Workload:
    X = _roll(3000, 10)
    return Workload(
        "Isomap(2, n_neighbors=8).fit", "3,000 × 10", lambda: sf.Isomap(2, n_neighbors=8).fit(X),
        {"scikit-learn": lambda: sk.Isomap(n_components=2, n_neighbors=8).fit(X)},
        _no_more("reconstruction_error", 1e-6), floor={"scikit-learn": 4}, repeat=3,
    )  # fmt: skip


def _locally_linear() -> Workload:
    X = _roll(3000, 10)
    return Workload(
        "LocallyLinearEmbedding(2, n_neighbors=10).fit", "3,000 × 10",
        lambda: sf.LocallyLinearEmbedding(2, n_neighbors=10).fit(X),
        {"scikit-learn": lambda: sk.LocallyLinearEmbedding(n_components=2, n_neighbors=10, random_state=0).fit(X)},
        _no_more("reconstruction_error_"), floor={"scikit-learn": 2}, repeat=3,
    )  # fmt: skip


def _laplacian() -> Workload:
    X = _roll(10_000, 10)

    def check(ours: Any, peers: dict[str, Any]) -> None:
        W = peers["scikit-learn"].affinity_matrix_
        degree = np.asarray(W.sum(axis=1)).ravel()

        def form(Z: np.ndarray) -> float:
            return float(np.sum(1 - np.einsum("ij,ij->j", Z, W @ Z) / (degree @ Z**2)))

        mine, other = form(ours.embedding_), form(peers["scikit-learn"].embedding_)
        assert mine <= other * 1.001 + 1e-9, f"form {mine:.6g} against {other:.6g}"

    return Workload(
        "SpectralEmbedding(2, n_neighbors=12).fit", "10,000 × 10",
        lambda: sf.SpectralEmbedding(2, n_neighbors=12).fit(X),
        {"scikit-learn": lambda: sk.SpectralEmbedding(2, n_neighbors=12, random_state=0).fit(X)}, check,
        floor={"scikit-learn": 2}, repeat=1,
    )  # fmt: skip


def _spectral() -> Workload:
    rng = np.random.default_rng(0)
    centres = 4 * rng.normal(size=(8, 10))
    X = centres[rng.integers(0, 8, 10_000)] + rng.normal(size=(10_000, 10)) * 1.8
    options: dict[str, Any] = {"affinity": "nearest_neighbors", "n_neighbors": 12, "random_state": 0}

    def check(ours: Any, peers: dict[str, Any]) -> None:
        W = peers["scikit-learn"].affinity_matrix_
        degree = np.asarray(W.sum(axis=1)).ravel()

        def cut(labels: np.ndarray) -> float:
            flags = np.equal.outer(labels, np.unique(labels)).astype(float)
            return float(np.sum(1 - np.einsum("ij,ij->j", flags, W @ flags) / (degree @ flags)))

        mine, other = cut(ours.labels_), cut(peers["scikit-learn"].labels_)
        assert mine <= other * 1.02, f"normalised cut {mine:.6g} against {other:.6g}"

    return Workload(
        "SpectralClustering(8, nearest_neighbors).fit", "10,000 × 10",
        lambda: sf.SpectralClustering(8, **options).fit(X),
        {"scikit-learn": lambda: clusters.SpectralClustering(8, **options).fit(X)}, check,
        floor={"scikit-learn": 2}, repeat=1,
    )  # fmt: skip


def _landmarks() -> Workload:
    X = _roll(100_000, 10)
    t = np.argsort(np.argsort(np.hypot(X[:, 0], X[:, 2])))

    def check(ours: Any, peers: dict[str, Any]) -> None:
        places = np.argsort(np.argsort(ours.embedding_[:, 0]))
        assert abs(np.corrcoef(places, t)[0, 1]) > 0.95, "the sheet is not unrolled"

    return Workload(
        "Isomap(landmarks=500).fit", "100,000 × 10, 500 landmarks",
        lambda: sf.Isomap(2, n_neighbors=8, landmarks=500, random_state=0).fit(X), {}, check, repeat=1,
        most_megabytes=1000,
    )  # fmt: skip


WORKLOADS = [_classical, _metric, _nonmetric, _isomap, _locally_linear, _laplacian, _spectral, _landmarks]
