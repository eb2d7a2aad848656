"""The folds of one model: by formulas, by sums that all fits share, or each fitted by itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..data.source import Source
from ..errors import InvalidData, InvalidParameter
from ..resampling import Fold, Measure, Problem, Search
from ..resampling.folds import run_fold
from ..resampling.shared_fits import SharedFits, shared_fits
from ..resampling.source_folds import source_folds
from ..typing import EstimatorLike
from .leave_one_out import LeftOut, left_out_rows


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


@dataclass(frozen=True, eq=False)
class Runner:
    """Runs the folds of a model, one after the other; what they share is made when the first one needs it."""

    model: EstimatorLike
    of: Problem
    wanted: frozenset[str]
    settings: Settings
    search: Search | None
    name: str

    @cached_property
    def _by_formula(self) -> LeftOut | None:
        free = self.search is None and not self.settings.train
        return left_out_rows(self.model, self.of) if free else None

    @cached_property
    def _shared(self) -> SharedFits | None:
        return shared_fits(self.model, self.of)

    @cached_property
    def _of_source(self) -> list[Fold]:
        if self.search is not None or self.settings.train:
            what = "search" if self.search is not None else "train=True"
            raise InvalidParameter(f"evaluate: {what} needs rows in memory, and they are in {self.of.X}; leave it out.")
        return source_folds(self.model, self.of, self.wanted, self._failed)

    def fold(self, at: int) -> Fold:
        """One fold; where it fails, the sentence says which, or the fold keeps the reason."""
        if isinstance(self.of.X, Source):
            return self._of_source[at]
        found = None if self._by_formula is None else self._by_formula.fold(at)
        if found is not None:
            return found
        shared = self._shared if self._by_formula is None else None  # few rows are left to refitting
        settings = self.settings
        try:
            return run_fold(self.model, self.of, at, self.wanted, settings.seed, self.search, settings.train, shared)
        except Exception as error:
            return self._failed(at, error)

    def _failed(self, at: int, error: Exception) -> Fold:
        train, test = self.of.learned_from(at), self.of.tested(at)
        first = (str(error).splitlines() or [""])[0]
        why = f"{type(error).__name__}: {first.rstrip('.:')}"
        if self.settings.on_error == "keep":
            return Fold(at + 1, train, test, error=why)
        raise InvalidData(
            f"evaluate: {self.name} failed in fold {at + 1} of {len(self.of.splits)}, fitted to {len(train)} rows and "
            f"tested on {len(test)}: {why}. Mend it, or keep the other folds with on_error='keep'."
        ) from error
