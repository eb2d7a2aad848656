"""Many models as one: bagging and boosting."""

from .adaboost_classifier import AdaBoostClassifier
from .bagging_classifier import BaggingClassifier
from .bagging_regressor import BaggingRegressor

__all__ = ["AdaBoostClassifier", "BaggingClassifier", "BaggingRegressor"]
