"""Mixtures: densities with components, by EM."""

from .gaussian_mixture import GaussianMixture
from .mixture_model import MixtureModel

__all__ = ["GaussianMixture", "MixtureModel"]
