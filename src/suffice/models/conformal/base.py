"""What conformal intervals and sets have in common: fits that leave rows out, and the scores of those rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np

from ...backend.weights import given_or_ones
from ...data import Chunk, Schema, Source
from ...engine import Step
from ...errors import TooFewRows, warn
from ...estimator import Attributes, Estimator, declares
from ...holds import instance, number, require, tuples
from ...observing import part_done
from ...params import check_argument, learned, param
from ...randomness import random_state_param, seed_of
from ...typing import EstimatorLike, Floats, Labels, RandomState, TableLike, Whole
from ..around import Around
from ..cluster.alternation import memory_param
from ..decision.held_out import fitted_to, rows_that_count
from ..inner import stands_alone
from .calibration import ConformalScores
from .units import Copies, Parts

METHODS = ("split", "cross", "jackknife+")
_SEEDS = 1 << 31
_CELLS = 1 << 20  # numbers that are held at once for new rows


@declares
class Conformal(Around):
    """Base: a subclass gives the models of some rows, their scores of others, and what is said of new rows."""

    small: ClassVar = {"folds": 3}

    level: float = param(
        0.9, number=True, above=0, below=1, doc="In what share of new rows the truth is to be inside, 1 − α."
    )
    method: str = param(
        "split",
        choices=METHODS,
        doc="split: one fit, which a share of the rows is left out of; cross: a fit for each fold, by all rows but its "
        "own; jackknife+: a fit for each row, by all others.",
    )
    share: float = param(0.25, number=True, above=0, below=1, doc="How many of the rows split leaves out.")
    folds: int = param(10, integer=True, at_least=2, at_most=100_000, doc="How many parts of rows cross leaves out.")
    random_state: RandomState = random_state_param(0)
    memory: int = memory_param("rows gathered from files or Dask")

    models_: tuple[Estimator, ...] = learned("The fits that leave rows out.", holds=tuples(instance(Estimator, d="d")))
    scores_: ConformalScores = learned("The scores of rows left out, by fit.", holds=instance(ConformalScores))
    level_: float = learned("The level that was asked for.", holds=number(above=0, below=1))
    guarantee_: float = learned(
        "With what probability the truth of a new row is inside at least, whatever the rows and the model.",
        holds=number(at_least=0, at_most=1),
    )

    def check_loaded(self) -> None:
        super().check_loaded()
        require(len(self.models_) > 0, "models_ must hold a model")

    # -- what a subclass gives ----------------------------------------------------------------------------------------
    def _coded(self, y: Labels) -> tuple[Floats, Labels | None]:
        """The targets as numbers, (n,), and the classes that they are codes of."""
        raise TypeError(f"{type(self).__name__} does not define _coded")

    def _fitted(self, rows: Chunk, source: Source, beside: Attributes) -> tuple[Estimator, ...]:
        """The models that learn from some rows; by a split from those that `beside` has learned from already."""
        return (beside["model_"] if self.method == "split" else self._fit(self._inner(), rows, source),)

    def _fit(self, model: EstimatorLike, rows: Chunk, source: Source) -> Estimator:
        """A copy of a model, fitted to some rows; one that may take no weights is given copies of rows instead."""
        weight = rows.weight
        if weight is not None and not stands_alone(model) and np.all(weight == np.round(weight)):
            rows = replace(rows.at(np.repeat(np.arange(len(rows)), weight.astype(np.int64))), weight=None)
        return fitted_to(model, rows, source)

    def _scores(
        self, models: tuple[Estimator, ...], rows: Chunk, targets: Floats, classes: Labels | None, schema: Schema
    ) -> Floats:
        """How unusual the targets of rows are beside what models say, (n,)."""
        raise TypeError(f"{type(self).__name__} does not define _scores")

    def _kinds(self, classes: Labels | None) -> int:
        """How many kinds of rows there are, each with scores of its own; their targets are the numbers of kinds."""
        return 1

    def _whole(self, rows: Chunk, source: Source) -> Attributes:
        """What else is learned from all rows that are learned from."""
        return {}

    # -- learning -----------------------------------------------------------------------------------------------------
    def _solved(self, source: Source) -> Step[Attributes]:
        rows, owner = rows_that_count(source, self.memory), source.needs.owner
        targets, classes = self._coded(np.asarray(rows.y))
        rows = rows if classes is not None else replace(rows, y=targets)
        copies = Copies.of(rows, targets, seed_of(self.random_state) % _SEEDS)
        kinds = self._kinds(classes)
        parts = None if self.method == "jackknife+" else self._parts(copies, kinds > 1, owner)
        whole = parts.without(1) if parts is not None and self.method == "split" else _all(copies)
        beside = self._whole(whole, source)
        models: list[Estimator] = []
        told: list[tuple[Floats, Floats, Whole]] = []
        for part, (learned_from, (left_out, truth)) in enumerate(self._pairs(copies, parts, owner)):
            part_done(part, None)
            own = self._fitted(learned_from, source, beside)
            models += own
            scores = self._scores(own, left_out, truth, classes, source.schema)
            kind = truth.astype(np.int64) if kinds > 1 else np.zeros(len(truth), dtype=np.int64)
            told.append((scores, given_or_ones(left_out.weight, len(left_out)), part * kinds + kind))
        scores, weights, groups = (np.concatenate(parts) for parts in zip(*told, strict=True))
        found = ConformalScores.of(scores, weights, groups, len(told) * kinds)
        self._warn_of_few(found, kinds)
        state = {"models_": tuple(models), "scores_": found, "level_": self.level}
        state |= {"guarantee_": self._guarantee(found, kinds), **beside}
        state |= {} if classes is None else {"classes_": classes}
        return Step(state, float(weights @ scores / weights.sum()))

    def _parts(self, copies: Copies, by_kind: bool, owner: str) -> Parts:
        if self.method == "split":
            return copies.split(self.share, by_kind, owner)
        return copies.folds(self.folds, by_kind, owner)

    def _pairs(self, copies: Copies, parts: Parts | None, owner: str) -> Iterator[tuple[Chunk, tuple[Chunk, Floats]]]:
        """Rows to learn from, and rows that are left out: parts of them, or one by one."""
        if parts is None:
            yield from _one_out(copies, owner)
            return
        for part in (1,) if self.method == "split" else range(parts.count):
            yield parts.without(part), parts.only(part)

    def _guarantee(self, found: ConformalScores, count: int) -> float:
        """1 − α of one split; 1 − 2α of fits without one row each; a little less of fits without a fold each."""
        if self.method == "split":
            return self.level
        twice = 2 * self.level - 1
        if self.method == "cross":
            k = found.groups // count
            n = min(_totals(found, count))
            twice -= max(0.0, min(2 * (1 - 1 / k) / (n / k + 1), (1 - k / n) / (k + 1)))
        return max(0.0, twice)

    def _warn_of_few(self, found: ConformalScores, count: int) -> None:
        least, needed = min(_totals(found, count)), self.level / (1 - self.level)
        if least < needed * (1 - 1e-9):
            warn(
                f"{type(self).__name__}: with {least:g} rows left out nothing is surely outside at level "
                f"{self.level:g}, which needs {needed:.4g}. Lower the level, take more rows, or method='cross'.",
                TooFewRows,
            )

    def _in_blocks(self, X: TableLike, f: Callable[[Chunk], Labels]) -> Labels:
        """What `f` says of rows, so few at once that a number for each row and fit takes little memory."""
        height = max(1, _CELLS // self.scores_.groups)

        def said(chunk: Chunk) -> Labels:
            parts = [f(chunk.rows(i, min(i + height, len(chunk)))) for i in range(0, len(chunk), height)]
            found = np.concatenate(parts) if parts else f(chunk)
            return np.asarray(found.astype(chunk.X.dtype, copy=False) if found.dtype.kind == "f" else found)

        return self._rows(X, said)

    def _asked_level(self, level: float | None) -> float:
        if level is None:
            return self.level_
        check_argument(type(self).__name__, "level", level, number=True, above=0, below=1)
        return float(level)

    @property
    def guarantee(self) -> str:
        """What is promised, in words."""
        self._check_fitted("scores_")
        return (
            f"The truth of a new row is inside with a probability of at least {self.guarantee_:.4g}, on average over "
            "fits, if rows are drawn independently of each other and alike, or at least in any order alike."
        )


def _all(copies: Copies) -> Chunk:
    return Parts(copies.rows, copies.target, copies.total[:, None]).without(None)


def _one_out(copies: Copies, owner: str) -> Iterator[tuple[Chunk, tuple[Chunk, Floats]]]:
    """All rows but one copy of each in turn, and that row with the weight of all its copies."""
    if len(copies.row) < 2:
        copies.folds(2, False, owner)  # which says so
    total = copies.total
    first = np.flatnonzero(np.diff(copies.row, prepend=-1))  # a copy of each row
    for row, copy in enumerate(first):
        weight = np.zeros((len(total), 2))
        weight[:, 0] = total
        weight[row, 0] = max(total[row] - copies.weight[copy], 0.0)
        left_out = np.zeros_like(weight)
        left_out[row, 1] = total[row]
        yield Parts(copies.rows, copies.target, weight).without(1), Parts(copies.rows, copies.target, left_out).only(1)


def _totals(found: ConformalScores, count: int) -> list[float]:
    """What the scores of each group within a fit weigh, over all fits."""
    return [found.total(np.arange(c, found.groups, count)) for c in range(count)]
