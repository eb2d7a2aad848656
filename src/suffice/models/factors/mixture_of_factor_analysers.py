"""Mixtures of factor analysers."""

from __future__ import annotations

import numpy as np

from ...distributions import FactorGaussian, Mixture
from ...engine import gain_tol_param
from ...estimator import Attributes, estimator
from ...holds import floats
from ...params import learned, param
from ...typing import Floats
from .factor_mixture import FactorMixture


@estimator
class MixtureOfFactorAnalysers(FactorMixture):
    """Mixture of factor analysers: p(x) = Σⱼ πⱼ N(x; mⱼ, Wⱼ Wⱼᵀ + diag(ψⱼ)), each with the noise of its columns.

    EM as for `GaussianMixture`; the M-step finds the noise of each component as `FactorAnalysis` does. Beside
    `MixtureOfPPCA`, whose noise is the same in all columns, units of columns do not matter. `transform`,
    `inverse_transform`, `impute` and `conditional` are those of `MixtureOfPPCA`.

    Examples
    --------
    >>> import suffice as sf
    >>> crabs = sf.datasets.load("crabs").matrix()
    >>> model = sf.MixtureOfFactorAnalysers(2, rank=1, random_state=0).fit(crabs)
    >>> model.noise_variances_.shape, model.transform(crabs).shape
    ((2, 5), (200, 4))
    >>> row = np.where(np.arange(5) == 2, np.nan, crabs[:1])
    >>> model.impute(row).round(1)[0, 2], crabs[0, 2]
    (np.float64(16.4), np.float64(16.1))
    """

    complexity = "n_components"

    units = "columns"

    min_noise: float = param(
        1e-6, number=True, above=0, below=1, doc="The share of a column's variance that is noise at the least."
    )

    tol: float = gain_tol_param(1e-5)  # the noise converges slowly, so that little is gained long before the end

    noise_variances_: Floats = learned("ψ, (k, d).", holds=floats("k", "d"))

    def _members(self) -> FactorGaussian:
        return FactorGaussian(rank=self.rank, least=self.min_noise)

    def _attributes(self, mixture: Mixture) -> Attributes:
        return {**super()._attributes(mixture), "noise_variances_": np.array([part.noise for part in mixture.parts])}
