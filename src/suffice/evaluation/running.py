"""The folds of one model: by formulas, by sums that all fits share, or each fitted by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from ..data.source import Source
from ..errors import InvalidData, InvalidParameter, TimeLimit
from ..resampling import Fold, Measure, Problem
from ..resampling.folds import Chooser, run_fold
from ..resampling.source_folds import source_folds
from ..resampling.work import Work
from ..typing import EstimatorLike
from .leave_one_out import left_out_rows
from .processes import in_processes, is_foreign
from .row_folds import RowFolds


@dataclass(frozen=True)
class Settings:
    """How models are evaluated, the same for all that are compared."""

    measures: tuple[Measure, ...]
    inner: object
    level: float
    resamples: int
    seed: int | None
    keep_models: bool
    refit: bool
    on_error: str
    train: bool
    n_jobs: int = 1


@dataclass(frozen=True, eq=False)
class Runner:
    """Runs the folds of a model, one after the other; what they share is made when the first one needs it."""

    model: EstimatorLike
    of: Problem
    wanted: frozenset[str]
    settings: Settings
    search: Chooser | None
    name: str
    given: Work | None = None  # what it shares with other models on the same splits
    elsewhere: Iterator[Fold] | None = None  # the folds that are wanted, in order, where somebody else runs them

    @cached_property
    def _by_formula(self) -> RowFolds | None:
        free = self.search is None and not self.settings.train and self.elsewhere is None
        return left_out_rows(self.model, self.of, self.settings.keep_models) if free else None

    def all_at_once(self) -> RowFolds | None:
        """The folds of all rows by a formula, and by refitting where it is not sure; None where there is none."""
        found = self._by_formula
        if found is None or found.sure.all():
            return found
        return found.with_refitted([self.fold(int(at)) for at in np.flatnonzero(~found.sure)])

    @cached_property
    def _work(self) -> Work:
        if self._by_formula is not None:
            return Work(self.of, sums=False)  # few rows are left to refitting
        return Work(self.of) if self.given is None else self.given

    @property
    def needs_no_rows(self) -> bool:
        """Whether no fold is fitted to its own rows."""
        return self._by_formula is not None or (self.search is None and self._work.shared(self.model) is not None)

    @cached_property
    def _of_source(self) -> list[Fold]:
        if self.search is not None or self.settings.train:
            what = "search" if self.search is not None else "train=True"
            raise InvalidParameter(
                f"{self.of.owner}: {what} needs rows in memory, and they are in {self.of.X}; leave it out."
            )
        return source_folds(self.model, self.of, self.wanted, self._failed)

    def fold(self, at: int) -> Fold:
        """One fold; where it fails, the sentence says which, or the fold keeps the reason."""
        if isinstance(self.of.X, Source):
            return self._of_source[at]
        if self._by_formula is not None and self._by_formula.sure[at]:
            return self._by_formula[at]
        settings = self.settings
        try:
            return run_fold(self.model, self._work, at, self.wanted, settings.seed, self.search, settings.train)
        except TimeLimit:
            raise
        except Exception as error:
            return self._failed(at, error)

    def folds(self, places: Sequence[int]) -> Iterator[Fold]:
        """The folds at some places, in order; those of a foreign model in processes where there are to be several."""
        if self.elsewhere is not None:
            return islice(self.elsewhere, len(places))
        if (
            self.settings.n_jobs > 1
            and len(places) > 1
            and is_foreign(self.model)
            and not isinstance(self.of.X, Source)
        ):
            return in_processes(self.fold, places, self.settings.n_jobs)
        return map(self.fold, places)

    def _failed(self, at: int, error: Exception) -> Fold:
        train, test = self.of.learned_from(at), self.of.tested(at)
        first = (str(error).splitlines() or [""])[0]
        why = f"{type(error).__name__}: {first.rstrip('.:')}"
        if self.settings.on_error == "keep":
            return Fold(at + 1, train, test, error=why)
        raise InvalidData(
            f"{self.of.owner}: {self.name} failed in fold {at + 1} of {len(self.of.splits)}, fitted to {len(train)} "
            f"rows and tested on {len(test)}: {why}. Mend it, or keep the other folds with on_error='keep'."
        ) from error
