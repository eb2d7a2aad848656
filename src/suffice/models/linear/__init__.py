"""Linear models."""

from .generalized import GeneralizedLinearRegressor
from .glm import GammaRegressor, PoissonRegressor, TweedieRegressor
from .lasso import ElasticNet, Lasso
from .likelihood_tests import likelihood_ratio_test
from .logistic import LogisticRegression
from .ordinary import LinearRegression
from .perceptron import Perceptron
from .ridge import Ridge
from .sgd_classifier import SGDClassifier
from .sgd_regressor import SGDRegressor
from .svc import LinearSVC
from .svr import LinearSVR

__all__ = [
    "ElasticNet", "GammaRegressor", "GeneralizedLinearRegressor", "Lasso", "LinearRegression", "LinearSVC",
    "LinearSVR", "LogisticRegression", "Perceptron", "PoissonRegressor", "Ridge", "SGDClassifier", "SGDRegressor",
    "TweedieRegressor", "likelihood_ratio_test",
]  # fmt: skip
