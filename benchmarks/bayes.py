"""Bayes classifiers"""

from __future__ import annotations

import numpy as np
import sklearn.naive_bayes as sk

import suffice as sf

from .harness import Workload, repeated


def _data(n: int, d: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, d)) + rng.normal(size=(k, d))[y], y


def _fit(n: int, d: int, k: int, times: int = 1, floor: float | None = None) -> Workload:
    X, y = _data(n, d, k)

    def check(ours, peers):
        np.testing.assert_allclose(ours.theta_, peers["scikit-learn"].theta_, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(ours.var_, peers["scikit-learn"].var_, rtol=1e-9)

    return Workload(
        "GaussianNB.fit",
        f"{n:,} × {d}, {k} classes" + (f", {times} calls" if times > 1 else ""),
        repeated(lambda: sf.GaussianNB().fit(X, y), times),
        {"scikit-learn": repeated(lambda: sk.GaussianNB().fit(X, y), times)},
        check,
        floor={} if floor is None else {"scikit-learn": floor},
        bytes_read=(X.nbytes + y.nbytes) * times,
    )


def _predict() -> Workload:
    X, y = _data(300_000, 20, 5)
    ours, theirs = sf.GaussianNB().fit(X, y), sk.GaussianNB().fit(X, y)

    def check(mine, peers):
        np.testing.assert_array_equal(mine, peers["scikit-learn"])

    return Workload(
        "GaussianNB.predict",
        "300,000 × 20, 5 classes",
        lambda: ours.predict(X),
        {"scikit-learn": lambda: theirs.predict(X)},
        check,
        bytes_read=X.nbytes,
        operations=3 * 300_000 * 20 * 5,
    )


WORKLOADS = [
    lambda: _fit(150, 4, 3, times=200, floor=1.0),
    lambda: _fit(20_000, 20, 5, times=10),
    lambda: _fit(1_000_000, 20, 5, floor=3.0),
    _predict,
]
