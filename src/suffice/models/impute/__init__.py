"""Imputation: missing values filled by a number, by what a density expects of them, or by draws from it."""

from .gaussian_imputer import GaussianImputer
from .missing_indicator import MissingIndicator
from .mixture_imputer import MixtureImputer
from .simple_imputer import SimpleImputer

__all__ = ["GaussianImputer", "MissingIndicator", "MixtureImputer", "SimpleImputer"]
