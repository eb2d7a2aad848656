"""Gradient boosting; `trees.py` lists its lines."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score

import suffice as sf
from suffice.backend import thread_count

from .families.contest import is_installed
from .harness import Workload, no_worse, reduced

ROUNDS, LEAVES = 100, 31


Rows = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _rows(n: int, d: int, seed: int = 0) -> Rows:
    """Rows to learn from, and as many as a quarter of them to judge by."""
    n = reduced(n)
    own = n + n // 4
    X, y = make_classification(own, d, n_informative=min(12, d - 2), flip_y=0.05, random_state=seed)
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
    if is_installed("xgboost"):
        import xgboost

        made["XGBoost"] = lambda: xgboost.XGBClassifier(
            n_estimators=ROUNDS, max_leaves=LEAVES, max_depth=0, grow_policy="lossguide", learning_rate=0.1,
            n_jobs=thread_count(),
        )  # fmt: skip
    if is_installed("catboost"):
        import catboost

        made["CatBoost"] = lambda: catboost.CatBoostClassifier(
            iterations=ROUNDS, learning_rate=0.1, thread_count=thread_count(), verbose=0, allow_writing_files=False
        )
    return made


def _ours() -> sf.HistGradientBoostingClassifier:
    return sf.HistGradientBoostingClassifier(max_iter=ROUNDS, early_stopping=False)


def _auc(model, rows: Rows) -> float:
    return float(roc_auc_score(rows[3], model.predict_proba(rows[2])[:, 1]))


def _fit(n: int, d: int, floors: dict[str, float], seeds: int = 5, repeat: int = 5) -> Workload:
    """A fit; AUC on rows that are held out, of so many tables, is no lower than that of the peers."""
    first, peers = _rows(n, d), _peers()
    X, y = first[:2]

    def check(ours, others):
        found = {"suffice": [_auc(ours, first)], **{name: [_auc(model, first)] for name, model in others.items()}}
        for seed in range(1, seeds):
            rows = _rows(n, d, seed)
            for name, make in {"suffice": _ours, **peers}.items():
                found[name].append(_auc(make().fit(*rows[:2]), rows))
        for name in others:  # trees of CatBoost are of another kind
            no_worse("AUC", found["suffice"], found[name], 0.02 if n < 10_000 or name == "CatBoost" else 0.002)

    return Workload(
        "HistGradientBoostingClassifier.fit",
        f"{len(X):,} × {d}, {ROUNDS} rounds",
        lambda: _ours().fit(X, y),
        {name: (lambda make=make: make().fit(X, y)) for name, make in peers.items()},
        check,
        floor={name: times for name, times in floors.items() if name in peers},
        bytes_read=X.nbytes,
        repeat=repeat,
    )


def _predict() -> Workload:
    X, y, rows, _ = _rows(200_000, 30)
    ours = _ours().fit(X, y)
    models = {name: make().fit(X, y) for name, make in _peers().items()}

    def check(mine, others):
        for answer in others.values():
            assert np.abs(mine - answer).mean() < 0.05

    return Workload(
        "HistGradientBoostingClassifier.predict_proba",
        f"{len(rows):,} × 30, {ROUNDS} rounds",
        lambda: ours.predict_proba(rows),
        {name: (lambda model=model: model.predict_proba(rows)) for name, model in models.items()},
        check,
        floor={"scikit-learn": 1.5},
        bytes_read=rows.nbytes,
    )


LINES = [
    lambda: _fit(1000, 10, {"LightGBM": 2.0, "scikit-learn": 2.0}),
    lambda: _fit(200_000, 30, {"LightGBM": 0.9, "scikit-learn": 1.0}, repeat=3),
    lambda: _fit(1_000_000, 28, {"LightGBM": 0.9, "scikit-learn": 1.0}, seeds=1, repeat=3),
    _predict,
]
