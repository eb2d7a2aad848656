"""Linear models of tables as small as iris, where what is done around the numbers takes the time"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import sklearn.linear_model as sk
import sklearn.svm as svm
from sklearn.datasets import load_iris
from sklearn.multiclass import OneVsRestClassifier

import suffice as sf
from suffice.losses import (
    CrammerSingerLoss,
    EpsilonInsensitiveLoss,
    GammaLoss,
    HingeLoss,
    LogisticLoss,
    Loss,
    PoissonLoss,
    QuantileLoss,
    SoftmaxLoss,
    SquaredEpsilonInsensitiveLoss,
    SquaredHingeLoss,
    SquaredLoss,
    TweedieLoss,
)
from suffice.penalties import L1, L2, ElasticNetPenalty, NoPenalty, Penalty

from .harness import Workload, repeated

FLOOR = 1.5
CALLS = 20
ROWS, THREE = load_iris(return_X_y=True)
TWO = (THREE == 2).astype(int)
INPUTS, WIDTH, COUNTS = ROWS[:, :3], ROWS[:, 3], np.round(ROWS[:, 2])
SCALED = (ROWS - ROWS.mean(axis=0)) / ROWS.std(axis=0)
Cost = Callable[[Any], float]


def objective(X: Any, y: Any, loss: Loss, penalty: Penalty) -> Cost:
    """The mean loss and the penalty of a model; of several classes that are each learned alone, the sum over them."""

    def cost(model: Any) -> float:
        slope = np.atleast_2d(model.coef_)
        eta = X @ slope.T + np.atleast_1d(model.intercept_)
        if loss.target == "classes":
            return float(loss.value(eta, y).mean()) + penalty.value(np.ascontiguousarray(slope.T))
        signs = [np.where(y == (c if len(slope) > 1 else 1), 1.0, -1.0) for c in range(len(slope))]
        targets = signs if loss.target == "signs" else [y]
        values = [loss.value(eta[:, c], target).mean() for c, target in enumerate(targets)]
        return float(sum(values)) + sum(penalty.value(one) for one in slope)

    return cost


def of_classes(X: Any, y: Any, loss: Loss, penalty: Penalty) -> Cost:
    """The same for a model that is made of one a class."""
    alone = [objective(X, (y == c).astype(int), loss, penalty) for c in np.unique(y)]
    return lambda model: sum(cost(one) for cost, one in zip(alone, model.estimators_, strict=True))


def score(X: Any, y: Any, room: float) -> Cost:
    """How bad a model is that chance decides; within so much it is as good."""
    return lambda model: (1 - float(model.score(X, y))) // room


def work(name: str, X: Any, y: Any, ours: Any, peers: dict[str, Any], cost: Cost) -> Workload:
    """A fit by everybody, whose objective is ours to be no higher than that of any peer."""

    def check(found: Any, others: dict[str, Any]) -> None:
        for peer, other in others.items():
            assert cost(found) <= cost(other) * (1 + 1e-6) + 1e-12, (name, peer, cost(found), cost(other))

    def fit(make: Callable[[], Any]) -> Callable[[], Any]:
        return repeated(lambda: make().fit(X, y), CALLS)

    size, others = f"{X.shape[0]} × {X.shape[1]}, {CALLS} calls", {peer: fit(make) for peer, make in peers.items()}
    return Workload(
        name, size, fit(ours), others, check, floor=dict.fromkeys(peers, FLOOR), repeat=9, memory=False,
    )  # fmt: skip


def _machines() -> list[Callable[[], Workload]]:
    l2, n = L2(1 / 150), 150
    found = []
    for y, title in ((TWO, "2 classes"), (THREE, "3 classes")):
        for name, loss in (("squared_hinge", SquaredHingeLoss()), ("hinge", HingeLoss())):
            found.append(
                partial(
                    work,
                    f"LinearSVC.fit, {name}, {title}",
                    ROWS,
                    y,
                    partial(sf.LinearSVC, loss=name),
                    {"liblinear": partial(svm.LinearSVC, loss=name)},
                    objective(ROWS, y, loss, l2),
                )
            )
    found += [
        partial(
            work, "LinearSVC.fit, L1", ROWS, TWO, partial(sf.LinearSVC, penalty="l1"),
            {"liblinear": partial(svm.LinearSVC, penalty="l1")}, objective(ROWS, TWO, SquaredHingeLoss(), L1(1 / n)),
        ),
        partial(
            work, "LinearSVC.fit, Crammer and Singer", ROWS, THREE, partial(sf.LinearSVC, multi_class="crammer_singer"),
            {"liblinear": partial(svm.LinearSVC, multi_class="crammer_singer")},
            objective(ROWS, THREE, CrammerSingerLoss(), l2),
        ),
    ]  # fmt: skip
    losses = {
        "epsilon_insensitive": EpsilonInsensitiveLoss(0.1),
        "squared_epsilon_insensitive": SquaredEpsilonInsensitiveLoss(0.1),
    }
    for name, loss in losses.items():
        given = {"loss": name, "epsilon": 0.1}
        found.append(
            partial(
                work,
                f"LinearSVR.fit, {name}",
                INPUTS,
                WIDTH,
                partial(sf.LinearSVR, **given),
                {"liblinear": partial(svm.LinearSVR, **given)},
                objective(INPUTS, WIDTH, loss, l2),
            )
        )
    return found


def _logistic() -> list[Callable[[], Workload]]:
    l2, n = L2(1 / 150), 150
    solvers = {name: partial(sk.LogisticRegression, solver=name) for name in ("lbfgs", "newton-cholesky")}
    each = of_classes(ROWS, THREE, LogisticLoss(), l2)
    return [
        partial(
            work, "LogisticRegression.fit, 2 classes", ROWS, TWO, sf.LogisticRegression,
            {**solvers, "liblinear": partial(sk.LogisticRegression, solver="liblinear")},
            objective(ROWS, TWO, LogisticLoss(), l2),
        ),
        partial(
            work, "LogisticRegression.fit, 3 classes", ROWS, THREE, sf.LogisticRegression, solvers,
            objective(ROWS, THREE, SoftmaxLoss(), l2),
        ),
        partial(
            work, "LogisticRegression.fit, L1", ROWS, TWO, partial(sf.LogisticRegression, l1_ratio=1),
            {"liblinear": partial(sk.LogisticRegression, l1_ratio=1, solver="liblinear")},
            objective(ROWS, TWO, LogisticLoss(), L1(1 / n)),
        ),
        partial(
            work, "OneVsRestClassifier.fit, logistic", ROWS, THREE,
            lambda: sf.OneVsRestClassifier(sf.LogisticRegression()),
            {name: lambda make=make: OneVsRestClassifier(make()) for name, make in solvers.items()}, each,
        ),
    ]  # fmt: skip


def _regressions() -> list[Callable[[], Workload]]:
    def one(name: str, y: Any, given: dict[str, object], loss: Loss, penalty: Penalty) -> Callable[[], Workload]:
        newton = {"newton-cholesky": {"solver": "newton-cholesky"}} if name in _NEWTON else {}
        peers = {"scikit-learn": {}, **newton}
        return partial(
            work, f"{name}.fit", INPUTS, y, partial(getattr(sf, name), **given),
            {peer: partial(getattr(sk, name), **given, **more) for peer, more in peers.items()},
            objective(INPUTS, y, loss, penalty),
        )  # fmt: skip

    return [
        one("LinearRegression", WIDTH, {}, SquaredLoss(), NoPenalty()),
        one("Ridge", WIDTH, {}, SquaredLoss(), L2(1 / 150)),
        one("Lasso", WIDTH, {"alpha": 0.01}, SquaredLoss(), L1(0.01)),
        one("ElasticNet", WIDTH, {"alpha": 0.01}, SquaredLoss(), ElasticNetPenalty(0.01, 0.5)),
        one("PoissonRegressor", COUNTS, {}, PoissonLoss(), L2(1.0)),
        one("GammaRegressor", WIDTH, {}, GammaLoss(), L2(1.0)),
        one("TweedieRegressor", WIDTH, {"power": 1.5}, TweedieLoss(1.5), L2(1.0)),
        one("QuantileRegressor", WIDTH, {"alpha": 0.01}, QuantileLoss(0.5), L1(0.01)),
        partial(
            work, "HuberRegressor.fit", INPUTS, WIDTH, sf.HuberRegressor, {"scikit-learn": sk.HuberRegressor},
            score(INPUTS, WIDTH, 0.01),
        ),
        partial(
            work, "BayesianRidge.fit", INPUTS, WIDTH, sf.BayesianRidge, {"scikit-learn": sk.BayesianRidge},
            score(INPUTS, WIDTH, 0.01),
        ),
    ]  # fmt: skip


_NEWTON = ("PoissonRegressor", "GammaRegressor", "TweedieRegressor")


def _by_chance() -> list[Callable[[], Workload]]:
    found = []
    for name, given, room in (("SGDClassifier", {"random_state": 0}, 0.1), ("Perceptron", {}, 0.2)):
        for y, title in ((TWO, "2 classes"), (THREE, "3 classes")):
            found.append(
                partial(
                    work,
                    f"{name}.fit, {title}",
                    SCALED,
                    y,
                    partial(getattr(sf, name), **given),
                    {"scikit-learn": partial(getattr(sk, name), **given)},
                    score(SCALED, y, room),
                )
            )
    inputs = SCALED[:, :3]
    seeded = {"random_state": 0}
    found.append(
        partial(
            work,
            "SGDRegressor.fit",
            inputs,
            WIDTH,
            partial(sf.SGDRegressor, **seeded),
            {"scikit-learn": partial(sk.SGDRegressor, **seeded)},
            score(inputs, WIDTH, 0.05),
        )
    )
    return found


WORKLOADS = [*_machines(), *_logistic(), *_regressions(), *_by_chance()]
