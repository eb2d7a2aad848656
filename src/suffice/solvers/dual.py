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
from ..holds import flag, floats, number, whole
from ..losses import CrammerSingerLoss
from ..penalties import L2
from ..statistics.gradient import forth
from ..typing import Floats
from .base import Solver
from .problem import Coefficients, Frame, Limits, Problem
from .settled import settled

_REACH, _REACH_SPARSE = 0.2, 0.01  # of the squared length of rows: a larger ρ takes fewer steps, each of more sweeps
_SWEEPS = 200  # between two looks at the objective
_NOTHING = 1e-6  # of the objective of slopes of 0: a smaller one is as good as 0
_ASTRAY = 0.1  # of the size of predictors: so far off may an intercept be that seems to stand still
_FIRST = 5  # sweeps before the first look, where the work may be given up
_BRIEF, _BRIEF_SMOOTH = 0.5, 0.25  # passes over the rows for each column: a quarter of what Newton's method takes
_BRIEF_SPARSE = 10.0  # the same of sparse rows
_MANY, _MANY_SMOOTH = 20, 1  # variables a column that are not 0, which take Newton's method less time
_SHARE, _SHARE_SPARSE = 0.01, 0.3  # of the violation that the next sweeps leave: dense ones cost less than a system


@dataclass(frozen=True)
class DualCoordinateDescent(Solver):
    """Dual coordinate descent for support vector machines (Hsieh et al., 2008): one variable a row, rows in memory.

    An intercept that no penalty touches would bind all variables together, Σ a = 0. It is found by steps instead: each
    minimises F + ½ λ (b − c)² / ρ, whose dual has no such bond, and goes on from c = b (the proximal point method,
    which ends at the minimum of F). Once few variables are between their bounds, and these are the right ones, all
    follows exactly from one small system. It stops when the gap between F and its dual, with what Σ a ≠ 0 may add to
    it, is within `tol` of F; `briefly`, it also gives up where that may take long.
    """

    seed: int = 0
    briefly: bool = False
    names: ClassVar = ("dual",)
    holds: ClassVar = {"seed": whole(), "briefly": flag()}

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
            lambda state: work.step(state, limits.tol, self.seed, self.briefly),
            max_iter=limits.max_iter,
            snapshot=lambda state: problem.shown(work.frame.out(state.best)),
            kept=lambda: _State.kept(*work.shapes()),
        )
        return found.then(lambda state: work.frame.out(state.best))


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
        kinds = {"a": floats(*a), "slope": floats(*slope), "total": one, "violation": one}
        kinds |= {"sweeps": whole(), "looks": whole()}
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
        reach = _REACH_SPARSE if is_sparse(X) else _REACH
        spread = max(reach * squares, unit / float(cost.sum()))  # so that a step may take it where it is to be
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
        return _State(DualState(np.zeros(a), np.zeros(slope)), np.zeros(self._classes), self._steepest, zero, self.size)

    @property
    def _steepest(self) -> float:
        """The largest violation of variables of 0."""
        return float(np.abs(self.box.linear).max(initial=0.0)) if not self._classes else 1.0

    @cached_property
    def box(self) -> Box:
        """That of the loss, times what rows cost."""
        box = self.problem.loss.box(np.asarray(self.chunk.y, dtype=np.float64))
        assert box is not None
        return box.times(self.cost)

    def step(self, state: _State, tol: float, seed: int, briefly: bool) -> Step[_State]:
        """Some sweeps; the centre moves where it is near the minimum around it, or further off than rows violate."""
        most = _FIRST if briefly and not state.dual.sweeps else _SWEEPS
        dual, moved = self._swept(state, most, seed + state.dual.sweeps)
        level = state.centre + moved
        found = Coefficients(dual.slope, np.asarray(level))
        value, gap = self._judged(found, state.centre, dual)
        away = self.problem.penalty.strength * float(np.sum(moved**2)) / (2 * self.spread) if self.spread else 0.0
        best, lowest = (found, value) if value < state.value else (state.best, state.value)
        allowed = tol * max(abs(lowest), _NOTHING * self.size)
        close = gap <= max(0.1 * away, 0.3 * allowed) or float(np.abs(moved).max()) > dual.violation
        share = _SHARE_SPARSE if is_sparse(self.chunk.X) else _SHARE
        finer = state.tol if dual.violation > state.tol else share * state.tol
        after = _State(dual, level if close else state.centre, finer, best, lowest)
        gap += self._unbalanced(moved, dual)
        if gap > allowed:
            after, gap = self._settled(after, gap)
        done = gap <= allowed
        figures = {"gap": gap, "sweeps": float(dual.sweeps)}
        return Step(after, after.value, figures, done=done, unfinished=briefly and not done and self._is_long(dual))

    def _is_long(self, dual: DualState) -> bool:
        """Whether Newton's method would need less time than was spent, or so many rows lie beyond their margins."""
        if is_sparse(self.chunk.X):  # a pass costs the cells alone, a step of Newton's method the square of all columns
            passes, many = _BRIEF_SPARSE, np.inf
        else:
            passes, many = (_BRIEF_SMOOTH, _MANY_SMOOTH) if self.problem.loss.is_smooth else (_BRIEF, _MANY)
        d = self.problem.columns
        return dual.looks > passes * d * len(self.chunk) or int(np.count_nonzero(dual.a)) > many * d

    def _settled(self, state: _State, gap: float) -> tuple[_State, float]:
        """With the coefficients that follow from which variables are at a bound, where they are better; and their gap.

        Slopes are less sensitive than the intercept, so that variables are at the right bounds long before it stands
        still.
        """
        exact = None if self._classes else settled(self.chunk.X, self.box, state.dual.a, self.problem.fit_intercept)
        if exact is None:
            return state, gap
        at = Coefficients(exact.slope, np.asarray(exact.intercept))
        value, own = self._judged(at, at.intercept, replace(state.dual, a=exact.a, slope=exact.slope))
        if exact.wrong == 0 and own < gap:
            return replace(state, best=at, value=value, centre=at.intercept), own
        return replace(state, best=at, value=value, centre=at.intercept) if value < state.value else state, gap

    def _unbalanced(self, moved: Floats, dual: DualState) -> float:
        """What Σ a ≠ 0 may add to the gap: it times how far the intercept may still be from where it should be."""
        if not self.spread:
            return 0.0
        reach = _ASTRAY * (self.unit + self.length * float(np.linalg.norm(dual.slope)))
        return self.problem.penalty.strength * float(np.abs(moved).sum()) / self.spread * reach

    def _swept(self, state: _State, most: int, seed: int) -> tuple[DualState, Floats]:
        """The dual variables after some sweeps, and how far the intercept is from its centre."""
        X, box = self.chunk.X, None if self._classes else self.box
        if box is not None:
            dual = sweeps(X, box, float(state.centre), self.spread, state.dual, most, state.tol, seed)
            return dual, np.asarray(self.spread * dual.total)
        y = np.asarray(self.chunk.y, dtype=np.float64)
        dual = crammer_singer(X, y, self.cost, state.centre, self.spread, state.dual, most, state.tol, seed)
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
