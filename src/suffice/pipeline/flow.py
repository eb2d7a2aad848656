"""Rows on their way from step to step: what a step learns from them, and what they are after it."""

from __future__ import annotations

import copy
import dataclasses
import inspect
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from ..data import ArraySource, Chunk, Column, Needs, Schema, Source, as_source
from ..data.columns import tabled
from ..data.schema import unnamed
from ..data.source import TargetKind
from ..data.validate import is_sparse
from ..errors import InvalidData, InvalidParameter
from ..estimator import Estimator, Transformer
from ..resampling.without_fold import FoldSource
from ..statistics import Counts
from ..typing import EstimatorLike, Predictor, TableLike, TargetLike, WeightLike

_ANYTHING = Needs(missing=True, sparse=True, categories=True)


@dataclass(frozen=True)
class Given:
    """Rows as the user gave them: a table in memory, a dask collection or a source, with targets and weights."""

    X: Any
    y: Any = None
    weight: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "X", tabled(self.X, "Pipeline"))

    @property
    def in_memory(self) -> bool:
        """Whether a step that knows no sources can be given X itself."""
        return not isinstance(self.X, Source) and type(self.X).__module__.partition(".")[0] not in ("dask", "dask_expr")

    def opened(self, needs: Needs) -> Source:
        """The rows as a source for a step with these needs."""
        return as_source(self.X, self.y, self.weight, needs=needs)


Flow = Given | Source


class Interrupted(Exception):
    """Ctrl-C ended the fit of a step, which holds what it found until then."""

    def __init__(self, step: EstimatorLike) -> None:
        super().__init__()
        self.step = step


def target_of(step: Predictor) -> TargetKind:
    """What a step needs for a target."""
    if isinstance(step, Estimator):
        return step._needs().target
    return "classes" if is_classifier(step) else "numbers" if is_regressor(step) else "none"


def name_of(step: object) -> str:
    """What messages call a step."""
    cls = type(step)
    return cls.__name__ if isinstance(step, Estimator) else f"{cls.__module__.partition('.')[0]}'s {cls.__name__}"


# ---- learning ----


def fitted(step: Any, rows: Flow, target: TargetKind) -> Any:
    """A copy of a step that has learned from the rows; the step itself stays as it is."""
    learner = copy.copy(step)
    if isinstance(step, Estimator):
        before = getattr(learner, "history_", None)
        try:
            return learner.fit(rows.X, rows.y, rows.weight) if isinstance(rows, Given) else learner.fit(rows)
        except KeyboardInterrupt:
            if getattr(learner, "history_", None) is before:
                raise
            raise Interrupted(learner) from None
    if isinstance(rows, Given) and rows.in_memory:
        return _fit_foreign(learner, "fit", rows.X, rows.y, rows.weight)
    source = _source(rows, step, target)
    chunk = source.in_memory
    if chunk is not None:
        return _fit_foreign(learner, "fit", chunk.X, chunk.y, chunk.weight)
    return _fit_in_pieces(learner, source)


def more(step: EstimatorLike, method: str, rows: Flow, target: TargetKind, classes: TargetLike = None) -> object:
    """A copy of a step after `partial_fit` or `remove` of the rows."""
    learner = copy.copy(step)
    named = {} if classes is None or not _takes(step, method, "classes") else {"classes": classes}
    if isinstance(step, Estimator):
        if isinstance(rows, Source):
            return getattr(learner, method)(rows, **named)
        return getattr(learner, method)(rows.X, rows.y, sample_weight=rows.weight, **named)
    learner = copy.deepcopy(step)  # it may change its arrays in place
    for chunk in _source(rows, step, target).chunks():
        _fit_foreign(learner, method, chunk.X, chunk.y, chunk.weight, **named)
        named = {}
    return learner


def _fit_foreign(step: object, method: str, X: TableLike, y: TargetLike, weight: WeightLike, **named: object) -> object:
    """Let an estimator that is not ours learn; weights that it cannot use are refused."""
    if weight is not None and get_tags(step).requires_fit:
        if not (has_fit_parameter(step, "sample_weight") and _takes(step, method, "sample_weight")):
            raise InvalidParameter(
                f"Pipeline: {name_of(step)} takes no sample_weight, and would count all rows alike. Use a step that "
                "takes weights, or give none."
            )
        named["sample_weight"] = weight
    return getattr(step, method)(X, y, **named)


def _fit_in_pieces(step: Any, source: Source) -> object:
    """Let an estimator that is not ours learn from chunks, once each, or refuse."""
    if not get_tags(step).requires_fit:
        return step.fit(next(iter(source.chunks())).X[:1])
    if not hasattr(step, "partial_fit"):
        raise InvalidData(
            f"Pipeline: {name_of(step)} needs all rows in memory, having no partial_fit, and {source} is not there. "
            "Use a step that learns chunk by chunk, or read the table first."
        )
    from sklearn.base import clone

    learner, named = clone(step), {}
    if target_of(step) == "classes" and _takes(step, "partial_fit", "classes"):
        named = {"classes": source.reduce(_labels).values}
    for chunk in source.chunks():
        _fit_foreign(learner, "partial_fit", chunk.X, chunk.y, chunk.weight, **named)
    return learner


def _labels(chunk: Chunk) -> Counts:
    return Counts.of(np.asarray(chunk.y))


