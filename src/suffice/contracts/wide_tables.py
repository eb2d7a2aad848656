"""A table with no more rows than columns: what a model learns by its rows is what it learns by its columns."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from ..data import Source, as_source
from ..data.derived import Filtered
from ..errors import SufficeWarning
from ..estimator import Estimator, SummaryModel
from ..typing import Codes, EstimatorLike, Floats, Labels
from .results import assert_same, fresh, results

_RTOL = 1e-7  # of sums that were squared, relative to the largest answer


def uncounted(source: Source) -> Source:
    """The same rows from a source that cannot count them, so that they are summed up by columns."""
    return Filtered(source, lambda chunk: np.ones(len(chunk), dtype=bool), source.needs)


def wide_table_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """Name and check, for models that are a function of one summary."""
    if issubclass(cls, SummaryModel):
        yield rows_or_columns.__name__, partial(rows_or_columns, cls)


def rows_or_columns(cls: type[Estimator]) -> None:
    """Few rows give the same answers from memory as from a source that cannot count them, weights as repeated rows."""
    rng = np.random.default_rng(15)
    X, y = cls.example(rng, 60)
    few = _few(y, X.shape[1])
    weight = rng.integers(1, 3, len(few)).astype(float)
    answers = [results(model, X) for model in _fitted(cls, X[few], None if y is None else y[few], weight)]
    for other in answers[1:]:
        assert_same(answers[0], other, _RTOL)


def _few(y: Labels | None, d: int) -> Codes:
    """As many rows as columns or one less, from two classes where there are any."""
    if y is None or y.dtype.kind == "f":
        return np.arange(max(2, d - 1))
    classes = np.unique(y)[:2]
    each = [np.flatnonzero(y == own)[: max(1, d // 2)] for own in classes]
    return np.concatenate(each)


def _fitted(cls: type[Estimator], X: Floats, y: Labels | None, weight: Floats) -> Iterator[EstimatorLike]:
    times = weight.astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SufficeWarning)
        yield fresh(cls).fit(X, y, sample_weight=weight)
        yield fresh(cls).fit(np.repeat(X, times, axis=0), None if y is None else np.repeat(y, times))
        model = fresh(cls)
        yield model.fit(uncounted(as_source(X, y, weight, needs=model._fit_needs())))
