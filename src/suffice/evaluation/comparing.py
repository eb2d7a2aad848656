"""`compare`: several models on the same splits, their differences and whether these matter."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier, DummyRegressor

from ..errors import InvalidData, InvalidParameter, did_you_mean
from ..resampling import Answers, Interval, Measure, jackknife
from ..resampling.intervals import Spread, paired_rates, spread
from ..resampling.problem import problem
from ..text import aligned, figure
from ..typing import Axes, RandomState, TableLike, TargetLike, WeightLike
from .evaluating import Settings, checked, evaluated, opened, seed_of, usable
from .results import Evaluation, held_out_ratio, left_out_of, units

if TYPE_CHECKING:
    from ..plots.intervals import IntervalsDisplay

DUMMY = "dummy"


@dataclass(frozen=True, eq=False)
class Difference:
    """A model less another by one measure, on the same rows."""

    name: str
    other: str
    measure: Measure
    values: NDArray[np.float64]  # of each fold; NaN where either has no score
    interval: Interval
    zone: float  # differences up to this do not matter
    known: Spread | None = None  # of the difference; None where there is one fold only

    @property
    def verdict(self) -> str:
        """ "better" or "worse" where the whole interval is beyond the zone, "equivalent" where all of it is within,
        else "undecided"."""
        low, high = self.interval.low, self.interval.high
        if math.isnan(low):
            return "undecided"
        if not self.measure.larger:
            low, high = -high, -low
        if low > self.zone or high < -self.zone:
            return "better" if low > self.zone else "worse"
        return "equivalent" if low >= -self.zone and high <= self.zone else "undecided"

    @property
    def probabilities(self) -> dict[str, float]:
        """The probability that the model is worse, equivalent or better, given the scores of the folds.

        It is that of the correlated t test of Corani and Benavoli (2015); NaN where there are no two folds.
        """
        if self.known is None or self.known.freedom == 0:
            return dict.fromkeys(("worse", "equivalent", "better"), math.nan)
        below, up_to = self.known.below(-self.zone), self.known.below(np.nextafter(self.zone, np.inf))
        low, high = ("worse", "better") if self.measure.larger else ("better", "worse")
        found = {low: below, "equivalent": up_to - below, high: 1 - up_to}
        return {key: found[key] for key in ("worse", "equivalent", "better")}

    def __str__(self) -> str:
        return f"{self.name} − {self.other}, {self.measure.name}: {self.interval}, {self.verdict}"


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Models side by side on the same splits; print it, or take the figures."""

    evaluations: Mapping[str, Evaluation]
    measure: Measure  # the one that decides
    zone: float
    level: float = 0.95

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
        return Comparison(self.evaluations, one, checked_zone(zone, self.evaluations, one), self.level)

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
        if interval.low == interval.high and one.name in ("accuracy", "error"):  # folds that agree know no spread
            a, b = _common(first, second)
            if units(first.problem, a) is None:
                found, interval = None, _by_rows(a, b, one, self.level)
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
            found = spread(values[known], [len(fold.train) for fold in pairs], [len(fold.test) for fold in pairs])
            return found, found.interval(self.level)
        a, b = _common(first, second)
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

    def table(self) -> list[dict[str, Any]]:
        """One row a model, best first: value and interval, and the differences to the best and to the dummy."""
        rows = []
        for name in self.ranking:
            found = self.evaluations[name].intervals[self.measure.name]
            row = {"model": name, "measure": self.measure.name, "value": found.value, "low": found.low}
            row |= {"high": found.high, "method": found.method}
            row |= _columns("best", self.to_best.get(name)) | _columns("dummy", self.to_dummy.get(name))
            rows.append(row)
        return rows

    def __repr__(self) -> str:
        return f"Comparison({len(self.evaluations)} models by {self.measure.name}, best: {self.best})"

    def __str__(self) -> str:
        percent = f"{100 * self.level:g} %"
        header = ("model", self.measure.name, percent, f"less {self.best}", percent, "", "less dummy", percent, "")
        rows = [(row["model"], *_shown(row, "value", "low", "high"), *_against(row)) for row in self.table()]
        kept = len(header) if self.to_dummy and self.best != DUMMY else 6
        lines = aligned([header[:kept], *(row[:kept] for row in rows)])
        better = "larger" if self.measure.larger else "smaller"
        notes = [f"{better} is better; differences up to {figure(self.zone, 3)} do not matter"]
        notes += [
            f"{name}: fold {k} failed: {why}" for name, e in self.evaluations.items() for k, why in e.failed.items()
        ]
        return "\n".join([lines, "", *notes])


