"""Classifiers by Bayes' rule from a density of each class."""

from .gaussian_nb import GaussianNB

__all__ = ["GaussianNB"]
