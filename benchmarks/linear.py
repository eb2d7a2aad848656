"""Linear models"""

from __future__ import annotations

import numpy as np
import sklearn.linear_model as sk

import suffice as sf

from .harness import Workload, repeated


def _fit(n: int, d: int, times: int = 1, floors: dict[str, float] | None = None) -> Workload:
    rng = np.random.default_rng(0)
    X = rng.normal(1, 2, (n, d))
    y = X @ rng.normal(size=d) + rng.normal(size=n)

    def check(ours, peers):
        np.testing.assert_allclose(ours.coef_, peers["LinearRegression"].coef_, rtol=1e-7, atol=1e-9)

    return Workload(
        "LinearRegression.fit",
        f"{n:,} × {d}" + (f", {times} calls" if times > 1 else ""),
        repeated(lambda: sf.LinearRegression().fit(X, y), times),
        {
            "LinearRegression": repeated(lambda: sk.LinearRegression().fit(X, y), times),
            "Ridge": repeated(lambda: sk.Ridge().fit(X, y), times),
        },
        check,
        floor=floors or {},
        bytes_read=(X.nbytes + y.nbytes) * times,
        operations=n * (d + 1) * (d + 2) * times,
    )


def _predict() -> Workload:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000_000, 20))
    y = X @ rng.normal(size=20)
    ours, theirs = sf.LinearRegression().fit(X, y), sk.LinearRegression().fit(X, y)

    def check(mine, peers):
        np.testing.assert_allclose(mine, peers["scikit-learn"], rtol=1e-8, atol=1e-8)

    return Workload(
        "LinearRegression.predict",
        "1,000,000 × 20",
        lambda: ours.predict(X),
        {"scikit-learn": lambda: theirs.predict(X)},
        check,
        bytes_read=X.nbytes,
    )


WORKLOADS = [
    lambda: _fit(150, 4, times=200, floors={"LinearRegression": 1.0}),
    lambda: _fit(10_000, 10, times=20),
    lambda: _fit(1_000_000, 20, floors={"LinearRegression": 3.0, "Ridge": 1.0}),
    _predict,
]
