"""The bootstrap, and boosted stumps; `trees.py` lists their lines."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats
from sklearn.ensemble import AdaBoostClassifier

import suffice as sf

from .harness import Workload, no_worse, reduced

RESAMPLES = 10_000


def median() -> Workload:
    """The median of 1,000 rows, with the BCa interval."""
    x = np.random.default_rng(0).exponential(size=1000)

    def theirs() -> Any:
        return stats.bootstrap((x,), np.median, n_resamples=RESAMPLES, method="BCa", rng=np.random.default_rng(1))

    def check(ours: Any, peers: dict[str, Any]) -> None:
        other = peers["SciPy"]
        np.testing.assert_allclose(ours.standard_error, other.standard_error, rtol=0.05)
        np.testing.assert_allclose((ours.low, ours.high), other.confidence_interval, atol=0.1 * ours.standard_error)

    def ours() -> Any:
        found = sf.bootstrap("median", x, resamples=RESAMPLES)
        found.bca()
        return found

    return Workload(
        "bootstrap of the median",
        f"1,000 rows, {RESAMPLES:,} resamples",
        ours,
        {"SciPy": theirs},
        check,
        {"SciPy": 10.0},
    )


def stumps() -> Workload:
    """200 stumps on 20,000 × 20; as good on rows that were left out."""

    def rows(seed: int) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(2 * half, 20))
        return X, (X[:, 0] * X[:, 1] + X[:, 2] + 0.3 * rng.normal(size=len(X)) > 0).astype(int)

    half = reduced(20_000)
    X, y = rows(0)

    def check(ours: Any, peers: dict[str, Any]) -> None:
        mine, theirs = (
            [cls(n_estimators=200).fit(X[:half], y[:half]).score(X[half:], y[half:]) for X, y in map(rows, range(5))]
            for cls in (sf.AdaBoostClassifier, AdaBoostClassifier)
        )
        no_worse("accuracy", mine, theirs, 0.002)

    return Workload(
        "AdaBoostClassifier.fit",
        f"{half:,} × 20, 200 stumps",
        lambda: sf.AdaBoostClassifier(n_estimators=200).fit(X[:half], y[:half]),
        {"scikit-learn": lambda: AdaBoostClassifier(n_estimators=200).fit(X[:half], y[:half])},
        check,
        {"scikit-learn": 20.0},
        bytes_read=X[:half].nbytes,
        repeat=3,
    )


LINES = [median, stumps]
