"""Dual coordinate descent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..backend.dual import Box, DualState, crammer_singer, sweeps
from ..backend.weights import given_or_ones
from ..data import Chunk
from ..data.rows import is_sparse
from ..engine import Kept, Outcome, Step, iterate
from ..holds import floats, number, whole
from ..losses import CrammerSingerLoss
from ..penalties import L2
from ..statistics.gradient import forth
from ..typing import Floats
from .base import Solver
from .problem import Coefficients, Frame, Limits, Problem

_REACH = 0.01  # of the squared length of rows: a larger ρ takes fewer steps of the intercept, each of more sweeps
_SWEEPS = 200  # between two looks at the objective
_EDGE, _MOST_FREE = 1e-6, 500  # of a bound: nearer to it counts as at it; free variables of a system
_NOTHING = 1e-6  # of the objective of slopes of 0: a smaller one is as good as 0
_ASTRAY = 0.1  # of the size of predictors: so far off may an intercept be that seems to stand still
_SHARE = 0.3  # of the violation that the next sweeps leave at the most


@dataclass(frozen=True)
class DualCoordinateDescent(Solver):
    """Dual coordinate descent for support vector machines (Hsieh et al., 2008): one variable a row, rows in memory.

    An intercept that no penalty touches would bind all variables together, Σ a = 0. It is found by steps instead: each
    minimises F + ½ λ (b − c)² / ρ, whose dual has no such bond, and goes on from c = b (the proximal point method,
    which ends at the minimum of F). It stops when the gap between F and its dual, with what Σ a ≠ 0 may add to it, is
    within `tol` of F.
    """

    seed: int = 0
    names: ClassVar = ("dual",)
    holds: ClassVar = {"seed": whole()}

    def lacks(self, problem: Problem) -> str:
        penalty, loss = problem.penalty, problem.loss
        if not (isinstance(penalty, L2) and penalty.weights is None and penalty.strength > 0):
            return f"an L2 penalty of all slopes alike, above 0, which {type(penalty).__name__} is not"
        if problem.free is not None:
            return "all slopes to be free, and one of them is given"
        if not isinstance(loss, CrammerSingerLoss) and loss.box(np.ones(1)) is None:
            return f"a loss made of straight lines or parabolas, which {type(loss).__name__} is not"
        return ""

    def solve(self, problem: Problem, start: Coefficients, limits: Limits) -> Outcome[Coefficients]:
        work = Rows.of(problem)
        found = iterate(
            lambda run: work.begin(),
            lambda state: work.step(state, limits.tol, self.seed),
            max_iter=limits.max_iter,
            snapshot=lambda state: problem.shown(work.frame.out(state.best)),
            kept=lambda: _State.kept(*work.shapes()),
        )
        return found.then(lambda state: work.frame.out(polished(work, state)))


@dataclass(frozen=True)
class _State:
    """The dual variables, the centre c of the intercept, and the best coefficients so far with their objective."""

    dual: DualState
    centre: Floats
    tol: float
    best: Coefficients
    value: float

    @classmethod
    def kept(cls, a: tuple[int, ...], slope: tuple[int, ...]) -> Kept[_State]:
        """How it is written to a checkpoint."""
        one = number(finite=False)
        kinds = {"a": floats(*a), "slope": floats(*slope), "total": one, "violation": one, "sweeps": whole()}
        kinds |= {"centre": floats(*slope[1:]), "tol": one, "best": floats(*slope), "level": floats(*slope[1:])}
        kinds |= {"value": one}

        def made(centre: Floats, tol: float, best: Floats, level: Floats, value: float, **dual: object) -> _State:
            return _State(DualState(**dual), centre, tol, Coefficients(best, level), value)  # type: ignore[arg-type]

        def pack(state: _State) -> tuple[object, ...]:
            known = {**vars(state), **vars(state.dual), "best": state.best.slope, "level": state.best.intercept}
            return tuple(known[name] for name in kinds)

        return replace(Kept.fields(made, **kinds), pack=pack)


@dataclass(frozen=True)
class Rows:
    """The rows of a problem in memory, what each may cost, C = s / (λ Σ s), and ρ, which the intercept moves by.

    Dense rows are less their mean where there is an intercept, which changes nothing but how soon the work is done.
    """

    problem: Problem
    chunk: Chunk
    cost: Floats
    spread: float
    unit: float  # of predictors
    length: float  # of rows
    frame: Frame

    @cached_property
    def size(self) -> float:
        """F of slopes of 0."""
        return self.value(self.problem.zero())

    @classmethod
    def of(cls, problem: Problem) -> Rows:
        """Rows of no weight are left out."""
        chunk = problem.source.gather(instead="take solver='smoothing' or SGDClassifier, which read rows in pieces")
        if chunk.weight is not None and not np.all(chunk.weight > 0):
            chunk = chunk.at(np.flatnonzero(chunk.weight > 0))
        weight = given_or_ones(chunk.weight, len(chunk))
        X, mean = chunk.X, np.zeros(problem.columns)
        if not is_sparse(X) and problem.fit_intercept:
            mean = np.asarray(weight @ X / weight.sum())
            X = np.ascontiguousarray(X - mean)
        cost = weight / (problem.penalty.strength * weight.sum())
        cells = X.data if is_sparse(X) else X.ravel()
        squares = float(np.dot(cells, cells)) / len(chunk)
        unit = 1.0 if problem.classes is not None else float(np.abs(chunk.y).max())
        spread = max(_REACH * squares, unit / float(cost.sum()))  # so that a step may take it where it is to be
        frame = Frame(mean, np.ones(problem.columns))
        length = float(np.sqrt(squares))
        return cls(problem, replace(chunk, X=X), cost, spread if problem.fit_intercept else 0.0, unit, length, frame)

    @property
    def _classes(self) -> tuple[int, ...]:
        return () if self.problem.classes is None else (self.problem.classes,)

    def shapes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The shapes of the dual variables and of the slopes."""
        return (len(self.chunk), *self._classes), (self.problem.columns, *self._classes)

    def begin(self) -> _State:
        """All variables at 0."""
        a, slope = self.shapes()
        zero = self.problem.zero()
        first = float(np.abs(self.box.linear).max(initial=0.0)) if not self._classes else 1.0
        return _State(DualState(np.zeros(a), np.zeros(slope)), np.zeros(self._classes), first, zero, self.size)

    @cached_property
    def box(self) -> Box:
        """That of the loss, times what rows cost."""
        box = self.problem.loss.box(np.asarray(self.chunk.y, dtype=np.float64))
        assert box is not None
        return box.times(self.cost)

    def step(self, state: _State, tol: float, seed: int) -> Step[_State]:
        """Some sweeps; the centre moves where it is near the minimum around it, or further off than rows violate."""
        dual, moved = self._swept(state, seed + state.dual.sweeps)
        level = state.centre + moved
        found = Coefficients(dual.slope, np.asarray(level))
        value, gap = self._judged(found, state.centre, dual)
        away = self.problem.penalty.strength * float(np.sum(moved**2)) / (2 * self.spread) if self.spread else 0.0
        better = value < state.value
        best = found if better else state.best
        lowest = min(value, state.value)
        allowed = tol * max(abs(lowest), _NOTHING * self.size)
        close = gap <= max(0.1 * away, 0.3 * allowed) or float(np.abs(moved).max()) > dual.violation
        done = gap + self._unbalanced(moved, dual) <= allowed
        finer = state.tol if dual.violation > state.tol else _SHARE * state.tol
        after = _State(dual, level if close else state.centre, finer, best, lowest)
        return Step(after, lowest, {"gap": gap, "sweeps": float(dual.sweeps)}, done=done)

    def _unbalanced(self, moved: Floats, dual: DualState) -> float:
        """What Σ a ≠ 0 may add to the gap: it times how far the intercept may still be from where it should be."""
        if not self.spread:
            return 0.0
        reach = _ASTRAY * (self.unit + self.length * float(np.linalg.norm(dual.slope)))
        return self.problem.penalty.strength * float(np.abs(moved).sum()) / self.spread * reach

    def _swept(self, state: _State, seed: int) -> tuple[DualState, Floats]:
        """The dual variables after some sweeps, and how far the intercept is from its centre."""
        X, box = self.chunk.X, None if self._classes else self.box
        if box is not None:
            dual = sweeps(X, box, float(state.centre), self.spread, state.dual, _SWEEPS, state.tol, seed)
            return dual, np.asarray(self.spread * dual.total)
        y = np.asarray(self.chunk.y, dtype=np.float64)
        dual = crammer_singer(X, y, self.cost, state.centre, self.spread, state.dual, _SWEEPS, state.tol, seed)
        return dual, np.asarray(self.spread * dual.a.sum(axis=0))

    def _judged(self, found: Coefficients, centre: Floats, dual: DualState) -> tuple[float, float]:
        """F, and by how much F with the term of the centre is above its dual, both in the units of F."""
        lam = self.problem.penalty.strength
        value = self.value(found)
        moved = found.intercept - centre
        pull = float(np.sum(moved**2)) / self.spread if self.spread else 0.0
        size = float(np.sum(dual.slope**2))
        if self._classes:
            own = dual.a[np.arange(len(dual.a)), np.asarray(self.chunk.y, dtype=np.intp)]
            linear = -float(np.sum(centre * dual.a.sum(axis=0))) + float(own.sum())
            bent = 0.0
        else:
            box = self.box
            linear = float((box.linear - centre) @ dual.a) - box.width * float(np.abs(dual.a).sum())
            bent = float(box.bend @ dual.a**2)
        below = linear - 0.5 * (size + pull + bent)
        return value, max(0.0, value + 0.5 * lam * pull - lam * below)

    def value(self, at: Coefficients) -> float:
        """F."""
        eta = forth(self.chunk.X, at.slope, at.intercept)
        loss = float(self.cost @ self.problem.loss.value(eta, self.chunk.y)) * self.problem.penalty.strength
        return loss + self.problem.penalty.value(at.slope)


