"""What labels are worth: how good a model is after each of them, by a strategy and at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats
from sklearn.base import clone

from ..engine import keeps_what_is_done
from ..errors import InvalidData, InvalidParameter, TimeLimit, shown
from ..observing import part_done
from ..params import check_argument
from ..resampling import Fold, Measure, Problem, problem
from ..resampling.folds import needed, said, seeded
from ..resampling.intervals import Interval, check_level
from ..resampling.measure_registry import chosen
from ..resampling.rows import rows_of
from ..resampling.splits import MonteCarlo
from ..text import aligned, figure
from ..typing import AxesLike, Floats, Labels, TableLike, TargetLike, Whole
from .learner import ActiveLearner
from .query import OWNER, QUERIES, Query, quiet

if TYPE_CHECKING:
    from ..plots import BandsDisplay

_BAND = (0.1, 0.9)  # quantiles over the repeats
_SHOWN = 8  # rows of the table that is printed


@dataclass(frozen=True, eq=False, repr=False)
class QueryCurve:
    """How good a model is, (repeats, m), after so many labels, (m,), for each strategy by name, its own first."""

    labels: Whole
    values: Mapping[str, Floats]
    measure: Measure
    level: float = 0.95
    status: str = "finished"  # or "interrupted" or "time_limit"

    @property
    def names(self) -> tuple[str, ...]:
        """The strategies; the first one is compared with each other one."""
        return tuple(self.values)

    def gain(self, against: str | None = None, at: int | None = None) -> Interval:
        """By how much the first strategy is better than another one after so many labels, by default the last number.

        Both learn in the same repeats; the interval is Student's of the differences.
        """
        other = self.names[-1] if against is None else against
        if other not in self.values:
            raise InvalidParameter(f"gain: {other!r} was not tried; what was: {', '.join(self.names)}.")
        place = len(self.labels) - 1 if at is None else self._place(at)
        differences = (self.values[self.names[0]] - self.values[other])[:, place] * (1 if self.measure.larger else -1)
        mean, n = float(differences.mean()), len(differences)
        if n < 2:
            return Interval(mean, np.nan, np.nan, self.level, "Student")
        half = float(stats.t.ppf((1 + self.level) / 2, n - 1) * differences.std(ddof=1) / np.sqrt(n))
        return Interval(mean, mean - half, mean + half, self.level, "Student")

    def _place(self, at: int) -> int:
        found = np.flatnonzero(self.labels == at)
        if not len(found):
            raise InvalidParameter(f"gain: at must be from {self.labels[0]} to {self.labels[-1]} labels; got {at!r}.")
        return int(found[0])

    def labels_for(self, value: float, name: str | None = None) -> int | None:
        """After how many labels the mean over repeats is at least this good and stays so; None where it never is."""
        mean = self.values[self.names[0] if name is None else name].mean(axis=0)
        good = mean >= value if self.measure.larger else mean <= value
        if not good[-1]:
            return None
        bad = np.flatnonzero(~good)
        return int(self.labels[bad[-1] + 1 if len(bad) else 0])

    def table(self) -> list[dict[str, object]]:
        """One row a strategy and number of labels: the mean over repeats, and where 80 % of them lie."""
        rows: list[dict[str, object]] = []
        for name, values in self.values.items():
            low, high = np.quantile(values, _BAND, axis=0)
            columns = (self.labels.tolist(), values.mean(axis=0).tolist(), low.tolist(), high.tolist())
            rows += [
                {"strategy": name, "labels": n, self.measure.name: mean, "low": a, "high": b}
                for n, mean, a, b in zip(*columns, strict=True)
            ]
        return rows

    def plot(self, ax: AxesLike = None) -> BandsDisplay:
        """Lines are means over the repeats; within the bands are 80 % of them."""
        from ..plots import BandsDisplay

        return BandsDisplay.from_queries(self, ax=ax)

    def __repr__(self) -> str:
        return f"QueryCurve({', '.join(self.names)}: {self.measure.name} up to {self.labels[-1]} labels)"

    def __str__(self) -> str:
        places = np.unique(np.linspace(0, len(self.labels) - 1, _SHOWN).astype(int))
        means = {name: values.mean(axis=0) for name, values in self.values.items()}
        rows = [("labels", *self.names)]
        rows += [(str(self.labels[i]), *(figure(means[name][i], 3) for name in self.names)) for i in places]
        repeats = len(self.values[self.names[0]])
        lines = [f"{self.measure.name}, mean of {repeats} repeats", "", aligned(rows, words=0), ""]
        lines += [
            f"gain of {self.names[0]} over {other} after {self.labels[-1]} labels: {self.gain(other)}"
            for other in self.names[1:]
        ]
        return "\n".join([*lines, *([f"stopped early ({self.status})"] if self.status != "finished" else [])])


def query_curve(
    learner: ActiveLearner, X: TableLike, y: TargetLike, queries: int, repeats: int, test: float, against: object,
    measure: Any, level: float,
) -> QueryCurve:  # fmt: skip
    """See `ActiveLearner.curve`."""
    check_argument("curve", "queries", queries, integer=True, at_least=1)
    check_argument("curve", "repeats", repeats, integer=True, at_least=1)
    check_level(level)
    of = problem([learner.model], X, y, owner=OWNER).split(MonteCarlo(repeats, test), learner.random_state)
    name = "accuracy" if learner.task == "classes" else "rmse"
    own = chosen(name if measure is None else measure, of.task, OWNER)[0]
    learners = {learner.query.names[0]: learner, **_others(learner, against)}
    least = min(len(train) for train, _ in of.splits)
    last = min(queries, least)
    if last < learner.first:
        raise InvalidData(f"{OWNER}: queries must be at least first={learner.first}, and rows as many; got {last}.")
    labels = np.unique(np.append(np.arange(learner.first, last + 1, learner.batch), last))
    done, status = _repeated(learners, of, labels, own, repeats)
    values = {key: np.array([one[key] for one in done]) for key in learners}
    return QueryCurve(labels, values, own, level, status)


def _repeated(
    learners: Mapping[str, ActiveLearner], of: Problem, labels: Whole, measure: Measure, repeats: int
) -> tuple[list[dict[str, Floats]], str]:
    """The courses of all strategies in each repeat, and how it ended; what two repeats found is kept."""
    done: list[dict[str, Floats]] = []
    about = {"strategies": len(learners), "repeats": repeats}
    with keeps_what_is_done("curve", about, enough=lambda: len(done) > 1) as ended:
        for at in range(repeats):
            found = {key: _course(one, of, at, labels, measure) for key, one in learners.items()}
            part_done(at, repeats)  # what was fitted when time was over does not count
            done.append(found)
    return done, ended.status


def _others(learner: ActiveLearner, against: Any) -> dict[str, ActiveLearner]:
    """The learners that it is compared with, by the names of their strategies."""
    given: Sequence[Any] = [against] if isinstance(against, str | Query) else against
    if not isinstance(given, list | tuple):
        raise InvalidParameter(f"{OWNER}: against must be a strategy or several; got {shown(against)}.")
    found: dict[str, ActiveLearner] = {}
    for one in given:
        query = QUERIES.member(one, OWNER, "against")
        name = query.names[0] if query.names[0] not in (*found, learner.query.names[0]) else repr(query)
        found[name] = replace(learner, strategy=query)
    return found


def _course(learner: ActiveLearner, of: Problem, at: int, labels: Whole, measure: Measure) -> Floats:
    """The measure after each number of labels in one repeat, (m,)."""
    train, test = of.splits[at]
    pool, asked = rows_of(of.X, train), rows_of(of.X, test)
    session = replace(learner, random_state=learner.random_state + at).begin(pool)
    out, known = np.empty(len(labels)), of.y[train]
    for place, number in enumerate(labels.tolist()):
        session.run(known, number - len(session.labels)) if number > len(session.labels) else None
        if session.status == "interrupted":
            raise KeyboardInterrupt
        if session.status == "time_limit":
            raise TimeLimit(f"the time limit ran out in repeat {at + 1}; give more time, or fewer queries.")
        rows = np.array(sorted(session.labels))
        out[place] = _measured(learner, of, (pool, rows, known[rows]), (test, asked), measure)
    return out


def _measured(
    learner: ActiveLearner, of: Problem, learned: tuple[object, Whole, Labels], asked: tuple[Whole, Any],
    measure: Measure,
) -> float:  # fmt: skip
    """How good the model of some labels is on rows that nobody asked about; of one class it says that class."""
    pool, rows, told = learned
    if of.task == "classes" and len(np.unique(told)) < 2:
        P = np.zeros((len(asked[0]), len(of.classes)))
        P[:, of.classes.index(told.tolist()[0])] = 1.0
        columns: dict[str, Any] = {"predicted": np.repeat(told[:1], len(P)), "probability": P}
    else:
        model = seeded(clone(learner.model), learner.random_state)
        fitted = quiet(lambda: model.fit(rows_of(pool, rows), told))
        columns = said(fitted, asked[1], of, needed(of, [measure]))
    return float(measure(Fold(1, rows, asked[0], **columns).answers(of)))
