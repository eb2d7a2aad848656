"""Models that are a function of one summary: the fits of all folds share one pass over the rows."""

from __future__ import annotations

from dataclasses import dataclass

from ..backend.blas import blas_threads_for
from ..data.rows import is_sparse
from ..data.source import Source
from ..data.validate import check_some_weight
from ..errors import SufficeError
from ..typing import EstimatorLike
from .fold_sums import FoldedRows
from .partition import partition_of
from .problem import Problem
from .summarised import is_summarised


@dataclass(frozen=True, eq=False)
class SharedFits:
    """The rows of a problem in the folds of each repetition, and where each split stands: repetition and fold."""

    of: Problem
    repetitions: tuple[FoldedRows, ...]
    places: tuple[tuple[int, int], ...]

    def fitted(self, model: EstimatorLike, at: int) -> tuple[EstimatorLike, bool]:
        """The model, fitted to the rows that a split learns from, and whether sums were enough for that."""
        repetition, fold = self.places[at]
        rows = self.repetitions[repetition]
        if self.of.weight is not None:
            check_some_weight(self.of.weight[rows.fold != fold], type(model).__name__)
        source = rows.without(fold)
        assert is_summarised(model), model
        with blas_threads_for(len(rows.fold) * len(rows.source.schema) ** 2):
            found = model.fit_source(source)
        if found.history_.status == "interrupted":
            raise KeyboardInterrupt
        return found, source.was_summed


def shared_fits(model: EstimatorLike, of: Problem) -> SharedFits | None:
    """How the fits to all splits share one pass; None where they cannot, and each is made by itself.

    They can where the model is a function of one summary, every split leaves out a fold of the rows and learns from all
    others, and no column holds text, whose values would be those of all rows. Sparse rows do not go through steps.
    """
    if not is_summarised(model) or len(of.splits) < 2:
        return None
    parts = partition_of(of.splits, of.n)
    if parts is None:
        return None
    try:
        beside = () if isinstance(of.X, Source) else (of.y if of.supervised else None, of.weight)
        source = model.source_of(of.X, *beside)
    except (SufficeError, ValueError, TypeError):  # the fit to the first split says what is wrong
        return None
    if source.schema.text_columns or (hasattr(model, "steps") and is_sparse(of.X)):
        return None
    folded = tuple(FoldedRows(source, fold, int(fold.max()) + 1) for fold in parts.folds)
    return SharedFits(of, folded, parts.places)