def _takes(step: object, method: str, argument: str) -> bool:
    return argument in inspect.signature(getattr(step, method)).parameters


# ---- going on ----


def after(step: Any, rows: Flow, target: TargetKind) -> Flow:
    """The rows after a fitted step: a table in memory at once, others when they are read."""
    if not isinstance(step, Estimator) and isinstance(rows, Given) and rows.in_memory:
        return dataclasses.replace(rows, X=step.transform(rows.X))
    source = _source(rows, step, target)
    schema = _schema_after(step, source.schema)
    before = source.schema if isinstance(step, Estimator) else None
    change = partial(_transformed, step=step, schema=before)
    return _mapped(step, source, change, schema)


def _mapped(step: Any, source: Source, change: Callable[[Chunk], Chunk], schema: Schema) -> Source:
    """The rows after a fitted step; of all rows but those of a fold, with the sums that the step allows to know."""
    if isinstance(step, Transformer) and isinstance(source, FoldSource):
        if step.row_by_row:
            return source.after_row_by_row(change, schema, (type(step), repr(step)))
        affine = step._affine()
        if affine is not None:
            return source.after_affine(change, schema, affine)
    return source.mapped(change, schema)


def is_function_of_sums(steps: Sequence[Any]) -> bool:
    """Whether a pipeline of these steps is a function of one summary of its rows, whatever they are.

    The first steps may map each row by itself, those after them be affine maps that follow from a summary, and the last
    one a model that does.
    """
    if not steps or not all(isinstance(step, Estimator) for step in steps):
        return False
    *before, last = steps
    while before and isinstance(before[0], Transformer) and before[0].row_by_row:
        before = before[1:]
    affine = all(isinstance(step, Transformer) and type(step)._affine is not Transformer._affine for step in before)
    return affine and all(getattr(step, "follows_from_summary", False) for step in (*before, last))


def _source(rows: Flow, step: Any, target: TargetKind) -> Source:
    """The rows as a source, whose columns are compared with those of the step's fit where it has had one."""
    if isinstance(rows, Source):
        return rows
    ours = isinstance(step, Estimator)
    asker = "Pipeline" if target_of(step) == "none" else ""
    needs = dataclasses.replace(step._needs() if ours else _ANYTHING, target=target, owner=name_of(step), asker=asker)
    if isinstance(rows.X, Source) and hasattr(step, "n_features_in_"):
        return rows.X.suited_to(needs, tuple(getattr(step, "feature_names_in_", ())) or None)
    source = rows.opened(needs)
    if ours and hasattr(step, "n_features_in_"):
        step._check_columns(rows.X, source, reset=False)
    return source


def _schema_after(step: Any, schema: Schema) -> Schema:
    """The columns that a fitted step makes."""
    names = np.array(schema.names, dtype=object)
    try:
        made = step.get_feature_names_out(names if hasattr(step, "n_features_in_") else None)
    except (AttributeError, ValueError):  # it cannot say; one row tells how many there are
        row = step.transform(np.zeros((1, len(schema))))
        return unnamed(row.shape[1])
    columns = tuple(Column(str(name)) for name in made)
    return Schema(columns, schema.named) if schema.named else unnamed(len(columns))


def _transformed(chunk: Chunk, step: Any, schema: Schema | None) -> Chunk:
    """The chunk after a fitted step, whose input has the columns `schema` where the step knows columns."""
    alone = dataclasses.replace(chunk, y=None, weight=None)
    X = step.transform(chunk.X if schema is None else ArraySource(alone, schema, Needs()))
    X = X.to_numpy() if hasattr(X, "to_numpy") else X
    if not is_sparse(X):
        X = np.ascontiguousarray(X, dtype=X.dtype if X.dtype in (np.float32, np.float64) else np.float64)
    return dataclasses.replace(chunk, X=X)


# ---- answers ----


def answered(step: EstimatorLike, method: str, rows: Flow, **named: object) -> Any:
    """What a method of the last step says about the rows, from any source."""
    if isinstance(step, Estimator):
        return getattr(step, method)(rows.X if isinstance(rows, Given) else rows, **named)
    if isinstance(rows, Given) and rows.in_memory:
        return getattr(step, method)(rows.X, **named)
    source = _source(rows, step, "none")
    return source.map(lambda chunk: getattr(step, method)(chunk.X, **named))


def scored(step: Any, rows: Flow, target: TargetKind) -> float:
    """The score of the last step; weights that it cannot count are refused."""
    weighted = rows.weight is not None if isinstance(rows, Given) else _is_weighted(rows)
    if weighted and not _takes(step, "score", "sample_weight"):
        raise InvalidParameter(f"Pipeline: the score of {name_of(step)} takes no sample_weight; give none.")
    if isinstance(rows, Given) and (isinstance(step, Estimator) or rows.in_memory):
        named = {} if rows.weight is None else {"sample_weight": rows.weight}
        return float(step.score(rows.X, rows.y, **named))
    source = _source(rows, step, target)
    if isinstance(step, Estimator):
        return float(step.score(source))
    chunk = source.gather()
    named = {} if chunk.weight is None else {"sample_weight": chunk.weight}
    return float(step.score(chunk.X, chunk.y, **named))


def _is_weighted(source: Source) -> bool:
    with closing(source.chunks()) as chunks:
        return any(chunk.weight is not None for chunk in islice(chunks, 1))
