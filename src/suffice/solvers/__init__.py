"""Solvers, one a file: each minimises a loss and a penalty over the rows of any source, and says what it needs."""

from .base import SOLVERS, Solver
from .coordinate import CoordinateDescent
from .descent import GradientDescent
from .dual import DualCoordinateDescent
from .dual_first import DualFirst
from .lbfgs import LBFGS
from .linear_programme import LinearProgramme
from .newton import Newton
from .problem import Coefficients, Frame, Limits, Problem
from .proximal import FISTA
from .rates import LEARNING_RATES, LearningRate
from .sgd import SGD
from .smoothing import Smoothing
from .steps import STEP_RULES, StepRule

__all__ = [
    "FISTA", "LBFGS", "LEARNING_RATES", "SGD", "SOLVERS", "STEP_RULES", "Coefficients", "CoordinateDescent",
    "DualCoordinateDescent", "DualFirst", "Frame", "GradientDescent", "LearningRate", "Limits", "LinearProgramme",
    "Newton", "Problem", "Smoothing", "Solver", "StepRule",
]  # fmt: skip
