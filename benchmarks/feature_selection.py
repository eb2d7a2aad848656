"""Feature selection"""

from __future__ import annotations

import numpy as np
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression

import suffice as sf

from .harness import Workload, reduced

D, COLUMNS, FOLDS = 50, 10, 5


def _rows(n: int):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, D)) + 0.5 * rng.normal(size=(n, 1))
    slopes = np.zeros(D)
    slopes[:COLUMNS] = np.linspace(0.5, 1.5, COLUMNS)
    return X, X @ slopes + rng.normal(size=n)


def _search(kind, direction: str, n: int, floor: float) -> Workload:
    n = reduced(n)
    X, y = _rows(n)
    theirs = SequentialFeatureSelector(
        LinearRegression(),
        n_features_to_select=COLUMNS,
        direction=direction,
        scoring="neg_mean_squared_error",
        cv=FOLDS,
    )

    def check(ours, peers):
        np.testing.assert_array_equal(ours.get_support(), peers["SequentialFeatureSelector"].get_support())

    return Workload(
        f"{kind.__name__} of least squares, {COLUMNS} columns, {FOLDS} folds",
        f"{n:,} × {D}",
        lambda: kind(n_features_to_select=COLUMNS, folds=FOLDS).fit(X, y),
        {"SequentialFeatureSelector": lambda: theirs.fit(X, y)},
        check,
        floor={"SequentialFeatureSelector": floor},
        bytes_read=X.nbytes + y.nbytes,
        operations=2.0 * n * (D + 1) ** 2 / 2,
        repeat=0,
        memory=False,
    )


def _forward() -> Workload:
    return _search(sf.ForwardSelection, "forward", 100_000, 50.0)


def _backward() -> Workload:
    return _search(sf.BackwardSelection, "backward", 5_000, 50.0)


WORKLOADS = [_forward, _backward]
