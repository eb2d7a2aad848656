"""The one training loop of all nets: epochs of batches, an optimiser, rows held out, what to show of each epoch.

What differs between nets is their `Work`: how a batch becomes a gradient.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from ...backend.arrays import Array
from ...engine import Kept, Outcome, Step, iterate
from ...holds import floats, number, optional, whole
from ...layers import Plan
from ...optimizers import Optimizer, Schedule
from ...typing import Floats, Reals
from .batches import Batch, Batches
from .engine import Trained
from .joined import JoinedPlan

_FLOATS = (np.float64, np.float32)
_FAR = 10.0  # times as long as they were: parameters that may have burst


class Move(Protocol):
    """A step of the optimiser along the engine's `slope`."""

    def __call__(self, part: slice = slice(None), turn: int = 0, turns: int = 1) -> None:
        """Of a part of the parameters, which takes so many turns in a batch, of which this is one, from 0."""


class Work(Protocol):
    """How a batch is learned from."""

    @property
    def engine(self) -> Trained:
        """The net, or several."""

    def learn(self, batch: Batch, move: Move) -> tuple[float, float]:
        """Σ w ℓ and Σ w of a batch, before the moves that follow from its gradients."""

    def loss(self, batch: Batch) -> Floats:
        """Σ w ℓ and Σ w of a batch as predictions have them."""

    def terms(self) -> Mapping[str, float]:
        """What else `history_` shows of the batches since it was asked last."""


@dataclass(frozen=True)
class State:
    """Where training stands: parameters, running means, the optimiser's memory, and the best held-out loss so far."""

    theta: Reals  # (p,)
    running: Reals  # (b,)
    slots: Reals  # (slots, p)
    updates: int = 0
    epochs: int = 0
    best: float = math.inf
    waited: int = 0
    best_theta: Reals | None = None
    best_running: Reals | None = None

    @property
    def chosen(self) -> tuple[Reals, Reals]:
        """The parameters of the fitted net: those of the best epoch where rows were held out."""
        if self.best_theta is not None and self.best_running is not None:
            return self.best_theta, self.best_running
        return self.theta, self.running


@dataclass(frozen=True)
class Rules:
    """How long to train, and by which steps."""

    optimizer: Optimizer
    rate: float
    schedule: Schedule
    weight_decay: float
    max_iter: int
    horizon: int  # epochs that the schedule is made for: all those of which `partial_fit` takes one
    tol: float | None
    patience: int


