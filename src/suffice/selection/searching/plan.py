"""How a search is made: proposals are evaluated one after the other, until there are no more or time is up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import clone

from ...data.source import Source
from ...engine import keeps_what_is_done, limits
from ...errors import TimeLimit
from ...evaluation.evaluating import evaluated
from ...evaluation.fingerprint import fingerprint
from ...evaluation.journal import Journal
from ...evaluation.processes import in_processes
from ...evaluation.running import Runner, Settings
from ...observing import Iteration, observers, part_done
from ...resampling import Fold, Measure, Problem
from ...resampling.folds import needed
from ...resampling.work import Work
from ...typing import EstimatorLike
from .candidates import Candidate, described
from .rules import Rule
from .shares import learning_from
from .space import Proposal, Space
from .strategies import Strategy

_LEAST = 1e-3  # seconds, so that a limit can be set


@dataclass(frozen=True, eq=False)
class Found:
    """What was tried, in order, and how it ended: "finished", "time_limit" or "interrupted"."""

    candidates: tuple[Candidate, ...]
    status: str


@dataclass(frozen=True, eq=False)
class Plan:
    """How a search is made; within other folds it chooses by itself, as nested cross-validation does."""

    space: Space
    strategy: Strategy
    measures: tuple[Measure, ...]
    splits: object
    rule: Rule
    train: bool = False
    seconds: float | None = None
    n_jobs: int = 1

    @property
    def about(self) -> object:
        """What a choice depends on beside the rows."""
        names = [one.name for one in self.measures]
        parts = [{name: vars(own) for name, own in part.items()} for part in self.space.parts]
        return parts, self.strategy, names, self.splits, self.rule

    def best(self, model: EstimatorLike, of: Problem, seed: int | None) -> Mapping[str, object]:
        """The parameters that a search within some rows chooses."""
        found = self.run(model, of.split(self.splits, seed, folds=5), seed, None)
        return self.rule.chosen(found.candidates, self.measures[0], of.owner).params

    def run(self, model: EstimatorLike, of: Problem, seed: int | None, book: Journal | None) -> Found:
        """Go through the space; what is done when time is up or somebody stops it is kept."""
        return _Run(self, model, of, seed, book).found()


class _Run:
    """One search under way."""

    def __init__(self, plan: Plan, model: EstimatorLike, of: Problem, seed: int | None, book: Journal | None) -> None:
        self.plan, self.model, self.of, self.seed, self.book = plan, model, of, seed, book
        self.settings = Settings(plan.measures, None, 0.95, 2000, seed, False, False, "keep", plan.train, plan.n_jobs)
        self.done: list[Candidate] = []
        self.works: dict[float, Work] = {}
        self.began = time.monotonic()

    def found(self) -> Found:
        """All candidates, and how the search ended."""
        plan = self.plan
        rounds = plan.strategy.rounds(plan.space, np.random.default_rng(self.seed))
        about = {"model": type(self.model).__name__, "candidates": (total := plan.strategy.total(plan.space))}
        with keeps_what_is_done("search", about, enough=lambda: bool(self.done)) as ended, suppress(StopIteration):
            proposals = next(rounds)
            while True:
                losses = [self._noted(one, total).loss(plan.measures[0]) for one in self._tried(proposals)]
                proposals = rounds.send(losses)
        return Found(tuple(self.done), ended.status)

    def _noted(self, candidate: Candidate, total: int | None) -> Candidate:
        """Keep a candidate, and tell the observers."""
        self.done.append(candidate)
        value, seconds = candidate.values[self.plan.measures[0].name], time.monotonic() - self.began
        part_done(len(self.done), total)
        for observer in observers():
            observer.iteration_done(Iteration(len(self.done), value, seconds, {"candidate": len(self.done)}), {})
        return candidate

    def _tried(self, proposals: Sequence[Proposal]) -> Iterator[Candidate]:
        """The proposals of a round as candidates, each as soon as it is done."""
        runners = [self._runner(one) for one in proposals]
        shared = _Together.of(runners, self._places) if self.plan.n_jobs > 1 else None
        try:
            for proposal, runner in zip(proposals, runners, strict=True):
                yield self._candidate(proposal, runner if shared is None else shared.in_turn(runner))
        finally:
            if shared is not None:
                shared.end()

    def _runner(self, proposal: Proposal) -> Runner:
        work = self._work(proposal.share)
        model = clone(self.model).set_params(**{name: _own(value) for name, value in proposal.params.items()})
        name = f"{type(self.model).__name__} with {described(proposal.params)}"
        return Runner(model, work.of, needed(work.of, self.plan.measures), self.settings, None, name, work)

    def _work(self, share: float) -> Work:
        """The splits with a share of the rows to learn from; what candidates share is made once."""
        if share not in self.works:
            self.works[share] = Work(learning_from(self.of, share, self.seed), many=True)
        return self.works[share]

    def _key(self, runner: Runner) -> str:
        """By what the journal knows a candidate."""
        at = fingerprint(runner.model, len(runner.of.learned_from(0)))
        return f"{runner.name[:80]} {at[:12]}"

    def _places(self, runner: Runner) -> list[int]:
        """The splits that the journal does not have."""
        key, splits = self._key(runner), range(len(runner.of.splits))
        return [at for at in splits if self.book is None or self.book.content(key, at + 1) is None]

    def _candidate(self, proposal: Proposal, runner: Runner) -> Candidate:
        left, key = self._left(), "" if self.book is None else self._key(runner)
        with nullcontext() if left is None else limits(seconds=max(left, _LEAST)):
            found = evaluated(key, runner.model, runner.of, self.settings, None, self.book, runner.name, runner)
        return Candidate.of(len(self.done) + 1, proposal, found)

    def _left(self) -> float | None:
        """The seconds that are left; None without a limit, and until a first candidate is done."""
        if self.plan.seconds is None or not self.done:
            return None
        left = self.plan.seconds - (time.monotonic() - self.began)
        if left <= 0:
            raise TimeLimit("the time of the search is over.")
        return left


def _own(value: object) -> object:
    """A copy of a model that is a value, so that no two candidates fit the same one."""
    is_model = hasattr(value, "get_params") and not isinstance(value, type)
    return clone(value) if is_model else value


class _Together:
    """The folds of several candidates in processes, given out in order."""

    def __init__(self, units: Sequence[tuple[Runner, int]], jobs: int) -> None:
        self.left = len(units)
        self.made = in_processes(lambda unit: _lean(*units[unit]), range(len(units)), jobs)
        self.folds = self._counted()

    @classmethod
    def of(cls, runners: Sequence[Runner], places: Callable[[Runner], list[int]]) -> _Together | None:
        """None where folds are sums, or rows are elsewhere, so that processes would only cost."""
        first = runners[0]
        if isinstance(first.of.X, Source) or any(runner.needs_no_rows for runner in runners):
            return None
        units = [(runner, at) for runner in runners for at in places(runner)]
        return cls(units, first.settings.n_jobs) if len(units) > 1 else None

    def _counted(self) -> Iterator[Fold]:
        for fold in self.made:
            self.left -= 1
            yield fold

    def in_turn(self, runner: Runner) -> Runner:
        """A runner whose folds come from the processes."""
        return replace(runner, elsewhere=self.folds)

    def end(self) -> None:
        """No more folds are wanted: processes that have made all of them stay for the next round."""
        if self.left:
            self.made.close()
        else:
            next(self.made, None)


def _lean(runner: Runner, at: int) -> Fold:
    """A fold without its model, which nobody asks for."""
    return replace(runner.fold(at), kept=None)
