"""Mixtures: densities with components, by EM."""

from .gaussian_mixture import GaussianMixture

__all__ = ["GaussianMixture"]
