"""Imputation: missing values filled by what a density expects of them, or by draws from it."""

from .gaussian_imputer import GaussianImputer
from .mixture_imputer import MixtureImputer

__all__ = ["GaussianImputer", "MixtureImputer"]
