"""Classifiers by Bayes' rule from a density of each class."""

from ...renamed import names_in, with_former_names
from .bernoulli_nb import BernoulliNB
from .categorical_nb import CategoricalNB
from .density_and_classifier import DensityAndClassifier
from .density_bayes import DensityBayes
from .gaussian_bayes import GaussianBayes
from .gaussian_nb import GaussianNB
from .linear_discriminant import LinearDiscriminantAnalysis
from .mixture_bayes import MixtureBayes
from .multinomial_nb import MultinomialNB
from .naive_bayes import NaiveBayes
from .poisson_nb import PoissonNB
from .quadratic_discriminant import QuadraticDiscriminantAnalysis

__getattr__ = with_former_names(__name__, names_in(__name__, globals()))
__all__ = [
    "BernoulliNB", "CategoricalNB", "DensityAndClassifier", "DensityBayes", "GaussianBayes", "GaussianNB",
    "LinearDiscriminantAnalysis", "MixtureBayes", "MultinomialNB", "NaiveBayes", "PoissonNB",
    "QuadraticDiscriminantAnalysis",
]  # fmt: skip
