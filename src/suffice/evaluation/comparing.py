"""`compare`: several models on the same splits, their differences and whether these matter."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier, DummyRegressor

from ..errors import InvalidParameter, did_you_mean
from ..resampling import Interval, Measure, jackknife
from ..resampling.intervals import Spread, spread
from ..resampling.problem import problem
from ..text import aligned, html_table
from ..typing import Axes, RandomState, TableLike, TargetLike, WeightLike
from .comparison_text import notes, table_rows
from .contest import Contest, checked_seconds
from .differences import Difference, by_rows, common_answers, difference_columns, of_two
from .evaluating import checked, opened, seed_of, usable
from .evaluation_text import gap_columns
from .gaps import Gap, fit_beside
from .left_out import held_out_ratio, left_out_of, units
from .processes import checked_jobs
from .results import Evaluation
from .running import Settings

if TYPE_CHECKING:
    from ..plots.intervals import IntervalsDisplay

DUMMY = "dummy"


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Models side by side on the same splits; print it, or take the figures."""

    evaluations: Mapping[str, Evaluation]
    measure: Measure  # the one that decides
    zone: float
    level: float = 0.95
    left_out: Mapping[str, str] = field(default_factory=dict)  # why models are not here, where `seconds` are limited

    @cached_property
    def best(self) -> str:
        """The model with the best value; it may be the dummy."""
        return self.ranking[0]

    @cached_property
    def ranking(self) -> tuple[str, ...]:
        """The names, best first by the value of all folds that none of the models failed in."""
        found = list(self.evaluations.values())
        common = [at for at in range(len(found[0].folds)) if all(one.folds[at].error is None for one in found)]
        values = np.array([_value(one, self.measure, common) for one in found])
        order = np.argsort(-values if self.measure.larger else values, kind="stable")  # NaN is last
        return tuple(list(self.evaluations)[i] for i in order)

    def by(self, measure: str | Measure, zone: float | None = None) -> Comparison:
        """The same models, another of the measures deciding; without a zone, its own."""
        one = next(iter(self.evaluations.values())).measure(measure)
        return Comparison(self.evaluations, one, checked_zone(zone, self.evaluations, one), self.level, self.left_out)

    @property
    def winner(self) -> str:
        """The best model that is not the dummy."""
        return next(name for name in self.ranking if name != DUMMY)

    def fitted(self, name: str | None = None, X: TableLike | None = None, y: TargetLike = None) -> Any:
        """A model, the winner by default, fitted to all rows; see `Evaluation.fitted`."""
        return self._named(self.winner if name is None else name).fitted(X, y)

    def plot(self, ax: Axes | None = None) -> IntervalsDisplay:
        """Draw the scores with their intervals, and the differences to the best; gives the display."""
        from ..plots.intervals import IntervalsDisplay

        return IntervalsDisplay.from_comparison(self, ax=ax)

    def difference(self, name: str, other: str, measure: str | Measure | None = None) -> Difference:
        """One model less another, paired: without each fold in turn where there are at least two, else each row."""
        first, second = self._named(name), self._named(other)
        one = first.measure(self.measure if measure is None else measure)
        values = first.scores[one.name] - second.scores[one.name]
        zone = self.zone if one.name == self.measure.name else _zone(one, second)
        found, interval = self._paired(first, second, one, values)
        if interval.low == interval.high:  # folds that agree know no spread
            a, b = common_answers(first, second)
            if one.name in ("accuracy", "error") and units(first.problem, a) is None:
                found, interval = None, by_rows(a, b, one, self.level)
            elif one.bounds == (0.0, 1.0) and {first.value(one), second.value(one)} & {0.0, 1.0}:
                found, interval = None, of_two(first.interval(one), second.interval(one))
        return Difference(name, other, one, values, interval, zone, found)

    def _named(self, name: str) -> Evaluation:
        if name not in self.evaluations:
            known = list(self.evaluations)
            hint = did_you_mean(str(name), known)
            raise InvalidParameter(f"compare: there is no model {name!r}; there are {', '.join(known)}.{hint}")
        return self.evaluations[name]

    def _paired(
        self, first: Evaluation, second: Evaluation, one: Measure, values: NDArray[np.float64]
    ) -> tuple[Spread | None, Interval]:
        """What is known of the difference, and its interval; nothing but the interval where there is one fold."""
        both = [fold for fold, twin in zip(first.folds, second.folds, strict=True) if not (fold.error or twin.error)]
        if not one.pooled and len(first.folds) > 1:
            known = np.isfinite(values)
            pairs = [fold for fold, here in zip(first.folds, known, strict=True) if here]
            if not pairs:
                return None, Interval(math.nan, math.nan, math.nan, self.level, "corrected t")
            found = spread(
                values[known], [len(fold.learned_from) for fold in pairs], [len(fold.test) for fold in pairs]
            )
            return found, found.interval(self.level)
        a, b = common_answers(first, second)
        left_out = jackknife(
            lambda weight: one(a.weighted(weight)) - one(b.weighted(weight)),
            left_out_of(first.problem, a, len(both) > 1),
        )
        if len(both) == 1:
            return None, left_out.interval(self.level)
        ratio = held_out_ratio(both)
        return left_out.spread(ratio), left_out.interval(self.level, ratio=ratio, method="corrected t")

    @cached_property
    def to_best(self) -> Mapping[str, Difference]:
        """Each model less the best one, which itself is not in it."""
        return {name: self.difference(name, self.best) for name in self.ranking if name != self.best}

    @cached_property
    def to_dummy(self) -> Mapping[str, Difference]:
        """Each model less the dummy; empty without one."""
        if DUMMY not in self.evaluations:
            return {}
        return {name: self.difference(name, DUMMY) for name in self.ranking if name != DUMMY}

    @property
    def has_training(self) -> bool:
        """Whether the fits answered about their training rows, too (`train=True`)."""
        return all(one.has_training for one in self.evaluations.values())

    @cached_property
    def fits(self) -> Mapping[str, str]:
        """Whether a model "overfits" or "underfits" beside the best one; "" where neither is shown.

        It overfits where it is better than the best on training rows, and worse on new rows; it underfits where it is
        worse on both. Worse on new rows is what `to_best` calls so, with its interval.
        """
        best = self.gaps[self.best]
        return {
            name: fit_beside(gap, best, name in self.to_best and self.to_best[name].verdict == "worse")
            for name, gap in self.gaps.items()
        }

    @cached_property
    def gaps(self) -> Mapping[str, Gap]:
        """Training rows beside new rows, of each model, best first."""
        return {name: self.evaluations[name].gap(self.measure, self.zone) for name in self.ranking}

    def table(self) -> list[dict[str, Any]]:
        """One row a model, best first: value and interval, and the differences to the best and to the dummy; with
        `train=True` also the value on training rows, the gap, and what these show."""
        rows = []
        for name in self.ranking:
            found = self.evaluations[name].intervals[self.measure.name]
            row = {"model": name, "measure": self.measure.name, "value": found.value, "low": found.low}
            row |= {"high": found.high, "method": found.method}
            row |= difference_columns("best", self.to_best.get(name))
            row |= difference_columns("dummy", self.to_dummy.get(name))
            if self.has_training:
                row |= gap_columns(self.gaps[name]) | {"fit": self.fits[name]}
            rows.append(row)
        return rows

    def __repr__(self) -> str:
        return f"Comparison({len(self.evaluations)} models by {self.measure.name}, best: {self.best})"

    def _repr_html_(self) -> str:
        return html_table(table_rows(self), notes=notes(self))

    def __str__(self) -> str:
        return "\n".join([aligned(table_rows(self)), "", *notes(self)])


