"""Kernel machines: support vectors"""

from __future__ import annotations

import importlib.util
from functools import partial
from typing import Any

import numpy as np
import sklearn.svm
from sklearn.datasets import load_digits, load_iris, make_classification, make_regression

import suffice as sf
from suffice.kernels import GaussianKernel

from .harness import Workload, reduced, repeated

CLOSE = 1e-4  # of the dual objective, which nobody may be further above than the best
Table = tuple[np.ndarray, np.ndarray]


def peers(name: str) -> dict[str, Any]:
    """libsvm in scikit-learn, and oneDAL in scikit-learn-intelex where it is installed."""
    found = {"libsvm": getattr(sklearn.svm, name)}
    if importlib.util.find_spec("sklearnex") is not None:
        import sklearnex.svm

        found["intelex"] = getattr(sklearnex.svm, name)
    return found


def dual(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """½ aᵀKa − Σ|a|, or − y·a + ε Σ|a| for numbers, of a fitted machine."""
    a = np.asarray(model.dual_coef_)[0]
    gamma = 1 / (X.shape[1] * X.var())
    half = 0.5 * sum(
        float(a[rows] @ block @ a)
        for rows, block in GaussianKernel(gamma=gamma).blocks(X[model.support_], X[model.support_])
    )
    if hasattr(model, "classes_"):
        return half - float(np.abs(a).sum())
    return half - float(a @ y[model.support_]) + model.epsilon * float(np.abs(a).sum())


def fit(name: str, table: Table, given: dict[str, float], floor: dict[str, float], **more: Any) -> Workload:
    """A fit by everybody; the dual objectives must agree first."""
    X, y = table

    def check(ours: Any, others: dict[str, Any]) -> None:
        values = {peer: dual(model, X, y) for peer, model in {"suffice": ours, **others}.items()}
        best = min(values.values())
        assert values["suffice"] <= best + CLOSE * abs(best), values

    title = f"{name}.fit, rbf, " + ", ".join(f"{key} = {value:g}" for key, value in given.items())
    return Workload(
        title,
        f"{X.shape[0]:,} × {X.shape[1]}",
        lambda: getattr(sf, name)(**given).fit(X, y),
        {peer: partial(lambda kind: kind(**given).fit(X, y), kind) for peer, kind in peers(name).items()},
        check,
        floor,
        **more,
    )


def two_classes(n: int, d: int) -> Table:
    """Two classes with half of the columns of use, and one label in twenty drawn at random."""
    return make_classification(reduced(n), d, n_informative=d // 2, n_redundant=0, flip_y=0.05, random_state=0)  # type: ignore[no-any-return]


def numbers(n: int, d: int) -> Table:
    """A target with noise, of standard deviation 1."""
    X, y = make_regression(reduced(n), d, n_informative=d // 2, noise=20.0, random_state=0)
    return X, np.tanh(y / y.std()) + 0.05 * np.random.default_rng(0).normal(size=len(y))


def small(name: str, table: Table, calls: int) -> Workload:
    """Several classes of a small table: everybody predicts the same."""
    X, y = table

    def check(ours: Any, others: dict[str, Any]) -> None:
        for model in others.values():
            assert np.mean(ours.predict(X) != model.predict(X)) < 0.002

    return Workload(
        f"SVC.fit, {name}",
        f"{X.shape[0]:,} × {X.shape[1]}",
        repeated(lambda: sf.SVC().fit(X, y), calls),
        {peer: repeated(partial(lambda kind: kind().fit(X, y), kind), calls) for peer, kind in peers("SVC").items()},
        check,
        {"libsvm": 2.0},
        memory=False,
    )


def prediction() -> Workload:
    """Classes of many rows by about 2,000 support vectors."""
    X, y = two_classes(10_000, 20)
    new = np.tile(X, (10, 1))
    models = {peer: kind(C=2.0).fit(X[:7000], y[:7000]) for peer, kind in {"suffice": sf.SVC, **peers("SVC")}.items()}

    def check(ours: Any, others: dict[str, Any]) -> None:
        for other in others.values():
            assert np.mean(ours != other) < 0.002

    return Workload(
        f"SVC.predict, {len(models['suffice'].support_):,} support vectors",
        f"{new.shape[0]:,} × 20",
        lambda: models["suffice"].predict(new),
        {peer: partial(models[peer].predict, new) for peer in models if peer != "suffice"},
        check,
        {peer: 2.0 for peer in models if peer != "suffice"},
    )


FAST = {"libsvm": 5.0, "intelex": 1.2}
WORKLOADS = [
    lambda: fit("SVC", two_classes(10_000, 20), {"C": 1.0}, FAST),
    lambda: fit("SVC", two_classes(10_000, 20), {"C": 100.0}, FAST),
    lambda: fit(
        "SVC", two_classes(50_000, 50), {"C": 1.0}, {"libsvm": 1.2, "intelex": 1.2}, repeat=1, most_megabytes=1000
    ),
    lambda: fit("SVR", numbers(10_000, 20), {"C": 1.0, "epsilon": 0.1}, {"libsvm": 1.2, "intelex": 1.2}),
    lambda: small("iris", load_iris(return_X_y=True), 20),
    lambda: small("digits", load_digits(return_X_y=True), 1),
    prediction,
]