def _common(first: Evaluation, second: Evaluation) -> tuple[Answers, Answers]:
    """The answers of both, of the folds in which neither failed."""
    pairs = zip(first.folds, second.folds, strict=True)
    folds = [(a, b) for a, b in pairs if a.error is None and b.error is None]
    if not folds:
        raise InvalidData(f"compare: {first.name} and {second.name} have no fold in which neither failed.")
    one, other = (Answers.joined([fold.answers(first.problem) for fold in part]) for part in zip(*folds, strict=True))
    return one, other


def _value(of: Evaluation, measure: Measure, folds: Sequence[int]) -> float:
    """A measure over some of the folds, or over all that did not fail where there are none."""
    parts = [of.folds[at] for at in folds] or list(of.done)
    return measure.over_folds([fold.answers(of.problem) for fold in parts])


def _by_rows(a: Answers, b: Answers, one: Measure, level: float) -> Interval:
    """The difference of two rates of the same rows."""
    first, second = ((said.truth == said.predicted) == one.larger for said in (a, b))
    gained, lost = (float(a.weight[rows].sum()) for rows in (first & ~second, second & ~first))
    return paired_rates(gained, lost, a.total, level)


def _columns(to: str, difference: Difference | None) -> dict[str, Any]:
    keys = ("difference", "low", "high", "verdict", "p_better", "p_equivalent", "p_worse")
    if difference is None:
        return {f"{key}_to_{to}": None for key in keys}
    found, p = difference.interval, difference.probabilities
    values = (found.value, found.low, found.high, difference.verdict, p["better"], p["equivalent"], p["worse"])
    return {f"{key}_to_{to}": value for key, value in zip(keys, values, strict=True)}


def _shown(row: Mapping[str, Any], value: str, low: str, high: str) -> tuple[str, str]:
    if row[value] is None:
        return "", ""
    ends = "" if math.isnan(row[low]) else f"[{figure(row[low])}, {figure(row[high])}]"
    return figure(row[value]), ends


def _against(row: Mapping[str, Any]) -> tuple[str, ...]:
    parts: tuple[str, ...] = ()
    for to in ("best", "dummy"):
        shown = _shown(row, f"difference_to_{to}", f"low_to_{to}", f"high_to_{to}")
        parts += (*shown, row[f"verdict_to_{to}"] or "")
    return parts


def compare(
    models: Mapping[str, Any],
    X: TableLike,
    y: TargetLike = None,
    *,
    splits: object = None,
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
    on_error: str = "raise",
    journal: str | os.PathLike[str] | None = None,
) -> Comparison:
    """Evaluate several models on the same splits and compare them in pairs, by score of one − score of other.

    `models` maps names to models. The first of `measures` decides. Differences up to `zone` do not matter in practice:
    by default 0.01 for measures between 0 and 1, and 1 % of the dummy's value for others. `dummy` adds a model that
    looks at y alone, where classes or numbers are predicted. `search` maps names to parameters to try, as in
    `evaluate`, which explains all the rest.

    >>> import suffice as sf
    >>> crabs = sf.datasets.load("crabs")
    >>> models = {"linear": sf.LinearDiscriminantAnalysis(), "naive": sf.GaussianNB()}
    >>> found = compare(models, crabs.matrix(), crabs["sp"], measures="accuracy")
    >>> found.best, found.to_best["naive"].verdict, found.to_dummy["linear"].verdict
    ('linear', 'worse', 'better')
    """
    models, seed = _named_models(models, search), seed_of(random_state, journal)
    of = problem(models.values(), X, y, sample_weight, groups, positive).split(splits, seed)
    found = usable(measures, of, list(models.values()))
    settings = checked(Settings(found, inner, level, resamples, seed, keep_models, refit, on_error))
    if dummy and of.task in ("classes", "numbers"):
        models = {**models, DUMMY: DummyClassifier(strategy="prior") if of.task == "classes" else DummyRegressor()}
    with opened(journal, of, settings) as book:
        done = {
            name: evaluated(name, model, of, settings, (search or {}).get(name), book, name)
            for name, model in models.items()
        }
    return Comparison(done, settings.measures[0], checked_zone(zone, done, settings.measures[0]), settings.level)


def _named_models(models: object, search: Any) -> dict[str, Any]:
    if not isinstance(models, Mapping) or not models:
        raise InvalidParameter(f"compare: models must map names to models, at least one; got {models!r}.")
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
