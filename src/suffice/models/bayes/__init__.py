"""Classifiers by Bayes' rule from a density of each class."""

from .bernoulli_nb import BernoulliNB
from .categorical_nb import CategoricalNB
from .gaussian_bayes import GaussianBayes
from .gaussian_nb import GaussianNB
from .linear_discriminant import LinearDiscriminantAnalysis
from .mixture_bayes import MixtureBayes
from .multinomial_nb import MultinomialNB
from .naive_bayes import NaiveBayes
from .poisson_nb import PoissonNB
from .quadratic_discriminant import QuadraticDiscriminantAnalysis

__all__ = [
    "BernoulliNB", "CategoricalNB", "GaussianBayes", "GaussianNB", "LinearDiscriminantAnalysis", "MixtureBayes",
    "MultinomialNB", "NaiveBayes", "PoissonNB", "QuadraticDiscriminantAnalysis",
]  # fmt: skip
