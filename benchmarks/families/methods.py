"""Every public method that works on rows, and how it is called on a table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from .contest import Contest, close
from .tables import Table

New = Callable[[], Any]  # an estimator that is not fitted
Call = Callable[[], Any]
DRAWN = 100_000  # at most so many rows are drawn
ON_ROWS = (
    "predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba", "decision_function",
    "transform", "score_samples", "aic", "bic", "apply", "decision_path", "latent_mean_and_variance", "sample_y",
)  # fmt: skip
ON_QUERIES = ("kneighbors", "kneighbors_graph", "radius_neighbors", "radius_neighbors_graph")
WITHOUT_ROWS = ("get_covariance", "get_precision")
STAGED = ("staged_decision_function", "staged_predict", "staged_predict_proba")


def _staged(name: str, new: New, model: Any, table: Table) -> Call:
    return lambda: list(getattr(model, name)(table.asked))


def _partial_fit(new: New, model: Any, table: Table) -> Call:
    if hasattr(model, "classes_"):
        known = np.unique(np.asarray(table.y))
        return lambda: new().partial_fit(table.X, table.y, classes=known)
    return lambda: new().partial_fit(table.X, *table.target)


def _inverse(new: New, model: Any, table: Table) -> Call:
    transformed = model.transform(table.X)
    return lambda: model.inverse_transform(transformed)


def _of_rows(name: str, new: New, model: Any, table: Table) -> Call:
    return partial(getattr(model, name), table.asked)


def _of_queries(name: str, new: New, model: Any, table: Table) -> Call:
    return partial(getattr(model, name), table.queries)


def _of_nothing(name: str, new: New, model: Any, table: Table) -> Call:
    return partial(getattr(model, name))


# By the name of the method: the call that is timed, of a maker of new estimators, the fitted model and the table.
METHODS: dict[str, Callable[[New, Any, Table], Call]] = {
    "fit": lambda new, model, table: lambda: new().fit(table.X, *table.target),
    "partial_fit": _partial_fit,
    "fit_predict": lambda new, model, table: lambda: new().fit_predict(table.X),
    "fit_transform": lambda new, model, table: lambda: new().fit_transform(table.X, *table.target),
    "inverse_transform": _inverse,
    "score": lambda new, model, table: lambda: model.score(table.asked, *table.asked_target),
    "sample": lambda new, model, table: lambda: model.sample(min(table.X.shape[0], DRAWN)),
    "perplexity": lambda new, model, table: lambda: model.perplexity(table.asked),
    "cost_complexity_pruning_path": lambda new, model, table: (
        lambda: new().cost_complexity_pruning_path(table.X, *table.target)
    ),
    "staged_score": lambda new, model, table: lambda: list(model.staged_score(table.asked, *table.asked_target)),
    **{name: partial(_staged, name) for name in STAGED},
    **{name: partial(_of_rows, name) for name in ON_ROWS},
    **{name: partial(_of_queries, name) for name in ON_QUERIES},
    **{name: partial(_of_nothing, name) for name in WITHOUT_ROWS},
}
# Methods that do no work on rows, and those of scikit-learn's machinery.
PATHS = {"path"}  # ours is a fit of many strengths, theirs a function of arrays: `benchmarks/lasso.py` compares them
NO_WORK = PATHS | {"get_params", "set_params", "get_metadata_routing", "get_feature_names_out", "set_output", "mro"}
NO_WORK |= {"get_depth", "get_n_leaves", "reconstruction_error"}
NO_WORK |= {"log_marginal_likelihood"}  # what a fit repeats


def shared_methods(ours: type, peer: Any) -> list[str]:
    """The public methods that we and the peer both have."""
    both = {name for name in dir(ours) if not name.startswith("_")} & set(dir(peer))
    return sorted(
        name
        for name in both
        if name not in NO_WORK and not name.endswith("_request") and callable(getattr(ours, name, None))
    )


def check_answer(contest: Contest, method: str, mine: Any, other: Any, table: Table) -> None:
    """Assert that two answers are equally good; what is drawn at random only has to have the same shape."""
    if table.X.dtype == np.float32 and method in contest.unlike_in_single:
        return
    if method in contest.unlike or method in ("fit", "partial_fit", "fit_predict", "fit_transform"):
        return
    if method == "sample":
        assert np.shape(mine[0]) == np.shape(other[0]), f"{np.shape(mine[0])} against {np.shape(other[0])}"
        return
    mine, other = _numbers(mine), _numbers(other)
    if contest.free_signs and method == "transform":
        mine, other = np.abs(mine), np.abs(other)
    close(mine, other, 1e-5, table, method)


def _numbers(answer: Any) -> np.ndarray:
    """Of neighbours the distances, or how many there are; of a graph how much it holds."""
    if isinstance(answer, tuple):
        answer = answer[0]
    if sp.issparse(answer):
        return np.array([answer.nnz, answer.sum()])
    answer = np.asarray(answer)
    return np.array([len(found) for found in answer]) if answer.dtype == object else answer
