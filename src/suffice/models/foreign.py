"""Models inside a model: of this library, or any other with scikit-learn's methods, which needs its rows in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from ..data import ArraySource, Chunk, Source
from ..data.schema import Column, Schema, unnamed
from ..errors import InvalidData
from ..estimator import Estimator
from ..typing import EstimatorLike


@contextmanager
def named(owner: str) -> Iterator[None]:
    """Errors about rows name the model that the user knows, and the one inside it that speaks."""
    try:
        yield
    except InvalidData as error:
        if owner in str(error):
            raise
        raise InvalidData(f"{owner}: {error}") from error


def fitted_foreign(model: Any, source: Source, owner: str, supervised: bool = False) -> Chunk:
    """Fit a model that is not of this library; gives the rows that count, in memory."""
    if source.in_memory is None:
        raise InvalidData(f"{owner}: {type(model).__name__} needs the rows in memory, and {source} is read in chunks.")
    rows = source.in_memory
    if rows.weight is not None:
        rows = rows.at(np.flatnonzero(rows.weight > 0))  # a weight of 0 is no row
    weighted = rows.weight is not None and not np.all(rows.weight == 1)
    if weighted and not has_fit_parameter(model, "sample_weight"):
        raise InvalidData(f"{owner}: {type(model).__name__} takes no sample_weight; leave it out.")
    arguments = {"sample_weight": rows.weight} if weighted else {}
    model.fit(rows.X, rows.y, **arguments) if supervised else model.fit(rows.X, **arguments)
    return rows if weighted else Chunk(rows.X, rows.y)


def takes_missing(model: EstimatorLike) -> bool:
    """Whether a model says that it takes rows with missing values."""
    return bool(model._needs().missing if isinstance(model, Estimator) else get_tags(model).input_tags.allow_nan)


def rows_for(model: object, chunk: Chunk, schema: Schema) -> Any:
    """The rows of a chunk as a fitted model takes them."""
    return ArraySource(Chunk(chunk.X), schema, model._needs()) if isinstance(model, Estimator) else chunk.X


def schema_of(model: Estimator) -> Schema:
    """The columns that a fitted model knows."""
    names = getattr(model, "feature_names_in_", None)
    columns = unnamed(model.n_features_in_) if names is None else Schema(tuple(map(Column, names)))
    found: Schema = getattr(model, "_schema", columns)
    return found
