"""The rounds of gradient boosting: each grows a tree, or one a class, down the gradient of a loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from ...backend import thread_count
from ...backend.arrays import Array
from ...backend.boosting import SOFTMAX, Boosting, Grove, Standing, StepWeights, boost_rounds, joined_nodes, loss_parts
from ...backend.growth import Limits
from ...backend.growth.values import Coded
from ...backend.predictors import KINDS, RowLoss
from ...backend.weights import given_or_ones
from ...engine import Kept, Step
from ...growth import TreeRows, Trees
from ...growth.levels import Stored
from ...growth.stored_rounds import StoredRounds, StoredWeights, picked
from ...holds import floats, instance, record, whole
from ...losses import AbsoluteLoss, LogisticLoss, Loss, QuantileLoss, SoftmaxLoss
from ...typing import Flags, Floats, Whole

_BOUNDED = (LogisticLoss, SoftmaxLoss)  # losses whose gradients and curvatures are
_AT_ONCE = 1e8  # cells of the rounds of one call, for each thread: some tenths of a second, in which nothing is saved
_MOST, _MOST_JUDGED = 100, 5  # rounds of one call; where they are judged, those after the last are grown in vain


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


def row_loss(loss: Loss) -> RowLoss:
    """A loss as the rounds know it: by its kernel, or by its parts."""
    if loss.target == "classes":
        return RowLoss(SOFTMAX, loss.parts)
    if loss.kernel in KINDS:
        return RowLoss(loss.kernel, loss.parts, loss.kernel_numbers)

    def parts(eta: Floats, y: Floats) -> tuple[Floats, Floats, Floats]:
        value, gradient = loss.value_and_gradient(eta, y)
        return value, gradient, loss.curvature(eta, y) if constant_curvature(loss) is None else np.zeros_like(eta)

    if isinstance(loss, QuantileLoss):
        return RowLoss("pinball", parts, (loss.quantile, 1 - loss.quantile))
    return RowLoss("pinball" if isinstance(loss, AbsoluteLoss) else "", parts, (1.0, 1.0))


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
    by_loss: bool = False  # whether the score is minus the mean loss
    groves: list[Grove] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    before: Trees | None = None  # of rounds before the first that is done here
    first: int = 0

    def __post_init__(self) -> None:
        n, weight, room = len(self.rows), self.rows.weight, self.rows.room
        learned, rows = self._learned()
        table: Coded = self.rows.table  # type: ignore[assignment]
        is_stored = isinstance(table, Stored)
        judged = np.arange(0 if self.judge is None else n) if self.held_out is None else np.flatnonzero(self.held_out)
        y = room.empty((n,), np.float64)
        for own in room.blocks(n):
            y[own] = self.y[own]
        self.asked = Boosting(
            table, y, StoredWeights(weight, n, room) if is_stored else StepWeights(weight, n),
            None if rows == n else learned, row_loss(self.loss), constant_curvature(self.loss),
            isinstance(self.loss, _BOUNDED), leaf_share(self.loss), self.plan.limits, self.plan.l2, self.plan.rate,
            self.plan.monotone, self.plan.together,
            max(1, round(self.plan.subsample * rows)) if self.plan.subsample < 1 else 0,
            None if self.judge is None else judged,
        )  # fmt: skip
        self.stored = StoredRounds(self.asked, len(self.raw)) if is_stored else None
        if self.stored is None:
            counted = self.asked.counted
            self.total = float(n if counted is None else counted.sum())
        else:
            self.total = self.stored.total_weight()
        self.standing = self._parts(self.raw)
        if self.judge is not None:
            self.scores.append(self.judge(picked(self.raw.T, judged, room).T))

    def _learned(self) -> tuple[NDArray[np.int32], int]:
        """Which rows are learned from, (n,), and how many they are."""
        n, weight, room = len(self.rows), self.rows.weight, self.rows.room
        found, count = room.empty((n,), np.int32), 0
        for own in room.blocks(n):
            found[own] = 1 if weight is None else weight[own] > 0
            if self.held_out is not None:
                found[own] *= ~self.held_out[own]
            count += int(found[own].sum())
        return np.asarray(found), count

    def _parts(self, raw: Floats) -> Standing:
        return (self.asked if self.stored is None else self.stored).parts(raw)[1]

    def kept(self) -> Kept[int]:
        """How rounds are written down: the trees, the predictors and the scores so far."""
        k, n = self.raw.shape
        kind = record(whole(at_least=1), instance(Trees, d=len(self.rows.table.places)), floats(k, n), floats(None))
        return Kept(
            kind, lambda done: (done, self.trees(done), self.standing.raw, np.array(self.scores)),
            lambda values: self.restored(*values), overwritten=True,
        )  # fmt: skip

    def restored(self, done: int, trees: Trees, raw: Floats, scores: Floats) -> int:
        """Go on after rounds that are done."""
        self.before, self.first = trees, done
        self.scores = scores.tolist()
        if self.stored is not None:
            self.raw[:] = raw
            raw = self.raw
        self.standing = self._parts(raw)
        return done

    def step(self, done: int) -> Step[int]:
        """One round more than are done."""
        return self.several(done, 1)

    def several(self, done: int, most: int) -> Step[int]:
        """Up to so many rounds more than are done, as many as take some tenths of a second."""
        k = len(self.raw)
        cells = self.asked.table.codes.size * k
        count = min(
            most, _MOST if self.judge is None else _MOST_JUDGED, max(1, int(_AT_ONCE * thread_count() // cells))
        )
        if self.stored is None:
            grove = boost_rounds(self.standing, self.asked, self.plan.seeds[(done * k) : (done + count) * k])
        else:
            count = 1
            grove = self.stored.round(self.standing, self.plan.seeds[(done * k) : (done + 1) * k])
        self.standing = grove.standing
        passed: list[tuple[float, dict[str, float]]] = []
        for r, total in enumerate(grove.totals.tolist()):
            passed.append((total / self.total, self._judged(grove, r)))
            if self._is_enough():
                break
        self.groves.append(grove)
        nothing = len(np.flatnonzero(grove.nodes.left >= 0)) == 0
        ended = self._is_enough() or (len(passed) < count) or (nothing and not self.asked.by_chance)
        if grove.judged is not None and self.by_loss and (ended or (done + len(passed)) * k == len(self.plan.seeds)):
            passed[-1][1].update(self._interval(grove.judged[len(passed) - 1]))
        return Step(done + len(passed), *passed[-1], done=ended, earlier=passed[:-1])

    def _judged(self, grove: Grove, r: int) -> dict[str, float]:
        if self.judge is None or grove.judged is None:
            return {}
        self.scores.append(self.judge(grove.judged[r]))
        return {"validation_score": self.scores[-1]}

    def _interval(self, raw: Floats) -> dict[str, float]:
        """Between which numbers the score of rows that are held out would lie with many of them, at a level of 95 %."""
        own, given, room = np.asarray(self.asked.judged), self.rows.weight, self.rows.room
        weight = given_or_ones(None if given is None else picked(given, own, room), raw.shape[1])
        is_class, known = self.loss.target == "classes", picked(self.asked.y, own, room)
        eta: Floats = raw.T if is_class else raw[0]
        y: Array = known.astype(np.int64) if is_class else known
        score, total = -np.asarray(self.asked.loss.parts(eta, y)[0]), float(weight.sum())
        if total <= 1:
            return {}
        mean = float(weight @ score) / total
        error = np.sqrt(float(weight @ (score - mean) ** 2) / (total - 1) / total)
        half = float(stdtrit(total - 1, 0.975) * error)
        return {"validation_low": mean - half, "validation_high": mean + half}

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
        nodes = joined_nodes([grove.nodes for grove in self.groves])
        nodes = nodes.first(count)
        stop = int(nodes.starts[-1])
        value = np.zeros((stop, k))
        owner = np.repeat(np.arange(count) % k, np.diff(nodes.starts))
        value[np.arange(stop), owner] = np.concatenate([grove.value for grove in self.groves])[:stop]
        weight = np.concatenate([grove.weight for grove in self.groves])[:stop]
        own = self.rows.trees(nodes, weight, value)
        return own if self.before is None else Trees.joined([self.before, own])


def loss_of(loss: Loss, raw: Floats, y: Floats, weight: Floats | None) -> float:
    """Σ w ℓ of rows with predictors (k, n)."""
    return loss_parts(row_loss(loss), np.ascontiguousarray(raw), y, weight)[0]
