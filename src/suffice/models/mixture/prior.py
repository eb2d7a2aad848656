"""What is known beforehand of the covariances of components, so that none collapses and units do not matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...distributions import DiagonalGaussian, FactorGaussian, Gaussian, Independent, LowRankGaussian, Mixture
from ...distributions.independent import PartStatistics
from ...distributions.mixture import MixtureStatistic
from ...params import param
from ...statistics import DiagonalMoments, Moments

Floats = NDArray[np.float64]
_COLLAPSED = 1e-6  # the share that a prior is worth at the least once a component has collapsed


def reg_covar_param() -> Any:
    """`reg_covar`, for every estimator that is a mixture of Gaussians."""
    doc = (
        "ν²: beside its own rows every component counts ν² Σw/k more, which have the columns' variances and no "
        "correlation (an inverse-Wishart prior). Relative, so that units do not matter."
    )
    return param(1e-6, number=True, at_least=0, doc=doc)


@dataclass(frozen=True)
class SpreadPrior:
    """An inverse-Wishart prior of each component's covariance C, worth some rows of uncorrelated columns.

    It takes weight · KL(N(m, diag(variance)) ‖ N(m, C)) of each component off the log likelihood, where the weight is a
    share of the `size` that components have on average. The M-step then sums rows of that weight up with the
    component's own. Components that are not Gaussian have no prior.
    """

    variance: Floats
    size: float
    share: float

    @classmethod
    def of(cls, share: float, variance: Any, rows: float, k: int) -> SpreadPrior:
        """The prior of k components of these rows; a column without variance is given 1."""
        variance = np.asarray(variance)
        return cls(np.where(variance > 0, variance, 1.0), rows / k, share)

    @property
    def weight(self) -> float:
        """How many rows it is worth."""
        return self.share * self.size

    def added(self, parts: Sequence[object], statistics: Sequence[object]) -> tuple[Any, ...]:
        """The summaries of components with the rows of the prior."""
        if self.weight == 0:
            return tuple(statistics)
        both = zip(parts, statistics, strict=True)
        return tuple(_added(part, own, self.variance, self.weight) for part, own in both)

    def likeliest(self, mixture: Mixture, found: MixtureStatistic) -> Mixture:
        """The mixture that a summary makes likeliest, with the prior."""
        return mixture.mle(replace(found, parts=self.added(mixture.parts, found.parts)))

    def log_prob(self, mixture: Mixture) -> float:
        """The log prior of the components and, as a Dirichlet distribution, of their weights; without constants."""
        weights = mixture.weights[mixture.weights > 0]
        dirichlet = (mixture.concentration - 1) * float(np.sum(np.log(weights))) if mixture.concentration != 1 else 0.0
        if self.weight == 0:
            return dirichlet
        return dirichlet - self.weight * _divergence(mixture.parts, self.variance)

    def stronger(self) -> SpreadPrior:
        """One that holds where this one did not."""
        return replace(self, share=max(_COLLAPSED, 2 * self.share))

    def blended(self, mixture: Mixture) -> Mixture:
        """The mixture with what the prior is worth in a component of average size put into its covariances."""
        return replace(mixture, parts=tuple(_blended(part, self.variance, self.share) for part in mixture.parts))


def check_spread(parts: Sequence[Any]) -> None:
    """Raise `Singular` for a component whose covariance has no root."""
    if isinstance(parts[0], Gaussian | DiagonalGaussian):
        type(parts[0]).log_probs(parts, parts[0].mean[None])
    elif isinstance(parts[0], Independent):
        for alike in zip(*(part.parts for part in parts), strict=True):
            check_spread(alike)


def _rows(part: object, mean: Floats, variance: Floats, weight: float) -> Any:
    """The rows of the prior as a summary of the kind that the part takes."""
    if isinstance(part, DiagonalGaussian):
        return DiagonalMoments(np.full(len(mean), weight), mean, weight * variance)
    if isinstance(part, LowRankGaussian) and not isinstance(part, FactorGaussian):  # knows no columns, only directions
        variance = np.full(len(mean), np.mean(variance))
    return Moments(weight, mean, weight * np.diag(variance))


def _added(part: Any, own: Any, variance: Floats, weight: float) -> Any:
    if isinstance(part, Independent):
        groups = zip(part.families.items(), own.parts, strict=True)
        return PartStatistics(tuple(_added(one, its, variance[list(key)], weight) for (key, one), its in groups))
    return own + _rows(part, own.mean, variance, weight) if _is_gaussian(part) else own


def _divergence(parts: Sequence[Any], variance: Floats) -> float:
    """Σ KL(N(m, diag(variance)) ‖ N(m, C)) over Gaussian parts of one family, or those that such parts consist of."""
    if isinstance(parts[0], Independent):
        keys = parts[0].families
        return sum(_divergence([part.families[key] for part in parts], variance[list(key)]) for key in keys)
    if not _is_gaussian(parts[0]):
        return 0.0
    entropy = 0.5 * float(np.sum(1 + np.log(2 * np.pi * variance)))
    rows = [_rows(part, part.mean, variance, 1.0) for part in parts]
    return -float(type(parts[0]).total_log_probs(parts, rows)) - len(parts) * entropy


def _blended(part: Any, variance: Floats, share: float) -> Any:
    if isinstance(part, Independent):
        families = {key: _blended(one, variance[list(key)], share) for key, one in part.families.items()}
        return replace(part, families=families)
    if not _is_gaussian(part):
        return part
    mean = part.mean
    if isinstance(part, DiagonalGaussian):
        return part.mle(DiagonalMoments(np.ones(len(mean)), mean, part.spread) + _rows(part, mean, variance, share))
    return part.mle(Moments(1.0, mean, part.covariance) + _rows(part, mean, variance, share))


def _is_gaussian(part: object) -> bool:
    return isinstance(part, Gaussian | DiagonalGaussian)
