"""Cross-validation"""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import KFold, LeaveOneOut, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB

import suffice as sf

from .harness import Workload

N, D = 200_000, 50


def _ridge() -> Workload:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, D))
    y = X @ rng.normal(size=D) + rng.normal(size=N)
    folds = KFold(10, shuffle=True, random_state=0)

    def check(ours, peers):
        np.testing.assert_allclose(ours.scores["r2"], peers["cross_val_score"], rtol=1e-9)

    return Workload(
        "evaluate(Ridge), 10 folds",
        f"{N:,} × {D}",
        lambda: sf.evaluate(sf.Ridge(), X, y, splits=10, measures="r2"),
        {"cross_val_score": lambda: cross_val_score(Ridge(), X, y, cv=folds)},
        check,
        floor={"cross_val_score": 2.0},
        bytes_read=X.nbytes + y.nbytes,
    )


def _naive_bayes() -> Workload:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, N)
    X = rng.normal(size=(N, D)) + 0.2 * rng.normal(size=(3, D))[y]
    folds = StratifiedKFold(10, shuffle=True, random_state=0)

    def check(ours, peers):
        np.testing.assert_allclose(ours.scores["accuracy"], peers["cross_val_score"], atol=1e-4)

    return Workload(
        "evaluate(GaussianNB), 10 folds",
        f"{N:,} × {D}",
        lambda: sf.evaluate(sf.GaussianNB(), X, y, splits=10, measures="accuracy"),
        {"cross_val_score": lambda: cross_val_score(GaussianNB(), X, y, cv=folds)},
        check,
        floor={"cross_val_score": 2.0},
        bytes_read=X.nbytes + y.nbytes,
    )


def _leave_one_out() -> Workload:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 20))
    y = X @ rng.normal(size=20) + rng.normal(size=500)

    def check(ours, peers):
        np.testing.assert_allclose(ours.predicted, peers["cross_val_predict"], rtol=1e-8, atol=1e-8)

    return Workload(
        "evaluate(LinearRegression), leave-one-out",
        "500 × 20",
        lambda: sf.evaluate(sf.LinearRegression(), X, y, splits="leave_one_out", measures="rmse"),
        {"cross_val_predict": lambda: cross_val_predict(LinearRegression(), X, y, cv=LeaveOneOut())},
        check,
        floor={"cross_val_predict": 5.0},
        bytes_read=X.nbytes + y.nbytes,
    )


WORKLOADS = [_ridge, _naive_bayes, _leave_one_out]
