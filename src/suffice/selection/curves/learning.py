"""Learning curves: training error and future error over the number of rows that are learned from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...data.source import Source
from ...engine import keeps_what_is_done
from ...errors import InvalidData, InvalidParameter
from ...evaluation import Evaluation
from ...evaluation.evaluating import checked, evaluated, seed_of, usable
from ...evaluation.gaps import Gap
from ...evaluation.processes import checked_jobs
from ...evaluation.running import Settings
from ...params import plain_number
from ...resampling import Interval, Measure, Problem, problem
from ...resampling.intervals import check_level, spread
from ...text import aligned, counted, figure, html_table
from ...typing import AxesLike, EstimatorLike, Floats, RandomState, TableLike, TargetLike, WeightLike
from ..searching.candidates import standard_error
from ..searching.shares import learning_from

if TYPE_CHECKING:
    from ...plots import BandsDisplay

_OWNER = "learning_curve"
_SHARES = (1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
_LEAST = 10  # rows that the smallest fit of a curve learns from, where nobody asks for fewer
VERDICTS = {
    "help": "more rows would help",
    "no help": "more rows would not help",
    "undecided": "undecided whether more rows would help",
}


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurve:
    """A measure of training rows and of new rows after fits to more and more rows; print it, plot it, or ask it
    whether more rows would help."""

    name: str
    measure: Measure
    evaluations: tuple[Evaluation, ...]  # of each size, smallest first
    level: float = 0.95
    status: str = "finished"  # or "interrupted" or "time_limit"

    @cached_property
    def rows(self) -> Floats:
        """How many rows were learned from, on average over folds, (s,)."""
        return np.array([np.mean([len(fold.learned_from) for fold in one.done]) for one in self.evaluations])

    @cached_property
    def value(self) -> Floats:
        """The measure of new rows, (s,)."""
        return np.array([one.value(self.measure) for one in self.evaluations])

    @cached_property
    def training(self) -> Floats:
        """The measure of the rows that were learned from, (s,)."""
        return np.array([one.gap(self.measure).training for one in self.evaluations])

    @cached_property
    def error(self) -> Floats:
        """The standard error of the measure of new rows over folds, (s,)."""
        return np.array([standard_error(one.scores[self.measure.name]) for one in self.evaluations])

    @cached_property
    def training_error(self) -> Floats:
        """That of the measure of training rows, (s,)."""
        each = [[self.measure(fold.training_answers(one.problem)) for fold in one.done] for one in self.evaluations]
        return np.array([standard_error(np.array(scores)) for scores in each])

    @property
    def gap(self) -> Gap:
        """The measure of training rows beside that of new rows, with all rows."""
        return self.evaluations[-1].gap(self.measure)

    @cached_property
    def gains(self) -> tuple[Interval, ...]:
        """By how much new rows got better with each step to more rows, fold by fold."""
        pairs = zip(self.evaluations[:-1], self.evaluations[1:], strict=True)
        return tuple(self._gain(fewer, more) for fewer, more in pairs)

    def _gain(self, fewer: Evaluation, more: Evaluation) -> Interval:
        sign = 1.0 if self.measure.larger else -1.0
        each = sign * (more.scores[self.measure.name] - fewer.scores[self.measure.name])
        known = np.isfinite(each)
        if known.sum() < 2:
            return Interval(math.nan, math.nan, math.nan, self.level, "corrected t")
        folds = [fold for fold, here in zip(more.folds, known, strict=True) if here]
        sizes = [len(fold.learned_from) for fold in folds], [len(fold.test) for fold in folds]
        return spread(each[known], *sizes).interval(self.level)

    @property
    def next_gain(self) -> float:
        """What another step of the same factor may be hoped to bring, at least: NaN where nothing is known of that.

        Where gains shrink from step to step, the next one is the low end of the last, times the factor by which that
        was smaller than the one before, and no more than the gap. Where they do not shrink nothing can be foretold.
        """
        if len(self.gains) < 2:
            return math.nan
        before, last = self.gains[-2:]
        shrinks = last.value / before.value if before.value > 0 else math.nan
        return min(last.low * shrinks, self.gap.worse.value) if 0 < shrinks <= 1 else math.nan

    @property
    def verdict(self) -> str:
        """ "help", "no help" or "undecided".

        As rows become many, training error rises and future error falls to the same limit, so more rows bring no more
        than the gap between the two. They do not help where all of its interval is within the zone, or where it is by
        its value and the whole interval of the last gain is as well. They help where the next step may be hoped to
        bring more than the zone.
        """
        gap, last = self.gap, self.gains[-1].high if self.gains else math.nan
        if gap.worse.high <= gap.zone or (gap.worse.value <= gap.zone and last <= gap.zone):
            return "no help"
        return "help" if self.next_gain > gap.zone else "undecided"

    def table(self) -> list[dict[str, float]]:
        """One row a size: rows, the measure of training rows and of new rows, and their standard errors."""
        columns = (self.rows, self.training, self.training_error, self.value, self.error)
        names = ("rows", "training", "training_error", self.measure.name, f"{self.measure.name}_error")
        return [dict(zip(names, map(float, row), strict=True)) for row in zip(*columns, strict=True)]

    def plot(self, ax: AxesLike = None) -> BandsDisplay:
        """Draw both lines over the logarithm of the number of rows, with a standard error to either side."""
        from ...plots import BandsDisplay

        return BandsDisplay.from_learning(self, ax=ax)

    def __repr__(self) -> str:
        return f"LearningCurve({self.name}: {counted(len(self.evaluations), 'size')}, {VERDICTS[self.verdict]})"

    def __str__(self) -> str:
        return "\n".join([self._head(), "", aligned(self._rows()), "", *self._notes()])

    def _repr_html_(self) -> str:
        return html_table(self._rows(), self._head(), self._notes())

    def _head(self) -> str:
        last = self.evaluations[-1]
        return f"{self.name}: {counted(last.problem.n, 'row')}, {counted(len(last.folds), 'fold')}"

    def _rows(self) -> Sequence[Sequence[str]]:
        header = ("rows learned from", f"training {self.measure.name}", "±", f"{self.measure.name} of new rows", "±")
        rows = [
            (f"{own[0]:,.0f}", figure(own[1]), figure(own[2], 2), figure(own[3]), figure(own[4], 2))
            for own in (list(row.values()) for row in self.table())
        ]
        return [header, *rows]

    def _notes(self) -> list[str]:
        gap = self.gap
        why = {
            "help": f"the next step may be hoped to bring {figure(self.next_gain, 3)} or more",
            "no help": f"new rows are worse than training rows by {figure(gap.worse.value, 3)}",
            "undecided": f"the gap between new rows and training rows is {figure(gap.worse.value, 3)}",
        }[self.verdict]
        notes = [f"{VERDICTS[self.verdict]}: {why}; {figure(gap.zone, 3)} does not matter"]
        notes.append(f"{'larger' if self.measure.larger else 'smaller'} is better; ± standard errors over folds")
        return [*notes, *([f"stopped early ({self.status})"] if self.status != "finished" else [])]


def learning_curve(
    model: EstimatorLike,
    X: TableLike,
    y: TargetLike = None,
    *,
    sizes: Sequence[float] | None = None,
    measure: str | Measure | None = None,
    splits: object = None,
    time: TargetLike = None,
    sample_weight: WeightLike = None,
    groups: TargetLike = None,
    positive: object = None,
    level: float = 0.95,
    n_jobs: int | None = None,
    random_state: RandomState = 0,
) -> LearningCurve:
    """Training error and future error of a model after fits to more and more of the rows.

    `sizes` are shares of the training rows of each fold, or numbers of rows; by default a 64th, a 32nd, … a half and
    all, as far as 10 rows are left. Rows of a smaller size are among those of a larger one, classes keep their shares,
    and the same rows are tested throughout, so that differences are paired. Other arguments are those of `evaluate`.

    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> found = learning_curve(sf.GaussianNB(), iris.matrix(), iris["species"], sizes=[0.25, 0.5, 1])
    >>> found.rows.tolist(), found.verdict
    ([33.0, 66.0, 135.0], 'undecided')
    """
    check_level(level)
    seed = seed_of(random_state, None, _OWNER)
    of = problem([model], X, y, sample_weight, groups, positive, _OWNER).timed(time)
    if isinstance(of.X, Source):
        raise InvalidParameter(f"{_OWNER}: shares of rows are drawn in memory, and they are in {of.X}; give a sample.")
    of = of.split(splits, seed)
    found = usable(measure, of, [model])[:1]
    settings = checked(
        Settings(found, None, level, 2000, seed, False, False, "keep", True, checked_jobs(n_jobs, _OWNER)), of
    )
    done, status = _of_shares(model, of, _shares(sizes, of), settings)
    return LearningCurve(type(model).__name__, found[0], tuple(done), level, status)


def _of_shares(
    model: EstimatorLike, of: Problem, shares: Sequence[float], settings: Settings
) -> tuple[list[Evaluation], str]:
    """What fits to each share of the rows come to, but for those to so few rows that no fit is possible."""
    done: list[Evaluation] = []
    name = type(model).__name__
    with keeps_what_is_done(_OWNER, {"model": name, "sizes": len(shares)}, enough=lambda: bool(done)) as ended:
        for share in shares:
            part = learning_from(of, share, settings.seed)
            try:
                done.append(evaluated("model", model, part, settings, None, None, name))
            except InvalidData:
                if share == 1:
                    raise
    return done, ended.status


def _shares(sizes: Sequence[float] | None, of: Problem) -> list[float]:
    """The shares of the training rows of a fold, rising."""
    n = min(len(of.learned_from(at)) for at in range(len(of.splits)))
    if sizes is None:
        return [share for share in _SHARES if share * n >= _LEAST or share == 1]
    given = [plain_number(size) for size in np.atleast_1d(np.asarray(sizes, dtype=object)).tolist()]
    if not given or any(size is None or not 0 < size <= n for size in given):
        raise InvalidParameter(
            f"{_OWNER}: sizes must be shares above 0, at most 1, or numbers of rows up to {n}; got {sizes!r:.80}."
        )
    return sorted({size if size <= 1 else size / n for size in given if size is not None})
