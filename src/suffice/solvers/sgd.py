"""Stochastic gradient descent."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..backend.sgd import Descent, Descents, Rule, epoch, epochs
from ..backend.weights import given_or_ones
from ..data import Chunk
from ..data.rows import is_sparse
from ..engine import Kept, Outcome, Step, iterate
from ..holds import either, flag, floats, instance, number, whole
from ..penalties import L1, L2, ElasticNetPenalty, NoPenalty, Penalty
from ..typing import Floats, Whole
from .base import Solver
from .orders import orders
from .problem import Coefficients, Limits, Problem
from .rates import LEARNING_RATES, LearningRate

_PIECE = 1 << 18  # rows between two looks for Ctrl-C
_FEW = 1 << 15  # cells of rows whose epochs are run at once
_LEAST_AT_ONCE, _AT_FIRST, _CELLS_AT_ONCE = 8, 16, 1 << 16  # how many: later as many as there were, of so many cells
_MOST = 1 << 62  # rows of a batch, or updates: no fit has more, and kernels count in 64 bits
_SLOWEST = 1e-6  # an adaptive rate below it ends the fit
_FAR, _VERY_FAR = 10.0, 1e12  # times the loss of slopes of 0: a last epoch, or any one, above it has led away


@dataclass(frozen=True)
class Strengths:
    """The L1 and the L2 part of a penalty, λ₁‖w‖₁ + ½ λ₂‖w‖²."""

    l1: float
    l2: float

    @classmethod
    def of(cls, penalty: Penalty) -> Strengths | None:
        """Those of a penalty; None where it has others."""
        if isinstance(penalty, NoPenalty):
            return cls(0.0, 0.0)
        plain = getattr(penalty, "weights", ()) is None and not getattr(penalty, "positive", False)
        if plain and isinstance(penalty, L2):
            return cls(0.0, penalty.strength)
        if plain and isinstance(penalty, L1):
            return cls(penalty.strength, 0.0)
        if plain and isinstance(penalty, ElasticNetPenalty) and penalty.squared_weights is None:
            return cls(penalty.strength * penalty.l1_ratio, penalty.strength * (1 - penalty.l1_ratio))
        return None


@dataclass(frozen=True)
class SGD(Solver):
    """Stochastic gradient descent: a step by the gradient of each batch of rows, in an order drawn by position.

    Rows in memory are shuffled before every epoch; other sources are read in order, and shuffled within their chunks.
    `average` sums up the coefficients from that update on (True: from the first) and gives their mean (Polyak and
    Juditsky, 1992). It stops when `n_iter_no_change` epochs have not lowered the objective by `tol`; an adaptive rate
    is divided by 5 then. The objective of an epoch is Σ s ℓ / n of its n rows, each before its own update, and the
    penalty after it: weights make steps longer, and are not divided by their sum.
    """

    learning_rate: LearningRate | str = "optimal"
    batch_size: int = 1
    average: bool | int = False
    shuffle: bool = True
    n_iter_no_change: int = 5
    seed: int = 0
    names: ClassVar = ("sgd",)
    holds: ClassVar = {
        "learning_rate": instance(LearningRate),
        "batch_size": whole(at_least=1),
        "average": either(flag(), whole(at_least=0)),
        "shuffle": flag(),
        "n_iter_no_change": whole(at_least=1),
        "seed": whole(at_least=0),
    }

    def __post_init__(self) -> None:
        object.__setattr__(self, "learning_rate", LEARNING_RATES.member(self.learning_rate, "SGD", "learning_rate"))

    def lacks(self, problem: Problem) -> str:
        if problem.loss.target == "classes":
            return "one predictor a row, and several classes have one each"
        if problem.free is not None:
            return "all slopes to be free, and one of them is given"
        found, rate = Strengths.of(problem.penalty), self.learning_rate
        if found is None:
            return f"an L1 or L2 penalty of all slopes alike, which {type(problem.penalty).__name__} is not"
        if isinstance(rate, LearningRate) and rate.by_strength and not found.l1 + found.l2 > 0:
            return f"a strength above 0, as {type(rate).__name__} is 1 / (λ t); or take InverseScaling"
        return ""

    def solve(self, problem: Problem, start: Coefficients, limits: Limits) -> Outcome[Coefficients]:
        work = Epochs(problem, self)
        found = work.run(Descent.at(start.slope[None], np.atleast_1d(start.intercept)), limits)
        return found.then(lambda state: work.coefficients(state.descent))


@dataclass(frozen=True)
class State:
    """Where it stands: the coefficients, a factor of the learning rate, the least loss and the epochs since, the last.

    `mistakes` counts the rows that had a gradient when it was their turn; `clean` says that the last epoch had none.
    """

    descent: Descent
    factor: float = 1.0
    best: float = np.inf
    waited: int = 0
    epochs: int = 0
    mistakes: int = 0
    clean: bool = False


class Epochs:
    """Passes of stochastic gradient descent over the rows of a problem, whose targets are codes where k > 1.

    `held_out` gives the loss of rows that are not learned from, by which the fit is then judged; `until_clean` ends it
    where an epoch made no update.
    """

    def __init__(
        self,
        problem: Problem,
        settings: SGD,
        held_out: Callable[[Coefficients], float] | None = None,
        until_clean: bool = False,
    ) -> None:
        strengths, rate = Strengths.of(problem.penalty), settings.learning_rate
        assert strengths is not None
        assert not isinstance(rate, str)
        self.problem, self.settings, self.held_out, self.until_clean = problem, settings, held_out, until_clean
        self.shrinks_by = rate.shrinks_by
        law = rate.law(problem.loss, strengths.l2 + strengths.l1)  # the λ of an elastic net, whatever its parts
        self.rule = Rule(
            problem.loss, law, strengths.l2, strengths.l1, min(settings.batch_size, _MOST), problem.fit_intercept,
            min(int(settings.average), _MOST),
        )  # fmt: skip
        self._at_zero: float | None = None

    def run(self, start: Descent, limits: Limits) -> Outcome[State]:
        """Epochs until the objective no longer falls."""
        return iterate(
            lambda run: State(start),
            lambda state: self._judged(state, self.passed(state), limits),
            max_iter=limits.max_iter,
            snapshot=lambda state: self.problem.shown(self.coefficients(state.descent)),
            kept=lambda: _kept(*start.slope.shape),
            several=(lambda state, most: self._several(state, most, limits)) if self._is_small(start) else None,
        )

    def _is_small(self, start: Descent) -> bool:
        """Whether several epochs take less time than to look at each of them."""
        rows = self.problem.source.in_memory
        return rows is not None and self.held_out is None and len(rows) * start.slope.size <= _FEW

    def _several(self, state: State, most: int, limits: Limits) -> Step[State]:
        """Epochs of few rows in one call, up to the first that changes how to go on."""
        chunk, first = self.problem.source.in_memory, state.epochs
        assert chunk is not None
        y, X = np.asarray(chunk.y, dtype=np.float64), chunk.X
        if self._at_zero is None:
            self._rows = self._zero_loss = 0.0
            self._seen(chunk, y)
        seed = self.settings.seed if self.settings.shuffle else None
        worth = _CELLS_AT_ONCE // (len(chunk) * state.descent.slope.size)
        drawn = orders(chunk, seed, first, min(most, max(_LEAST_AT_ONCE, min(worth, max(_AT_FIRST, first)))))
        with np.errstate(over="ignore", invalid="ignore"):
            found = epochs(X, y, chunk.weight, drawn, state.descent, self._rule(state.factor))
            losses, objectives = self._objectives(found)
        best, waited, factor, mistakes = state.best, state.waited, state.factor, state.mistakes
        earlier: list[tuple[float, Mapping[str, float]]] = []
        hits = found.hits.sum(axis=1).tolist()
        for e in range(1, len(drawn) + 1):
            loss, objective, clean = losses[e], objectives[e], not hits[e]
            if not math.isfinite(objective):
                before = State(found.at(e - 1), factor, best, waited, first + e - 1, mistakes, not hits[e - 1])
                return replace(self._lost(before), earlier=earlier)
            mistakes += int(hits[e])
            best, waited, factor, done, far = self._ruled(
                (best, waited, factor), objective, loss, clean, first + e, limits
            )
            if done or far or factor != state.factor or e == len(drawn):
                break
            earlier.append((objective, {"loss": loss}))
        after = State(found.at(e), factor, best, waited, first + e, mistakes, clean)
        return Step(after, objective, {"loss": loss}, done=done, diverged=far, earlier=earlier)

    def _objectives(self, found: Descents) -> tuple[list[float], list[float]]:
        """The mean loss of the rows of each of several epochs, and with the penalty, NaN where slopes overflow."""
        slope = found.slope
        if self.rule.average_from:
            counts = found.t - self.rule.average_from + 1
            shares = np.where(counts > 0, counts, 1)[:, None, None]
            slope = np.where(counts[:, None, None] > 0, found.slope_sum / shares, slope)
        loss = found.loss.sum(axis=1) / (found.loss.shape[1] * max(self._rows, 1.0))
        objective = loss + 0.0 * (found.slope.sum(axis=(1, 2)) + found.intercept.sum(axis=1))
        if self.rule.l1 > 0:
            objective += self.rule.l1 * np.abs(slope).sum(axis=(1, 2))
        if self.rule.l2 > 0:
            objective += 0.5 * self.rule.l2 * np.einsum("ekd,ekd->e", slope, slope)
        return loss.tolist(), objective.tolist()

    def passed(self, state: State) -> State:
        """The state after one epoch; losses and updates are those of this epoch."""
        rule, nothing = self._rule(state.factor), np.zeros_like(state.descent.loss)
        found = replace(state.descent, loss=nothing, hits=nothing)
        self._rows = self._zero_loss = 0.0
        size = max(1, _PIECE // rule.batch) * rule.batch
        with np.errstate(over="ignore", invalid="ignore"):
            for chunk, order in self._orders(state.epochs):
                y, X = np.asarray(chunk.y, dtype=np.float64), chunk.X
                X = X if is_sparse(X) else np.ascontiguousarray(X)
                self._seen(chunk, y)
                for first in range(0, len(order), size):
                    found = epoch(X, y, chunk.weight, order[first : first + size], found, rule)
        hits = int(found.hits.sum())
        return replace(state, descent=found, epochs=state.epochs + 1, mistakes=state.mistakes + hits, clean=not hits)

    def _rule(self, factor: float) -> Rule:
        """How updates are made with so many times the learning rate."""
        law = self.rule.rate
        return self.rule if factor == 1.0 else replace(self.rule, rate=replace(law, scale=law.scale * factor))

    def _orders(self, number: int) -> Iterator[tuple[Chunk, Whole]]:
        """Every chunk with the order of its rows in an epoch."""
        with closing(self.problem.source.watched()) as chunks:
            for chunk in chunks:
                yield chunk, orders(chunk, self.settings.seed if self.settings.shuffle else None, number, 1)[0]

    def _seen(self, chunk: Chunk, y: Floats) -> None:
        """Count rows that weigh something, and what they would cost with slopes of 0."""
        weight = float(len(chunk) if chunk.weight is None else chunk.weight.sum())
        self._rows += len(chunk) if chunk.weight is None else np.count_nonzero(chunk.weight)
        if self._at_zero is None and self.problem.loss.target == "signs":  # of either sign
            self._zero_loss += weight * float(self.problem.loss.value(np.zeros(1), np.ones(1))[0])
        elif self._at_zero is None:
            values = self.problem.loss.value(np.zeros(len(y)), y)
            self._zero_loss += float(given_or_ones(chunk.weight, len(chunk)) @ values)

    def _judged(self, before: State, after: State, limits: Limits) -> Step[State]:
        found = after.descent
        loss = float(found.loss.mean()) / max(self._rows, 1.0)
        if not (np.isfinite(loss) and np.isfinite(found.slope).all() and np.isfinite(found.intercept).all()):
            return self._lost(before)
        coefficients = self.coefficients(found)
        objective = loss + self.problem.penalty.value(coefficients.slope)
        judged = None if self.held_out is None else self.held_out(coefficients)
        course = before.best, before.waited, after.factor
        best, waited, factor, done, far = self._ruled(
            course, objective if judged is None else judged, loss, after.clean, after.epochs, limits
        )
        state = replace(after, factor=factor, best=best, waited=waited)
        return Step(state, objective, {"loss": loss}, done=done, diverged=far)

    def _lost(self, before: State) -> Step[State]:
        """The end of a fit whose numbers have overflowed: where it stood before."""
        return Step(before, before.best if np.isfinite(before.best) else self._cost_at_zero(), diverged=True)

    def _cost_at_zero(self) -> float:
        """The mean loss of slopes of 0, by the rows of the first epoch."""
        if self._at_zero is None:
            self._at_zero = self._zero_loss / max(self._rows, 1.0)
        return self._at_zero

    def _ruled(
        self, course: tuple[float, int, float], judged: float, loss: float, clean: bool, number: int, limits: Limits
    ) -> tuple[float, int, float, bool, bool]:
        """The least objective, epochs since, and the factor of the rate; whether the fit ends, or has led away.

        It is judged by its objective, or by the loss of rows that were kept back.
        """
        best, waited, factor = course
        waited = waited + 1 if not judged <= best - limits.tol else 0
        best, done = min(best, judged), clean and self.until_clean
        if waited >= self.settings.n_iter_no_change:
            if self.shrinks_by > 1 and factor * self.rule.rate.scale > _SLOWEST:
                factor, waited = factor / self.shrinks_by, 0
            else:
                done = True
        last, zero = done or 1 < limits.max_iter == number, self._cost_at_zero()
        far = (_FAR if last else _VERY_FAR) * zero if zero > 0 else np.inf  # 0: of the perceptron
        return best, waited, factor, done, loss > far and not clean

    def coefficients(self, found: Descent) -> Coefficients:
        """The coefficients of a state, or their mean where they are averaged: (d,), or (d, k) of several predictors."""
        slope, intercept = found.slope, found.intercept
        count = found.t - self.rule.average_from + 1
        if self.rule.average_from and count > 0:
            slope, intercept = found.slope_sum / count, found.intercept_sum / count
        if self.problem.classes is None:
            return Coefficients(slope[0].copy(), np.asarray(intercept[0]))
        return Coefficients(np.ascontiguousarray(slope.T), intercept.copy())


def _kept(k: int, d: int) -> Kept[State]:
    """How a state is written to a checkpoint."""
    arrays = {"slope": floats(k, d), "intercept": floats(k), "slope_sum": floats(k, d), "intercept_sum": floats(k)}
    arrays |= {"paid": floats(k, d), "owed": number(), "t": whole(), "loss": floats(k), "hits": floats(k)}
    figures = {"factor": number(), "best": number(finite=False), "waited": whole(), "epochs": whole()}
    figures |= {"mistakes": whole(), "clean": flag()}

    def made(**values: object) -> State:
        descent = Descent(**{name: values[name] for name in arrays})  # type: ignore[arg-type]
        return State(descent, **{name: values[name] for name in figures})  # type: ignore[arg-type]

    def pack(state: State) -> tuple[object, ...]:
        known: Mapping[str, object] = {**vars(state.descent), **vars(state)}
        return tuple(known[name] for name in (*arrays, *figures))

    return replace(Kept.fields(made, **arrays, **figures), pack=pack)
