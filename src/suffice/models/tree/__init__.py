"""Trees: rows are told apart by one column after the other."""

from .c45 import C45Classifier
from .decision_tree_classifier import DecisionTreeClassifier
from .decision_tree_regressor import DecisionTreeRegressor
from .id3 import ID3Classifier
from .linear_tree import LinearTreeRegressor

__all__ = [
    "C45Classifier", "DecisionTreeClassifier", "DecisionTreeRegressor", "ID3Classifier",
    "LinearTreeRegressor",
]  # fmt: skip
