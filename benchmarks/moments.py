"""Moments"""

from __future__ import annotations

import numpy as np

from suffice.statistics import DiagonalMoments, Moments

from .harness import Workload, repeated


def _data(n: int, d: int) -> np.ndarray:
    return np.random.default_rng(0).normal(1, 2, (n, d))


def _covariance(n: int, d: int, times: int = 1, floor: float | None = None, order: str = "C") -> Workload:
    X = np.asarray(_data(n, d), order=order)

    def check(ours, peers):
        np.testing.assert_allclose(ours, peers["numpy.cov"], rtol=1e-9, atol=1e-9)

    return Workload(
        "moments" if order == "C" else "moments, columns contiguous",
        f"{n:,} × {d}" + (f", {times} calls" if times > 1 else ""),
        repeated(lambda: Moments.of(X).covariance(ddof=1), times),
        {"numpy.cov": repeated(lambda: np.cov(X, rowvar=False), times)},
        check,
        floor={} if floor is None else {"numpy.cov": floor},
        bytes_read=X.nbytes * times,
        operations=n * d * (d + 1) * times,
    )


def _variances() -> Workload:
    X = _data(1_000_000, 20)

    def check(ours, peers):
        np.testing.assert_allclose(ours, peers["numpy.var"], rtol=1e-10)

    return Workload(
        "variances",
        "1,000,000 × 20",
        lambda: DiagonalMoments.of(X).variance(),
        {"numpy.var": lambda: X.var(axis=0)},
        check,
        bytes_read=X.nbytes,
    )


WORKLOADS = [
    lambda: _covariance(150, 4, times=1000),
    lambda: _covariance(1_000_000, 50, floor=1.5),
    lambda: _covariance(1_000_000, 50, order="F"),
    lambda: _covariance(50_000, 300),
    _variances,
]
