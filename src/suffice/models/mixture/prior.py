"""What is known beforehand of the covariances of components, so that none collapses and units do not matter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from ...backend.mixture import Singular
from ...distributions import DiagonalGaussian, FactorGaussian, Gaussian, Independent, LowRankGaussian, Mixture
from ...distributions.independent import PartStatistics
from ...distributions.mixture import MixtureStatistic, expected_log_weights
from ...params import param
from ...statistics import DiagonalMoments, Moments

Floats = NDArray[np.float64]
_COLLAPSED = 1e-6  # the share that a prior is worth at the least once a component has collapsed


def reg_covar_param() -> float:
    """`reg_covar`, for every estimator that is a mixture of Gaussians."""
    doc = (
        "ν²: beside its own rows every component counts ν² Σw/k more, which have the columns' variances and no "
        "correlation (an inverse-Wishart prior). Relative, so that units do not matter."
    )
    declared: float = param(1e-6, number=True, at_least=0, doc=doc)
    return declared


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
    per_component: float = 0.0  # the log prior of each component that there is

    @classmethod
    def of(cls, share: float, variance: Floats, rows: float, k: int) -> SpreadPrior:
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
        return _added(parts, statistics, self.variance, self.weight)

    def likeliest(self, mixture: Mixture, found: MixtureStatistic) -> Mixture:
        """The mixture that a summary makes likeliest, with the prior."""
        parts = self.added(mixture.parts, found.parts)
        return mixture.mle(MixtureStatistic(found.weight, parts, found.rows, found.log_likelihood))

    def log_prob(self, mixture: Mixture) -> float:
        """The log prior of the components and, as a Dirichlet distribution, of their weights; without constants."""
        weights = mixture.weights[mixture.weights > 0]
        dirichlet = (mixture.concentration - 1) * float(np.sum(np.log(weights))) if mixture.concentration != 1 else 0.0
        if mixture.posterior_counts is not None:
            dirichlet = -_dirichlet_divergence(mixture.posterior_counts, mixture.concentration)
        dirichlet += self.per_component * len(weights)
        if self.weight == 0:
            return dirichlet
        return dirichlet - self.weight * _divergence(mixture.active, self.variance)

    def checked_log_prob(self, mixture: Mixture) -> float:
        """As `log_prob`; raises `Singular` for a component whose covariance has no root."""
        if self.weight == 0 or not isinstance(mixture.parts[0], Gaussian):  # else `log_prob` takes all roots
            check_spread(mixture.parts)
        return self.log_prob(mixture)

    def stronger(self) -> SpreadPrior:
        """One that holds where this one did not."""
        return replace(self, share=max(_COLLAPSED, 2 * self.share))

    def blended(self, mixture: Mixture) -> Mixture:
        """The mixture with what the prior is worth in a component of average size put into its covariances."""
        return replace(mixture, parts=tuple(_blended(part, self.variance, self.share) for part in mixture.parts))


def _dirichlet_divergence(counts: Floats, concentration: float) -> float:
    """KL of a Dirichlet posterior to the symmetric prior, of the components that there are."""
    log_weights, counts = expected_log_weights(counts)[counts > 0], counts[counts > 0]
    k = len(counts)
    log_norms = gammaln(counts.sum()) - gammaln(counts).sum() - gammaln(k * concentration) + k * gammaln(concentration)
    return float(log_norms + (counts - concentration) @ log_weights)


def check_spread(parts: Sequence[Any]) -> None:
    """Raise `Singular` for a component whose covariance has no root."""
    if isinstance(parts[0], DiagonalGaussian):
        positive = np.array([part.variance for part in parts]) > 0
        if not positive.all():
            raise Singular(int(np.argmin(positive.all(axis=1))))
    elif isinstance(parts[0], Gaussian):
        type(parts[0]).total_log_probs(parts, [Moments.zero(len(parts[0].mean))] * len(parts))
    elif isinstance(parts[0], Independent):
        for alike in zip(*(part.parts for part in parts), strict=True):
            check_spread(alike)


def _scatter(part: object, variance: Floats) -> Floats:
    """The scatter of a row of the prior as a part sums it up."""
    if isinstance(part, DiagonalGaussian):
        return variance
    if isinstance(part, LowRankGaussian) and not isinstance(part, FactorGaussian):  # knows no columns, only directions
        variance = np.full(len(variance), np.mean(variance))
    return np.diag(variance)


def _rows(part: object, mean: Floats, scatter: Floats, weight: float) -> Any:
    """The rows of the prior as a summary of the kind that the part takes."""
    if isinstance(part, DiagonalGaussian):
        return DiagonalMoments(np.full(len(mean), weight), mean, weight * scatter)
    return Moments(weight, mean, weight * scatter)


def _added(parts: Sequence[Any], statistics: Sequence[Any], variance: Floats, weight: float) -> tuple[object, ...]:
    """The summaries with rows of the prior, which lie about the mean of each."""
    if isinstance(parts[0], Independent):
        return tuple(map(PartStatistics, zip(*_added_by_group(parts, statistics, variance, weight), strict=True)))
    if not _is_gaussian(parts[0]):
        return tuple(statistics)
    more = weight * _scatter(parts[0], variance)
    return tuple(type(own)(own.weight + weight, own.mean, own.scatter + more) for own in statistics)


def _added_by_group(
    parts: Sequence[Independent], statistics: Sequence[Any], variance: Floats, weight: float
) -> Iterator[tuple[object, ...]]:
    """For each group of columns the summaries of all components."""
    for i, key in enumerate(parts[0].families):
        group = [part.families[key] for part in parts]
        yield _added(group, [own.parts[i] for own in statistics], variance[list(key)], weight)


def _divergence(parts: Sequence[Any], variance: Floats) -> float:
    """The sum of KL(N(m, diag(variance)) ‖ N(m, C)) over Gaussian parts, or over those that parts consist of."""
    if isinstance(parts[0], Independent):
        groups = ((key, [part.families[key] for part in parts]) for key in parts[0].families)
        return sum(_divergence(group, variance[list(key)]) for key, group in groups)
    if not _is_gaussian(parts[0]):
        return 0.0
    if isinstance(parts[0], DiagonalGaussian):
        return _diagonal_divergence(np.array([part.variance for part in parts]), variance)
    if parts[0].shape == "tied" and len(parts) > 1:  # one covariance, one divergence
        return len(parts) * _divergence(parts[:1], variance)
    entropy = 0.5 * float(np.sum(1 + np.log(2 * np.pi * variance)))
    scatter = _scatter(parts[0], variance)
    rows = [_rows(part, part.mean, scatter, 1.0) for part in parts]
    return -float(type(parts[0]).total_log_probs(parts, rows)) - len(parts) * entropy


def _diagonal_divergence(own: Floats, variance: Floats) -> float:
    """The same of independent columns, whose variances are (k, d), or (k, 1) for all columns alike."""
    k, d = len(own), len(variance)
    ratios = (variance if own.shape[1] == d else variance.sum()) / own
    log_det = d / own.shape[1] * np.log(own).sum() - k * np.log(variance).sum()
    return 0.5 * float(ratios.sum() + log_det - k * d)


def _blended(part: Any, variance: Floats, share: float) -> Any:
    if isinstance(part, Independent):
        families = {key: _blended(one, variance[list(key)], share) for key, one in part.families.items()}
        return replace(part, families=families)
    if not _is_gaussian(part):
        return part
    mean = part.mean
    if isinstance(part, DiagonalGaussian):
        return part.mle(
            DiagonalMoments(np.ones(len(mean)), mean, part.spread) + _rows(part, mean, _scatter(part, variance), share)
        )
    return part.mle(Moments(1.0, mean, part.covariance) + _rows(part, mean, _scatter(part, variance), share))


def _is_gaussian(part: object) -> bool:
    return isinstance(part, Gaussian | DiagonalGaussian)
