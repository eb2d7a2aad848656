"""The preparation that a model needs, from what it declares and what the table is."""

from __future__ import annotations

import dataclasses
from functools import partial

import numpy as np

from ..data import Chunk, Needs, Schema, Source
from ..data.rows import is_sparse
from ..errors import InvalidData, InvalidParameter
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
      0, 1, 2, …. Where nothing depends on units, as without a penalty, the first category is the reference. A model
      that can use neither text nor columns of 0 and 1 (`needs.one_hot`), such as one with a Gaussian in each class,
      gets the columns of numbers alone.
    - `SimpleImputer` where the model cannot use missing numbers: with the median where X has some; else with the mean,
      for rows that come later, of which a schema tells as little. An `imputer` of yours stands in its place, whether
      the model can use missing values or not.
    - `StandardScaler` where the units of columns decide the answer (`needs.scaled`): distances, penalties, variances.

    A model of another library declares no needs, and gets all of them. Everything is learned in the fit, so only from
    the rows that are fitted in cross-validation.

    >>> import suffice as sf
    >>> [name for name, _ in sf.prepared(sf.KMeans(3), sf.datasets.load("crabs").matrix()).steps]
    ['standardscaler', 'kmeans']
    >>> [name for name, _ in sf.prepared(sf.LinearRegression(), sf.datasets.load("crabs").to_frame()).steps]
    ['onehotencoder', 'simpleimputer', 'linearregression']
    """
    needs = _needs_of(model)
    source = None if isinstance(X, Schema) else Given(X).opened(dataclasses.replace(_ANYTHING, owner="prepared"))
    schema = X if source is None else source.schema
    encodes = bool(schema.text_columns) and not needs.categories
    steps: list[object] = []
    if encodes:
        steps.append(encoder(reference=not needs.scaled) if needs.one_hot else _numbers_alone(schema, needs.owner))
    sparse = source is not None and source.in_memory is not None and is_sparse(source.in_memory.X)
    numbers = [j for j in range(len(schema)) if not encodes or j not in _nominal(schema)]
    if imputer is not None:
        steps.append(imputer)
    elif numbers and not needs.missing:
        steps += _filling(source, numbers, sparse)
    if needs.scaled:
        steps.append(StandardScaler(with_mean=not sparse))
    return Pipeline([(type(step).__name__.lower(), step) for step in (*steps, model)])


def _filling(source: Source | None, numbers: list[int], sparse: bool) -> list[object]:
    """What fills missing numbers; where there are none, those of rows that come later, at the price of a sum."""
    found = source is not None and _has_missing(source, numbers)
    if sparse and not found:
        return []  # it would fill the zeros in
    return [SimpleImputer(strategy="median" if found else "mean", keep_empty_features=True)]


def encoder(reference: bool) -> OneHotEncoder:
    """What makes columns of 0 and 1 of text; with a `reference` without the first category of each."""
    return OneHotEncoder(
        columns="categorical",
        drop="first" if reference else None,
        handle_unknown="infrequent_if_exist",
        max_categories=MOST_CATEGORIES,
    )


def _numbers_alone(schema: Schema, owner: str) -> OneHotEncoder:
    """What leaves columns of text out: it encodes none of their categories."""
    text = _nominal(schema)
    if len(text) == len(schema):
        raise InvalidData(f"{owner} learns from numbers, and the table has no column of numbers.")
    return OneHotEncoder(columns="categorical", categories=[[] for _ in text], handle_unknown="ignore")


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
