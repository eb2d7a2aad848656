"""Linear models."""

from .logistic import LogisticRegression
from .ordinary import LinearRegression
from .perceptron import Perceptron
from .ridge import Ridge
from .sgd_classifier import SGDClassifier
from .sgd_regressor import SGDRegressor

__all__ = ["LinearRegression", "LogisticRegression", "Perceptron", "Ridge", "SGDClassifier", "SGDRegressor"]
