"""Solvers, one a file: each minimises a loss and a penalty over the rows of any source, and says what it needs."""

from .base import SOLVERS, Solver
from .coordinate import CoordinateDescent
from .lbfgs import LBFGS
from .newton import Newton
from .problem import Coefficients, Frame, Limits, Problem
from .proximal import FISTA

__all__ = [
    "FISTA", "LBFGS", "SOLVERS", "Coefficients", "CoordinateDescent", "Frame", "Limits", "Newton", "Problem", "Solver",
]  # fmt: skip
