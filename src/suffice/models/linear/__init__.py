"""Linear models."""

from .bayesian_ridge import BayesianRidge
from .composed import LinearModel
from .generalized import GeneralizedLinearRegressor
from .glm import GammaRegressor, PoissonRegressor, TweedieRegressor
from .huber import HuberRegressor
from .likelihood_tests import likelihood_ratio_test
from .logistic import LogisticRegression
from .lp import LpRegressor
from .ordinary import LinearRegression
from .quantile import QuantileRegressor
from .ridge import Ridge
from .student_t import StudentTRegressor

__all__ = [
    "BayesianRidge", "GammaRegressor", "GeneralizedLinearRegressor", "HuberRegressor", "LinearModel",
    "LinearRegression", "LogisticRegression", "LpRegressor", "PoissonRegressor", "QuantileRegressor", "Ridge",
    "StudentTRegressor", "TweedieRegressor", "likelihood_ratio_test",
]  # fmt: skip
