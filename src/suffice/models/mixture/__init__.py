"""Mixtures: densities with components, by EM."""

from .anomaly import DensityAnomaly
from .factor_analysis import FactorAnalysis
from .gaussian_imputer import GaussianImputer
from .gaussian_mixture import GaussianMixture
from .mixture_imputer import MixtureImputer
from .mixture_model import MixtureModel
from .mixture_of_ppca import MixtureOfPPCA
from .ppca import PPCA

__all__ = [
    "PPCA", "DensityAnomaly", "FactorAnalysis", "GaussianImputer", "GaussianMixture", "MixtureImputer", "MixtureModel",
    "MixtureOfPPCA",
]  # fmt: skip
