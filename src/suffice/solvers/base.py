"""What every solver is: a way to minimise a loss and a penalty, which says what it needs of them."""

from __future__ import annotations

from typing import ClassVar

from ..choices import Choices, Named
from ..engine import Outcome
from ..errors import InvalidParameter
from ..registry import register_member
from .problem import Coefficients, Limits, Problem


class Solver(Named):
    """Base of the solvers, frozen dataclasses of settings: a subclass gives `lacks`, and `solve`, on `iterate`."""

    members: ClassVar[list[type[Solver]]] = []

    def __init_subclass__(cls) -> None:
        Solver.members.append(cls)
        SOLVERS.register(cls)
        register_member(cls, "solver")

    def lacks(self, problem: Problem) -> str:
        """What the problem must have that it has not, as the end of a sentence; "" where it can be solved."""
        return ""

    def solve(self, problem: Problem, start: Coefficients, limits: Limits) -> Outcome[Coefficients]:
        """The coefficients that minimise the objective, from a start."""
        raise TypeError(f"{type(self).__name__} does not define solve")

    def checked(self, problem: Problem) -> Solver:
        """This solver, where it can solve the problem; else an error that names what is missing."""
        missing = self.lacks(problem)
        if missing:
            others = ", ".join(sorted(_able(problem)))
            remedy = f"Solvers that can: {others}" if others else "No solver can: take another loss or penalty"
            raise InvalidParameter(f"{problem.owner}: {type(self).__name__} needs {missing}. {remedy}.")
        return self


SOLVERS: Choices[Solver] = Choices("solver", Solver)


def _able(problem: Problem) -> list[str]:
    """The main names of the solvers that can solve a problem with their own settings."""
    return [cls.names[0] for cls in Solver.members if cls.names and not cls().lacks(problem)]


def needs_smooth(problem: Problem) -> str:
    """What is missing where loss or penalty have no gradient."""
    if not problem.loss.is_smooth:
        return f"a loss with a gradient everywhere, which {type(problem.loss).__name__} has not"
    if not problem.penalty.is_smooth:
        return f"a penalty with a gradient everywhere, which {type(problem.penalty).__name__} has not"
    return ""
