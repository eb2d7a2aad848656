"""The bootstrap, and boosted stumps"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats
from sklearn.ensemble import AdaBoostClassifier

import suffice as sf

from .harness import Workload

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
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 20))
    y = (X[:, 0] * X[:, 1] + X[:, 2] + 0.3 * rng.normal(size=len(X)) > 0).astype(int)
    (X, y), (new_X, new_y) = (X[:20_000], y[:20_000]), (X[20_000:], y[20_000:])

    def check(ours: Any, peers: dict[str, Any]) -> None:
        assert ours.score(new_X, new_y) > peers["scikit-learn"].score(new_X, new_y) - 0.01

    return Workload(
        "AdaBoostClassifier.fit",
        "20,000 × 20, 200 stumps",
        lambda: sf.AdaBoostClassifier(n_estimators=200).fit(X, y),
        {"scikit-learn": lambda: AdaBoostClassifier(n_estimators=200).fit(X, y)},
        check,
        {"scikit-learn": 20.0},
        repeat=3,
    )


WORKLOADS = [median, stumps]
