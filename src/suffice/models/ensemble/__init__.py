"""Ensembles: many models decide together."""

from .extra_trees_classifier import ExtraTreesClassifier
from .extra_trees_regressor import ExtraTreesRegressor
from .hist_gradient_boosting_classifier import HistGradientBoostingClassifier
from .hist_gradient_boosting_regressor import HistGradientBoostingRegressor
from .random_forest_classifier import RandomForestClassifier
from .random_forest_regressor import RandomForestRegressor

__all__ = [
    "ExtraTreesClassifier", "ExtraTreesRegressor", "HistGradientBoostingClassifier", "HistGradientBoostingRegressor",
    "RandomForestClassifier", "RandomForestRegressor",
]  # fmt: skip
