"""A model inside a model: fitted from a source, and asked about rows, whoever wrote it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from ..data import ArraySource, Chunk, Source
from ..data.schema import Column, Schema, unnamed
from ..engine import Outcome, Step, closed_form
from ..errors import InvalidData
from ..estimator import Estimator
from ..typing import EstimatorLike, Labels, Numbers

Objective = Callable[[Any, Numbers, Any], float]  # of a fitted model, rows and their weights


@contextmanager
def named(owner: str) -> Iterator[None]:
    """Errors about rows name the model that the user knows, and the one inside it that speaks."""
    try:
        yield
    except InvalidData as error:
        if type(error) is not InvalidData or owner in str(error):
            raise
        raise InvalidData(f"{owner}: {error}") from error


def fit_inner(model: object, source: Source, owner: str, objective: Objective) -> Outcome[Any]:
    """Fit a model; one of this library's keeps its own history, for any other `objective` gives the one figure."""
    with named(owner):
        if isinstance(model, Estimator):
            return Outcome(model, model.fit_source(source).history_)
        return closed_form(lambda: _fit_foreign(model, source, owner, objective))


def _fit_foreign(model: object, source: Source, owner: str, objective: Objective) -> Step[Any]:
    rows = fitted_foreign(model, source, owner)
    return Step(model, objective(model, rows.X, rows.weight))


def fitted_foreign(model: Any, source: Source, owner: str) -> Chunk:
    """Fit a model that is not of this library; gives the rows that count, in memory."""
    if source.in_memory is None:
        raise InvalidData(f"{owner}: {type(model).__name__} needs the rows in memory, and {source} is read in chunks.")
    rows = source.in_memory
    if rows.weight is not None:
        rows = rows.at(np.flatnonzero(rows.weight > 0))  # a weight of 0 is no row
    weighted = rows.weight is not None and not np.all(rows.weight == 1)
    if weighted and not has_fit_parameter(model, "sample_weight"):
        raise InvalidData(f"{owner}: {type(model).__name__} takes no sample_weight; leave it out.")
    model.fit(rows.X, rows.y, **({"sample_weight": rows.weight} if weighted else {}))
    return rows if weighted else Chunk(rows.X, rows.y)


def takes_missing(model: EstimatorLike) -> bool:
    """Whether a model says that it takes rows with missing values; what is no model, `fit` refuses."""
    if isinstance(model, Estimator):
        return model._needs().missing
    return hasattr(model, "__sklearn_tags__") and bool(get_tags(model).input_tags.allow_nan)


def columns_of(model: Estimator) -> Schema:
    """The columns that a model was fitted with."""
    names = getattr(model, "feature_names_in_", None)
    schema = unnamed(model.n_features_in_) if names is None else Schema(tuple(map(Column, names)))
    found: Schema = getattr(model, "_schema", schema)
    return found


def rows_for(model: object, chunk: Chunk, schema: Schema) -> Any:
    """The rows of a chunk as a fitted model takes them."""
    return ArraySource(Chunk(chunk.X), schema, model._needs()) if isinstance(model, Estimator) else chunk.X


def ask(model: object, method: str, chunk: Chunk, schema: Schema) -> Labels:
    """What a method of a fitted model says about the rows of a chunk, numbers in their precision."""
    found = np.asarray(getattr(model, method)(rows_for(model, chunk, schema)))
    return found.astype(chunk.X.dtype, copy=False) if found.dtype.kind == "f" else found
