"""Newton's steps for few rows in memory: several in one call, which costs less than a step by itself."""

from __future__ import annotations

from dataclasses import dataclass

from ..backend.predictors import NewtonLimits, NewtonSteps, newton_steps
from ..data import Chunk
from ..data.rows import is_sparse
from ..penalties import L2, NoPenalty
from ..typing import Floats
from .problem import Coefficients, Problem, row_loss

_FEW = 1 << 18  # rows times squared columns
AT_ONCE = 64  # steps between two looks at Ctrl-C and the clock


@dataclass(frozen=True)
class SmallProblem:
    """The rows of a problem, and what squared slopes cost, (p,)."""

    problem: Problem
    chunk: Chunk
    penalty: Floats

    @classmethod
    def of(cls, problem: Problem) -> SmallProblem | None:
        """Those of a problem that the kernel knows; None of others."""
        chunk, p = problem.source.in_memory, problem.columns
        if chunk is None or is_sparse(chunk.X) or len(chunk) * (p + 1) ** 2 > _FEW:
            return None
        if (
            problem.classes is not None
            or not problem.loss.kernel
            or problem.free is not None
            or not isinstance(problem.penalty, L2 | NoPenalty)
        ):
            return None
        return cls(problem, chunk, problem.penalty.curvature(p))

    def steps(self, at: Coefficients, limits: NewtonLimits) -> NewtonSteps:
        """Newton's steps from some coefficients."""
        chunk, problem = self.chunk, self.problem
        return newton_steps(
            chunk.X, chunk.y, chunk.weight, row_loss(problem.loss), self.penalty, problem.fit_intercept, at.slope,
            at.intercept, limits,
        )  # fmt: skip
