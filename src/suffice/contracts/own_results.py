"""A fit that is started at its own result stays there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from .. import params
from ..estimator import Clusterer, Estimator
from ..typing import Predictor
from .results import fresh

RESULTS = ("medoid_indices_", "cluster_centers_", "labels_")  # what `init` may take, in this order
METRICS = ("euclidean", "sqeuclidean", "seuclidean", "mahalanobis", "cosine", "correlation", "cityblock", "gower")


def own_result_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """For clusterers that take centres, rows or labels as `init`, and whose objective falls: with several metrics."""
    if not takes_results(cls) or "history" in cls.exemptions:
        return
    rules = params.declared(cls)
    metrics = [name for name in METRICS if "metric" in rules and rules["metric"].allows(name)]
    for given in [{"metric": name} for name in metrics] or [{}]:
        yield "stays_at_its_own_result", partial(stays_at_its_own_result, cls, given)


def stays_at_its_own_result(cls: type[Estimator], given: dict[str, Any]) -> None:
    """A converged fit that is started at its result ends there: the objective is no worse, and hardly better."""
    X, _ = cls.example(np.random.default_rng(11), 150)
    weight = np.random.default_rng(12).integers(0, 3, len(X)).astype(np.float64)
    missing = X.copy()
    missing[::9, 1] = np.nan
    allows_missing = fresh(cls).set_params(**given)._needs().missing
    for rows, w in [(X, None), (X, weight), *([(missing, weight)] if allows_missing else [])]:
        model = fresh(cls).set_params(**given, n_clusters=3, max_iter=1000).fit(rows, sample_weight=w)
        assert model.history_.status == "converged"
        again = fresh(cls).set_params(**given, n_clusters=3, init=result_of(model), max_iter=1000)
        again.fit(rows, sample_weight=w)
        _check_same(model, again, given)


def takes_results(cls: type[Estimator]) -> bool:
    """Whether a clusterer may be started at the result of another fit."""
    rules = params.declared(cls)
    return issubclass(cls, Clusterer) and "init" in rules and rules["init"].accept is not None


def result_of(model: Predictor) -> Any:
    """What `init` takes of a fitted clusterer."""
    return next(getattr(model, name) for name in RESULTS if hasattr(model, name))


def _check_same(model: Any, again: Any, given: Mapping[str, object]) -> None:
    name = f"{type(model).__name__} with {given}"
    before, after = model.history_.objective[-1], again.history_.objective[-1]
    better = (after - before) * (1 if model.maximises else -1) / max(abs(before), 1.0)
    assert better >= -1e-9, f"{name}: from its own result {before} it goes to {after}"
    tol = float(getattr(model, "tol", 0.0))
    assert better <= 10 * tol + 1e-9, f"{name}: from its own result {before} it goes on to {after}"
    if not tol:
        np.testing.assert_array_equal(again.labels_, model.labels_, err_msg=name)
