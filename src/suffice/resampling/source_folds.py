"""Folds of rows that stay in files or with workers: one pass for all fits, and one for all answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..data.memory import ArraySource
from ..data.schema import Schema
from ..data.source import Chunk, Needs
from ..errors import InvalidData
from ..typing import EstimatorLike, Labels, Whole
from .folds import Fold, said, seeded
from .problem import Problem
from .shared_fits import SharedFits, shared_fits

Columns = dict[str, tuple[Labels, ...]]  # the answers of one model, chunk after chunk
Answer = Callable[[object, Chunk], Mapping[str, Labels | None]]


@dataclass(frozen=True)
class FoldAnswers:
    """What the model of each fold says of the rows of its fold, column by column, in the order of the rows."""

    folds: tuple[Columns, ...]

    @classmethod
    def of(cls, chunk: Chunk, models: tuple[object, ...], fold: Whole, answer: Answer) -> FoldAnswers:
        """The answers about a chunk; a model that is None says nothing."""
        own = fold[chunk.start : chunk.start + len(chunk)]
        found: list[Columns] = []
        for number, model in enumerate(models):
            rows = np.flatnonzero(own == number)
            columns = answer(model, chunk.at(rows)) if model is not None and len(rows) else {}
            found.append({name: (values,) for name, values in columns.items() if values is not None})
        return cls(tuple(found))

    def __add__(self, other: FoldAnswers) -> FoldAnswers:
        return FoldAnswers(tuple(_joined(a, b) for a, b in zip(self.folds, other.folds, strict=True)))

    def is_finite(self) -> bool:
        """Whether rows need not be searched for bad cells: sums of all of them have been finite."""
        return True


def _joined(a: Columns, b: Columns) -> Columns:
    return {name: a.get(name, ()) + b.get(name, ()) for name in {**a, **b}}


def source_folds(
    model: EstimatorLike, of: Problem, wanted: frozenset[str], failed: Callable[[int, Exception], Fold]
) -> list[Fold]:
    """Every fold of a problem whose rows are a source; `failed` makes the fold of a fit that failed, or raises."""
    shared = shared_fits(model, of)
    if shared is None:
        raise InvalidData(
            f"{of.owner}: the rows are in {of.X}, where they can be left out by folds of numeric columns alone. Use "
            "splits=5 or Folds(…), leave columns of text out, or give an array or a frame."
        )
    fits = [_fitted(model, shared, at, failed) for at in range(len(of.splits))]
    folds: list[Fold] = []
    for repetition in range(len(shared.repetitions)):
        own = [fit for at, fit in enumerate(fits) if shared.places[at][0] == repetition]
        folds += _answered(own, shared, repetition, of, wanted)
    return folds


def _fitted(model: EstimatorLike, shared: SharedFits, at: int, failed: Callable[[int, Exception], Fold]) -> Fold:
    """The fold of a split with its model, which has not answered yet."""
    began, of = time.perf_counter(), shared.of
    try:
        found, summed = shared.fitted(seeded(model, None), at)
    except Exception as error:
        return failed(at, error)
    seconds = time.perf_counter() - began
    return Fold(at + 1, of.learned_from(at), of.tested(at), kept=found, shared=summed, fit_seconds=seconds)


def _answered(fits: list[Fold], shared: SharedFits, repetition: int, of: Problem, wanted: frozenset[str]) -> list[Fold]:
    began, rows = time.perf_counter(), shared.repetitions[repetition]
    light = replace(of, X=None, y=None, weight=None, groups=None, codes=None, splits=())  # what goes to workers
    answer = partial(_answer, of=light, wanted=wanted, schema=rows.source.schema, needs=rows.source.needs)
    models = tuple(fit.kept for fit in fits)
    found = rows.source.reduce(partial(FoldAnswers.of, models=models, fold=rows.fold, answer=answer))
    seconds = (time.perf_counter() - began) / len(fits)
    columns: list[dict[str, Any]] = [
        {name: np.concatenate(parts) for name, parts in own.items()} for own in found.folds
    ]
    return [replace(fit, **own, predict_seconds=seconds) for fit, own in zip(fits, columns, strict=True)]


def _answer(
    model: object, rows: Chunk, of: Problem, wanted: frozenset[str], schema: Schema, needs: Needs
) -> Mapping[str, Labels | None]:
    return said(model, ArraySource(Chunk(rows.X), schema, needs.but(target="none")), of, wanted)
