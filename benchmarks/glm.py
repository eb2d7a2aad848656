"""Generalized linear models, with standard errors"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.linear_model as sk

import suffice as sf

from .families.contest import is_installed
from .harness import SAME, Workload, loosest, reduced


def _deviance(X: np.ndarray, y: np.ndarray, slope: np.ndarray, intercept: float) -> float:
    eta = X @ slope + intercept
    return 2 * float(np.sum(y * np.log(np.where(y > 0, y, 1.0)) - y * eta - y + np.exp(eta)))


def _poisson() -> Workload:
    n, d = reduced(500_000), 20
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = rng.poisson(np.exp(0.5 + X @ rng.normal(size=d) / 10)).astype(np.float64)

    def fit(solver: str) -> Callable[[float], Any]:
        return lambda tol: sk.PoissonRegressor(alpha=0, solver=solver, tol=tol, max_iter=1000).fit(X, y)

    def with_errors(tol: float) -> Any:
        model = sf.PoissonRegressor(alpha=0, tol=tol).fit(X, y)
        model.standard_errors_  # noqa: B018 (computed when asked for)
        return model

    def deviance(model: Any) -> float:
        return _deviance(X, y, model.coef_, model.intercept_)

    least = deviance(with_errors(1e-13))
    peers = {solver: loosest(fit(solver), deviance, least) for solver in ("lbfgs", "newton-cholesky")}
    ours = loosest(with_errors, deviance, least)
    floor = dict.fromkeys(peers, 1.3)
    if is_installed("statsmodels"):
        import statsmodels.api as sm

        peers["statsmodels"] = lambda: sm.GLM(y, sm.add_constant(X), family=sm.families.Poisson()).fit()
        floor["statsmodels"] = 3.0

    def check(mine: Any, others: dict[str, Any]) -> None:
        for solver in ("lbfgs", "newton-cholesky"):
            assert deviance(mine) <= (1 + SAME) * deviance(others[solver])
        if "statsmodels" in others:
            np.testing.assert_allclose(mine.standard_errors_, others["statsmodels"].bse[1:], rtol=1e-5)

    return Workload(
        "PoissonRegressor.fit with standard errors", f"{n:,} × {d}", ours, peers, check, floor=floor,
        bytes_read=5 * X.nbytes, operations=n * d * d, repeat=3,
    )  # fmt: skip


def _predict() -> Workload:
    n, d = reduced(1_000_000), 30
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = rng.poisson(np.exp(X[:5000, 0] / 2)).astype(np.float64)
    ours, theirs = sf.PoissonRegressor().fit(X[:5000], y), sk.PoissonRegressor().fit(X[:5000], y)
    theirs.coef_, theirs.intercept_ = ours.coef_.copy(), ours.intercept_

    def check(mine: Any, others: dict[str, Any]) -> None:
        np.testing.assert_allclose(mine, others["scikit-learn"], rtol=1e-9)

    return Workload(
        "PoissonRegressor.predict", f"{n:,} × {d}", lambda: ours.predict(X),
        {"scikit-learn": lambda: theirs.predict(X)}, check, floor={"scikit-learn": 1.0}, bytes_read=X.nbytes,
    )  # fmt: skip


WORKLOADS = [_poisson, _predict]
