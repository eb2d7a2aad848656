"""The estimator behind every linear model that is found by iterations: a loss, a penalty and a solver."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...data import Needs, Source
from ...engine import History, Outcome
from ...errors import Diverged, InvalidData, InvalidParameter, NotConverged, squares_underflow, warn
from ...estimator import Attributes, Estimator, declares
from ...losses import Loss
from ...params import derived, param
from ...penalties import NoPenalty, Penalty
from ...solvers import SOLVERS, Coefficients, Limits, Problem, Solver
from ...solvers.few_rows import is_learned_sooner
from ...text import counted
from ...typing import Flags, Floats

_FEW = 500  # columns whose Hessian is formed and factored faster than it is learned by many steps
_LEAST_LEVEL = 1e-300
_SMALL = 1e-140  # sums of columns whose squares are near the smallest number,
_STEEP, _FLAT = 1e130, 1e-10  # whose slopes are above, or below that of the largest
_FEW_OF_CLASSES = 120  # columns times classes: the products are those of all pairs of classes


@declares
class LinearIterations(Estimator):
    """Base of linear models that are found by iterations of any kind."""

    fit_intercept: bool = param(
        True, choices=(True, False), doc="Whether to fit an intercept, which no penalty touches."
    )
    max_iter: int = param(1000, integer=True, at_least=1, doc="The most iterations of the solver.")
    tol: float = param(
        1e-10,
        number=True,
        at_least=0,
        doc="Stop when an iteration promises to lower the objective by less than this part of it.",
    )
    warm_start: bool = param(False, choices=(True, False), doc="Whether to begin at the coefficients of the last fit.")

    @derived
    def n_iter_(self) -> int:
        """The number of iterations of the fit."""
        return len(self.history_.iterations)

    def _fit_needs(self) -> Needs:
        return super()._fit_needs().but(squares=True)

    def _warn_of_limit(self, history: History) -> None:
        if history.status == "max_iter":
            owner = type(self).__name__
            warn(
                f"{owner}: not converged after max_iter={self.max_iter} iterations; raise max_iter, or tol.",
                NotConverged,
            )

    def _held(self, shape: tuple[int, ...]) -> Coefficients | None:
        """The coefficients of the last fit, where a fit shall begin there and they are of this shape."""
        if not self.warm_start or not hasattr(self, "coef_"):
            return None
        slope = np.asarray(self.coef_, dtype=np.float64)
        intercept = np.asarray(getattr(self, "intercept_", 0.0), dtype=np.float64)  # a user may have set `coef_` alone
        slope = slope.T if len(shape) == 2 else slope.ravel()
        if slope.shape != shape:
            return None
        return Coefficients(
            slope, np.broadcast_to(intercept.ravel() if len(shape) == 2 else intercept.sum(), shape[1:])
        )


def solver_param(*theirs: str) -> object:
    """The parameter `solver`; `theirs` are scikit-learn's names of ways to the same minimum, taken as auto."""
    also = f", as do scikit-learn's {', '.join(theirs)}" if theirs else ""
    return param(
        "auto",
        choices=("auto", *theirs),
        names=SOLVERS,
        doc=f"How the objective is minimised; auto takes the fastest that can{also}.",
    )


@declares
class IterativeLinearModel(LinearIterations):
    """Base: a subclass gives the loss and the penalty, and what coefficients are to its users."""

    solver: object = solver_param()

    def _minimised(
        self,
        source: Source,
        loss: Loss,
        penalty: Penalty,
        start: Coefficients | None,
        classes: int | None,
        attributes: Callable[[Coefficients], Attributes],
        free: Flags | None = None,
    ) -> tuple[Problem, Outcome[Coefficients]]:
        """The coefficients that minimise mean loss and penalty over the rows of a source."""
        owner = type(self).__name__
        penalty.check_columns(len(source.schema), owner)
        problem = Problem(owner, source, loss, penalty, self.fit_intercept, classes, attributes, free)
        outcome = self._solver(problem).solve(problem, start or problem.zero(), Limits(self.max_iter, self.tol))
        last = outcome.history.iterations[-1].objective
        if outcome.history.status in ("converged", "max_iter") and not math.isfinite(last):
            raise InvalidData(
                f"{owner}: the objective is {last}: the losses of some rows are larger than "
                "any number. Put y on a smaller scale, or take another loss."
            )
        if isinstance(penalty, NoPenalty):
            refuse_small_columns(owner, source, outcome.state.slope)
        self._warn_of_limit(outcome.history)
        if outcome.history.status == "diverged":
            warn(diverged(owner, outcome.history), Diverged)
        return problem, outcome

    def _solver(self, problem: Problem) -> Solver:
        if self.solver in SOLVERS:
            return SOLVERS.member(self.solver, type(self).__name__, "solver").checked(problem)
        return self._fastest(problem)

    def _fastest(self, problem: Problem) -> Solver:
        """The first of those that are preferred which can solve a problem."""
        for name in self._preferred(problem):
            solver = SOLVERS.make(name)
            if not solver.lacks(problem):
                return solver
        return SOLVERS.make("lbfgs").checked(problem)

    def _preferred(self, problem: Problem) -> tuple[str, ...]:
        """Names of solvers, the best for a problem first."""
        if not problem.penalty.is_smooth:
            return "coordinate", "fista", "linear_programme"
        few = _FEW if problem.classes is None or problem.source.in_memory is None else _FEW_OF_CLASSES
        if problem.columns * (problem.classes or 1) <= few and not is_learned_sooner(problem):
            return "newton", "lbfgs", "fista", "linear_programme"
        return "lbfgs", "fista", "linear_programme"


def strength_of(C: float, weight: float, owner: str) -> float:
    """λ = 1 / (C Σ s), the strength of a penalty beside the mean loss."""
    level = C * weight
    if level < _LEAST_LEVEL:
        raise InvalidParameter(
            f"{owner}: C times the weight of all rows must be at least {_LEAST_LEVEL:g}; got {level:g}. Take a "
            "larger C, or scale the weights up."
        )
    return 1 / level


def refuse_small_columns(owner: str, source: Source, slope: Floats) -> None:
    """Refuse columns whose squares underflow, where slopes without a penalty are as these would be."""
    steep = np.abs(slope)
    if np.all((steep <= _STEEP) & (steep > _FLAT * steep.max(initial=0.0))):
        return  # which saves a pass over the rows
    size = source.reduce(lambda chunk: np.asarray(abs(chunk.X).sum(axis=0), dtype=np.float64).ravel())
    small = (size > 0) & (size < _SMALL)
    if small.any():
        name = source.schema.names[int(np.argmax(small))]
        raise squares_underflow(owner, f"column {name!r}")


def diverged(owner: str, history: History) -> str:
    """The sentence that says how a fit ran away."""
    count = counted(len(history), "iteration")
    return (
        f"{owner}: diverged, with an objective of {history.objective[-1]:.3g} after {count}: the steps are too large "
        "for the columns. Take smaller steps, or put the columns on one scale (StandardScaler)."
    )


def finished(outcome: Outcome[Coefficients], attributes: Callable[[Coefficients], Attributes]) -> Outcome[Attributes]:
    """The outcome with coefficients as fitted attributes; none of them is minus zero."""
    return outcome.then(lambda found: attributes(replace(found, slope=found.slope + 0.0)))
