"""Kernel machines"""

from __future__ import annotations

import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.kernel_ridge import KernelRidge

import suffice as sf
from suffice.kernels import GaussianKernel

from .harness import Workload, reduced


def _rows(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=n)


def _ridge() -> Workload:
    X, y = _rows(reduced(5000), 20)

    def check(ours, peers):
        np.testing.assert_allclose(ours, peers["scikit-learn"], rtol=1e-8, atol=1e-8)

    return Workload(
        "KernelRidge(kernel='rbf').fit and predict",
        f"{len(X):,} × 20",
        lambda: sf.KernelRidge(1.0, kernel="rbf").fit(X, y).predict(X),
        {"scikit-learn": lambda: KernelRidge(alpha=1.0, kernel="rbf").fit(X, y).predict(X)},
        check,
        floor={"scikit-learn": 1.5},
        operations=len(X) ** 3 / 3,
        repeat=3,
    )


def _components() -> Workload:
    X, _ = _rows(reduced(4000), 20)

    def check(ours, peers):
        for peer in peers.values():
            np.testing.assert_allclose(ours.eigenvalues_, peer.eigenvalues_, rtol=1e-8)
            np.testing.assert_allclose(np.abs(ours.eigenvectors_), np.abs(peer.eigenvectors_), atol=1e-8)

    solvers = {"scikit-learn, arpack": "arpack", "scikit-learn, dense": "dense"}
    return Workload(
        "KernelPCA(10, kernel='rbf').fit",
        f"{len(X):,} × 20",
        lambda: sf.KernelPCA(10, kernel="rbf").fit(X),
        {
            name: lambda solver=solver: KernelPCA(10, kernel="rbf", eigen_solver=solver).fit(X)
            for name, solver in solvers.items()
        },
        check,
        floor=dict.fromkeys(solvers, 3.0),
        repeat=3,
    )


def _process() -> Workload:
    X, y = _rows(reduced(2000), 5)
    given = {"alpha": 0.01, "n_restarts_optimizer": 5, "random_state": 0}

    def check(ours, peers):
        mine, other = (m.log_marginal_likelihood_value_ for m in (ours, peers["scikit-learn"]))
        assert mine >= other - 1e-4 * abs(other), f"log likelihood {mine:.6g} against {other:.6g}"

    return Workload(
        "GaussianProcessRegressor with 5 restarts",
        f"{len(X):,} × 5",
        lambda: sf.GaussianProcessRegressor(1.0 * GaussianKernel(bandwidth=2**0.5), **given).fit(X, y),
        {"scikit-learn": lambda: GaussianProcessRegressor(ConstantKernel(1.0) * RBF(1.0), **given).fit(X, y)},
        check,
        floor={"scikit-learn": 2.0},
        repeat=1,
    )


WORKLOADS = [_ridge, _components, _process]
