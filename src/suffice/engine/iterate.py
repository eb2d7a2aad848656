"""The one loop: start, step, stop, start again; with history, status, time limits and Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar, cast

import numpy as np

from ..errors import TimeLimit
from ..observing import Iteration, observers, unobserved
from .history import History, Status
from .keeping import Kept, Loop, Standing, opened
from .nested import early_ends, is_early, status_of
from .stopping import Stop, when_done

S = TypeVar("S")
T = TypeVar("T")


@dataclass(frozen=True)
class Step(Generic[S]):
    """What one iteration gives: the new state, the objective there, figures to show, and whether it was the last.

    `diverged` ends the run too: the objective runs away, and more iterations would only lead further off. Of several
    iterations at once, `earlier` holds objective and figures of all but the last. `unfinished` ends the run as well:
    what is repeated within the step has come to its own limit before it converged.
    """

    state: S
    objective: float
    metrics: Mapping[str, float] = field(default_factory=dict)
    done: bool = False
    diverged: bool = False
    earlier: Sequence[tuple[float, Mapping[str, float]]] = ()
    unfinished: bool = False


@dataclass(frozen=True)
class Outcome(Generic[S]):
    """What a fit gives: the best state found and how it was found."""

    state: S
    history: History

    def then(self, f: Callable[[S], T]) -> Outcome[T]:
        """The same outcome with its state passed through `f`, which a time limit that has run out does not end."""
        with unobserved() if self.history.status == "time_limit" else nullcontext():
            return Outcome(f(self.state), self.history)


Snapshot = Callable[[S], Mapping[str, object]]  # what a state shows, by the names of the fitted attributes


def iterate(
    start: Callable[[int], S],
    step: Callable[[S], Step[S]],
    *,
    stop: Stop = when_done,
    max_iter: int = 300,
    restarts: int = 1,
    minimise: bool = True,
    snapshot: Snapshot[S] = lambda state: {},
    kept: Kept[S] | Callable[[], Kept[S]] | None = None,
    rng: np.random.Generator | None = None,
    enough: Callable[[S], bool] = lambda state: False,
    several: Callable[[S, int], Step[S]] | None = None,
) -> Outcome[S]:
    """Repeat `step` from `start(run)` until it says that it is done; keep the best of several runs.

    `stop(iterations so far)` is a rule beside that, such as `small_change`. `snapshot(state)` is what
    observers may see of a state, by the names of the fitted attributes. `kept` says how a state is written to a
    checkpoint, or is asked for that where there is one, and `rng` is the generator that `start` and `step` draw from,
    whose state stands there too. No run follows one whose best state is `enough`. `several(state, most)` does up to so
    many iterations at once, each as `step` would, where nobody watches them and no checkpoint is kept; `stop` is asked
    after the last of them.

    Ctrl-C and a time limit end the loop; the best state so far is kept and the status says why. Before the first
    iteration is done there is nothing to keep, and they are raised.

    >>> halve = lambda x: Step(x / 2, objective=x / 2, done=x <= 2)
    >>> outcome = iterate(lambda run: 8.0, halve)
    >>> outcome.state, outcome.history.status, outcome.history.objective.tolist()
    (1.0, 'converged', [4.0, 2.0, 1.0])
    """
    with opened(kept, rng) as loop:
        rules = _Rules(step, stop, max_iter, snapshot, enough, several)
        return _best_run(_shown(start, snapshot), rules, restarts, minimise, loop)


def _shown(start: Callable[[int], S], snapshot: Snapshot[S]) -> Callable[[int], S]:
    """A start that is shown to the observers."""

    def begin(run: int) -> S:
        state = start(run)
        for observer in observers():
            observer.run_started(snapshot(state))
        return state

    return begin


def _best_run(start: Callable[[int], S], rules: _Rules[S], restarts: int, minimise: bool, loop: Loop[S]) -> Outcome[S]:
    sign = 1.0 if minimise else -1.0
    at = loop.standing
    best = None if at.history is None else Outcome(cast(S, at.best), at.history)
    if at.finished and best is not None:
        return best
    while at.run < restarts:
        try:
            outcome = _run(start, rules, at, loop)
        except (KeyboardInterrupt, TimeLimit) as reason:
            if best is None:
                raise
            best = Outcome(best.state, replace(best.history, status=status_of(reason)))
            break
        finals = (*at.finals, outcome.history.iterations[-1].objective)
        if best is None or sign * finals[-1] < sign * best.history.iterations[-1].objective:
            best = outcome
        elif is_early(outcome.history.status):
            best = Outcome(best.state, replace(best.history, status=outcome.history.status))
        at = Standing(at.run + 1, best=best.state, history=best.history, finals=finals)
        if is_early(best.history.status) or rules.enough(best.state):
            break
    assert best is not None
    best = Outcome(best.state, History(best.history.iterations, best.history.status, at.finals))
    if loop.keeps and not is_early(best.history.status):
        loop.keep(replace(at, history=best.history, finished=True))
    return best


def closed_form(solve: Callable[[], Step[S]], snapshot: Snapshot[S] = lambda state: {}) -> Outcome[S]:
    """A fit that is done in one round."""

    def only(_: S) -> Step[S]:
        step = solve()
        done = not step.unfinished
        return Step(step.state, step.objective, step.metrics, done, step.diverged, step.earlier, step.unfinished)

    rules = _Rules(only, when_done, 1, snapshot)
    return _run(lambda run: cast(S, None), rules, Standing(), Loop())


@dataclass(frozen=True)
class _Rules(Generic[S]):
    """What a run does: its step, when it stops, and what it shows."""

    step: Callable[[S], Step[S]]
    stop: Stop
    max_iter: int
    snapshot: Snapshot[S]
    enough: Callable[[S], bool] = lambda state: False
    several: Callable[[S, int], Step[S]] | None = None

    def taken(self, state: S, most: int, watched: bool) -> Step[S]:
        """The next step: of one iteration, or of several that nobody watches."""
        return self.step(state) if watched or self.several is None else self.several(state, most)


def _added(iterations: list[Iteration], done: Step[S], before: float, now: float) -> None:
    """Add the iterations of a step, which share its time evenly."""
    for k, (objective, metrics) in enumerate(done.earlier):
        then = before + (now - before) * (k + 1) / (len(done.earlier) + 1)
        iterations.append(Iteration(len(iterations) + 1, float(objective), then, metrics))
    iterations.append(Iteration(len(iterations) + 1, float(done.objective), now, done.metrics))


def _begun(start: Callable[[int], S], at: Standing[S], loop: Loop[S]) -> S:
    """The state that a run goes on from, or begins with."""
    if at.iterations:
        return cast(S, at.state)
    try:
        return start(at.run)
    except (KeyboardInterrupt, TimeLimit):
        loop.keep(at)
        raise


def _run(start: Callable[[int], S], rules: _Rules[S], at: Standing[S], loop: Loop[S]) -> Outcome[S]:
    """One run, from its start or from where it stands."""
    began = time.perf_counter() - (at.iterations[-1].seconds if at.iterations else 0.0)
    iterations = list(at.iterations)
    status: Status = "converged" if at.converged else "max_iter"
    ends: list[Status] = [*(early_ends.get() or ())]  # of fits within this one, and of those before it in the outer one
    token = early_ends.set(ends)
    try:
        state = _begun(start, at, loop)
        while len(iterations) < rules.max_iter and status == "max_iter":
            before, watched = state, bool(observers()) or loop.keeps
            done = rules.taken(state, rules.max_iter - len(iterations), watched)
            state = done.state
            _added(iterations, done, iterations[-1].seconds if iterations else 0.0, time.perf_counter() - began)
            if done.diverged:
                status = "diverged"
            elif done.done or rules.stop(iterations):
                status = "converged"
            if ends:  # a fit within the step was cut short, and so was the step; or there is no time for more of them
                status = ends[0]
                loop.keep(replace(at, state=before, iterations=tuple(iterations[:-1])), cut_short=True)
            elif status == "max_iter" and loop.is_due():
                loop.keep(replace(at, state=state, iterations=tuple(iterations)))
            for observer in observers():
                observer.iteration_done(iterations[-1], rules.snapshot(state))
            if done.unfinished:
                break
    except (KeyboardInterrupt, TimeLimit) as reason:
        if not iterations:
            raise
        converged = status == "converged"
        loop.keep(replace(at, state=state, iterations=tuple(iterations), converged=converged), cut_short=not converged)
        status = status_of(reason)
    finally:
        early_ends.reset(token)
    return Outcome(state, History(tuple(iterations), status))
