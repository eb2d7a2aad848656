"""A fold for each row, made when somebody looks at it; the answers about all rows are kept together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from ..resampling import Answers, Fold, Problem
from ..resampling.folds import Refit, coded
from ..typing import EstimatorLike, Flags


@dataclass(frozen=True, eq=False)
class RowFolds(Sequence[Fold]):
    """The folds of leave-one-out: columns of answers, (n, …), and the folds of rows that were refitted, by place."""

    model: EstimatorLike | None  # that folds fit when they are asked for it; None where models are not kept
    of: Problem
    columns: Mapping[str, Any]
    sure: Flags  # (n,): whether the answers came from a formula
    seconds: float
    refitted: Mapping[int, Fold] = field(default_factory=dict)
    _made: dict[int, Fold] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return self.of.n

    @overload
    def __getitem__(self, at: int) -> Fold: ...
    @overload
    def __getitem__(self, at: slice) -> list[Fold]: ...
    def __getitem__(self, at: int | slice) -> Fold | list[Fold]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        place = range(len(self))[at]
        if place not in self._made:
            self._made[place] = self.refitted.get(place) or self._fold(place)
        return self._made[place]

    def __iter__(self) -> Iterator[Fold]:
        return (self[at] for at in range(len(self)))

    def _fold(self, at: int) -> Fold:
        of, row = self.of, self.of.tested(at)
        columns = {name: values[row] for name, values in self.columns.items()}
        kept = None if self.model is None else Refit(self.model, of, at)
        return Fold(
            at + 1, of.learned_from(at), row, **columns, kept=kept, shared=True, fit_seconds=self.seconds / of.n
        )

    def with_refitted(self, folds: Sequence[Fold]) -> RowFolds | None:
        """The same with the answers of some folds that were fitted; None where one of them failed or says less."""
        columns = {name: np.array(values) for name, values in self.columns.items()}
        for fold in folds:
            if fold.error is not None or any(getattr(fold, name) is None for name in columns):
                return None
            for name, values in columns.items():
                values[fold.test] = getattr(fold, name)
        refitted = {fold.number - 1: fold for fold in folds}
        return RowFolds(self.model, self.of, columns, self.sure, self.seconds, refitted)

    def answers(self) -> Answers:
        """The answers about all rows, beside the truth."""
        of, columns = self.of, dict(self.columns)
        if of.classified:
            columns["predicted"] = coded(columns["predicted"], of.classes)
        truth = of.y if of.codes is None else of.codes
        weight = np.ones(of.n) if of.weight is None else of.weight
        rows = np.arange(of.n)
        return Answers(rows, weight, truth, **columns, fold=rows + 1, classes=of.classes, positive=of.positive)

    def fit_seconds(self) -> float:
        """How long all fits took."""
        return self.seconds * float(self.sure.mean()) + sum(fold.fit_seconds for fold in self.refitted.values())
