"""Solvers, one a file: each minimises a loss and a penalty over the rows of any source, and says what it needs."""

from .base import SOLVERS, Solver
from .lbfgs import LBFGS
from .linear_programme import LinearProgramme
from .newton import Newton
from .problem import Coefficients, Frame, Limits, Problem
from .proximal import FISTA

__all__ = [
    "FISTA",
    "LBFGS",
    "SOLVERS",
    "Coefficients",
    "Frame",
    "Limits",
    "LinearProgramme",
    "Newton",
    "Problem",
    "Solver",
]
