"""Linear models."""

from .bayesian_ridge import BayesianRidge
from .composed import LinearModel
from .composed_classifier import LinearModelClassifier
from .generalized import GeneralizedLinearRegressor
from .glm import GammaRegressor, PoissonRegressor, TweedieRegressor
from .huber import HuberRegressor
from .lasso import ElasticNet, Lasso, lasso_path
from .likelihood_tests import likelihood_ratio_test
from .logistic import LogisticRegression
from .lp import LpRegressor
from .ordinary import LinearRegression
from .perceptron import Perceptron
from .quantile import QuantileRegressor
from .ridge import Ridge
from .sgd_classifier import SGDClassifier
from .sgd_regressor import SGDRegressor
from .student_t import StudentTRegressor
from .svc import LinearSVC
from .svr import LinearSVR

__all__ = [
    "BayesianRidge", "ElasticNet", "GammaRegressor", "GeneralizedLinearRegressor", "HuberRegressor", "Lasso",
    "LinearModel", "LinearModelClassifier", "LinearRegression", "LinearSVC", "LinearSVR", "LogisticRegression",
    "LpRegressor", "Perceptron", "PoissonRegressor", "QuantileRegressor", "Ridge", "SGDClassifier", "SGDRegressor",
    "StudentTRegressor", "TweedieRegressor", "lasso_path", "likelihood_ratio_test",
]  # fmt: skip
