"""Estimators: dataclasses of declared parameters on scikit-learn's protocol, and what they can be."""

from .base import Attributes, ByChance, Estimator, declares, estimator, members
from .roles import (
    Classifier,
    Clusterer,
    Regressor,
    Scored,
    SummaryClassifier,
    SummaryModel,
    Transformer,
    check_expected,
)

__all__ = [
    "Attributes", "ByChance", "Classifier", "Clusterer", "Estimator", "Regressor", "Scored", "SummaryClassifier",
    "SummaryModel", "Transformer", "check_expected", "declares", "estimator", "members",
]  # fmt: skip