def _value(of: Evaluation, measure: Measure, folds: Sequence[int]) -> float:
    """A measure over some of the folds, or over all that did not fail where there are none."""
    parts = [of.folds[at] for at in folds] or list(of.done)
    return measure.over_folds([fold.answers(of.problem) for fold in parts])


def compare(
    models: Mapping[str, Any] | Sequence[Any],
    X: TableLike,
    y: TargetLike = None,
    *,
    splits: object = None,
    time: TargetLike = None,
    measures: Sequence[str | Measure] | str | Measure | None = None,
    zone: float | None = None,
    dummy: bool = True,
    search: Mapping[str, Mapping[str, Sequence[Any]]] | None = None,
    sample_weight: WeightLike = None,
    groups: TargetLike = None,
    positive: object = None,
    inner: object = None,
    level: float = 0.95,
    resamples: int = 2000,
    random_state: RandomState = 0,
    keep_models: bool = True,
    refit: bool = False,
    train: bool = False,
    on_error: str = "raise",
    journal: str | os.PathLike[str] | None = None,
    seconds: float | None = None,
    n_jobs: int | None = None,
) -> Comparison:
    """Evaluate several models on the same splits and compare them in pairs, by score of one − score of other.

    `models` maps names to models, or lists models, which are then called by their classes. The first of `measures`
    decides. Differences up to `zone` do not matter in practice: by default 0.01 for measures between 0 and 1, and
    1 % of the dummy's value for others. `dummy` adds a model that looks at y alone, where classes or numbers are
    predicted. `search` maps names to parameters to try, as in `evaluate`, which explains all the rest.

    With `seconds`, all models together may take about so long, in the order they are given: the first as long as it
    needs, each other one no more than half of what is left. Those that are not finished, and those that cannot learn
    from the table, stand in `left_out` with the reason. The clock is looked at as in `limits`: after iterations, chunks
    of rows and folds.

    >>> import suffice as sf
    >>> crabs = sf.datasets.load("crabs")
    >>> models = {"linear": sf.LinearDiscriminantAnalysis(), "naive": sf.GaussianNB()}
    >>> found = compare(models, crabs.matrix(), crabs["sp"], measures="accuracy")
    >>> found.best, found.to_best["naive"].verdict, found.to_dummy["linear"].verdict
    ('linear', 'worse', 'better')
    """
    by_name, seed = _named_models(models, search), seed_of(random_state, journal)
    of = problem(by_name.values(), X, y, sample_weight, groups, positive).timed(time).split(splits, seed)
    found = usable(measures, of, list(by_name.values()))
    settings = checked(
        Settings(found, inner, level, resamples, seed, keep_models, refit, on_error, train, checked_jobs(n_jobs)), of
    )
    contest = Contest(of, settings, None, checked_seconds(seconds))
    with opened(journal, of, settings) as book:
        done, left_out = replace(contest, book=book).run(by_name, search or {})
        if dummy and of.task in ("classes", "numbers"):
            blind = DummyClassifier(strategy="prior") if of.task == "classes" else DummyRegressor()
            done |= replace(contest, book=book, seconds=None).run({DUMMY: blind}, {})[0]
    one = settings.measures[0]
    return Comparison(done, one, checked_zone(zone, done, one), settings.level, left_out)


