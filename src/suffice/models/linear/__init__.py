"""Linear models."""

from .generalized import GeneralizedLinearRegressor
from .glm import GammaRegressor, PoissonRegressor, TweedieRegressor
from .logistic import LogisticRegression
from .ordinary import LinearRegression
from .ridge import Ridge

__all__ = [
    "GammaRegressor", "GeneralizedLinearRegressor", "LinearRegression", "LogisticRegression", "PoissonRegressor",
    "Ridge", "TweedieRegressor",
]  # fmt: skip
