"""Models that are a function of one summary: the fits of all folds share one pass over the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeGuard

import numpy as np

from ..backend.blas import blas_threads_for
from ..data.source import Source
from ..data.validate import check_some_weight
from ..errors import SufficeError
from ..typing import TableLike, TargetLike, WeightLike, Whole
from .fold_sums import FoldedRows
from .problem import Problem
from .splits import Split


class Summarised(Protocol):
    """What a model that is a function of one summary can do: open a table once, and learn from any source."""

    @property
    def follows_from_summary(self) -> bool:
        """Whether a fit is what follows from the summary."""

    def source_of(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> Source:
        """The checked rows."""

    def fit_source(self, source: Source) -> Self:
        """Learn from a source."""


def is_summarised(model: Any) -> TypeGuard[Summarised]:
    """Whether a model is a function of one summary, and draws nothing."""
    drawn = any(name == "random_state" or name.endswith("__random_state") for name in model.get_params())
    return bool(getattr(model, "follows_from_summary", False)) and not drawn


@dataclass(frozen=True, eq=False)
class SharedFits:
    """The rows of a problem in the folds of each repetition, and where each split stands: repetition and fold."""

    of: Problem
    repetitions: tuple[FoldedRows, ...]
    places: tuple[tuple[int, int], ...]

    def fitted(self, model: Any, at: int) -> tuple[Any, bool]:
        """The model, fitted to the rows that a split learns from, and whether sums were enough for that."""
        repetition, fold = self.places[at]
        rows = self.repetitions[repetition]
        if self.of.weight is not None:
            check_some_weight(self.of.weight[rows.fold != fold], type(model).__name__)
        source = rows.without(fold)
        with blas_threads_for(len(rows.fold) * len(rows.source.schema) ** 2):
            found = model.fit_source(source)
        if found.history_.status == "interrupted":
            raise KeyboardInterrupt
        return found, source.was_summed


def shared_fits(model: Any, of: Problem) -> SharedFits | None:
    """How the fits to all splits share one pass; None where they cannot, and each is made by itself.

    They can where the model is a function of one summary, every split leaves out a fold of the rows and learns from all
    others, and no column holds text, whose values would be those of all rows.
    """
    if not is_summarised(model) or len(of.splits) < 2:
        return None
    places = folds_of(of.splits, of.n)
    if places is None:
        return None
    try:
        source = model.source_of(of.X, of.y if of.supervised else None, of.weight)
    except (SufficeError, ValueError, TypeError):  # the fit to the first split says what is wrong
        return None
    if source.schema.text_columns:
        return None
    folds, found = places
    return SharedFits(of, tuple(FoldedRows(source, fold, int(fold.max()) + 1) for fold in folds), found)


def folds_of(splits: Sequence[Split], n: int) -> tuple[list[Whole], tuple[tuple[int, int], ...]] | None:
    """The fold of each row, (n,), for every repetition, and the repetition and fold of each split.

    None unless the rows tested on part the table again and again, and all others are learned from.

    >>> rows = np.arange(4)
    >>> folds_of([(rows[2:], rows[:2]), (rows[:2], rows[2:])], 4)
    ([array([0, 0, 1, 1])], ((0, 0), (0, 1)))
    """
    folds: list[Whole] = []
    places: list[tuple[int, int]] = []
    left = 0  # the rows without a fold in the last repetition
    for train, test in splits:
        if left == 0:
            folds.append(np.full(n, -1))
            left, number = n, 0
        own = folds[-1]
        if len(train) + len(test) != n or (own[test] >= 0).any() or not _are_distinct(train, test, n):
            return None
        own[test] = number
        places.append((len(folds) - 1, number))
        left, number = left - len(test), number + 1
    return (folds, tuple(places)) if left == 0 and all(fold.max() > 0 for fold in folds) else None


def _are_distinct(train: Whole, test: Whole, n: int) -> bool:
    """Whether two parts of n rows, which have none in common, hold each of them once."""
    seen = np.zeros(n, dtype=bool)
    seen[train] = True
    seen[test] = True
    return bool(seen.all())