def _called(models: Sequence[object]) -> dict[str, object]:
    """Models by their classes, of a pipeline that of its last step, numbered where one stands twice."""
    names = [type(getattr(model, "steps", [(None, model)])[-1][1]).__name__ for model in models]
    twice = {name for name in names if names.count(name) > 1}
    numbers = [names[: i + 1].count(name) for i, name in enumerate(names)]
    return {f"{name} {k}" if name in twice else name: m for name, k, m in zip(names, numbers, models, strict=True)}


def _named_models(models: object, search: object) -> dict[str, Any]:
    models = _called(models) if isinstance(models, list | tuple) else models
    if not isinstance(models, Mapping) or not models:
        raise InvalidParameter(f"compare: models must map names to models, or list them, at least one; got {models!r}.")
    if DUMMY in models:
        raise InvalidParameter(f"compare: {DUMMY!r} is the name of the model that compare adds; name yours otherwise.")
    for name in models:
        if not isinstance(name, str):
            raise InvalidParameter(f"compare: the name of a model must be text; got {name!r}.")
    if search is not None and not isinstance(search, Mapping):
        raise InvalidParameter(f"compare: search must map names of models to parameters; got {search!r}.")
    for name in search or {}:
        if name not in models:
            hint = did_you_mean(str(name), list(models))
            raise InvalidParameter(f"compare: search names {name!r}, which is none of the models.{hint}")
    return dict(models)


def checked_zone(zone: object, done: Mapping[str, Evaluation], measure: Measure) -> float:
    """The difference that does not matter: as given, or by default."""
    if zone is None:
        return _zone(measure, done[DUMMY] if DUMMY in done else next(iter(done.values())))
    if not isinstance(zone, Real) or isinstance(zone, bool) or float(zone) < 0:
        raise InvalidParameter(f"compare: zone must be a number, at least 0; got {zone!r}.")
    return float(zone)


def _zone(measure: Measure, beside: Evaluation) -> float:
    """What does not matter by default: that of the measure, or 1 % of a value."""
    if measure.zone is not None:
        return measure.zone
    return 0.01 * abs(beside.intervals[measure.name].value)
