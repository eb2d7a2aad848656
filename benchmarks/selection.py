"""Choosing a model: cross-validation without refitting, searches, calibration, imbalance"""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold

import suffice as sf
from suffice.models.imbalance import Smote
from suffice.resampling.calibration import Isotonic

from .feature_selection import _forward
from .harness import Workload, reduced

ALPHAS = np.geomspace(1e-2, 1e5, 50)


def _classes(n: int, d: int, k: int = 3):
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n)
    return rng.normal(size=(n, d)) + 0.5 * rng.normal(size=(k, d))[y], y


def _numbers(n: int, d: int):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + rng.normal(size=n)


def _leave_one_out(model, numbers: bool = False):
    """The answers of a few rows are those of a fit to all others."""
    n = reduced(100_000)
    X, y = (_numbers if numbers else _classes)(n, 20)
    method = "predict" if numbers else "predict_proba"

    def ours():
        found = sf.evaluate(model, X, y, splits="leave_one_out", measures="mse" if numbers else "accuracy")
        found.value()
        return found

    def once():
        return getattr(clone(model).fit(X, y), method)(X)

    def check(found, peers):
        said = found.predicted if numbers else found.probability
        for row in (0, n // 3, n - 1):
            rest = np.delete(np.arange(n), row)
            alone = getattr(clone(model).fit(X[rest], y[rest]), method)(X[row : row + 1])
            np.testing.assert_allclose(said[row], alone[0], rtol=1e-8)

    return Workload(
        f"evaluate({type(model).__name__}), leave-one-out",
        f"{n:,} × 20",
        ours,
        {"one fit and predict": once},
        check,
        floor={"one fit and predict": 0.2},
        bytes_read=X.nbytes + y.nbytes,
    )


def _ridge() -> Workload:
    n = reduced(200_000)
    X, y = _numbers(n, 50)
    folds = KFold(10)

    def check(found, peers):
        theirs = peers["RidgeCV"]
        assert np.isclose(found.params["alpha"], theirs.alpha_)
        np.testing.assert_allclose(found.value, -theirs.best_score_, rtol=1e-9)

    return Workload(
        "search over 50 penalties of ridge, 10 folds",
        f"{n:,} × 50",
        lambda: sf.search(sf.Ridge(), {"alpha": ALPHAS}, X, y, splits=folds, measures="mse"),
        {"RidgeCV": lambda: RidgeCV(ALPHAS, cv=folds, scoring="neg_mean_squared_error").fit(X, y)},
        check,
        floor={"RidgeCV": 20.0},
        bytes_read=X.nbytes + y.nbytes,
        repeat=0,
        memory=False,
    )


def _search() -> Workload:
    """The same candidates on the same folds, fitted and asked in a loop without anything else."""
    n = reduced(20_000)
    X, y = _classes(n, 20)
    depths, leaves, folds = list(range(3, 11)), [1, 3, 10, 30, 100], KFold(5)
    space = {"max_depth": depths, "min_samples_leaf": leaves}

    def loop():
        scores = []
        for depth in depths:
            for leaf in leaves:
                said = np.empty(n, dtype=y.dtype)
                for train, test in folds.split(X):
                    model = sf.DecisionTreeClassifier(max_depth=depth, min_samples_leaf=leaf).fit(X[train], y[train])
                    said[test] = model.predict(X[test])
                    model.predict_proba(X[test])
                scores.append(np.mean(said == y))
        return np.array(scores)

    def check(found, peers):
        assert len(found.candidates) == 40
        values = [one.values["accuracy"] for one in found.candidates]
        np.testing.assert_allclose(values, peers["the fits alone"], atol=2e-3)  # seeds of ties

    return Workload(
        "search of 40 candidates, 5 folds, trees",
        f"{n:,} × 20",
        lambda: sf.search(sf.DecisionTreeClassifier(), space, X, y, splits=folds, measures="accuracy"),
        {"the fits alone": loop},
        check,
        floor={"the fits alone": 0.95},
        bytes_read=X.nbytes + y.nbytes,
        repeat=3,
        memory=False,
    )


def _isotonic() -> Workload:
    n, rng = reduced(1_000_000), np.random.default_rng(0)
    scores = rng.normal(size=n)
    yes = rng.random(n) < 1 / (1 + np.exp(-scores - 0.3 * np.sin(4 * scores)))
    target = yes.astype(np.float64)

    def check(ours, peers):
        np.testing.assert_allclose(ours, peers["IsotonicRegression"], atol=1e-12)

    return Workload(
        "isotonic calibration, fitted and asked",
        f"{n:,}",
        lambda: Isotonic.of(scores, yes)(scores),
        {"IsotonicRegression": lambda: IsotonicRegression(out_of_bounds="clip").fit(scores, target).predict(scores)},
        check,
        floor={"IsotonicRegression": 2.0},
        bytes_read=scores.nbytes + yes.nbytes,
    )


def _smote() -> Workload:
    from imblearn.over_sampling import SMOTE

    n, rng = reduced(200_000), np.random.default_rng(0)
    y = (rng.random(n) < 0.1).astype(np.int64)
    X = rng.normal(size=(n, 20)) + y[:, None]

    def check(ours, peers):
        """As many rows of each class, and made-up ones that are spread like those of the peer."""
        theirs = peers["imbalanced-learn"]
        np.testing.assert_array_equal(np.bincount(ours[1]), np.bincount(theirs[1]))
        np.testing.assert_allclose(ours[0][n:].mean(axis=0), theirs[0][n:].mean(axis=0), atol=0.02)
        np.testing.assert_allclose(ours[0][n:].std(axis=0), theirs[0][n:].std(axis=0), rtol=0.02)

    return Workload(
        "Smote",
        f"{n:,} × 20, one row in ten",
        lambda: Smote().resample(X, y, random_state=0),
        {"imbalanced-learn": lambda: SMOTE(random_state=0).fit_resample(X, y)},
        check,
        floor={"imbalanced-learn": 3.0},
        bytes_read=X.nbytes + y.nbytes,
    )


WORKLOADS = [
    lambda: _leave_one_out(sf.GaussianNB()),
    lambda: _leave_one_out(sf.LinearDiscriminantAnalysis()),
    lambda: _leave_one_out(sf.QuadraticDiscriminantAnalysis()),
    lambda: _leave_one_out(sf.Ridge(), numbers=True),
    _ridge,
    _forward,
    _search,
    _isotonic,
    _smote,
]
