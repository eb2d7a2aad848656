"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..backend.sgd import Descent, Rule, epoch
from ..backend.weights import given_or_ones
from ..data import Chunk, Source
from ..data.rows import is_sparse
from ..engine import Kept, Outcome, Step, iterate
from ..holds import either, flag, floats, instance, number, whole
from ..losses import Loss
from ..penalties import L1, L2, ElasticNetPenalty, NoPenalty, Penalty
from ..typing import Floats, Whole
from .base import Solver
from .problem import Coefficients, Limits, Problem
from .rates import LEARNING_RATES, LearningRate

_PIECE = 1 << 18  # rows between two looks for Ctrl-C
_BLOCK, _WINDOW, _MANY = 16, 64, 1 << 16  # rows, blocks, and rows from which on they are shuffled in blocks
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
        if Strengths.of(problem.penalty) is None:
            return f"an L1 or L2 penalty of all slopes alike, which {type(problem.penalty).__name__} is not"
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
            problem.loss, law, strengths.l2, strengths.l1, settings.batch_size, problem.fit_intercept,
            int(settings.average),
        )  # fmt: skip
        self._at_zero: float | None = None

    def run(self, start: Descent, limits: Limits) -> Outcome[State]:
        """Epochs until the objective no longer falls."""
        return iterate(
            lambda run: State(start),
            lambda state: self._judged(state, self.passed(state), limits),
            max_iter=limits.max_iter,
            snapshot=lambda state: self.problem.shown(self.coefficients(state.descent)),
            kept=_kept(*start.slope.shape),
        )

    def passed(self, state: State) -> State:
        """The state after one epoch; losses and updates are those of this epoch."""
        law = replace(self.rule.rate, scale=self.rule.rate.scale * state.factor)
        rule, nothing = replace(self.rule, rate=law), np.zeros_like(state.descent.loss)
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

    def _orders(self, number: int) -> Iterator[tuple[Chunk, Whole]]:
        """Every chunk with the order of its rows in an epoch; rows of no weight are left out."""
        with closing(self.problem.source.watched()) as chunks:
            for chunk in chunks:
                some = None if chunk.weight is None else np.flatnonzero(chunk.weight > 0)
                count, seed = len(chunk) if some is None else len(some), (self.settings.seed, number, chunk.start)
                order = shuffled(count, np.random.default_rng(seed)) if self.settings.shuffle else np.arange(count)
                yield chunk, order if some is None else some[order]

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
        if self._at_zero is None:
            self._at_zero = self._zero_loss / max(self._rows, 1.0)
        found = after.descent
        loss = float(found.loss.mean()) / max(self._rows, 1.0)
        if not (np.isfinite(loss) and np.isfinite(found.slope).all() and np.isfinite(found.intercept).all()):
            return Step(before, before.best if np.isfinite(before.best) else self._at_zero, diverged=True)
        coefficients = self.coefficients(found)
        objective = loss + self.problem.penalty.value(coefficients.slope)
        judged = objective if self.held_out is None else self.held_out(coefficients)
        waited = before.waited + 1 if not judged <= before.best - limits.tol else 0
        best, factor = min(before.best, judged), after.factor
        done = after.clean if self.until_clean else False
        if waited >= self.settings.n_iter_no_change:
            if self.shrinks_by > 1 and factor * self.rule.rate.scale > _SLOWEST:
                factor, waited = factor / self.shrinks_by, 0
            else:
                done = True
        state = replace(after, factor=factor, best=best, waited=waited)
        last = done or 1 < limits.max_iter == state.epochs
        far = (_FAR if last else _VERY_FAR) * self._at_zero if self._at_zero > 0 else np.inf  # 0: of the perceptron
        return Step(state, objective, {"loss": loss}, done=done, diverged=loss > far and not after.clean)

    def coefficients(self, found: Descent) -> Coefficients:
        """The coefficients of a state, or their mean where they are averaged: (d,), or (d, k) of several predictors."""
        slope, intercept = found.slope, found.intercept
        count = found.t - self.rule.average_from + 1
        if self.rule.average_from and count > 0:
            slope, intercept = found.slope_sum / count, found.intercept_sum / count
        if self.problem.classes is None:
            return Coefficients(slope[0].copy(), np.asarray(intercept[0]))
        return Coefficients(np.ascontiguousarray(slope.T), intercept.copy())


def shuffled(n: int, rng: np.random.Generator) -> Whole:
    """A random order of n rows.

    Of many rows, blocks of 16 neighbours are shuffled, and then the rows of every 64 blocks: no gradient can tell, and
    memory is read in longer pieces.
    """
    if n < _MANY:
        return rng.permutation(n)
    blocks = rng.permutation(n // _BLOCK)[:, None] * _BLOCK + np.arange(_BLOCK)
    whole = len(blocks) // _WINDOW * _WINDOW
    mixed = rng.permuted(blocks[:whole].reshape(-1, _WINDOW * _BLOCK), axis=1)
    rest = np.concatenate([blocks[whole:].ravel(), np.arange(n // _BLOCK * _BLOCK, n)])
    return np.concatenate([mixed.ravel(), rng.permutation(rest)])


def held_out_loss(source: Source, loss: Loss, classes: int | None) -> Callable[[Coefficients], float]:
    """The mean loss of the rows of a source, of k predictors the mean over them, as a function of coefficients."""
    from ..statistics.gradient import forth

    def sums(chunk: Chunk, at: Coefficients) -> Floats:
        eta = forth(chunk.X, at.slope, at.intercept)
        weight = given_or_ones(chunk.weight, len(chunk))
        if classes is None:
            return np.array([weight.sum(), weight @ loss.value(eta, chunk.y)])
        signs = np.where(np.arange(classes) == np.asarray(chunk.y)[:, None], 1.0, -1.0)
        return np.array([weight.sum(), weight @ loss.value(eta, signs).mean(axis=1)])

    def mean(at: Coefficients) -> float:
        with np.errstate(over="ignore", invalid="ignore"):
            weight, value = source.reduce(lambda chunk: sums(chunk, at))
        return float(value / weight)

    return mean


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
