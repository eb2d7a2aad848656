"""Mixtures of probabilistic principal components."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...data import Chunk, Needs, Source
from ...distributions import Distribution, LowRankGaussian, Mixture
from ...errors import InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import floats, require
from ...params import learned, param
from ...typing import Floats, TableLike
from ..mixture.base import MixtureEstimator
from ..mixture.initialisation import NAMES, FirstLook, initialise
from ..mixture.missing import Imputes
from ..mixture.prior import reg_covar_param


@estimator
class MixtureOfPPCA(Imputes, MixtureEstimator):
    """Mixture of probabilistic PCAs: p(x) = Σⱼ πⱼ N(x; mⱼ, Wⱼ Wⱼᵀ + σⱼ² I), planes that each hold some of the rows.

    EM as for `GaussianMixture`, with the closed form of PPCA for each component (Tipping & Bishop, 1999). With few
    factors it has far fewer parameters than full covariances, and is less rigid than diagonal ones.

    Examples
    --------
    >>> import suffice as sf
    >>> crabs = np.log(sf.datasets.load("crabs").matrix())
    >>> plane, full = sf.MixtureOfPPCA(2, rank=2, random_state=0), sf.GaussianMixture(2, random_state=0)
    >>> [model.fit(crabs).mixture_.n_parameters for model in (plane, full)]
    [31, 41]
    """

    needs = Needs(missing=True, scaled=True)
    units = "common"

    rank: int = param(1, integer=True, at_least=1, doc="How many latent factors each component has, q.")
    reg_covar: float = reg_covar_param()
    init_params: str = param("kmeans", choices=NAMES, doc="Where to begin, as for `GaussianMixture`.")

    means_: Floats = learned("m, (k, d).", holds=floats("k", "d"))
    loadings_: Floats = learned("W, (k, d, q).", holds=floats("k", "d", "q"))
    noise_variances_: Floats = learned("σ², (k,).", holds=floats("k"))
    covariances_: Floats = learned("W Wᵀ + σ² I, (k, d, d).", holds=floats("k", "d", "d"))

    def check_loaded(self) -> None:
        super().check_loaded()
        require(isinstance(self.mixture_.parts[0], LowRankGaussian), "mixture_ must be of LowRankGaussian")

    def _family(self, source: Source) -> Distribution:
        if self.rank > len(source.schema):
            raise InvalidParameter(
                f"MixtureOfPPCA: rank={self.rank!r:.80} must be at most the number of columns, {len(source.schema)}."
            )
        return LowRankGaussian(rank=self.rank)

    def _initialise(self, look: FirstLook, rng: np.random.Generator) -> Mixture:
        return initialise(self.init_params, look, rng)

    def _attributes(self, mixture: Mixture) -> Attributes:
        parts = mixture.parts
        return {
            "means_": np.array([part.mean for part in parts]),
            "loadings_": np.array([part.loadings for part in parts]),
            "noise_variances_": np.array([part.noise[0] for part in parts]),
            "covariances_": np.array([part.covariance for part in parts]),
        }

    def latents(self, X: TableLike) -> Floats:
        """E[z | x] of every row in each component, (n, k, q)."""
        check_is_fitted(self)
        return self._rows(X, partial(_latents, mixture=self.mixture_))

    def reconstruct(self, X: TableLike) -> Floats:
        """Every row projected onto the plane of each component, averaged by the probabilities of the components."""
        check_is_fitted(self)
        return self._rows(X, partial(_reconstructed, mixture=self.mixture_))


def _latents(chunk: Chunk, mixture: Mixture) -> Floats:
    X = np.asarray(chunk.X, dtype=np.float64)
    return np.stack([part.latents(X) for part in mixture.parts], axis=1).astype(chunk.X.dtype)


def _reconstructed(chunk: Chunk, mixture: Mixture) -> Floats:
    X, out = np.asarray(chunk.X, dtype=np.float64), np.zeros(chunk.X.shape)
    posterior, latents = mixture.posterior_of(X), _latents(Chunk(X), mixture)
    for j, part in enumerate(mixture.parts):
        out += posterior[:, j, None] * (part.mean + latents[:, j] @ part.decoder.T)
    return out.astype(chunk.X.dtype)
