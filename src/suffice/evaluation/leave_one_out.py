"""Leave-one-out of models that say by a formula what they would say of each row without it, from one fit to all."""

from __future__ import annotations

import time

from ..data.rows import is_sparse
from ..errors import SufficeError
from ..estimator import SummaryModel
from ..resampling import Problem
from ..resampling.folds import seeded
from ..resampling.partition import Partition
from ..resampling.summarised import is_summarised
from ..typing import EstimatorLike
from .row_folds import RowFolds


def left_out_rows(model: EstimatorLike, of: Problem, keep_models: bool = True) -> RowFolds | None:
    """The answers about every row by a formula; None where there is none for this model, these splits or these rows.

    A formula may lose digits where a row alone decides a direction; where it is not sure to 1e-9, the row must be left
    out by refitting.
    """
    known = isinstance(model, SummaryModel) and type(model)._left_out is not SummaryModel._left_out
    if not known or not is_summarised(model) or not _is_leave_one_out(of) or is_sparse(of.X):
        return None
    began = time.perf_counter()
    whole: SummaryModel = seeded(model, None)
    try:
        source = whole.source_of(of.X, of.y, of.weight)
        whole.fit_source(source)
    except (SufficeError, ValueError, TypeError):  # the fit to the first split says what is wrong
        return None
    if of.classified and len(whole.classes_) != len(of.classes):
        return None
    found = whole._left_out(source)
    if found is None:
        return None
    return RowFolds(model if keep_models else None, of, found.columns, found.sure, time.perf_counter() - began)


def _is_leave_one_out(of: Problem) -> bool:
    splits = of.splits
    return isinstance(splits, Partition) and len(splits.folds) == 1 and len(splits) == of.n
