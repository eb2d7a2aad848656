"""Clusters of categories, and around medians"""

from __future__ import annotations

import numpy as np

from suffice.models.cluster.kmedians import KMedians
from suffice.models.cluster.kmodes import KModes

from .harness import Workload, repeated

SEEDS = range(5)


def _categories(n: int, d: int, k: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    common = rng.integers(0, 6, (k, d))[rng.integers(0, k, n)]
    return np.where(rng.random((n, d)) < 0.5, common, rng.integers(0, 6, (n, d)))


def _modes(n: int, d: int, k: int, times: int = 1, floor: float | None = None) -> Workload:
    """Fits from the same modes, rows of the table, one start for each seed."""
    from kmodes.kmodes import KModes as Peer

    X = _categories(n, d, k)
    starts = [X[np.random.default_rng(seed).choice(n, k, replace=False)] for seed in SEEDS]

    def check(ours, peers):
        theirs = peers["kmodes"]
        assert sum(ours) <= sum(theirs), f"the costs {ours} are higher than {theirs}"

    return Workload(
        f"KModes({k}).fit, {len(SEEDS)} initialisations",
        f"{n:,} × {d}" + (f", {times} times" if times > 1 else ""),
        repeated(lambda: [KModes(k, init=start).fit(X).cost_ for start in starts], times),
        {"kmodes": repeated(lambda: [float(Peer(k, init=start, n_init=1).fit(X).cost_) for start in starts], times)},
        check,
        floor={} if floor is None else {"kmodes": floor},
        bytes_read=X.nbytes * len(SEEDS) * times,
        repeat=3,
    )


def _medians(n: int, d: int, k: int) -> Workload:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) + 3 * rng.normal(size=(k, d))[rng.integers(0, k, n)]

    def check(ours, peers):
        nearest = np.abs(X[:, None] - ours.cluster_centers_).sum(axis=2)
        np.testing.assert_allclose(ours.inertia_, nearest.min(axis=1).sum(), rtol=1e-10)
        for c in range(k):
            own = np.sort(X[ours.labels_ == c], axis=0)
            np.testing.assert_array_equal(ours.cluster_centers_[c], own[(len(own) - 1) // 2])

    return Workload(
        f"KMedians({k}).fit",
        f"{n:,} × {d}",
        lambda: KMedians(k, random_state=0).fit(X),
        {},
        check,
        bytes_read=X.nbytes,
        repeat=3,
    )


WORKLOADS = [
    lambda: _modes(200, 5, 4, times=2, floor=1.0),
    lambda: _modes(20_000, 15, 8, floor=30.0),
    lambda: _medians(100_000, 10, 8),
]
