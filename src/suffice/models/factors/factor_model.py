"""What the Gaussian factor models share: fit from one summary or by EM, densities, latent coordinates, samples."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from ...backend.affine_rows import affine_rows
from ...backend.blas import blas_threads_for
from ...data import Chunk, Needs, Source
from ...distributions import LowRankGaussian, Mixture
from ...engine import Outcome, gain_tol_param
from ...errors import IllConditioned, InvalidData, InvalidParameter, NotConverged, squares_overflow, warn
from ...estimator import Attributes, Transformer, declares
from ...holds import floats, instance, lists, number, require
from ...params import learned, param
from ...randomness import generator, random_state_param
from ...statistics import Moments, RootMoments
from ...typing import Floats, RandomState, Reals, TableLike
from ..mixture.em import Sharing, em
from ..mixture.initialisation import FirstLook
from ..mixture.scores import DensityScores


@declares
class FactorModel(DensityScores, ClassNamePrefixFeaturesOutMixin, Transformer):  # type: ignore[misc]
    """Base of PPCA and factor analysis; a subclass gives `_family`, `_from_summary` and `_attributes`."""

    maximises = True
    needs = Needs(missing=True)

    n_components: int = param(1, positional=True, integer=True, at_least=1, doc="How many latent factors, q.")
    tol: float = gain_tol_param(1e-6)
    max_iter: int = param(1000, integer=True, at_least=1, doc="How many iterations at the most.")
    random_state: RandomState = random_state_param()

    components_: Floats = learned("The directions of the factors as rows, (q, d).", holds=floats("q", "d"))
    mean_: Floats = learned("m, (d,).", holds=floats("d"))
    distribution_: LowRankGaussian = learned("The fitted distribution.", holds=instance(LowRankGaussian, d="d", q="q"))
    n_iter_: int = learned("How many iterations there were.")
    loglike_: list[float] = learned("The log likelihood of all rows at each round.", holds=lists(number(finite=False)))

    def check_loaded(self) -> None:
        super().check_loaded()
        require(self.distribution_.has_parameters, "distribution_ must have parameters")
        require(self.n_components == len(self.components_), "components_ must have n_components rows")
        require(self.distribution_.is_definite, "distribution_ must have a covariance that has a root")

    # -- what a subclass gives ----------------------------------------------------------------------------------------
    def _family(self) -> LowRankGaussian:
        raise TypeError(f"{type(self).__name__} does not define _family")

    @staticmethod
    def _summarise_rows(chunk: Chunk) -> Moments | RootMoments:
        """The summary of rows that are no more than columns."""
        return _moments(chunk)

    def _from_summary(self, summary: Any) -> Outcome[object]:
        """The distribution that follows from rows without missing values."""
        raise TypeError(f"{type(self).__name__} does not define _from_summary")

    def _attributes(self, member: Any, weight: float) -> Attributes:
        raise TypeError(f"{type(self).__name__} does not define _attributes")

    @property
    def _factors(self) -> int:
        return self.n_components

    # -- learning ---------------------------------------------------------------------------------------------------
    def _fit_needs(self) -> Needs:
        return super()._fit_needs().but(late=True)  # a bad cell shows in the moments

    def _learn(self, source: Source) -> Outcome[Attributes]:
        d = len(source.schema)
        if self._factors > d:
            raise InvalidParameter(
                f"{type(self).__name__}: n_components={self.n_components} must be at most the number of columns, {d} "
                f"(n_features={d})."
            )
        summary = source.reduce(self._summarise_rows if source.is_wide else _moments)
        complete = not np.isnan(summary.mean).any()
        if complete and not summary.is_finite():
            raise squares_overflow(type(self).__name__)
        with blas_threads_for(d * min(d, len(summary.root)) ** 2 if isinstance(summary, RootMoments) else d**3):
            outcome = self._from_summary(summary) if complete else self._with_missing(source.looked_through())
        if outcome.history.status == "max_iter" and self.max_iter > 1:
            message = (
                f"{type(self).__name__}: not converged after max_iter={self.max_iter} iterations; raise it, or tol."
            )
            warn(message, NotConverged)
        objective = outcome.history.objective
        iterations = {"n_iter_": len(objective), "loglike_": (summary.weight * objective).tolist()}
        return outcome.then(lambda member: {**self._attributes(member, summary.weight), **iterations})

    def _with_missing(self, source: Source) -> Outcome[object]:
        """By EM: rows completed by their expectation under the distribution so far, then the best one for those."""
        look = FirstLook.of(source, Mixture(self._family(), 1), seed=0, reg_covar=0.0)
        variance = look.columns.variance()
        start = self._family().around(look.columns.mean, np.where(variance > 0, variance, 1.0))
        outcome = em(
            source,
            lambda run: Mixture.of([1.0], [start]),
            sharing=Sharing(),
            prior=look.prior,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        return outcome.then(lambda mixture: self._sound(mixture.parts[0], float(np.mean(variance))))

    def _sound(self, member: LowRankGaussian, variance: float) -> Any:
        """The distribution, with some noise added where it lies in a plane and so has no density."""
        if not member.is_definite:
            least = 1e-6 * (variance or 1.0)
            warn(
                f"{type(self).__name__}: the rows lie in a plane that n_components={self.n_components} factors span, "
                f"without noise; {least:.3g} is added to all variances. Fewer factors, or more rows, avoid it.",
                IllConditioned,
            )
            return member.floored(least)
        return member

    # -- densities --------------------------------------------------------------------------------------------------
    def score_samples(self, X: TableLike) -> Reals:
        """log p(x) of every row, (n,)."""
        return self._rows(X, lambda chunk: self._log_prob(chunk).astype(chunk.X.dtype, copy=False))

    def _density(self) -> LowRankGaussian:
        return self.distribution_

    def _log_prob(self, chunk: Chunk) -> Floats:
        return self.distribution_.log_prob(chunk.X)

    def sample(self, n_samples: int = 1) -> Floats:
        """Rows drawn from the model, (n, d)."""
        self._check_fitted()
        return self.distribution_.sample(n_samples, generator(self.random_state))

    def get_covariance(self) -> Floats:
        """The covariance of the model, (d, d)."""
        self._check_fitted()
        return np.asarray(self.distribution_.covariance)

    def get_precision(self) -> Floats:
        """The inverse of the covariance, (d, d)."""
        self._check_fitted()
        try:
            return self.distribution_.precision
        except np.linalg.LinAlgError:
            raise InvalidData(
                f"{type(self).__name__}: the covariance has no inverse, since some direction has no noise; "
                "take fewer components, or leave out columns that are constant or depend on others."
            ) from None

    # -- latent coordinates -------------------------------------------------------------------------------------------
    @property
    def _n_features_out(self) -> int:
        return self._factors

    def transform(self, X: TableLike) -> Reals:
        """E[z | x], the latent coordinates of every row given what was seen of it, (n, q)."""
        self._check_fitted()
        member = self.distribution_
        forward = np.ascontiguousarray(member.encoder.T)
        return self._rows(X, partial(_latents, member=member, forward=forward), late=True)

    def inverse_transform(self, X: TableLike) -> Reals:
        """The points of the factor plane whose latent coordinates these are, in the original units."""
        self._check_fitted()
        back = np.ascontiguousarray(self.distribution_.decoder.T)
        return self._rows_back(X, lambda chunk: affine_rows(chunk.X, None, back, self.mean_), len(back))

    def impute(self, X: TableLike) -> Reals:
        """X with its missing values filled by their expected values given what was seen in the row."""
        return self._rows(X, lambda chunk: _filled(chunk, self.distribution_))


def _moments(chunk: Chunk) -> Moments:
    return Moments.of(chunk.X, chunk.weight)


def _filled(chunk: Chunk, member: LowRankGaussian) -> Any:
    if not np.isnan(np.sum(chunk.X)):
        return chunk.X
    return member.given(np.asarray(chunk.X, dtype=np.float64)).filled.astype(chunk.X.dtype)


def _latents(chunk: Chunk, member: LowRankGaussian, forward: Floats) -> Reals:
    nothing = np.zeros(forward.shape[1])
    found = affine_rows(chunk.X, member.mean, forward, nothing)
    if np.isnan(np.sum(found)) and not np.isinf(chunk.X).any():  # of missing cells
        found = affine_rows(_filled(chunk, member), member.mean, forward, nothing)
    return found
