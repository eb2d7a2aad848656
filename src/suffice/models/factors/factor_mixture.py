"""What mixtures of factor models share: latent coordinates and back, beside densities and missing values."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from ...backend.posteriors import likeliest
from ...data import Chunk, Source
from ...distributions import LowRankGaussian, Mixture
from ...errors import InvalidParameter
from ...estimator import Attributes, Transformer, declares
from ...holds import floats, require
from ...params import learned, param
from ...typing import Floats, Reals, TableLike
from ..mixture.base import MixtureEstimator
from ..mixture.initialisation import NAMES, FirstLook, initialise
from ..mixture.missing import Imputes
from ..mixture.prior import reg_covar_param


@declares
class FactorMixture(Imputes, ClassNamePrefixFeaturesOutMixin, MixtureEstimator, Transformer):  # type: ignore[misc]
    """Base of mixtures whose components have q latent factors and noise; a subclass gives `_members`."""

    rank: int = param(1, integer=True, at_least=1, doc="How many latent factors each component has, q.")
    coordinates: Literal["mixed", "likeliest"] = param(
        "mixed",
        choices=("mixed", "likeliest"),
        doc="Whether `transform` takes each component by its probability given the row, or the likeliest alone.",
    )
    reg_covar: float = reg_covar_param()
    init_params: str = param("kmeans", choices=NAMES, doc="Where to begin, as for `GaussianMixture`.")

    means_: Floats = learned("m, (k, d).", holds=floats("k", "d"))
    loadings_: Floats = learned("W, (k, d, q).", holds=floats("k", "d", "q"))
    covariances_: Floats = learned("W Wᵀ and the noise, (k, d, d).", holds=floats("k", "d", "d"))

    def _members(self) -> LowRankGaussian:
        """The family of the components."""
        raise TypeError(f"{type(self).__name__} does not define _members")

    def check_loaded(self) -> None:
        super().check_loaded()
        family = type(self._members())
        require(type(self.mixture_.parts[0]) is family, f"mixture_ must be of {family.__name__}")

    def _family(self, source: Source) -> LowRankGaussian:
        if self.rank > len(source.schema):
            raise InvalidParameter(
                f"{type(self).__name__}: rank={self.rank!r:.80} must be at most the number of columns, "
                f"{len(source.schema)}."
            )
        return self._members()

    def _initialise(self, look: FirstLook, rng: np.random.Generator) -> Mixture:
        return initialise(self.init_params, look, rng)

    def _attributes(self, mixture: Mixture) -> Attributes:
        parts = mixture.parts
        return {
            "means_": np.array([part.mean for part in parts]),
            "loadings_": np.array([part.loadings for part in parts]),
            "covariances_": np.array([part.covariance for part in parts]),
        }

    # -- latent coordinates -------------------------------------------------------------------------------------------
    @property
    def _n_features_out(self) -> int:
        return self.n_components * (1 + self.rank)

    def transform(self, X: TableLike) -> Reals:
        """γⱼ of each component, then γⱼ E[zⱼ | x] of each, given what was seen of the row, (n, k + k q).

        γ is the probability of the component given the row or, with `coordinates="likeliest"`, 1 for the likeliest.
        """
        self._check_fitted()
        return self._rows(X, partial(_coordinates, mixture=self.mixture_, hard=self.coordinates == "likeliest"))

    def inverse_transform(self, X: TableLike) -> Reals:
        """Σ γⱼ mⱼ + Bⱼ (γⱼ zⱼ), the points of the planes that these coordinates stand for; Bⱼ as in `reconstruct`."""
        self._check_fitted()
        parts = self.mixture_.parts
        back = np.concatenate([[part.mean for part in parts], *(part.decoder.T for part in parts)])  # (k + kq, d)
        return self._rows_back(X, lambda chunk: (chunk.X @ back).astype(chunk.X.dtype), len(back))

    def latents(self, X: TableLike) -> Floats:
        """E[z | x] of every row in each component, (n, k, q)."""
        self._check_fitted()
        return self._rows(X, partial(_latents, mixture=self.mixture_))

    def reconstruct(self, X: TableLike) -> Floats:
        """Every row projected onto the plane of each component, averaged by the probabilities of the components.

        mⱼ + Bⱼ E[zⱼ | x] with Bⱼ = Wⱼ (Wⱼᵀ Cⱼ⁻¹ Wⱼ)⁻¹ is the point of the plane that is nearest to x, by the noise.
        """
        self._check_fitted()
        return self._rows(X, partial(_reconstructed, mixture=self.mixture_))


def _latents(chunk: Chunk, mixture: Mixture) -> Floats:
    X = np.asarray(chunk.X, dtype=np.float64)
    return np.stack([part.latents(X) for part in mixture.parts], axis=1).astype(chunk.X.dtype)


def _coordinates(chunk: Chunk, mixture: Mixture, hard: bool) -> Floats:
    X = np.asarray(chunk.X, dtype=np.float64)
    if hard:
        share = np.eye(mixture.n_components)[likeliest(mixture.log_joint(X), mixture.log_weights)]
    else:
        share = mixture.posterior_of(X)
    latents = share[:, :, None] * _latents(Chunk(X), mixture)  # (n, k, q)
    return np.concatenate([share, latents.reshape(len(X), -1)], axis=1).astype(chunk.X.dtype)


def _reconstructed(chunk: Chunk, mixture: Mixture) -> Floats:
    X, out = np.asarray(chunk.X, dtype=np.float64), np.zeros(chunk.X.shape)
    posterior, latents = mixture.posterior_of(X), _latents(Chunk(X), mixture)
    for j, part in enumerate(mixture.parts):
        out += posterior[:, j, None] * (part.mean + latents[:, j] @ part.decoder.T)
    return out.astype(chunk.X.dtype)
