"""Linear programming, which is exact for losses with corners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..backend.weights import given_or_ones
from ..data import Chunk
from ..data.rows import is_sparse
from ..engine import Outcome, Step, closed_form
from ..errors import NotConverged, warn
from ..losses import AbsoluteLoss, QuantileLoss
from ..penalties import L1, NoPenalty
from ..penalties.base import by_column
from ..statistics.gradient import forth
from ..typing import Floats
from .base import Solver
from .problem import Coefficients, Frame, Limits, Problem

if TYPE_CHECKING:
    from scipy.sparse import csc_array

_MOST_BYTES = 2**31  # of rows that are gathered
_FEASIBLE = 1e-9  # in units of the spread of columns and targets
_TIED = 1e-12  # of the weight of all rows
_FEW_CELLS = 1 << 16  # of dense rows, which need no sparse form


@dataclass(frozen=True)
class LinearProgramme(Solver):
    """Absolute and pinball losses without a penalty or with an L1 one, by the simplex method of HiGHS: exact.

    It solves the dual programme, with a variable a row and a constraint a column: max Σ d y over −(1 − q) s ≤ d ≤ q s
    with |Σ d x| ≤ λ Σ s and Σ d = 0, whose multipliers are slopes and intercept. Of equally good intercepts the middle
    one is given. The rows are gathered in memory, and it runs to the end, whatever `max_iter` is.
    """

    names: ClassVar = ("linear_programme", "highs", "simplex")

    def lacks(self, problem: Problem) -> str:
        if not isinstance(problem.loss, AbsoluteLoss | QuantileLoss):
            return f"the absolute or the pinball loss, and not {type(problem.loss).__name__}"
        if not isinstance(problem.penalty, NoPenalty | L1):
            return f"no penalty or L1, and not {type(problem.penalty).__name__}"
        return "all slopes to be free" if problem.free is not None else ""

    def solve(self, problem: Problem, start: Coefficients, limits: Limits) -> Outcome[Coefficients]:
        return closed_form(lambda: _solved(problem), problem.shown)


def _solved(problem: Problem) -> Step[Coefficients]:
    frame = problem.frame()
    rows = _weighing(problem.source.gather(_MOST_BYTES, "fit a sample of the rows, or take the Huber loss"))
    slope = frame.out(Coefficients(_multipliers(problem, frame, rows), np.zeros(()))).slope
    found = Coefficients(slope, np.zeros(()))
    if problem.fit_intercept:
        rest = np.asarray(rows.y, dtype=np.float64) - forth(rows.X, slope, np.zeros(()))
        found = Coefficients(slope, np.asarray(middle_quantile(rest, _share(problem), rows.weight)))
    return Step(found, problem.objective(found, problem.sums(found)))


def _weighing(rows: Chunk) -> Chunk:
    """The rows with a weight above 0."""
    if rows.weight is None or np.all(rows.weight > 0):
        return rows
    return rows.at(np.flatnonzero(rows.weight > 0))


def _share(problem: Problem) -> float:
    return problem.loss.quantile if isinstance(problem.loss, QuantileLoss) else 0.5


def _multipliers(problem: Problem, frame: Frame, rows: Chunk) -> Floats:
    """The slopes (p,) in units of the frame."""
    n, p = rows.X.shape
    y, q, weight = np.asarray(rows.y, dtype=np.float64), _share(problem), given_or_ones(rows.weight, rows.X.shape[0])
    level = middle_quantile(y, q, weight) if problem.fit_intercept else 0.0
    size = float(np.mean(np.abs(y - level))) or 1.0
    weight = weight / weight.mean()
    room = n * _prices(problem, frame)
    positive = isinstance(problem.penalty, L1) and problem.penalty.positive
    low = np.concatenate([(q - 1) * weight, np.full(p, -np.inf) if positive else -room])
    high = np.concatenate([q * weight, room])
    costs = np.concatenate([-(y - level) / size, np.zeros(p)])
    return -size * _marginals(costs, _constraints(frame, rows, problem.fit_intercept), low, high, problem.owner)[:p]


def _prices(problem: Problem, frame: Frame) -> Floats:
    """What the slopes cost in units of the frame, (p,), beside a pinball loss; the absolute loss is two."""
    if not isinstance(problem.penalty, L1):
        return np.zeros(problem.columns)
    scale = 2.0 if isinstance(problem.loss, AbsoluteLoss) else 1.0
    return problem.penalty.strength * by_column(problem.penalty.weights, frame.unit) / frame.unit / scale


def _constraints(frame: Frame, rows: Chunk, fit_intercept: bool) -> csc_array | Floats:
    """The columns of X and of ones as rows, and beside them −1 for the room of each slope, (p + 1, n + p)."""
    n, p = rows.X.shape
    if not is_sparse(rows.X) and n * p <= _FEW_CELLS:
        both = np.zeros((p + fit_intercept, n + p))
        both[:p, :n] = ((rows.X - frame.centre) / frame.unit).T
        both[np.arange(p), n + np.arange(p)] = -1.0
        both[p:, :n] = 1.0
        return both
    from scipy import sparse

    if is_sparse(rows.X):  # where Σ d = 0 their centre does not matter
        columns = sparse.csc_array(rows.X.T.astype(np.float64).multiply(1 / frame.unit[:, None]))
    else:
        columns = sparse.csc_array(((rows.X - frame.centre) / frame.unit).T)
    beside = sparse.hstack([columns, -sparse.eye_array(p)])
    if not fit_intercept:
        return sparse.csc_array(beside)
    ones = sparse.csc_array(np.concatenate([np.ones(n), np.zeros(p)])[None, :])
    return sparse.csc_array(sparse.vstack([beside, ones]))


def _marginals(costs: Floats, constraints: csc_array | Floats, low: Floats, high: Floats, owner: str) -> Floats:
    """What a little more of the right-hand side of each constraint costs."""
    from scipy.optimize import linprog

    exact = {"primal_feasibility_tolerance": _FEASIBLE, "dual_feasibility_tolerance": _FEASIBLE, "presolve": False}
    right, bounds = np.zeros(constraints.shape[0]), np.column_stack([low, high])
    for settings in (exact, {}):
        found = linprog(costs, A_eq=constraints, b_eq=right, bounds=bounds, method="highs", options=settings)
        if found.status == 0:
            break
    else:
        warn(f"{owner}: the linear programme was not solved: {found.message} Scale the columns.", NotConverged)
        return np.zeros(len(right))
    marginals: Floats = found.eqlin.marginals
    return marginals


def middle_quantile(values: Floats, share: float, weight: Floats | None = None) -> float:
    """The quantile of weighted values; of all that are equally good the middle one.

    >>> middle_quantile(np.array([3.0, 1.0, 2.0, 9.0]), 0.5)
    2.5
    """
    order = np.argsort(values, kind="stable")
    ranked, below = values[order], np.cumsum(given_or_ones(weight, len(values))[order])
    aim, slack = share * below[-1], _TIED * below[-1]
    first, last = np.searchsorted(below, [aim - slack, aim + slack]).clip(max=len(values) - 1)
    return float(0.5 * (ranked[first] + ranked[last]))
