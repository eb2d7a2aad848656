"""Filling missing values by what one Gaussian expects, and the base of all such imputers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import OneToOneFeatureMixin

from ...data import Needs, Source
from ...distributions import Mixture
from ...engine import Outcome, gain_tol_param
from ...estimator import Attributes, Transformer, declares, estimator
from ...holds import floats, instance
from ...params import learned, param
from ...randomness import random_state_param
from ...typing import Floats, RandomState, Reals, TableLike
from ..mixture.gaussian_mixture import GaussianMixture
from ..mixture.missing import Imputes
from ..mixture.prior import reg_covar_param


@declares
class Imputer(OneToOneFeatureMixin, Imputes, Transformer):  # type: ignore[misc]
    """Base of the imputers: a subclass gives `_density()`, the mixture that it is fitted as."""

    maximises = True
    needs = Needs(missing=True, squares=True)

    sample: bool = param(
        False,
        choices=(True, False),
        doc="Whether missing values are filled by draws from what may stand there, or by the mean.",
    )
    reg_covar: float = reg_covar_param()
    tol: float = gain_tol_param(1e-5)
    max_iter: int = param(1000, integer=True, at_least=1, doc="How many iterations at the most.")
    random_state: RandomState = random_state_param()

    mixture_: Mixture = learned("The fitted density.", holds=instance(Mixture, d="d"))
    n_iter_: int = learned("How many iterations there were.")

    def _density(self) -> GaussianMixture:
        raise TypeError(f"{type(self).__name__} does not define _density")

    def _settings(self) -> dict[str, Any]:
        names = ("reg_covar", "tol", "max_iter", "random_state")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, None]:
        X, _ = super().example(rng, n)
        is_missing = rng.random(X.shape) < 0.15
        is_missing[np.arange(n), rng.integers(0, X.shape[1], n)] = False  # every row has a value
        is_missing[7 % n, 2] = False  # where the table of bad input puts its cells
        return np.where(is_missing, np.nan, X), None

    def _learn(self, source: Source) -> Outcome[Attributes]:
        density = self._density().fit_source(source)
        return Outcome({**self._kept(density.mixture_), "n_iter_": density.n_iter_}, density.history_)

    def _kept(self, mixture: Mixture) -> Attributes:
        return {"mixture_": mixture}

    def transform(self, X: TableLike) -> Reals:
        """X with its missing values filled."""
        return self.sample_missing(X) if self.sample else self.impute(X)


@estimator
class GaussianImputer(Imputer):
    """Fill missing values by one Gaussian: E[x_u | x_s] = m_u + C_us C_ss⁻¹ (x_s − m_s), m and C of largest likelihood.

    m and C come from the values that were seen, by exact EM: an iteration completes every row by its expectation and
    adds the covariance of what is missing. This is right where values are missing at random, given what was seen.
    `conditional` also gives the covariance of what is missing in each row.

    Examples
    --------
    >>> import suffice as sf
    >>> X = np.array([[1.0, 2.0], [2.0, 4.1], [3.0, 5.9], [4.0, 8.0], [5.0, np.nan]])
    >>> sf.GaussianImputer().fit_transform(X)[4].round(1)
    array([5. , 9.9])
    """

    read_late = ("sample",)
    units = "columns"

    mean_: Floats = learned("m, (d,).", holds=floats("d"))
    covariance_: Floats = learned("C, (d, d).", holds=floats("d", "d"))

    def _density(self) -> GaussianMixture:
        return GaussianMixture(1, **self._settings())

    def _kept(self, mixture: Mixture) -> Attributes:
        part = mixture.parts[0]
        return {**super()._kept(mixture), "mean_": part.mean, "covariance_": part.covariance}
