"""A model inside a model: fitted from a source, and asked about rows, whoever wrote it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from ..data import ArraySource, Chunk, Source
from ..data.schema import Column, Schema, unnamed
from ..engine import Outcome, Step, closed_form
from ..errors import InvalidData
from ..estimator import Estimator
from ..typing import Labels, Numbers

Objective = Callable[[Any, Numbers, Any], float]  # of a fitted model, rows and their weights


def fit_inner(model: Any, source: Source, owner: str, objective: Objective) -> Outcome[Any]:
    """Fit a model; one of this library's keeps its own history, for any other `objective` gives the one figure."""
    try:
        if isinstance(model, Estimator):
            return Outcome(model, model.fit_source(source).history_)
        return closed_form(lambda: _fit_foreign(model, source, owner, objective))
    except InvalidData as error:
        if type(error) is not InvalidData or str(error).startswith(owner):
            raise
        raise InvalidData(f"{owner}: {error}") from None


def _fit_foreign(model: Any, source: Source, owner: str, objective: Objective) -> Step[Any]:
    """Fit an estimator that is not of this library, which needs the rows in memory."""
    if source.in_memory is None:
        raise InvalidData(f"{owner}: {type(model).__name__} needs the rows in memory, and {source} is read in chunks.")
    X, y, weight = source.in_memory.X, source.in_memory.y, source.in_memory.weight
    if weight is not None:
        some = weight > 0  # a weight of 0 is no row
        X, y, weight = X[some], None if y is None else y[some], weight[some]
        weight = None if np.all(weight == 1) else weight
    if weight is not None and not has_fit_parameter(model, "sample_weight"):
        raise InvalidData(f"{owner}: {type(model).__name__} takes no sample_weight; leave it out.")
    model.fit(X, y) if weight is None else model.fit(X, y, sample_weight=weight)
    return Step(model, objective(model, X, weight))


def columns_of(model: Estimator) -> Schema:
    """The columns that a model was fitted with."""
    names = getattr(model, "feature_names_in_", None)
    schema = unnamed(model.n_features_in_) if names is None else Schema(tuple(map(Column, names)))
    found: Schema = getattr(model, "_schema", schema)
    return found


def ask(model: Any, method: str, chunk: Chunk, schema: Schema) -> Labels:
    """What a method of a fitted model says about the rows of a chunk, numbers in their precision."""
    rows = ArraySource(Chunk(chunk.X), schema, model._needs()) if isinstance(model, Estimator) else chunk.X
    found = np.asarray(getattr(model, method)(rows))
    return found.astype(chunk.X.dtype, copy=False) if found.dtype.kind == "f" else found
