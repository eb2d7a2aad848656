"""Greedy selection: a column more, or one less, as cross-validation says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, cast

import numpy as np
from sklearn.base import is_classifier, is_regressor

from ...data import Chunk, Needs, Source
from ...engine import Outcome, Step, iterate
from ...engine.keeping import Kept
from ...estimator import Attributes, declares
from ...holds import floats, instance, number, tuples, whole
from ...params import learned, param
from ...resampling import Folds, Forward, InSample, LeaveOneOut, Measure, MonteCarlo, Problem, problem, split
from ...resampling.measure_registry import Task
from ...resampling.measure_registry import chosen as measures
from ...resampling.partition import Partition, Split
from ...resampling.splits import NAMES
from ...statistics import Moments
from ...typing import EstimatorLike, Floats, Reals, Whole
from ..cluster.alternation import memory_param
from ..decision.held_out import folds_by_content, rows_that_count
from ..inner import is_predictor, named, needs_around
from ..linear import LinearRegression, Ridge
from ..linear.cross_validation import fold_moments, moments_of, others
from .base import FeatureSelector, check_count
from .fitted_steps import FittedSteps
from .least_squares_steps import BackwardSteps, FoldProducts, ForwardSteps, Scores, Steps
from .path import ALL, SelectionPath, chosen_step, losses_of

_ROOTS = {"mse": False, "rmse": True}  # measures that follow from sums of squares


def are_splits(value: object) -> bool:
    """Whether a value says how rows are split: a name, one of our splits, a splitter, or pairs of row numbers."""
    if isinstance(value, str):
        return value in NAMES and value != "in_sample"
    if isinstance(value, Folds | Forward | LeaveOneOut | MonteCarlo) or (
        hasattr(value, "split") and hasattr(value, "get_n_splits")
    ):
        return not isinstance(value, InSample | type)
    return isinstance(value, list) and len(value) > 0 and all(isinstance(one, tuple) and len(one) == 2 for one in value)


def are_measures(value: object) -> bool:
    """Whether a value is a measure or text that may name one."""
    return isinstance(value, str | Measure)


@dataclass(frozen=True)
class _Way:
    """The steps so far: the columns in order, and their scores."""

    columns: tuple[int, ...] = ()
    value: tuple[float, ...] = ()
    each: tuple[Floats, ...] = ()

    def and_then(self, column: int, scores: Scores, place: int) -> _Way:
        return _Way(
            (*self.columns, column), (*self.value, float(scores.value[place])), (*self.each, scores.each[place])
        )

    def losses(self, larger: bool) -> Floats:
        """What is to be small, (s,); infinite where it is not known."""
        return losses_of(np.array(self.value), larger)


_KEPT = Kept.fields(
    _Way,
    columns=tuples(whole(at_least=ALL)),
    value=tuples(number(finite=False)),
    each=tuples(floats(None, finite=False)),
)


@declares
class Stepwise(FeatureSelector):
    """Base of the greedy selections; a subclass says whether columns are taken or left out."""

    compound = True

    model: object = param(
        None,
        positional=True,
        choices=(None,),
        accept=lambda value: is_predictor(value, is_classifier, is_regressor),
        allowed="a classifier or a regressor",
        doc="What learns from the columns, any classifier or regressor; None: `LinearRegression`.",
    )
    n_features_to_select: int | None = param(
        None, integer=True, at_least=1, choices=(None,), doc="How many columns are chosen; None: as `rule` says."
    )
    measure: str | Measure | None = param(
        None,
        choices=(None,),
        accept=are_measures,
        allowed="a measure or its name",
        doc="What is measured of rows left out; None: rmse of numbers, accuracy of classes.",
    )
    folds: object = param(
        5,
        integer=True,
        at_least=2,
        at_most=1000,
        accept=are_splits,
        allowed="splits such as `Forward(5)`, a splitter, or pairs of row numbers",
        doc="How many folds of rows are left out in turn, by their contents; or splits, of rows in memory.",
    )
    rule: str = param(
        "min",
        choices=("min", "1se"),
        doc="Which columns are chosen: those with the best measure, or the fewest within one standard error of it.",
    )
    patience: int | None = param(
        5,
        integer=True,
        at_least=1,
        choices=(None,),
        doc="After how many steps in a row without a better measure the search ends; None: after all steps.",
    )
    memory: int = memory_param("rows gathered from files or Dask")

    n_features_to_select_: int = learned("The number of columns that were chosen.", holds=whole(at_least=1))
    path_: SelectionPath = learned("The steps, with the measure after each.", holds=instance(SelectionPath))

    _forward: ClassVar[bool] = True

    # -- what is needed -----------------------------------------------------------------------------------------------
    def _inner(self) -> EstimatorLike:
        return cast(EstimatorLike, LinearRegression() if self.model is None else self.model)

    def _needs(self) -> Needs:
        own = super()._needs().but(target="classes" if is_classifier(self._inner()) else "numbers")
        return needs_around(self._inner(), own, type(self).__name__).but(sparse=False, categories=False)

    # -- learning -----------------------------------------------------------------------------------------------------
    def _learn(self, source: Source) -> Outcome[Attributes]:
        d, owner = len(source.schema), type(self).__name__
        check_count(self.n_features_to_select, d, owner)
        with named(source.needs.owner):
            measure = self._measure()
            steps = self._steps(source, measure)
            outcome = self._walked(steps, d, measure.larger)
            names = tuple(map(str, source.schema.names))
            return outcome.then(lambda way: self._found(way, steps.weight, names, measure))

    def _measure(self) -> Measure:
        task: Task = "classes" if is_classifier(self._inner()) else "numbers"
        return measures(self.measure, task, type(self).__name__)[0]

    def _walked(self, steps: Steps, d: int, larger: bool) -> Outcome[_Way]:
        """Step by step, the best measure so far as the objective."""
        taken: list[int] = []

        def step(way: _Way) -> Step[_Way]:
            for column in way.columns[len(taken) :]:  # of a fit that goes on
                taken.append(column)
                if column != ALL:
                    steps.take(column)
            after = self._next(way, steps, d, larger)
            figures = {"columns": float(self._size(after, d))}
            return Step(after, float(after.losses(larger).min()), figures, done=self._is_done(after, d, larger))

        return iterate(lambda run: _Way(), step, max_iter=d + 1, kept=_KEPT)

    def _next(self, way: _Way, steps: Steps, d: int, larger: bool) -> _Way:
        """The way and its best next step."""
        if not self._forward and not way.columns:
            return way.and_then(ALL, steps.now(), 0)
        free = np.setdiff1d(np.arange(d), way.columns)
        scores = steps.scores(free)
        place = int(np.argmin(losses_of(scores.value, larger)))
        return way.and_then(int(free[place]), scores, place)

    def _size(self, way: _Way, d: int) -> int:
        """How many columns there are after these steps."""
        return len(way.columns) if self._forward else d - len(way.columns) + 1

    def _is_done(self, way: _Way, d: int, larger: bool) -> bool:
        size = self._size(way, d)
        if self.n_features_to_select is not None:
            return size == self.n_features_to_select
        losses = way.losses(larger)
        behind = len(losses) - 1 - int(np.argmin(losses))
        return (self.patience is not None and behind >= self.patience) or size == (d if self._forward else 1)

    def _found(self, way: _Way, weight: Floats, names: tuple[str, ...], measure: Measure) -> Attributes:
        rule = self.rule if self.n_features_to_select is None else "number"
        path = SelectionPath(
            names, np.array(way.columns, dtype=np.int64), np.array(way.value), np.array(way.each), weight,
            measure.name, measure.larger, self._forward, len(way.columns) - 1, rule,
        )  # fmt: skip
        if rule != "number":
            best = chosen_step(path.value, path.standard_error, path.sizes, measure.larger, rule)
            path = replace(path, chosen=best)
        support = np.zeros(len(names), dtype=bool)
        support[path.columns()] = True
        return {"support_": support, "n_features_to_select_": int(support.sum()), "path_": path}

    # -- how steps are measured ---------------------------------------------------------------------------------------
    def _steps(self, source: Source, measure: Measure) -> Steps:
        parts = self._moments(source, measure)
        if parts is not None:
            model = cast(LinearRegression, self._inner())
            alpha = float(getattr(model, "alpha", 0.0))
            products = FoldProducts.of(parts, len(source.schema), alpha, model.fit_intercept)
            kind = ForwardSteps if self._forward else BackwardSteps
            return kind(products, _ROOTS[measure.name])
        rows = rows_that_count(source, self.memory) if isinstance(self.folds, int) else gathered(source, self.memory)
        of = problem([self._inner()], rows.X, rows.y, rows.weight, owner=source.needs.owner)
        if of.weight is not None and np.all(of.weight == 1):
            of = replace(of, weight=None)
        every = np.arange(len(source.schema))
        start = every[:0] if self._forward else every
        return FittedSteps(self._inner(), of, source, self._splits(of), measure, start, self._forward)

    def _moments(self, source: Source, measure: Measure) -> list[tuple[Moments, Moments]] | None:
        """What each fold learns from and is tested on, where least squares needs no more."""
        model = self._inner()
        plain = type(model) in (LinearRegression, Ridge) and measure.name in _ROOTS
        if not plain or model.positive or model.solver == "qr" or np.ndim(getattr(model, "alpha", 0.0)) > 0:  # type: ignore[attr-defined]
            return None
        if isinstance(getattr(model, "alpha", 0.0), str):
            return None
        if isinstance(self.folds, int):
            found = fold_moments(source, self.folds, "give more rows").parts
            return [(others(found, k), moments_of(found[k])) for k in range(len(found))]
        rows = gathered(source, self.memory)
        y = np.asarray(rows.y, dtype=np.float64).reshape(len(rows), -1)
        made = given_splits(self.folds, rows.X, None, rows.weight, source.needs.owner)
        weight = np.ones(len(rows)) if rows.weight is None else np.asarray(rows.weight, dtype=np.float64)
        return [(_moments_at(rows.X, y, weight, train), _moments_at(rows.X, y, weight, test)) for train, test in made]

    def _splits(self, of: Problem) -> Sequence[Split]:
        """Rows to learn from and rows to test; rows of a class that has no others are always learned from."""
        if not isinstance(self.folds, int):
            return given_splits(self.folds, of.X, of.codes, of.weight, of.owner)
        fold = folds_by_content(of.X, self.folds, of.owner, of.codes)
        if fold.min() >= 0:
            return Partition((fold,))
        return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(int(fold.max()) + 1)]


def gathered(source: Source, memory: int) -> Chunk:
    """All rows, in memory."""
    return source.in_memory if source.in_memory is not None else source.gather(memory)


def given_splits(wanted: object, X: Reals, codes: Whole | None, weight: Floats | None, owner: str) -> list[Split]:
    """Splits as the user wants them, balanced by the codes of classes, without rows that weigh nothing."""
    pairs = split(wanted, X, len(X), codes, seed=0, owner=owner)
    if weight is None:
        return list(pairs)
    return [(train[weight[train] > 0], test[weight[test] > 0]) for train, test in pairs]


def _moments_at(X: Reals, y: Floats, weight: Floats, rows: Whole) -> Moments:
    return Moments.of(X[rows], weight[rows], y[rows])
