"""The rounds of gradient boosting: each grows a tree, or one a class, down the gradient of a loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...backend.growth import Draws, Limits, Nodes, Targets, drawn_rows, grow_boosted
from ...backend.growth.scores import weights_of
from ...backend.growth.values import Coded
from ...backend.predictors import KINDS, RowLoss, row_parts
from ...backend.weights import given_or_ones
from ...engine import Kept, Step
from ...growth import StepWeights, TreeRows, Trees, group_quantiles, joined_nodes, step_values
from ...holds import floats, instance, record, whole
from ...losses import AbsoluteLoss, LogisticLoss, Loss, QuantileLoss, SoftmaxLoss
from ...typing import Flags, Floats, Whole

_BOUNDED = (LogisticLoss, SoftmaxLoss)  # losses whose gradients and curvatures are

Parts = tuple[float, Floats, Floats | float]  # the sum of the loss; gradients and curvatures, (k, n) or one for all


def leaf_share(loss: Loss) -> float | None:
    """The quantile of residuals that is best for a leaf, of losses without a curvature; None of others."""
    if isinstance(loss, QuantileLoss):
        return loss.quantile
    return 0.5 if isinstance(loss, AbsoluteLoss) else None


def constant_curvature(loss: Loss) -> float | None:
    """One curvature for all rows, of a parabola that is nowhere below the loss, where it bends by jumps; else None."""
    smooth = loss.has_likelihood and loss.kernel != "squared"
    if loss.has_curvature and (smooth or not np.isfinite(loss.steepest())):
        return None
    return float(loss.steepest()) if loss.has_curvature else 1.0


def loss_parts(loss: Loss, raw: Floats, y: NDArray[np.generic], weight: Floats | None) -> Parts:
    """Σ w ℓ, and gradients and curvatures of rows with predictors (k, n)."""
    bend = constant_curvature(loss)
    if loss.target == "classes":
        value, gradient, share = loss.parts(np.ascontiguousarray(raw.T), y)
        total = float(given_or_ones(weight, len(y)) @ value)
        return total, np.ascontiguousarray(gradient.T), np.ascontiguousarray((share * (1 - share)).T)
    if loss.kernel in KINDS:
        own = RowLoss(loss.kernel, loss.parts, loss.kernel_numbers)
        total, gradient, curvature = row_parts(raw[0], np.asarray(y, dtype=np.float64), weight, own)
        return total, gradient[None], curvature[None] if bend is None else bend
    value, gradient = loss.value_and_gradient(raw[0], y)
    total = float(given_or_ones(weight, len(y)) @ value)
    return total, gradient[None], np.asarray(loss.curvature(raw[0], y))[None] if bend is None else bend


@dataclass(frozen=True, eq=False)
class Plan:
    """How trees grow: limits, ridge, learning rate, constraints of columns, the share of rows and seeds of trees."""

    limits: Limits
    l2: float
    rate: float
    monotone: NDArray[np.int8] | None
    together: Flags | None
    subsample: float
    seeds: Whole  # (rounds · k,)


@dataclass(eq=False)
class Rounds:
    """The rows of a fit, their predictors (k, n), and the trees so far; `held_out` rows judge but are not learned from.

    `judge` gives the score of the predictors of the rows that are held out, or of all, the higher the better.
    """

    rows: TreeRows
    loss: Loss
    y: NDArray[np.generic]
    raw: Floats
    plan: Plan
    held_out: Flags | None
    judge: Callable[[Floats], float] | None
    patience: tuple[int, float]  # rounds without a score that is better by so much
    nodes: list[Nodes] = field(default_factory=list)
    values: list[Floats] = field(default_factory=list)
    weights: list[Floats] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    before: Trees | None = None  # of rounds before the first that is done here
    first: int = 0

    def __post_init__(self) -> None:
        n, weight = len(self.rows), self.rows.weight
        known = given_or_ones(weight, n) > 0
        learned = known if self.held_out is None else known & ~self.held_out
        self.learned = None if learned.all() else learned.astype(np.int32)[None]
        counted = weight if self.learned is None else given_or_ones(weight, n) * self.learned[0]
        self.counted, self.total = counted, float(n if counted is None else counted.sum())
        self.by_weight = StepWeights(weight, n)
        self.parts = loss_parts(self.loss, self.raw, self.y, counted)
        if self.judge is not None:
            self.scores.append(self.judge(self._judged()))

    def kept(self) -> Kept[int]:
        """How rounds are written down: the trees, the predictors and the scores so far."""
        k, n = self.raw.shape
        kind = record(whole(at_least=1), instance(Trees, d=len(self.rows.table.places)), floats(k, n), floats(None))
        return Kept(
            kind, lambda done: (done, self.trees(done), self.raw.copy(), np.array(self.scores)),
            lambda values: self.restored(*values), overwritten=True,
        )  # fmt: skip

    def restored(self, done: int, trees: Trees, raw: Floats, scores: Floats) -> int:
        """Go on after rounds that are done."""
        self.before, self.first, self.raw = trees, done, raw
        self.scores = scores.tolist()
        self.parts = loss_parts(self.loss, self.raw, self.y, self.counted)
        return done

    def step(self, done: int) -> Step[int]:
        """One round more than are done."""
        own = (done - self.first) * len(self.raw)
        del self.nodes[own:], self.values[own:], self.weights[own:]
        for c in range(len(self.raw)):
            self._tree(c, done)
        self.parts = loss_parts(self.loss, self.raw, self.y, self.counted)
        grown = any(len(nodes.column) > 1 for nodes in self.nodes[-len(self.raw) :])
        chance = self.plan.subsample < 1 or self.plan.limits.tried < len(self.rows.table.places)
        metrics = {}
        if self.judge is not None:
            self.scores.append(self.judge(self._judged()))
            metrics["validation_score"] = self.scores[-1]
        ended = self._is_enough() or not (grown or chance)
        return Step(done + 1, self.parts[0] / self.total, metrics, done=ended)

    def _tree(self, c: int, done: int) -> None:
        _, gradient, curvature = self.parts
        bends = curvature[c] if isinstance(curvature, np.ndarray) else curvature
        targets = self.by_weight.targets(gradient[c], bends, self.plan.l2, isinstance(self.loss, _BOUNDED))
        draws = self._draws(done * len(self.raw) + c)
        table: Coded = self.rows.table  # type: ignore[assignment]
        nodes, leaf = grow_boosted(table, targets, self.plan.limits, draws, self.plan.monotone, self.plan.together)
        values = self.plan.rate * self._leaf_values(targets, nodes, leaf, draws)
        self.raw[c] += values[leaf]
        self.nodes.append(nodes)
        self.values.append(values)
        self.weights.append(weights_of(targets, nodes.sums))

    def _leaf_values(self, targets: Targets, nodes: Nodes, leaf: NDArray[np.int32], draws: Draws) -> Floats:
        share = leaf_share(self.loss)
        if share is None:
            return step_values(targets, nodes.sums)
        own = slice(None) if draws.times is None else draws.times[0] > 0
        rest = np.asarray(self.y - self.raw[0])[own]
        weight = None if self.rows.weight is None else self.rows.weight[own]
        return group_quantiles(rest, leaf[own].astype(np.int64), len(nodes.column), share, weight)

    def _draws(self, tree: int) -> Draws:
        seed = self.plan.seeds[tree : tree + 1]
        if self.plan.subsample >= 1:
            return Draws(seed, self.learned)
        n = len(self.rows)
        there = np.ones(n, dtype=np.int64) if self.learned is None else self.learned[0].astype(np.int64)
        drawn = max(1, round(self.plan.subsample * int(there.sum())))
        return Draws(seed, drawn_rows(Draws(seed, None, drawn, False, np.cumsum(there)), 0, n)[None])

    # ---- when to stop ----

    def _judged(self) -> Floats:
        return self.raw if self.held_out is None else self.raw[:, self.held_out]

    def _is_enough(self) -> bool:
        rounds, least = self.patience
        if self.judge is None or len(self.scores) <= rounds:
            return False
        return not max(self.scores[-rounds:]) > self.scores[-rounds - 1] + least

    def trees(self, done: int) -> Trees:
        """The trees of so many rounds; what a node says is 0 for all classes but the tree's."""
        k = len(self.raw)
        count = (done - self.first) * k
        if count == 0 and self.before is not None:
            return self.before
        nodes = joined_nodes(self.nodes[:count])
        value = np.zeros((len(nodes.column), k))
        owner = np.repeat(np.arange(count) % k, np.diff(nodes.starts))
        value[np.arange(len(value)), owner] = np.concatenate(self.values[:count])
        own = self.rows.trees(nodes, np.concatenate(self.weights[:count]), value)
        return own if self.before is None else Trees.joined([self.before, own])
