"""Filling missing values by what a mixture of Gaussians expects."""

from __future__ import annotations

from typing import ClassVar, Literal

from ...estimator import ByChance, estimator
from ...params import param
from ..mixture.gaussian_mixture import GaussianMixture
from .gaussian_imputer import Imputer


@estimator
class MixtureImputer(Imputer):
    """Fill missing values by a mixture of Gaussians: E[x_u | x_s] = Σⱼ p(j | x_s) E[x_u | x_s, j].

    What was seen in a row says which components it may come from, and each fills the missing value by its own
    regression, so that the filling is not linear in what was seen. Fitted by exact EM on the values that were seen.

    Examples
    --------
    >>> import numpy as np, suffice as sf
    >>> faithful = sf.datasets.load("faithful").matrix()
    >>> model = sf.MixtureImputer(2, random_state=0).fit(faithful)
    >>> model.transform(np.array([[2.0, np.nan], [4.5, np.nan]])).round(1)
    array([[ 2. , 54.2],
           [ 4.5, 81.1]])
    """

    read_late = ("sample",)
    units = "columns"

    exemptions: ClassVar = {
        "order_of_rows_does_not_matter": ByChance("the rows where EM begins are drawn in their order"),
    }

    n_components: int = param(2, positional=True, integer=True, at_least=1, doc="How many components, k.")
    covariance_type: Literal["full", "tied", "diag", "spherical"] = param(
        "full", choices=("full", "tied", "diag", "spherical"), doc="The shape of the covariances, as in a mixture."
    )
    n_init: int = param(1, integer=True, at_least=1, doc="How many starts; the best is kept.")

    def _density(self) -> GaussianMixture:
        return GaussianMixture(
            self.n_components, covariance_type=self.covariance_type, n_init=self.n_init, **self._settings()
        )
