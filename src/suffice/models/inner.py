"""A model inside a model: fitted from a source, and asked about rows, whoever wrote it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from ..backend.blas import blas_threads_for
from ..data import ArraySource, Chunk, Needs, Source
from ..data.schema import Column, Schema, unnamed
from ..engine import Outcome, Step, closed_form
from ..errors import InvalidData
from ..estimator import Estimator
from ..params import param
from ..resampling.told import check_chances, shaped
from ..typing import EstimatorLike, Floats, Labels, Numbers, TableLike

_WORK = 1e5  # multiplications at least of a fit of another library: on a busy machine threads would wait for each other

Objective = Callable[[Any, Numbers, Any], float]  # of a fitted model, rows and their weights


def is_model(value: object, *methods: str) -> bool:
    """Whether a value is an estimator that can be copied and fitted, and not its class, and has these methods.

    >>> from sklearn.linear_model import Ridge
    >>> is_model(Ridge(), "predict"), is_model(Ridge, "predict"), is_model(Ridge(), "score_samples")
    (True, False, False)
    """
    return not isinstance(value, type) and all(hasattr(value, name) for name in ("get_params", "fit", *methods))


def is_predictor(value: object, *kinds: Callable[[object], bool]) -> bool:
    """Whether a value is an estimator of one of these kinds, such as scikit-learn's `is_classifier`."""
    return is_model(value, "predict", "__sklearn_tags__") and any(kind(value) for kind in kinds)


def predictor_param(kind: Callable[[object], bool], doc: str) -> object:
    """The declaration of a model inside, of a kind that scikit-learn's `is_classifier` or `is_regressor` tells."""
    return param(
        None,
        positional=True,
        choices=(None,),
        accept=lambda value: is_predictor(value, kind),
        allowed=f"a {kind.__name__.removeprefix('is_')}",
        doc=doc,
    )


@contextmanager
def named(owner: str) -> Iterator[None]:
    """Errors about rows name the model that the user knows, and the one inside it that speaks."""
    try:
        yield
    except InvalidData as error:
        if type(error) is not InvalidData or str(error).startswith(f"{owner}:"):
            raise
        raise InvalidData(f"{owner}: {error}") from error


@contextmanager
def speaking(model: object) -> Iterator[None]:
    """What a model that is not of this library says against rows is an error about rows, in its own words."""
    try:
        yield
    except (ValueError, TypeError) as error:
        if isinstance(model, Estimator) or isinstance(error, np.linalg.LinAlgError):
            raise
        raise InvalidData(f"{type(model).__name__}: {error}") from error


def fit_inner(model: object, source: Source, owner: str, objective: Objective) -> Outcome[Any]:
    """Fit a model; one of this library's keeps its own history, for any other `objective` gives the one figure."""
    with named(owner):
        if isinstance(model, Estimator):
            return Outcome(model, model.fit_source(source).history_)
        return closed_form(lambda: _fit_foreign(model, source, owner, objective))


def _fit_foreign(model: object, source: Source, owner: str, objective: Objective) -> Step[object]:
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
    with named(owner), speaking(model), blas_threads_for(max(_WORK, len(rows) * rows.X.shape[1] ** 2)):
        model.fit(rows.X, rows.y, **({"sample_weight": rows.weight} if weighted else {}))
    return rows if weighted else Chunk(rows.X, rows.y)


def takes_missing(model: EstimatorLike) -> bool:
    """Whether a model says that it takes rows with missing values; what is no model, `fit` refuses."""
    if isinstance(model, Estimator):
        return model._needs().missing
    return hasattr(model, "__sklearn_tags__") and bool(get_tags(model).input_tags.allow_nan)


def takes_squares(model: EstimatorLike) -> bool:
    """Whether a model squares cells; of other libraries' models nobody knows."""
    return model._fit_needs().squares if isinstance(model, Estimator) else True


def needs_around(model: EstimatorLike, own: Needs, owner: str) -> Needs:
    """What a model around another one can use: what that one can, for the target of its own."""
    if isinstance(model, Estimator):
        return model._needs().but(owner=owner, target=own.target)
    if not hasattr(model, "__sklearn_tags__"):  # no model, which `fit` refuses
        return own.but(owner=owner)
    return own.but(owner=owner, missing=takes_missing(model), sparse=bool(get_tags(model).input_tags.sparse))


def columns_of(model: Estimator) -> Schema:
    """The columns that a model was fitted with."""
    names = getattr(model, "feature_names_in_", None)
    schema = unnamed(model.n_features_in_) if names is None else Schema(tuple(map(Column, names)))
    found: Schema = getattr(model, "_schema", schema)
    return found


def rows_for(model: object, chunk: Chunk, schema: Schema) -> TableLike:
    """The rows of a chunk as a fitted model takes them; errors name them by their numbers."""
    if not isinstance(model, Estimator):
        rows: TableLike = chunk.X
        return rows
    return ArraySource(dataclasses.replace(chunk, y=None, weight=None), schema, model._needs())


def ask(model: object, method: str, chunk: Chunk, schema: Schema) -> Labels:
    """What a method of a fitted model says about the rows of a chunk, numbers in their precision.

    What models of other libraries say, or stands on what they say, is checked.
    """
    with speaking(model):
        found = np.asarray(getattr(model, method)(rows_for(model, chunk, schema)))
    if not stands_alone(model):
        shaped(found, model, method, len(chunk))
        if method == "predict_proba":
            check_chances(found, model, lambda row: int(chunk.number(row)))
        elif method == "predict" and found.dtype.kind == "f":
            check_finite(found, model, chunk)
    return found.astype(chunk.X.dtype, copy=False) if found.dtype.kind == "f" else found


def stands_alone(model: object) -> bool:
    """Whether a model is of this library, and no other one is inside."""
    return isinstance(model, Estimator) and not model.compound and not hasattr(model, "steps")


def number_of(model: object, chunk: Chunk, schema: Schema) -> Floats:
    """The number that a model predicts for each row of a chunk, (n,)."""
    found = np.asarray(ask(model, "predict", chunk, schema), dtype=np.float64)
    if found.size != len(chunk):
        raise InvalidData(f"{type(model).__name__} must predict one number a row; got shape {found.shape}.")
    return found.reshape(len(chunk))


def check_finite(found: Labels, model: object, chunk: Chunk) -> None:
    """Refuse predictions of the rows of a chunk that are no numbers."""
    finite = np.isfinite(found).reshape(len(found), -1).all(axis=1)
    if not finite.all():
        row = int(np.argmin(finite))
        raise InvalidData(
            f"predictions of {type(model).__name__} must be finite; that of row {int(chunk.number(row))} is "
            f"{found[row]}."
        )