def polished(work: Rows, state: _State) -> Coefficients:
    """The coefficients that follow exactly from which variables are free, where these are the right ones.

    Rows whose variables are free lie on a kink: xᵢ·w + b + bendᵢ aᵢ = linearᵢ ∓ width. With w = Σ a x and Σ a = 0 that
    is one small system for the free a and b.
    """
    if work.problem.classes is not None or not np.isfinite(work.box.high).all():
        return state.best
    box, a = work.box, state.dual.a
    edge = _EDGE * np.maximum(np.abs(box.low), np.abs(box.high))
    free = (a > box.low + edge) & (a < box.high - edge) & ((np.abs(a) > edge) | (box.width == 0))
    count = int(free.sum())
    if not 0 < count <= _MOST_FREE:
        return state.best
    held = np.where(free, 0.0, np.where(np.abs(a - box.low) <= edge, box.low, np.where(a > edge, box.high, 0.0)))
    rows = work.chunk.X[np.flatnonzero(free)]
    rows = np.asarray(rows.toarray() if is_sparse(rows) else rows, dtype=np.float64)
    own = np.asarray(work.chunk.X.T @ held)
    with_b = work.problem.fit_intercept
    system = np.zeros((count + with_b, count + with_b))
    system[:count, :count] = rows @ rows.T + np.diag(box.bend[free])
    right = box.linear[free] - box.width * np.sign(a[free]) - rows @ own
    if with_b:
        system[count, :count] = system[:count, count] = 1.0
        right = np.append(right, -held.sum())
    solution = np.linalg.lstsq(system, right, rcond=1e-13)[0]
    slope = own + solution[:count] @ rows
    found = Coefficients(slope, np.asarray(solution[count] if with_b else 0.0))
    return found if work.value(found) <= state.value else state.best
