"""Ensembles: many models decide together."""

from .adaboost_classifier import AdaBoostClassifier
from .adaboost_regressor import AdaBoostRegressor
from .bagging_classifier import BaggingClassifier
from .bagging_regressor import BaggingRegressor
from .extra_trees_classifier import ExtraTreesClassifier
from .extra_trees_regressor import ExtraTreesRegressor
from .hist_gradient_boosting_classifier import HistGradientBoostingClassifier
from .hist_gradient_boosting_regressor import HistGradientBoostingRegressor
from .isolation_forest import IsolationForest
from .random_forest_classifier import RandomForestClassifier
from .random_forest_regressor import RandomForestRegressor

__all__ = [
    "AdaBoostClassifier", "AdaBoostRegressor", "BaggingClassifier", "BaggingRegressor", "ExtraTreesClassifier",
    "ExtraTreesRegressor", "HistGradientBoostingClassifier", "HistGradientBoostingRegressor", "IsolationForest",
    "RandomForestClassifier", "RandomForestRegressor",
]  # fmt: skip
