"""Mixtures of probabilistic principal components."""

from __future__ import annotations

import numpy as np

from ...data import Needs
from ...distributions import LowRankGaussian, Mixture
from ...estimator import Attributes, estimator
from ...holds import floats
from ...params import learned
from ...typing import Floats
from .factor_mixture import FactorMixture


@estimator
class MixtureOfPPCA(FactorMixture):
    """Mixture of probabilistic PCAs: p(x) = Σⱼ πⱼ N(x; mⱼ, Wⱼ Wⱼᵀ + σⱼ² I), planes that each hold some of the rows.

    EM as for `GaussianMixture`, with the closed form of PPCA for each component (Tipping & Bishop, 1999). With few
    factors it has far fewer parameters than full covariances, and is less rigid than diagonal ones. `transform` gives
    the probabilities of the components and the latent coordinates in each, `inverse_transform` points of the planes;
    missing values are imputed by their expectation, as for every mixture of Gaussians.

    Examples
    --------
    >>> import suffice as sf
    >>> crabs = np.log(sf.datasets.load("crabs").matrix())
    >>> plane, full = sf.MixtureOfPPCA(2, rank=2, random_state=0), sf.GaussianMixture(2, random_state=0)
    >>> [model.fit(crabs).mixture_.n_parameters for model in (plane, full)]
    [31, 41]
    >>> plane.transform(crabs).shape, np.allclose(plane.inverse_transform(plane.transform(crabs)), crabs, atol=0.1)
    ((200, 6), True)
    """

    complexity = "n_components"

    needs = Needs(missing=True, scaled=True)
    units = "common"

    noise_variances_: Floats = learned("σ², (k,).", holds=floats("k"))

    def _members(self) -> LowRankGaussian:
        return LowRankGaussian(rank=self.rank)

    def _attributes(self, mixture: Mixture) -> Attributes:
        return {**super()._attributes(mixture), "noise_variances_": np.array([part.noise[0] for part in mixture.parts])}
