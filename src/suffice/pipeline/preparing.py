"""The preparation that a model needs, from what it declares and what the table is."""

from __future__ import annotations

import dataclasses
from functools import partial

import numpy as np

from ..data import Chunk, Needs, Schema, Source
from ..data.rows import is_sparse
from ..errors import InvalidParameter
from ..estimator import Estimator
from ..models.impute import SimpleImputer
from ..models.prepare import OneHotEncoder, StandardScaler
from ..typing import EstimatorLike, TableLike
from .flow import _ANYTHING, Given
from .pipeline import Pipeline

MOST_CATEGORIES = 20  # columns that one of text becomes at the most


def prepared(model: EstimatorLike, X: TableLike, *, imputer: EstimatorLike | None = None) -> Pipeline:
    """A pipeline of the model and what its `needs` ask for before it, for a table X or its `Schema`.

    - `OneHotEncoder` where X has columns of text that the model cannot use: missing values are a category, all but the
      19 most frequent ones are together, and those that come later are among these. Levels of ordered columns become
      0, 1, 2, …. Where nothing depends on units, as without a penalty, the first category is the reference.
    - `SimpleImputer` with the median where X has missing numbers that the model cannot use. A schema does not tell
      whether it has. An `imputer` of yours stands in its place, whether the model can use missing values or not.
    - `StandardScaler` where the units of columns decide the answer (`needs.scaled`): distances, penalties, variances.

    A model of another library declares no needs, and gets all of them. Everything is learned in the fit, so only from
    the rows that are fitted in cross-validation.

    >>> import suffice as sf
    >>> [name for name, _ in sf.prepared(sf.KMeans(3), sf.datasets.load("crabs").matrix()).steps]
    ['standardscaler', 'kmeans']
    >>> [name for name, _ in sf.prepared(sf.LinearRegression(), sf.datasets.load("crabs").to_frame()).steps]
    ['onehotencoder', 'linearregression']
    """
    needs = _needs_of(model)
    source = None if isinstance(X, Schema) else Given(X).opened(dataclasses.replace(_ANYTHING, owner="prepared"))
    schema = X if source is None else source.schema
    encodes = bool(schema.text_columns) and not needs.categories
    steps: list[object] = [encoder(reference=not needs.scaled)] if encodes else []
    if source is not None and (imputer is not None or not needs.missing):
        numbers = [j for j in range(len(schema)) if not encodes or j not in _nominal(schema)]
        if _has_missing(source, numbers):
            steps.append(SimpleImputer(strategy="median", keep_empty_features=True) if imputer is None else imputer)
    if needs.scaled:
        sparse = source is not None and source.in_memory is not None and is_sparse(source.in_memory.X)
        steps.append(StandardScaler(with_mean=not sparse))
    return Pipeline([(type(step).__name__.lower(), step) for step in (*steps, model)])


def encoder(reference: bool) -> OneHotEncoder:
    """What makes columns of 0 and 1 of text; with a `reference` without the first category of each."""
    return OneHotEncoder(
        columns="categorical",
        drop="first" if reference else None,
        handle_unknown="infrequent_if_exist",
        max_categories=MOST_CATEGORIES,
    )


def _needs_of(model: EstimatorLike) -> Needs:
    """What a model declares; one of another library may need anything."""
    if isinstance(model, Estimator):
        return model._needs()
    if hasattr(model, "fit") and hasattr(model, "get_params") and not isinstance(model, type):
        return Needs(scaled=True, one_hot=True)
    raise InvalidParameter(f"prepared: model must be an estimator, such as KMeans(3); got {model!r}.")


def _nominal(schema: Schema) -> list[int]:
    """The columns of text without an order."""
    return [j for j in schema.text_columns if not schema.columns[j].ordered]


def _has_missing(source: Source, columns: list[int]) -> bool:
    return source.reduce(partial(_missing, columns=columns)) > 0


def _missing(chunk: Chunk, columns: list[int]) -> int:
    cells = chunk.X.data if is_sparse(chunk.X) else chunk.X[:, columns]
    return int(np.isnan(cells).sum())
