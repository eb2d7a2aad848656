"""Mixtures: densities with components, by EM."""

from .factor_analysis import FactorAnalysis
from .gaussian_mixture import GaussianMixture
from .mixture_model import MixtureModel
from .mixture_of_ppca import MixtureOfPPCA
from .ppca import PPCA

__all__ = ["PPCA", "FactorAnalysis", "GaussianMixture", "MixtureModel", "MixtureOfPPCA"]
