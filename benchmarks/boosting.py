"""Gradient boosting"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score

import suffice as sf
from suffice.backend import thread_count

from .families.contest import is_installed
from .harness import Workload

ROUNDS, LEAVES = 100, 31


def _rows(n: int, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows to learn from, and as many as a quarter of them to judge by."""
    own = n + n // 4
    X, y = make_classification(own, d, n_informative=min(12, d - 2), flip_y=0.05, random_state=0)
    return X[:n], y[:n], X[n:], y[n:]


def _peers() -> dict[str, Callable[[], object]]:
    made: dict[str, Callable[[], object]] = {
        "scikit-learn": lambda: HistGradientBoostingClassifier(max_iter=ROUNDS, early_stopping=False)
    }
    if is_installed("lightgbm"):
        import lightgbm

        made["LightGBM"] = lambda: lightgbm.LGBMClassifier(
            n_estimators=ROUNDS, num_leaves=LEAVES, n_jobs=thread_count(), verbose=-1
        )
    return made


def _fit(n: int, d: int, floors: dict[str, float]) -> Workload:
    X, y, rows, truth = _rows(n, d)
    peers = _peers()

    def check(ours, others):
        found = roc_auc_score(truth, ours.predict_proba(rows)[:, 1])
        for name, model in others.items():
            wanted = roc_auc_score(truth, model.predict_proba(rows)[:, 1])
            assert found >= wanted - (0.002 if n > 10_000 else 0.02), f"AUC {found:.4f}, {name} {wanted:.4f}"

    return Workload(
        "HistGradientBoostingClassifier.fit",
        f"{n:,} × {d}, {ROUNDS} rounds",
        lambda: sf.HistGradientBoostingClassifier(max_iter=ROUNDS, early_stopping=False).fit(X, y),
        {name: (lambda make=make: make().fit(X, y)) for name, make in peers.items()},
        check,
        floor={name: times for name, times in floors.items() if name in peers},
    )


def _predict() -> Workload:
    X, y, rows, _ = _rows(200_000, 30)
    ours = sf.HistGradientBoostingClassifier(max_iter=ROUNDS, early_stopping=False).fit(X, y)
    models = {name: make().fit(X, y) for name, make in _peers().items()}

    def check(mine, others):
        for answer in others.values():
            assert np.abs(mine - answer).mean() < 0.02

    return Workload(
        "HistGradientBoostingClassifier.predict_proba",
        f"50,000 × 30, {ROUNDS} rounds",
        lambda: ours.predict_proba(rows),
        {name: (lambda model=model: model.predict_proba(rows)) for name, model in models.items()},
        check,
        floor={"scikit-learn": 1.0},
    )


WORKLOADS = [
    lambda: _fit(1000, 10, {"LightGBM": 2.0, "scikit-learn": 2.0}),
    lambda: _fit(200_000, 30, {"LightGBM": 0.9, "scikit-learn": 1.0}),
    lambda: _fit(1_000_000, 28, {"LightGBM": 0.9, "scikit-learn": 1.0}),
    _predict,
]
