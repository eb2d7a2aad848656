"""The preparation that a model needs, from what it declares and what the table is."""

from __future__ import annotations

import dataclasses

import numpy as np

from ..data import Chunk, Needs, Schema, Source
from ..data.rows import is_sparse
from ..errors import InvalidData, InvalidParameter
from ..estimator import Estimator
from ..models.impute import GaussianImputer
from ..models.prepare import StandardScaler
from ..typing import EstimatorLike, TableLike
from .flow import _ANYTHING, Given
from .pipeline import Pipeline


def prepared(model: EstimatorLike, X: TableLike, *, imputer: EstimatorLike | None = None) -> Pipeline:
    """A pipeline of the model and what its `needs` ask for before it, for a table X or its `Schema`.

    - `StandardScaler` where the units of columns decide the answer (`needs.scaled`): distances, penalties, variances.
    - `GaussianImputer` where X has missing values that the model cannot use. A schema does not tell whether it has.
    - An `imputer` of yours comes before both, where X has missing values, whether the model can use them or not.

    A model of another library declares no needs, and gets both. Categories that the model cannot use are refused: there
    is no transformer for them yet.

    >>> import suffice as sf
    >>> [name for name, _ in sf.prepared(sf.KMeans(3), sf.datasets.load("crabs").matrix()).steps]
    ['standardscaler', 'kmeans']
    """
    needs, name = _needs_of(model), type(model).__name__
    permissive = dataclasses.replace(_ANYTHING, owner="prepared")
    source = None if isinstance(X, Schema) else Given(X).opened(permissive)
    schema = X if source is None else source.schema
    _check_categories(schema, needs.categories, needs.one_hot, name)
    fills = source is not None and (imputer is not None or not needs.missing) and _has_missing(source)
    steps: list[object] = [imputer] if fills and imputer is not None else []
    if needs.scaled:
        sparse = source is not None and source.in_memory is not None and is_sparse(source.in_memory.X)
        steps.append(StandardScaler(with_mean=not sparse))
    if fills and imputer is None:
        steps.append(GaussianImputer())
    return Pipeline([(type(step).__name__.lower(), step) for step in (*steps, model)])


def _needs_of(model: EstimatorLike) -> Needs:
    """What a model declares; one of another library may need anything."""
    if isinstance(model, Estimator):
        return model._needs()
    if hasattr(model, "fit") and hasattr(model, "get_params") and not isinstance(model, type):
        return Needs(scaled=True, one_hot=True)
    raise InvalidParameter(f"prepared: model must be an estimator, such as KMeans(3); got {model!r}.")


def _check_categories(schema: Schema, taken: bool, one_hot: bool, name: str) -> None:
    text = [column for column in schema.columns if column.kind == "categorical"]
    if text and not taken:
        first = text[0].measured
        alike = [column.name for column in text if column.measured == first]
        how = "Give them as one-hot columns of 0 and 1" if one_hot else "Turn them into numbers"
        how = "Give their codes as numbers, where levels are equally far apart" if first == "ordinal" else how
        raise InvalidData(
            f"prepared: {name} needs numbers, and the columns {', '.join(map(repr, alike[:5]))} are {first}. {how}, or "
            "leave them out with columns=…."
        )


def _has_missing(source: Source) -> bool:
    return source.reduce(_missing) > 0


def _missing(chunk: Chunk) -> int:
    cells = chunk.X.data if is_sparse(chunk.X) else chunk.X
    return int(np.isnan(cells).sum())
