"""Subsets of columns of any model: every candidate is fitted in every fold, by sums of the folds where it can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from ...data import ArraySource, Chunk, Schema, Source
from ...data.rows import is_sparse
from ...estimator import Estimator
from ...observing import part_done
from ...resampling import Answers, Fold, FoldedRows, Measure, Problem
from ...resampling.folds import needed, said
from ...resampling.partition import Partition, Split
from ...resampling.summarised import is_summarised
from ...typing import EstimatorLike, Floats, Whole
from ..decision.held_out import fitted_to
from .least_squares_steps import Scores


@dataclass
class FittedSteps:
    """A set of columns of rows in memory, whose model is fitted anew for each candidate.

    `splits` are rows to learn from and rows to test; where they are folds of all rows, a model that is a function of
    one summary is fitted to the sums of the other folds.
    """

    model: EstimatorLike
    of: Problem
    source: Source
    splits: Sequence[Split]
    measure: Measure
    chosen: Whole
    forward: bool

    def __post_init__(self) -> None:
        weight = np.ones(self.of.n) if self.of.weight is None else self.of.weight
        self._wanted = needed(self.of, [self.measure])
        self.weight: Floats = np.array([weight[test].sum() for _, test in self.splits])

    def now(self) -> Scores:
        return self._scored([self.chosen])

    def scores(self, columns: Whole) -> Scores:
        return self._scored([self._after(int(column)) for column in columns])

    def take(self, column: int) -> None:
        self.chosen = self._after(column)

    def _after(self, column: int) -> Whole:
        if self.forward:
            return np.sort(np.append(self.chosen, column))
        return np.setdiff1d(self.chosen, [column])

    def _scored(self, sets: Sequence[Whole]) -> Scores:
        found = []
        for number, columns in enumerate(sets):
            part_done(number, len(sets))
            found.append(self._of_columns(columns))
        return Scores(np.array([value for value, _ in found]), np.array([each for _, each in found]))

    def _of_columns(self, columns: Whole) -> tuple[float, Floats]:
        """The measure of a set of columns, of all folds together and of each."""
        X = self.of.X[:, columns]
        rows = Chunk(X, self.of.y, self.of.weight)
        schema = Schema(tuple(self.source.schema.columns[j] for j in columns), self.source.schema.named)
        source = ArraySource(rows, schema, self.source.needs)
        folded = self._folded(source)
        parts: list[Answers] = []
        for at, (train, test) in enumerate(self.splits):
            if folded is None:
                model = fitted_to(self.model, rows.at(train), source)
            else:
                model = self._fitted_to_sums(folded, at)
            asked = ArraySource(Chunk(X[test]), schema, self.source.needs.but(target="none"))
            about = asked if isinstance(model, Estimator) else X[test]
            told = Fold(at + 1, train, test, **said(model, about, self.of, self._wanted))
            parts.append(told.answers(self.of))
        return self.measure.over_folds(parts), np.array([self.measure(part) for part in parts])

    def _folded(self, source: ArraySource) -> FoldedRows | None:
        """The rows in folds, where a model of sums can be fitted to all but each."""
        if not isinstance(self.splits, Partition) or not is_summarised(self.model) or is_sparse(self.of.X):
            return None
        (fold,) = self.splits.folds
        return FoldedRows(source, fold, len(self.splits))

    def _fitted_to_sums(self, folded: FoldedRows, at: int) -> Estimator:
        model = clone(self.model)
        assert isinstance(model, Estimator)
        return model.fit_source(folded.without(at))
