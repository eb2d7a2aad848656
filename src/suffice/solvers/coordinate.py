"""Coordinate descent with working sets, which stops by the dual gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.coordinate import Costs
from ..engine import Outcome, Step, iterate
from ..engine.nested import is_early
from ..errors import IllConditioned, warn
from ..losses import SquaredLoss
from ..penalties import Penalty
from ..statistics import GradientSums
from ..typing import Whole
from .base import Solver
from .class_columns import classes_fit
from .columns import columns_of
from .columns_base import Columns
from .dual_gap import dual_gap
from .problem import Coefficients, Limits, Problem
from .proximal import FISTA

_LEAST = 100  # columns of a working set, where there are so many
_INNER = 1e-3  # how exactly a working set is solved
_SLOW = 0.9  # of the dual gap: what is left of it after an iteration that was not exact enough
_PATIENCE = 30  # such iterations, after which rounding is taken to be the reason
_LEFT = 1e-6  # of the target's variance: a dual gap that is worth a warning
_LEFT_CURVED = 1e-5  # the same of other losses, whose gap is as large as the root of what could be gained
_PULLED = 1e-5  # of the gradients of rows: a pull on a slope, in its column's unit, that is left and worth a warning
_IDLE = 100  # times rounding: an iteration that lowers the objective by less has no more to gain
_HALVINGS = 40
_FALL, _ROUNDS, _ROUGH = 3.0, 2, 1e-3  # strengths before that of a fit: their ratio, and how well they are solved
_ROUNDING = 8 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class CoordinateDescent(Solver):
    """Cyclic coordinate descent over working sets, for L1 and its relatives on dense, sparse and distributed rows.

    An iteration takes the slopes that are not 0 and the columns that are nearest to the constraint of the dual problem,
    and minimises over these; of losses that are not squared, the parabola that follows them (proximal Newton). It ends
    when the dual gap, which is never below what could still be gained, is at most `tol` times twice the mean loss
    without slopes: of squared losses, Σ s (y − ȳ)² / Σ s. Concave penalties are replaced by their tangents, anew in
    each iteration (Zou and Li, 2008).
    """

    names: ClassVar = ("coordinate", "coordinate_descent")

    def lacks(self, problem: Problem) -> str:
        loss, penalty = problem.loss, problem.penalty
        if problem.free is not None:
            return "slopes that are all to be found, and an offset is given"
        if loss.target == "classes" and loss.is_smooth and not classes_fit(problem):
            return "rows in memory, or few columns, where each of several classes has a predictor"
        if not loss.is_smooth or not loss.has_curvature:
            return f"a loss with a gradient and a curvature everywhere, which {type(loss).__name__} has not"
        if not penalty.has_costs:
            return f"a penalty that is a sum over single slopes of |w| and w², which {type(penalty).__name__} is not"
        return ""

    def solve(self, problem: Problem, start: Coefficients, limits: Limits) -> Outcome[Coefficients]:
        rounds = Rounds(problem, columns_of(problem), problem.penalty, limits.tol)
        found = iterate(
            lambda run: start if start.slope.any() else _begun(problem, rounds.columns, limits.tol),
            rounds.step,
            max_iter=limits.max_iter,
            snapshot=problem.shown,
            kept=start.kept,
        )
        return found if rounds.stuck is None else _carried_on(problem, found, limits, rounds)


def _carried_on(
    problem: Problem, found: Outcome[Coefficients], limits: Limits, rounds: Rounds
) -> Outcome[Coefficients]:
    """The outcome of a descent that is stuck; that of FISTA from there, which needs no curvature, if it gains anything.

    Losses with straight parts, such as Huber's, have next to no curvature where most rows are far away.
    """
    if not rounds.quadratic and not FISTA().lacks(problem):
        further = FISTA().solve(problem, found.state, limits)
        value, lower = float(found.history.objective[-1]), float(further.history.objective[-1])
        if lower < value - limits.tol * abs(value) or is_early(further.history.status):
            return further
    rounds.warn_of_rounding()
    return found


def _begun(problem: Problem, columns: Columns, tol: float) -> Coefficients:
    """Where a fit begins: without slopes, or for several classes where some iterations for larger strengths lead.

    Far from the minimum a parabola between classes says little, and its minimum lies too far away.
    """
    at, top = columns.null, problem.penalty.strength
    if problem.classes is None or not top > 0:
        return at
    sums = columns.sums(at)
    top = problem.penalty.largest(sums.slope / sums.weight)
    if not np.isfinite(top):
        return at
    while (top := top / _FALL) > _FALL * problem.penalty.strength:
        rounds = Rounds(problem, columns, problem.penalty.of_strength(top), max(tol, _ROUGH))
        for _ in range(_ROUNDS):
            found = rounds.step(at)
            at = found.state
            if found.done:
                break
    return at


class Rounds:
    """Iterations over working sets for one penalty.

    With `slack` a working set has the columns whose pull is above 1 − slack of the constraint: on a path from λ₀ down
    to λ it is λ₀ / λ − 1, as a pull seldom grows by more than the strength falls (the strong rule of Tibshirani et
    al., 2012). What it leaves out by mistake is found by the dual gap.
    """

    def __init__(
        self, problem: Problem, columns: Columns, penalty: Penalty, tol: float, slack: float | None = None
    ) -> None:
        self.columns, self.penalty, self.slack = columns, penalty, slack
        self.quadratic, self.fit_intercept = isinstance(problem.loss, SquaredLoss), problem.fit_intercept
        self.scale = 2 * columns.level
        self.target = tol * self.scale
        self.last: tuple[Coefficients, GradientSums] | None = None
        self.paid: tuple[Coefficients, float] | None = None
        self.price: Costs | None = None
        self.stuck: float | None = None  # the dual gap that was left, as a part of the scale, where it is worth a word
        self.owner, self.sharpness, self.slow = problem.owner, 1.0, 0
        self.convex = problem.loss.is_convex and penalty.is_convex  # else a gap may fall slowly, and not by rounding
        self.measure = "the target's variance" if self.quadratic else "twice the loss without slopes"

    def sums(self, at: Coefficients) -> GradientSums:
        """Mean loss and gradient; those of the coefficients asked for last are remembered."""
        if self.last is None or self.last[0] is not at:
            found = self.columns.sums(at)
            offset = found.offset / found.weight if self.fit_intercept else np.zeros_like(found.offset)
            mean = GradientSums(1.0, found.value / found.weight, found.slope / found.weight, np.asarray(offset))
            self.last = at, mean
        return self.last[1]

    def objective(self, at: Coefficients) -> float:
        """F; infinite where a loss is not a number."""
        value = self.sums(at).value + self.cost(at)
        return value if not np.isnan(value) else np.inf

    def cost(self, at: Coefficients) -> float:
        """The penalty; that of the coefficients asked for last is remembered."""
        if self.paid is None or self.paid[0] is not at:
            self.paid = at, self.penalty.value(at.slope)
        return self.paid[1]

    def costs(self, at: Coefficients) -> Costs:
        """What the slopes cost, one after the other, which is the same everywhere but for concave penalties."""
        if self.price is not None:
            return self.price
        known = self.penalty.costs(at.slope)
        assert known is not None
        costs = Costs(known.absolute.ravel(), known.squared.ravel(), known.positive)
        self.price = costs if self.penalty.is_convex else None
        return costs

    def gap(self, at: Coefficients) -> float:
        """The dual gap."""
        return dual_gap(at, self._centred(at), self.costs(at), self.columns.spread, self.quadratic)

    def _centred(self, at: Coefficients) -> GradientSums:
        """The sums with slopes of columns about their mean: what rounding leaves of the intercept's moves none."""
        sums = self.sums(at)
        if self.quadratic or not self.fit_intercept:  # they are so already
            return sums
        slope = sums.slope - np.multiply.outer(self.columns.centre, sums.offset)
        return GradientSums(sums.weight, sums.value, slope, sums.offset)

    def step(self, at: Coefficients) -> Step[Coefficients]:
        """One working set, solved."""
        before = self.objective(at)
        gap = self.target if self.columns.whole else self.gap(at)  # where all columns are solved, it says nothing new
        if gap <= self.target and not self.columns.whole:
            return Step(at, before, {"dual_gap": gap}, done=True)
        costs = self.costs(at)
        places = self.working_set(at, costs)
        own = costs
        if len(places) < at.slope.size:
            own = Costs(costs.absolute[places], costs.squared[places], costs.positive)
        found = self.columns.improved(at, places, own, self._inner(gap))
        found, after = self._lowered(at, found, before)
        slack = _ROUNDING * max(abs(before), self.scale)
        if not after < before - slack:  # the dual gap may still fall: it sees what the objective loses by rounding
            nearer = self.gap(found)
            if after > before + slack or not nearer < 0.5 * self.gap(at):
                return self._ended(at, before, len(places))
            after = min(after, before)
        gap, held = self.gap(found), gap
        if gap >= _SLOW * held:
            idle = before - after <= _IDLE * slack
            self.sharpness, self.slow = 0.1 * self.sharpness, self.slow + (self.convex and idle)
        if self.slow > _PATIENCE:
            return self._ended(found, after, len(places))
        return Step(found, after, {"dual_gap": gap, "working_set": len(places)}, done=gap <= self.target)

    def _ended(self, at: Coefficients, value: float, size: int) -> Step[Coefficients]:
        """The last step, where nothing can be gained; a dual gap that is left then is due to rounding."""
        gap = self.gap(at)
        left = _LEFT if self.quadratic else _LEFT_CURVED
        if self.scale > 0 and gap > max(self.target, left * self.scale) and self._pulled(at) > _PULLED:
            self.stuck = gap / self.scale
        return Step(at, value, {"dual_gap": gap, "working_set": size}, done=True)

    def _pulled(self, at: Coefficients) -> float:
        """How far the conditions of a minimum are from met, in the units of columns, as a part of the rows' gradients.

        Where columns differ much in scale, the dual gap is large for slopes that are right: it is of the units.
        """
        w, pull, costs, some = (
            at.slope.ravel(),
            -self._centred(at).slope.ravel(),
            self.costs(at),
            self.columns.spread > 0,
        )
        rest = pull - costs.squared * w - costs.absolute * np.sign(w)
        over = pull if costs.positive else np.abs(pull)
        rest = np.where(w == 0, np.maximum(over - costs.absolute, 0.0), np.abs(rest))
        return float((rest[some] / self.columns.spread[some]).max(initial=0.0) / np.sqrt(self.scale))

    def warn_of_rounding(self) -> None:
        """Say what a descent that is stuck has left."""
        if self.stuck is not None:
            warn(
                f"{self.owner}: rounding ends the descent with a dual gap of {self.stuck:.1e} of {self.measure}, "
                "as columns are nearly dependent or differ much in scale; standardise them, or raise the "
                "strength of the penalty.",
                IllConditioned,
            )

    def _inner(self, gap: float) -> float:
        """What epochs over a working set may leave: the gap falls with the root of what could still be gained."""
        if not self.scale > 0:
            return 0.0
        room = max(gap, self.target)
        return _INNER * self.sharpness * (room / self.scale) * room  # whose square alone may be too large a number

    def working_set(self, at: Coefficients, costs: Costs) -> Whole:
        """Slopes that are not 0, and the columns nearest to the constraint of the dual problem, by their spread."""
        some, w = self.columns.spread > 0, at.slope.ravel()
        if self.columns.whole:
            return np.flatnonzero(some)
        slope = self._centred(at).slope.ravel()
        pull = -slope if costs.positive else np.abs(slope)
        away = (costs.absolute - pull) / np.where(some, self.columns.spread, 1.0)
        away[~some] = np.inf
        away[w != 0] = -np.inf
        if self.slack is not None:
            return np.flatnonzero(some & ((w != 0) | (pull > (1 - self.slack) * costs.absolute)))
        support, wanted = int(np.count_nonzero(w)), int(np.count_nonzero(away < 0))  # wanted: are outside
        size = max(_LEAST, 2 * support, min(wanted, self.columns.growth * max(support, _LEAST)))
        size = min(size, int(np.count_nonzero(some)))
        chosen = np.argpartition(away, size - 1)[:size] if size < len(away) else np.flatnonzero(some)
        return np.sort(chosen)

    def _lowered(self, at: Coefficients, found: Coefficients, before: float) -> tuple[Coefficients, float]:
        """The farthest of the halved steps that lowers the objective; where none does, no step."""
        if self.quadratic:
            return found, self.objective(found)
        known = self.last
        own = self.cost(at)
        slope, intercept = found.slope - at.slope, np.asarray(found.intercept - at.intercept)
        sums = self.sums(at)
        change = float((sums.slope * slope).sum() + (sums.offset * intercept).sum())
        change += self.cost(found) - own
        length = 1.0
        for _ in range(_HALVINGS):
            trial = found if length == 1.0 else at.moved(slope, intercept, length)
            after = self.objective(trial)
            if after <= before + 1e-4 * length * min(change, 0.0) + _ROUNDING * abs(before):
                return (trial, after) if length == 1.0 else self._sparser(trial, after, found)
            length /= 2
        self.last = known
        return at, before

    def _sparser(self, trial: Coefficients, value: float, found: Coefficients) -> tuple[Coefficients, float]:
        """A shortened step with the slopes at 0 that the whole step has there, where that costs nothing."""
        known, stays = self.last, (found.slope == 0) & (trial.slope != 0)
        if stays.any():
            nearer = Coefficients(np.where(stays, 0.0, trial.slope), trial.intercept)
            lower = self.objective(nearer)
            if lower <= value:
                return nearer, lower
        self.last = known
        return trial, value
