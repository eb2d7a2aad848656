"""Explicit features of kernels"""

from __future__ import annotations

import numpy as np
import sklearn.kernel_approximation as ska
import sklearn.linear_model as skl
from sklearn.pipeline import make_pipeline

import suffice as sf
from suffice.kernels import GaussianKernel, Kernel, PolynomialKernel

from .harness import Workload

_GAMMA = 0.05


def _rows(n: int, d: int = 20) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, (np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n) > 0).astype(int)


def _logistic(n: int, landmarks: int, floor: float) -> Workload:
    """Kernel logistic regression by landmarks: as accurate on new rows, within half a point of a hundred."""
    rows, classes = _rows(n + 20_000)
    X, y, new, truth = rows[:n], classes[:n], rows[n:], classes[n:]
    options = {"gamma": _GAMMA, "n_components": landmarks, "random_state": 0}

    def check(ours, peers):
        assert ours.score(new, truth) >= peers["scikit-learn"].score(new, truth) - 0.005

    return Workload(
        "Nystroem + LogisticRegression",
        f"{n:,} × 20, {landmarks:,} landmarks",
        lambda: sf.make_pipeline(sf.Nystroem(**options), sf.LogisticRegression()).fit(X, y),
        {
            "scikit-learn": lambda: make_pipeline(ska.Nystroem(**options), skl.LogisticRegression(max_iter=1000)).fit(
                X, y
            )
        },
        check,
        floor={"scikit-learn": floor},
        bytes_read=X.nbytes,
    )


def _transform(name: str, n: int, kernel: Kernel, **options: object) -> Workload:
    """The features of rows, about as near to the kernel as theirs."""
    X, _ = _rows(n)
    ours, theirs = (getattr(module, name)(random_state=0, **options).fit(X) for module in (sf, ska))

    def check(mine, peers):
        wanted = kernel(X[:500])
        near, nearest = (np.abs(phi[:500] @ phi[:500].T - wanted).mean() for phi in (mine, peers["scikit-learn"]))
        assert near < 1.3 * nearest, (near, nearest)

    return Workload(
        f"{name}.transform",
        f"{n:,} × 20, {options['n_components']:,} features",
        lambda: ours.transform(X),
        {"scikit-learn": lambda: theirs.transform(X)},
        check,
        bytes_read=X.nbytes,
    )


WORKLOADS = [
    lambda: _logistic(1_000_000, 1000, 2.0),
    lambda: _logistic(50_000, 300, 1.0),
    lambda: _transform("Nystroem", 100_000, GaussianKernel(_GAMMA), gamma=_GAMMA, n_components=500),
    lambda: _transform("RBFSampler", 100_000, GaussianKernel(_GAMMA), gamma=_GAMMA, n_components=500),
    lambda: _transform(
        "PolynomialCountSketch", 50_000, PolynomialKernel(2, _GAMMA, 0.0), gamma=_GAMMA, n_components=500
    ),
]
