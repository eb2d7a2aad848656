"""Neighbours: rows that are near decide."""

from .k_neighbors_classifier import KNeighborsClassifier
from .k_neighbors_regressor import KNeighborsRegressor
from .nearest_neighbors import NearestNeighbors
from .parzen_classifier import ParzenClassifier
from .parzen_regressor import ParzenRegressor
from .ties import FirstDecides, NearestDecides, PriorDecides, RandomDecides

__all__ = [
    "FirstDecides", "KNeighborsClassifier", "KNeighborsRegressor", "NearestDecides", "NearestNeighbors",
    "ParzenClassifier", "ParzenRegressor", "PriorDecides", "RandomDecides",
]  # fmt: skip