@dataclass
class Training:
    """Epochs over batches; `held_out` gives the loss of rows that are not learned from."""

    plan: Plan | JoinedPlan
    work: Work
    batches: Batches
    rules: Rules
    seed: int
    held_out: Callable[[], float] | None = None
    shown: Callable[[Reals, Reals], Mapping[str, object]] = lambda theta, running: {}

    def __post_init__(self) -> None:
        decaying = self.plan.decaying() if self.plan.layers else np.ones(len(self.work.engine.theta))
        self.decay: Floats | None = decaying * self.rules.weight_decay if self.rules.weight_decay > 0 else None

    def begun(self, theta: Reals, running: Reals) -> State:
        """The state before the first epoch."""
        return State(theta, running, np.zeros((self.rules.optimizer.slots, len(theta)), theta.dtype))

    def run(self, start: Callable[[], State]) -> Outcome[State]:
        """Epochs until the rules say that it is enough."""
        begun: list[State] = []

        def started(run: int) -> State:
            begun.append(start())
            return begun[-1]

        p, b, s = len(self.work.engine.theta), len(self.work.engine.running), self.rules.optimizer.slots
        return iterate(
            started,
            self.step,
            max_iter=self.rules.max_iter,
            snapshot=lambda state: self.shown(state.theta, state.running),
            kept=partial(_kept, p, b, s),
        )

    def step(self, state: State) -> Step[State]:
        """One epoch."""
        with np.errstate(all="ignore"):  # what overflows shows in the loss
            return self._stepped(state)

    def _stepped(self, state: State) -> Step[State]:
        engine = self.work.engine
        engine.load(state.theta, state.running)
        slots = engine.on_device(state.slots)
        with engine.training(_mixed(self.seed, state.epochs)):
            loss, updates = self._epoch(engine, slots, state)
        theta, running = engine.taken()
        value = loss + self._penalty(theta)
        good = math.isfinite(value) and np.isfinite(theta).all() and np.isfinite(running).all()
        if not good or self._has_burst(state, theta):
            return Step(state, state.best if math.isfinite(state.best) else math.inf, diverged=True)
        metrics = {"loss": loss, "rate": self._rate(state.epochs), **self.work.terms(), **self._norms(engine, theta)}
        judged = value
        if self.held_out is not None:
            judged = metrics["held_out"] = self.held_out()
        known, done = self._judged(state, theta, running, judged)
        after = State(theta, running, engine.off_device(slots), updates, state.epochs + 1, *known)
        return Step(after, value, metrics, done=done)

    def _has_burst(self, before: State, theta: Reals) -> bool:
        """Whether the epoch has thrown the parameters so far away that their own loss is no number any more."""
        if _norm(theta) <= _FAR * (1 + _norm(before.theta)):
            return False
        lost, weight = self.work.loss(next(iter(self.batches.epoch(before.epochs + 1))))
        return not math.isfinite(lost / weight)

    def _epoch(self, engine: Trained, slots: Array, state: State) -> tuple[float, int]:
        """Batches and updates; the mean loss of the rows, each before its own update."""
        total = weight = 0.0
        t, rate, optimizer = state.updates, self._rate(state.epochs), self.rules.optimizer
        decay = None if self.decay is None else engine.on_device(self.decay.astype(state.theta.dtype))

        def move(part: slice = slice(None), turn: int = 0, turns: int = 1) -> None:
            slope, theta = engine.slope[part], engine.theta[part]
            if decay is not None:
                slope += decay[part] * theta
            optimizer.update(theta, slope, slots[:, part], rate, t * turns + turn + 1)

        for batch in self.batches.epoch(state.epochs):
            lost, counted = self.work.learn(batch, move)
            total, weight, t = total + lost, weight + counted, t + 1
        return total / weight if weight > 0 else math.nan, t

    def _rate(self, epoch: int) -> float:
        return self.rules.rate * self.rules.schedule.factor(epoch, self.rules.horizon)

    def _penalty(self, theta: Reals) -> float:
        return 0.0 if self.decay is None else 0.5 * float(self.decay @ np.square(theta, dtype=np.float64))

    def _judged(
        self, before: State, theta: Reals, running: Reals, value: float
    ) -> tuple[tuple[float, int, Reals | None, Reals | None], bool]:
        """The best loss so far, epochs since, and its parameters; whether the wait for a better one is over."""
        waited = 0 if value < before.best - (self.rules.tol or 0.0) else before.waited + 1
        best = before.best_theta, before.best_running
        if self.held_out is not None and value < before.best:
            best = theta, running
        stops = self.rules.tol is not None or self.held_out is not None
        return (min(value, before.best), waited, *best), stops and waited >= self.rules.patience

    def _norms(self, engine: Trained, theta: Reals) -> dict[str, float]:
        """By layer the norms of the weights and of the last batch's gradient, and the variance of what it gave.

        Layers are counted from 1: `weight_norm_1`, `gradient_norm_1`, `activation_variance_1` are those of the first.
        Weights of a user's own module are called by their names there.
        """
        slope, found = engine.slope if isinstance(engine.slope, np.ndarray) else engine.off_device(engine.slope), {}
        for one in self.plan.placed:
            if one.parameter.name.endswith("weight"):
                found[f"weight_norm_{one.place}"] = _norm(theta[one.first : one.end])
                found[f"gradient_norm_{one.place}"] = _norm(slope[one.first : one.end])
        return found | {f"activation_variance_{k}": value for k, value in enumerate(engine.spreads(), 1)}


def _norm(values: Reals) -> float:
    return math.sqrt(float(np.dot(values, values)))


def _mixed(seed: int, epoch: int) -> int:
    """A seed of an epoch's own."""
    return (seed + epoch * 0x9E3779B97F4A7C15) % (1 << 62)


def _kept(p: int, b: int, s: int) -> Kept[State]:
    """How a state is written to a checkpoint."""
    theta, running = floats(p, dtypes=_FLOATS), floats(b, dtypes=_FLOATS)
    return Kept.fields(
        State, theta=theta, running=running, slots=floats(s, p, dtypes=_FLOATS), updates=whole(), epochs=whole(),
        best=number(finite=False), waited=whole(), best_theta=optional(theta), best_running=optional(running),
    )  # fmt: skip
