"""Factor models: rows that a few latent factors and noise explain."""

from .factor_analysis import FactorAnalysis
from .mixture_of_factor_analysers import MixtureOfFactorAnalysers
from .mixture_of_ppca import MixtureOfPPCA
from .ppca import PPCA

__all__ = ["PPCA", "FactorAnalysis", "MixtureOfFactorAnalysers", "MixtureOfPPCA"]
