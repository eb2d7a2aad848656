"""Projections"""

from __future__ import annotations

import numpy as np
import sklearn.decomposition as sk

import suffice as sf

from .harness import Workload, repeated


def _fit(n: int, d: int, k: int, solvers: tuple[str, ...], times: int = 1, floor: float | None = None) -> Workload:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, k)) @ rng.normal(size=(k, d)) * 3 + rng.normal(size=(n, d))

    def check(ours, peers):
        exact = peers[solvers[0]].components_
        angle = np.linalg.norm(ours.components_.T @ ours.components_ - exact.T @ exact, 2)
        assert angle < 1e-8, f"subspaces differ by {angle}"

    peers = {name: repeated(lambda name=name: sk.PCA(k, svd_solver=name).fit(X), times) for name in solvers}
    return Workload(
        f"PCA({k}).fit",
        f"{n:,} × {d}" + (f", {times} calls" if times > 1 else ""),
        repeated(lambda: sf.PCA(k).fit(X), times),
        peers,
        check,
        floor={} if floor is None else dict.fromkeys(solvers, floor),
        bytes_read=X.nbytes * times,
        operations=n * d * (d + 1) * times,
        repeat=3,
    )


def _transform() -> Workload:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200_000, 50))
    ours, theirs = sf.PCA(10).fit(X), sk.PCA(10).fit(X)

    def check(mine, peers):
        np.testing.assert_allclose(mine, peers["scikit-learn"], rtol=1e-6, atol=1e-7)

    return Workload(
        "PCA(10).transform",
        "200,000 × 50",
        lambda: ours.transform(X),
        {"scikit-learn": lambda: theirs.transform(X)},
        check,
        bytes_read=X.nbytes,
        operations=2 * 200_000 * 50 * 10,
    )


WORKLOADS = [
    lambda: _fit(150, 4, 2, ("covariance_eigh", "full"), times=200, floor=1.0),
    lambda: _fit(10_000, 30, 5, ("covariance_eigh", "full")),
    lambda: _fit(50_000, 300, 20, ("covariance_eigh", "full", "randomized", "arpack"), floor=1.2),
    _transform,
]
