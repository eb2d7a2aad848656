"""Kernel ridge regression, kernel principal components and Gaussian processes."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.decomposition as decomposition
import sklearn.gaussian_process as processes
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.kernel_ridge import KernelRidge

import suffice as sf

from .contest import UNGROUPED, Contest, answers, as_accurate, at_most
from .tables import Table, classes, numbers

ALL_PAIRS = "the work grows with the cube of the rows"


def _components(table: Table) -> dict[str, Any]:
    return {"n_components": int(min(5, len(table.X) - 1)), "kernel": "rbf"}


def _as_much(ours: Any, theirs: Any, table: Table) -> None:
    mine, other = (float(np.sum(model.eigenvalues_)) for model in (ours, theirs))
    assert mine >= other * (1 - 1e-4), f"eigenvalues sum up to {mine:.6g} against {other:.6g}"


def _pca(solver: str) -> Any:
    return lambda **given: decomposition.KernelPCA(**given, eigen_solver=solver)


def _regressor(**given: Any) -> Any:
    return processes.GaussianProcessRegressor(ConstantKernel(1.0) * RBF(1.0), **given)


def _classifier(**given: Any) -> Any:
    return processes.GaussianProcessClassifier(ConstantKernel(1.0) * RBF(1.0), **given)


CLOSE = "the likelihoods are equal; predictions differ by where the search for hyperparameters ends"

CONTESTS = [
    Contest(
        sf.KernelRidge, {"scikit-learn": KernelRidge}, answers("predict"), rows=numbers, axes=UNGROUPED,
        shape=at_most(2000, 100), cut=ALL_PAIRS, options=lambda table: {"kernel": "rbf", "alpha": 1.0},
    ),
    Contest(
        sf.KernelPCA, {"scikit-learn, dense": _pca("dense"), "scikit-learn, arpack": _pca("arpack")}, _as_much,
        options=_components, free_signs=True, axes=UNGROUPED, shape=at_most(2000, 100), cut=ALL_PAIRS,
        unlike={"transform": "equal eigenvalues have any axes", "fit_transform": "equal eigenvalues have any axes"},
    ),
    Contest(
        sf.GaussianProcessRegressor, {"scikit-learn": _regressor}, as_accurate(), rows=numbers, axes=UNGROUPED,
        shape=at_most(300, 10), cut=ALL_PAIRS, options=lambda table: {"alpha": 0.1},
        unlike=dict.fromkeys(("predict", "sample_y", "score"), CLOSE),
    ),
    Contest(
        sf.GaussianProcessClassifier, {"scikit-learn": _classifier}, as_accurate(0.05), rows=classes, k=2,
        axes=UNGROUPED, shape=at_most(150, 5), cut=ALL_PAIRS,
        unlike=dict.fromkeys(("latent_mean_and_variance", "predict", "predict_proba", "score"), CLOSE),
    ),
]  # fmt: skip
ALONE = {
    sf.KernelLogisticRegression: "scikit-learn has none; LogisticRegression is compared itself",
    sf.KernelPerceptron: "no package that is kept up has a kernel perceptron",
}
