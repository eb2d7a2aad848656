"""Medoids and exemplars"""

from __future__ import annotations

import kmedoids
import numpy as np
import sklearn.cluster as sk
from scipy.spatial.distance import cdist

from suffice.models.cluster.affinity import AffinityPropagation
from suffice.models.cluster.kmedoids import KMedoids

from .harness import Workload, repeated


def _blobs(n: int, d: int, k: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, d)) + 4 * rng.normal(size=(k, d))[rng.integers(0, k, n)]


def _given(n: int, k: int, times: int = 1, floor: float | None = None) -> Workload:
    D = cdist(*[_blobs(n, 8, k)] * 2)

    def check(ours, peers):
        for name, theirs in peers.items():
            assert abs(ours.inertia_ - theirs.loss) <= 1e-3 * theirs.loss, f"{name}: {theirs.loss}, {ours.inertia_}"

    peers = {
        f"kmedoids, {init}": repeated(lambda init=init: kmedoids.fasterpam(D, k, init=init, random_state=0), times)
        for init in ("random", "build")
    }
    return Workload(
        f"KMedoids({k}), matrix",
        f"{n:,}²" + (f", {times} calls" if times > 1 else ""),
        repeated(lambda: KMedoids(k, metric="precomputed").fit(D), times),
        peers,
        check,
        floor={} if floor is None else dict.fromkeys(peers, floor),
        bytes_read=D.nbytes * times,
        repeat=3,
    )


def _sampled() -> Workload:
    X = _blobs(100_000, 8, 10)

    def check(ours, peers):
        assert len(ours.labels_) == len(X)

    return Workload(
        "KMedoids(10), samples", "100,000 × 8", lambda: KMedoids(10, random_state=0).fit(X), {}, check,
        bytes_read=X.nbytes, repeat=3,
    )  # fmt: skip


def _exemplars() -> Workload:
    X = _blobs(2000, 5, 10)

    def check(ours, peers):
        np.testing.assert_array_equal(ours.labels_, peers["scikit-learn"].labels_)

    return Workload(
        "AffinityPropagation",
        "2,000 × 5",
        lambda: AffinityPropagation(random_state=0).fit(X),
        {"scikit-learn": lambda: sk.AffinityPropagation(random_state=0).fit(X)},
        check,
        floor={"scikit-learn": 3.0},
        repeat=3,
    )


WORKLOADS = [
    lambda: _given(300, 5, times=50),
    lambda: _given(5000, 10, floor=1.3),
    _sampled,
    _exemplars,
]
