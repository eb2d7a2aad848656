"""Dual coordinate descent where it ends soon, and else another solver."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from ..engine import Outcome
from ..holds import instance
from .base import Solver
from .dual import DualCoordinateDescent
from .problem import Coefficients, Limits, Problem


@dataclass(frozen=True)
class DualFirst(Solver):
    """Where a plane tells most rows apart, few of them decide where it lies, and their dual is solved sooner.

    Elsewhere dual coordinate descent needs many sweeps over most of the rows. Which of them it is shows soon.
    """

    otherwise: Solver = field(default_factory=DualCoordinateDescent)
    holds: ClassVar = {"otherwise": instance(Solver)}

    def lacks(self, problem: Problem) -> str:
        return DualCoordinateDescent().lacks(problem) or self.otherwise.lacks(problem)

    def solve(self, problem: Problem, start: Coefficients, limits: Limits) -> Outcome[Coefficients]:
        found = DualCoordinateDescent(briefly=True).solve(problem, start, limits)
        if found.history.status != "max_iter":
            return found
        return self.otherwise.solve(problem, start, limits)  # from there on, as rows in pieces are: both give the same
