"""Intervals and sets that hold the truth of new rows as often as they say, around any model."""

from .calibration import ConformalScores
from .conformal_classifier import ConformalClassifier
from .conformal_regressor import ConformalRegressor
from .coverage import Coverage

__all__ = ["ConformalClassifier", "ConformalRegressor", "ConformalScores", "Coverage"]
