"""Stochastic gradient descent and linear support vector machines"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
import sklearn.linear_model as sk
import sklearn.svm
from sklearn.datasets import load_iris

import suffice as sf
from suffice.losses import HingeLoss, Loss, SquaredHingeLoss

from .harness import Workload, repeated


def _signs(X, seed: int, noise: float):
    rng = np.random.default_rng(seed)
    return np.where(X @ rng.normal(size=X.shape[1]) + noise * rng.normal(size=X.shape[0]) > 0, 1.0, -1.0)


def _mean_loss(model, X, y, loss: Loss) -> float:
    return float(loss.value(model.decision_function(X), y).mean())


def _epoch() -> Workload:
    X = np.random.default_rng(0).normal(size=(1_100_000, 50))
    y = _signs(X, 1, 2.0)
    rows, signs, held, truth = X[:1_000_000], y[:1_000_000], X[1_000_000:], y[1_000_000:]
    given = {"max_iter": 1, "tol": None, "random_state": 0}

    def check(ours, peers):
        theirs = _mean_loss(peers["SGDClassifier"], held, truth, HingeLoss())
        assert _mean_loss(ours, held, truth, HingeLoss()) <= 1.03 * theirs

    return Workload(
        "SGDClassifier.fit, hinge, one epoch",
        "1,000,000 × 50",
        lambda: sf.SGDClassifier(**given).fit(rows, signs),
        {"SGDClassifier": lambda: sk.SGDClassifier(**given).fit(rows, signs)},
        check,
        floor={"SGDClassifier": 2.0},
        bytes_read=rows.nbytes,
        operations=4 * rows.size,
    )


def _objective(model, X, y, loss: Loss) -> float:
    return 0.5 * float(np.sum(model.coef_**2)) + float(loss.value(model.decision_function(X), y).sum())


def _svc(loss: Loss, X, tol: float, noise: float, shape: str) -> Workload:
    """At least as low an objective as liblinear's at a tolerance that brings it about as far, but for 1e-6."""
    y, name = _signs(X, 2, noise), loss.names[0]

    def check(ours, peers):
        theirs = _objective(peers["liblinear"], X, y, loss)
        assert _objective(ours, X, y, loss) <= (1 + 1e-6) * theirs

    return Workload(
        f"LinearSVC.fit, {name}",
        shape,
        lambda: sf.LinearSVC(loss=name).fit(X, y),
        {"liblinear": lambda: sklearn.svm.LinearSVC(loss=name, tol=tol, dual=name == "hinge" or "auto").fit(X, y)},
        check,
        floor={"liblinear": 1.3},
    )


def _dense() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(100_000, 50))


def _sparse() -> sp.csr_matrix:
    rng = np.random.default_rng(0)
    X = sp.random(50_000, 50_000, density=1e-3, format="csr", random_state=rng)
    X.data[:] = rng.exponential(size=X.nnz)
    return X


def _predict(ours, peer, y) -> Workload:
    X = np.random.default_rng(0).normal(size=(1_000_000, 30))
    mine, theirs = ours.fit(X[:5000], y(X[:5000])), peer.fit(X[:5000], y(X[:5000]))
    theirs.coef_, theirs.intercept_ = mine.coef_.copy(), np.array(mine.intercept_)

    def check(found, peers):
        np.testing.assert_allclose(found, peers["scikit-learn"], rtol=1e-8, atol=1e-8)

    return Workload(
        f"{type(ours).__name__}.predict",
        "1,000,000 × 30",
        lambda: mine.predict(X),
        {"scikit-learn": lambda: theirs.predict(X)},
        check,
        floor={"scikit-learn": 1.0},
        bytes_read=X.nbytes,
    )


def _small(ours, peer, regression: bool = False, tolerance: float = 0.05) -> Workload:
    X, y = load_iris(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    X, y = (X[:, 1:], X[:, 0]) if regression else (X, y)

    def check(found, peers):
        assert found.score(X, y) >= peers["scikit-learn"].score(X, y) - tolerance

    return Workload(
        f"{type(ours()).__name__}.fit",
        f"150 × {X.shape[1]}, 20 calls",
        repeated(lambda: ours().fit(X, y), 20),
        {"scikit-learn": repeated(lambda: peer().fit(X, y), 20)},
        check,
        floor={"scikit-learn": 1.5},
    )


def _numbers(X):
    return X.sum(axis=1)


def _labels(X):
    return _signs(X, 3, 1.0)


WORKLOADS = [
    _epoch,
    lambda: _svc(SquaredHingeLoss(), _dense(), 1e-6, 4.0, "100,000 × 50"),
    lambda: _svc(HingeLoss(), _dense(), 1e-3, 4.0, "100,000 × 50"),
    lambda: _svc(SquaredHingeLoss(), _sparse(), 1e-4, 3.0, "sparse 50,000 × 50,000"),
    lambda: _svc(HingeLoss(), _sparse(), 1e-6, 3.0, "sparse 50,000 × 50,000"),
    lambda: _predict(sf.SGDClassifier(random_state=0), sk.SGDClassifier(random_state=0), _labels),
    lambda: _predict(sf.SGDRegressor(random_state=0), sk.SGDRegressor(random_state=0), _numbers),
    lambda: _predict(sf.LinearSVC(), sklearn.svm.LinearSVC(), _labels),
    lambda: _predict(sf.LinearSVR(), sklearn.svm.LinearSVR(), _numbers),
    lambda: _small(lambda: sf.SGDClassifier(random_state=0), lambda: sk.SGDClassifier(random_state=0)),
    lambda: _small(lambda: sf.Perceptron(), lambda: sk.Perceptron(), tolerance=0.2),
    lambda: _small(lambda: sf.LinearSVC(), lambda: sklearn.svm.LinearSVC()),
    lambda: _small(lambda: sf.LinearSVR(), lambda: sklearn.svm.LinearSVR(), regression=True),
    lambda: _small(lambda: sf.SGDRegressor(random_state=0), lambda: sk.SGDRegressor(random_state=0), regression=True),
]
