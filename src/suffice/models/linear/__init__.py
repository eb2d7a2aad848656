"""Linear models."""

from .generalized import GeneralizedLinearRegressor
from .glm import GammaRegressor, PoissonRegressor, TweedieRegressor
from .lasso import ElasticNet, Lasso
from .likelihood_tests import likelihood_ratio_test
from .logistic import LogisticRegression
from .ordinary import LinearRegression
from .ridge import Ridge

__all__ = [
    "ElasticNet", "GammaRegressor", "GeneralizedLinearRegressor", "Lasso", "LinearRegression", "LogisticRegression",
    "PoissonRegressor", "Ridge", "TweedieRegressor", "likelihood_ratio_test",
]  # fmt: skip
