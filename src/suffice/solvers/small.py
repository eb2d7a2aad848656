"""Newton's steps for few rows in memory: several in one call, which costs less than a step by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..backend.arrays import Array
from ..backend.predictors import NewtonLimits, NewtonSteps, newton_steps, softmax_steps
from ..data import Chunk
from ..data.rows import is_sparse
from ..losses import Loss
from ..penalties import L2, NoPenalty
from ..statistics.gradient import forth
from ..typing import Floats
from .problem import Coefficients, Problem, row_loss

_FEW = 1 << 18  # rows times squared columns
_FEW_SLOPES = 100  # of several classes, each with an intercept
AT_ONCE = 64  # steps between two looks at Ctrl-C and the clock


def are_few(rows: float, columns: int) -> bool:
    """Whether a step takes less time than is spent between two of them."""
    return rows * (columns + 1) ** 2 <= _FEW


def are_few_of_classes(problem: Problem) -> bool:
    """Whether rows and slopes of several classes are few, and a penalty holds each slope; the rows may be anywhere."""
    rows = problem.source.n_rows
    if rows is None or problem.classes is None or problem.free is not None or not isinstance(problem.penalty, L2):
        return False
    size = (problem.columns + 1) * problem.classes
    held = bool(np.all(problem.penalty.curvature(problem.columns) > 0))
    return held and size <= _FEW_SLOPES and are_few(rows, size)


@dataclass(frozen=True)
class SmallProblem:
    """The rows of a problem, and what squared slopes cost, (p,)."""

    problem: Problem
    chunk: Chunk
    penalty: Floats

    @classmethod
    def of(cls, problem: Problem, loss: Loss | None = None) -> SmallProblem | None:
        """Those of a problem that the kernel knows, with its loss or another one; None of others."""
        chunk, p = problem.source.in_memory, problem.columns
        if (
            not (loss or problem.loss).kernel
            or problem.free is not None
            or not isinstance(problem.penalty, L2 | NoPenalty)
        ):
            return None
        if problem.classes is not None:
            chunk = problem.source.gather() if are_few_of_classes(problem) else None
        if chunk is None or not are_few(len(chunk), p):
            return None
        if is_sparse(chunk.X):
            chunk = replace(chunk, X=chunk.X.toarray())
        return cls(problem, chunk, problem.penalty.curvature(p))

    @property
    def weight(self) -> float:
        """The weight of all rows."""
        return float(len(self.chunk) if self.chunk.weight is None else self.chunk.weight.sum())

    def means(self, at: Coefficients, *functions: Callable[[Array, Array], Array]) -> list[float]:
        """The means over the rows of functions of their predictors and targets."""
        chunk, weight = self.chunk, self.weight
        eta = forth(chunk.X, at.slope, at.intercept)
        each = (f(eta, chunk.y) for f in functions)
        return [float(one.sum() if chunk.weight is None else chunk.weight @ one) / weight for one in each]

    def steps(self, at: Coefficients, limits: NewtonLimits, loss: Loss | None = None) -> NewtonSteps:
        """Newton's steps from some coefficients, for another loss if one is given."""
        chunk, problem = self.chunk, self.problem
        if problem.classes is not None:
            numbers = (loss or problem.loss).kernel_numbers
            return softmax_steps(
                chunk.X, chunk.y, chunk.weight, numbers, self.penalty, problem.fit_intercept, at.slope, at.intercept,
                limits,
            )  # fmt: skip
        return newton_steps(
            chunk.X, chunk.y, chunk.weight, row_loss(loss or problem.loss), self.penalty, problem.fit_intercept,
            at.slope, at.intercept, limits,
        )  # fmt: skip
