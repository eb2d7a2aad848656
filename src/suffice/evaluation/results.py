"""What an evaluation found: scores of folds, answers about rows that were left out, and how sure they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import InvalidParameter, did_you_mean
from ..resampling import (
    Answers,
    Fold,
    Interval,
    Jackknife,
    Measure,
    Problem,
    bootstrap,
    jackknife,
    wilson,
)
from ..resampling.cost_results import CostResult
from ..resampling.costs import CostsLike
from ..resampling.folds import Chooser, fitted, seeded
from ..resampling.intervals import Spread, spread
from ..resampling.scales import scale_of
from ..text import aligned, html_table
from ..typing import Floats, TableLike, TargetLike
from .acting import cost_of
from .confusion import Confusion
from .curves import RankingCurve, precision_recall, roc
from .evaluation_text import gap_columns, head, notes, table_rows
from .gaps import Gap, gap_of
from .left_out import held_out_ratio, left_out_of, tested_once, units
from .row_folds import RowFolds

METHODS = ("auto", "wilson", "corrected_t", "jackknife_t", "bca")


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """How good a model is on rows that it did not see; print it, or take the figures."""

    name: str
    measures: tuple[Measure, ...]  # the first decides where one is needed
    folds: Sequence[Fold]
    problem: Problem
    level: float = 0.95
    resamples: int = 2000
    seed: int | None = 0
    estimator: Any = None  # the model that was measured, not fitted
    search: Chooser | None = None
    final: Any = None  # the model fitted to all rows, where `refit` asked for it

    def fitted(self, X: TableLike | None = None, y: TargetLike = None) -> Any:
        """The model that was measured, preparation and all, fitted to all rows: to be used, or kept with `sf.save`.

        Parameters that were searched for are chosen on all rows. Other rows, such as all of a table of which some were
        drawn to compare models, are given as X and y.
        """
        if X is None and self.final is not None:
            return self.final
        model = seeded(self.estimator, self.seed)
        if self.search is not None:
            model.set_params(**self.search.best(model, self.problem, self.seed))
        return fitted(model, self.problem) if X is None else model.fit(X, y)

    @property
    def done(self) -> Sequence[Fold]:
        """The folds that did not fail."""
        if isinstance(self.folds, RowFolds):
            return self.folds
        return tuple(fold for fold in self.folds if fold.error is None)

    @property
    def failed(self) -> dict[int, str]:
        """Why folds failed, by number."""
        if isinstance(self.folds, RowFolds):
            return {}
        return {fold.number: fold.error for fold in self.folds if fold.error is not None}

    @property
    def models(self) -> tuple[Any, ...]:
        """The fitted model of each fold; None where it was not kept."""
        return tuple(fold.model for fold in self.folds)

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes, sorted: the columns of probabilities."""
        return self.problem.classes

    @cached_property
    def scores(self) -> Mapping[str, Floats]:
        """The score of each fold by measure, (folds,); NaN where it is not defined or the fold failed."""
        if isinstance(self.folds, RowFolds):
            return {one.name: one.of_rows(self.answers) for one in self.measures}
        answers = [None if fold.error is not None else fold.answers(self.problem) for fold in self.folds]
        return {m.name: np.array([np.nan if a is None else m(a) for a in answers]) for m in self.measures}

    @cached_property
    def answers(self) -> Answers:
        """What was said about all rows while they were left out, fold after fold; classes as codes."""
        if isinstance(self.folds, RowFolds):
            return self.folds.answers()
        return Answers.joined([fold.answers(self.problem) for fold in self.done])

    @cached_property
    def predicted(self) -> Any:
        """The out-of-fold prediction of each row, (n,) or (n, targets); where a row was never tested NaN or None.

        Of rows that were tested more than once it is the last; `folds` has all of them.
        """
        return self._out_of_fold("predicted")

    @cached_property
    def probability(self) -> Any:
        """The out-of-fold probability of each class, (n, classes); None where the model gives none."""
        return self._out_of_fold("probability")

    def _out_of_fold(self, column: str) -> object:
        if isinstance(self.folds, RowFolds):
            return self.folds.columns.get(column)
        parts = [getattr(fold, column) for fold in self.done]
        if parts[0] is None:
            return None
        tested = np.zeros(self.problem.n, dtype=bool)
        dtype = np.result_type(*parts)
        out = np.zeros((self.problem.n, *parts[0].shape[1:]), dtype)
        for fold, part in zip(self.done, parts, strict=True):
            out[fold.test], tested[fold.test] = part, True
        if not tested.all():
            number = dtype.kind in "fiu"
            out = out.astype(np.float64 if number else object)
            out[~tested] = np.nan if number else None
        return out

    @property
    def tested_once(self) -> bool:
        """Whether no row was tested more than once."""
        return tested_once(self.answers)

    def measure(self, name: str | Measure | None = None) -> Measure:
        """One of the measures by name; the first without one."""
        if name is None:
            return self.measures[0]
        known = {one.name: one for one in self.measures}
        key = name.name if isinstance(name, Measure) else name
        if key not in known:
            hint = did_you_mean(key, list(known))
            raise InvalidParameter(f"evaluate: {key!r} was not measured; what was: {', '.join(known)}.{hint}")
        return known[key]

    def interval(
        self, measure: str | Measure | None = None, method: str = "auto", level: float | None = None
    ) -> Interval:
        """A measure with its interval.

        Its value is that of all answers together; the labels of clusters cannot be put together, so there it is the
        mean over folds. "wilson" is for rates of rows that are independent and tested once, "corrected_t" leaves each
        of at least two folds out, "jackknife_t" each row or group, "bca" resamples them. "auto" takes the first of
        these that applies.
        """
        one = self.measure(measure)
        level = self.level if level is None else level
        if method not in METHODS:
            hint = did_you_mean(str(method), list(METHODS))
            raise InvalidParameter(f"evaluate: method must be one of {', '.join(METHODS)}; got {method!r}.{hint}")
        if method == "auto":
            method = self._method(one)
        if method == "wilson":
            return wilson(*self._counts(one), level)
        if method == "bca":
            return self._resampled(one, level)
        if self._by_fold_means(one):
            return self.spread(one).interval(level).within(*one.bounds)
        by_folds = method == "corrected_t"
        ratio, name = (held_out_ratio(self.done), "corrected t") if by_folds else (0.0, "jackknife t")
        found = self.jackknife(one, by_folds).interval(level, scale_of(one.bounds), ratio, name).within(*one.bounds)
        if one.bounds == (0.0, 1.0) and found.low == found.high and found.value in one.bounds:
            return self._perfect(found)
        return found

    def _method(self, one: Measure) -> str:
        if self.problem.groups is None and one.counts and one.counts(self.answers) and self.tested_once:
            return "wilson"
        return "corrected_t" if len(self.done) > 1 else "jackknife_t"

    def _perfect(self, found: Interval) -> Interval:
        """Of a share that is 0 or 1 whatever is left out, Wilson's interval, as if the rows or groups of the rarest
        class were its trials."""
        of, rows = self.problem, self.answers.rows
        tested = rows if of.groups is None else of.groups[rows]
        parts = [tested] if of.codes is None else [tested[of.codes[rows] == code] for code in np.unique(of.codes[rows])]
        trials = min(len(np.unique(part)) for part in parts)
        return replace(wilson(found.value * trials, trials, found.level), value=found.value)

    def _by_fold_means(self, one: Measure) -> bool:
        """Whether a measure is averaged over folds, as their answers cannot be pooled."""
        return not one.pooled and len(self.folds) > 1

    def value(self, measure: str | Measure | None = None) -> float:
        """A measure of all answers together, or its mean over folds where they cannot be pooled."""
        one = self.measure(measure)
        return self.spread(one).mean if self._by_fold_means(one) else one(self.answers)

    def jackknife(self, measure: str | Measure | None = None, by_folds: bool = True) -> Jackknife:
        """A measure of all answers together, and what it is without each fold, or without each row or group."""
        one, answers = self.measure(measure), self.answers
        return jackknife(lambda weight: one(answers.weighted(weight)), left_out_of(self.problem, answers, by_folds))

    def _counts(self, one: Measure) -> tuple[float, float]:
        counts = one.counts(self.answers) if one.counts else None
        if counts is None or not self.tested_once:
            why = "is no rate of rows" if counts is None else "is of rows that were tested more than once"
            raise InvalidParameter(f"evaluate: {one.name} {why}, so Wilson's interval is not for it; use corrected_t.")
        return counts

    def spread(self, measure: str | Measure | None = None) -> Spread:
        """The mean of the scores of folds and what is known of it; folds without a score are left out."""
        one = self.measure(measure)
        known = np.isfinite(self.scores[one.name])
        if not known.any():
            return Spread(float("nan"), float("nan"), 0)
        folds = [fold for fold, here in zip(self.folds, known, strict=True) if here]
        return spread(self.scores[one.name][known], [len(f.learned_from) for f in folds], [len(f.test) for f in folds])

    def _resampled(self, one: Measure, level: float) -> Interval:
        answers = self.answers
        if self._by_fold_means(one):
            raise InvalidParameter(
                f"evaluate: {one.name} of several fits cannot be pooled, as each numbers its clusters anew; "
                "use corrected_t."
            )
        return bootstrap(
            lambda weight: one(answers.weighted(weight)), weight=answers.weight, units=units(self.problem, answers),
            resamples=self.resamples, random_state=self.seed,
        ).bca(level)  # fmt: skip

    @cached_property
    def intervals(self) -> Mapping[str, Interval]:
        """The interval of each measure, the method chosen by itself."""
        return {one.name: self.interval(one) for one in self.measures}

    @property
    def has_training(self) -> bool:
        """Whether the fits answered about their training rows, too (`train=True`)."""
        return not isinstance(self.folds, RowFolds) and all(fold.on_train is not None for fold in self.done)

    def gap(self, measure: str | Measure | None = None, zone: float | None = None) -> Gap:
        """A measure of training rows beside that of new rows, and whether the gap is a sign of overfitting.

        Gaps up to `zone` do not matter: by default that of the measure, or 1 % of its value.
        """
        if not self.has_training:
            raise InvalidParameter(f"evaluate: {self.name} has no answers about training rows; ask with train=True.")
        return gap_of(self.problem, self.done, self.measure(measure), self.level, zone)

    @cached_property
    def gaps(self) -> Mapping[str, Gap]:
        """The gap of each measure."""
        return {one.name: self.gap(one) for one in self.measures}

    @property
    def confusion(self) -> Confusion:
        """How often each class was taken for which, over all answers."""
        self._only_for_classes()
        return Confusion(self.classes, self.answers.confusion)

    def cost(
        self, costs: CostsLike = None, actions: object = None, doubt: float | None = None, level: float | None = None
    ) -> CostResult:
        """What the actions of least expected cost cost on rows that were left out; arguments as those of `Decide`.

        Of rows that were tested more than once the last answer counts; those that were never tested are left out.
        """
        self._only_for_classes()
        level = self.level if level is None else level
        return cost_of(self.problem, self.probability, costs, actions, doubt, level)

    def roc(self, cls: object = None, fold: int | None = None) -> RankingCurve:
        """The ROC curve of a class against the rest, of all answers or of one fold (from 1)."""
        return roc(*self._ranking(cls, fold))

    def precision_recall(self, cls: object = None, fold: int | None = None) -> RankingCurve:
        """The precision–recall curve of a class against the rest, of all answers or of one fold (from 1)."""
        return precision_recall(*self._ranking(cls, fold))

    def _ranking(self, cls: object, fold: int | None) -> tuple[Any, Any, Any]:
        self._only_for_classes()
        code = self.problem.positive if cls is None else self.classes.index(cls) if cls in self.classes else None
        if code is None:
            raise InvalidParameter(f"evaluate: name one of the classes {self.classes!r}; got {cls!r}.")
        answers = self.answers if fold is None else self.folds[fold - 1].answers(self.problem)
        score = answers.score_of(code)
        if score is None:
            raise InvalidParameter(f"evaluate: {self.name} gives neither probabilities nor scores, so no ranking.")
        return answers.truth == code, score, answers.weight

    def _only_for_classes(self) -> None:
        if not self.problem.classified:
            raise InvalidParameter(f"evaluate: {self.name} gives {self.problem.task}; this is for classes.")

    def table(self) -> list[dict[str, Any]]:
        """One row a measure: value, interval and its method, mean and standard deviation of the folds; where the fits
        answered about training rows, the value there, and by how much new rows are worse."""
        rows = []
        for one in self.measures:
            found, scores = self.intervals[one.name], self.scores[one.name]
            known = scores[np.isfinite(scores)]
            rows.append({
                "measure": one.name, "value": found.value, "low": found.low, "high": found.high,
                "level": found.level, "method": found.method, "larger_is_better": one.larger,
                "fold_mean": float(known.mean()) if known.size else float("nan"),
                "fold_std": float(known.std(ddof=1)) if known.size > 1 else float("nan"),
                "folds": len(known), **(gap_columns(self.gaps[one.name]) if self.has_training else {}),
            })  # fmt: skip
        return rows

    def __repr__(self) -> str:
        one = self.measures[0]
        return f"Evaluation({self.name}: {one.name} {self.intervals[one.name]}, {len(self.done)} folds)"

    def _repr_html_(self) -> str:
        return html_table(table_rows(self), head(self), notes(self))

    def __str__(self) -> str:
        below = notes(self)
        return "\n".join([head(self), "", aligned(table_rows(self)), *([""] if below else []), *below])
