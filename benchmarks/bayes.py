"""Bayes classifiers"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import sklearn.discriminant_analysis as da
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


def _discriminant(ours: Any, theirs: Any, solvers: tuple[str, ...]) -> Workload:
    X, y = _data(200_000, 20, 5)

    def check(mine, peers):
        for other in peers.values():
            np.testing.assert_allclose(mine.predict_proba(X[:1000]), other.predict_proba(X[:1000]), atol=1e-8)

    def peer(solver: str) -> Any:
        return lambda: theirs(solver=solver).fit(X, y)

    return Workload(
        f"{ours.__name__}.fit",
        "200,000 × 20, 5 classes",
        lambda: ours().fit(X, y),
        {f"scikit-learn ({solver})": peer(solver) for solver in solvers},
        check,
        floor={f"scikit-learn ({solver})": 2.0 for solver in solvers},
        bytes_read=X.nbytes + y.nbytes,
        operations=200_000 * 20 * 21,
    )


def _text(n: int = 100_000, d: int = 50_000, k: int = 20) -> tuple[Any, np.ndarray]:
    """Rows of about eighty words, whose frequencies fall as in a language."""
    rng = np.random.default_rng(0)
    share = 1 / np.arange(1, d + 1) ** 1.05
    lengths = rng.poisson(80, n)
    words = rng.choice(d, lengths.sum(), p=share / share.sum())
    X = sp.csr_array((np.ones(len(words)), (np.repeat(np.arange(n), lengths), words)), (n, d))
    X.sum_duplicates()
    return X, rng.integers(0, k, n)


def _sparse_fit(name: str) -> Workload:
    X, y = _text()

    def check(mine, peers):
        np.testing.assert_allclose(mine.feature_log_prob_, peers["scikit-learn"].feature_log_prob_, rtol=1e-9)

    return Workload(
        f"{name}.fit",
        "100,000 × 50,000 sparse, 20 classes",
        lambda: getattr(sf, name)().fit(X, y),
        {"scikit-learn": lambda: getattr(sk, name)().fit(X, y)},
        check,
        floor={"scikit-learn": 1.0},
        bytes_read=X.data.nbytes + X.indices.nbytes,
    )


def _sparse_predict(name: str) -> Workload:
    X, y = _text()
    ours, theirs = getattr(sf, name)().fit(X, y), getattr(sk, name)().fit(X, y)

    def check(mine, peers):
        assert np.mean(mine == peers["scikit-learn"]) > 0.9999

    return Workload(
        f"{name}.predict",
        "100,000 × 50,000 sparse, 20 classes",
        lambda: ours.predict(X),
        {"scikit-learn": lambda: theirs.predict(X)},
        check,
        floor={"scikit-learn": 1.0},
        bytes_read=X.data.nbytes + X.indices.nbytes,
    )


def _categories() -> Workload:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 8, (1_000_000, 10)).astype(float), rng.integers(0, 5, 1_000_000)

    def check(mine, peers):
        for ours, theirs in zip(mine.feature_log_prob_, peers["scikit-learn"].feature_log_prob_, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9)

    return Workload(
        "CategoricalNB.fit",
        "1,000,000 × 10, 8 categories, 5 classes",
        lambda: sf.CategoricalNB().fit(X, y),
        {"scikit-learn": lambda: sk.CategoricalNB().fit(X, y)},
        check,
        floor={"scikit-learn": 3.0},
        bytes_read=X.nbytes + y.nbytes,
    )


WORKLOADS = [
    lambda: _fit(150, 4, 3, times=200, floor=1.0),
    lambda: _fit(20_000, 20, 5, times=10),
    lambda: _fit(1_000_000, 20, 5, floor=3.0),
    _predict,
    lambda: _discriminant(sf.LinearDiscriminantAnalysis, da.LinearDiscriminantAnalysis, ("svd", "lsqr", "eigen")),
    lambda: _discriminant(sf.QuadraticDiscriminantAnalysis, da.QuadraticDiscriminantAnalysis, ("svd", "eigen")),
    lambda: _sparse_fit("BernoulliNB"),
    lambda: _sparse_fit("MultinomialNB"),
    lambda: _sparse_predict("MultinomialNB"),
    _categories,
]
