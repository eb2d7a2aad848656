"""Linear models."""

from .generalized import GeneralizedLinearRegressor
from .glm import GammaRegressor, PoissonRegressor, TweedieRegressor
from .likelihood_tests import likelihood_ratio_test
from .logistic import LogisticRegression
from .ordinary import LinearRegression
from .ridge import Ridge

__all__ = [
    "GammaRegressor", "GeneralizedLinearRegressor", "LinearRegression", "LogisticRegression", "PoissonRegressor",
    "Ridge", "TweedieRegressor", "likelihood_ratio_test",
]  # fmt: skip
