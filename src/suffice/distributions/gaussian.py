"""The Gaussian distribution with a full covariance, its own or one shared by all components of a mixture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, ClassVar, Self

import numpy as np

from ..backend.mixture import GaussianSums, Rule, Shape, centre_of, gaussian_log_probs, gaussian_sums, moment_log_probs
from ..errors import InvalidParameter
from ..holds import covariances
from ..statistics import DiagonalMoments, Moments
from ..typing import Floats, Numbers, RandomState
from .base import Distribution, drawn
from .conditional import Given, given_seen
from .parameters import ArrayParameter, fixed_field, parameter
from .sharing import Members, Shared

_NO_WEIGHT = np.zeros(1)


@dataclass(frozen=True)
class Gaussian(Distribution):
    """Gaussian rows with a full covariance: log p(x) = −½ (x − m)ᵀ C⁻¹ (x − m) − ½ log det(2π C).

    Rows with missing cells enter `statistic` by their exact expectation under the member: the missing part given what
    was seen has mean m_u + C_us C_ss⁻¹ (x_s − m_s) and covariance C_uu − C_us C_ss⁻¹ C_su.

    Examples
    --------
    >>> from suffice.distributions import Gaussian
    >>> member = Gaussian().fit(np.array([[0.0, 0.0], [2.0, 2.0], [1.0, 3.0], [1.0, -1.0]]))
    >>> member.mean, member.covariance
    (array([1., 1.]), array([[0.5, 0.5],
           [0.5, 2.5]]))
    """

    names: ClassVar[tuple[str, ...]] = ("gaussian", "normal")
    shape: ClassVar[Shape] = "full"
    fixable: ClassVar[tuple[str, ...]] = ("mean", "covariance")
    has_formula: ClassVar[bool] = True  # for the likeliest member of a summary, which no rounding leads elsewhere

    mean: ArrayParameter = parameter("m, (d,).", ("d",))
    covariance: ArrayParameter = parameter("C, (d, d).", ("d", "d"), holds=covariances("d", "d"))
    floor: float = 0.0  # ν², which `mle` adds to the variances; keeps them from collapsing
    fixed: tuple[str, ...] = fixed_field()  # type: ignore[misc]

    def __post_init__(self) -> None:
        super().__post_init__()
        if "covariance" in self.fixed and not _is_positive(self.covariance):
            raise InvalidParameter(
                f"{type(self).__name__}: a covariance that stays fixed must be symmetric and positive-definite; got "
                f"{self.covariance.tolist()}."
            )

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        root = rng.normal(size=(3, 3))
        return cls(rng.normal(size=3) * 3, root @ root.T + 0.5 * np.eye(3))

    def by_column(self) -> Distribution:
        from .diagonal import DiagonalGaussian

        return DiagonalGaussian(floor=self.floor)

    @property
    def spread(self) -> Floats:
        """The covariance in the form that the kernels take for this shape."""
        return np.asarray(self.covariance)

    @property
    def n_parameters(self) -> int:
        d = len(self.mean)
        return d * ("mean" not in self.fixed) + d * (d + 1) // 2 * ("covariance" not in self.fixed)

    # -- densities --------------------------------------------------------------------------------------------------
    def log_prob(self, X: Numbers) -> Floats:
        self._require_parameters()
        return self.log_probs([self], X)[:, 0]

    def sample(self, n: int, random_state: RandomState = None) -> Floats:
        self._require_parameters()
        rng = drawn(n, random_state)
        if not np.isfinite(self.covariance).all():
            raise InvalidParameter(
                f"{type(self).__name__}: the covariance is not finite, so that nothing can be drawn; scale the columns "
                "down, and fit again."
            )
        values, vectors = np.linalg.eigh(self.covariance)
        root = np.sqrt(np.maximum(values, 0)) * vectors
        return np.asarray(self.mean + rng.normal(size=(n, len(self.mean))) @ root.T)

    def moments(self) -> tuple[Floats, Floats]:
        return self.mean, np.diagonal(self.covariance).copy()

    def entropy(self) -> float:
        return 0.5 * (len(self.mean) * (1 + math.log(2 * math.pi)) + _log_det(self.covariance))

    def kl(self, other: Self) -> float:
        delta = other.mean - self.mean
        spread = np.linalg.solve(other.covariance, self.covariance + np.outer(delta, delta))
        return 0.5 * float(np.trace(spread) - len(delta) + _log_det(other.covariance) - _log_det(self.covariance))

    def given(self, X: Any) -> Given:
        """Rows with missing values, given what was seen of them."""
        return given_seen(X, self.mean, self.covariance)

    # -- learning ---------------------------------------------------------------------------------------------------
    def statistic(self, X: Numbers, weight: Numbers | None = None) -> Moments:
        if not np.isnan(np.sum(X)):
            return Moments.of(X, weight)
        member = self if self.has_parameters else self.begin(X, weight)
        return member.share([member], _NO_WEIGHT, X, weight, Rule()).statistics[0]  # type: ignore[no-any-return]

    def mle(self, statistic: Moments) -> Self:
        if statistic.weight == 0:
            return self
        statistic = self.about_known(statistic)
        covariance = statistic.scatter / statistic.weight
        if self.floor:
            covariance.flat[:: len(covariance) + 1] += self.floor
        return self.with_arrays(**{"mean": statistic.mean, "covariance": covariance, **self.known()})

    def about_known(self, statistic: Moments) -> Moments:
        """The summary about the mean, where that stays fixed."""
        if "mean" not in self.fixed or statistic.weight == 0:
            return statistic
        shift = statistic.mean - self.mean
        return Moments(statistic.weight, self.mean, statistic.scatter + statistic.weight * np.outer(shift, shift))

    def total_log_prob(self, statistic: Moments) -> float:
        return self.total_log_probs([self], [statistic])

    def begin(self, X: Numbers, weight: Numbers | None = None) -> Self:
        """Columns by themselves, from the cells that are there."""
        columns = DiagonalMoments.of(X, weight)
        variance = columns.variance()
        return self.around(columns.mean, np.where(variance > 0, variance, 1.0))

    def around(self, mean: Floats, variance: Floats) -> Self:
        """The member with this mean whose columns are independent and have these variances."""
        return replace(self, **{"mean": mean, "covariance": np.diag(variance), **self.known()})

    def with_spread(self, covariance: Floats) -> Self:
        """The member with this covariance."""
        return replace(self, covariance=covariance)

    def moved_to(self, mean: Floats) -> Self:
        """The member of the same shape elsewhere."""
        return self if "mean" in self.fixed else replace(self, mean=mean)

    def floored(self, floor: float) -> Self:
        """The member with this much added to its variances, now and by every `mle` from here on."""
        return replace(self, covariance=self.covariance + floor * np.eye(len(self.mean)), floor=floor)

    # -- many at once -------------------------------------------------------------------------------------------------
    @staticmethod
    def log_probs(parts: Members, X: Any) -> Floats:
        return Gaussian.log_joints(parts, np.zeros(len(parts)), X)

    @staticmethod
    def log_joints(parts: Members, log_weight: Floats, X: Any) -> Floats:
        means, spread = stacked_gaussians(parts)
        return gaussian_log_probs(X, means, spread, log_weight, parts[0].shape)

    @staticmethod
    def total_log_probs(parts: Members, statistics: Sequence[Moments]) -> float:
        weight = np.array([own.weight for own in statistics])
        shift = np.array([own.mean - part.mean for part, own in zip(parts, statistics, strict=True)])  # (k, d)
        scatter = np.array([own.scatter for own in statistics])
        covariance = np.array([part.covariance for part in parts])
        return float(moment_log_probs(scatter, shift, weight, covariance).sum())

    @staticmethod
    def pooled(parts: Members, statistics: Sequence[Moments]) -> tuple[Moments, ...]:
        """Summaries of which each has its weight's share of the scatter of all, so that one covariance follows."""
        statistics = [part.about_known(own) for part, own in zip(parts, statistics, strict=True)]
        covariance = reduce(np.add, (own.scatter for own in statistics)) / sum(own.weight for own in statistics)
        return tuple(Moments(own.weight, own.mean, own.weight * covariance) for own in statistics)

    @property
    def n_spread_parameters(self) -> int:
        """How many of the parameters are those of the covariance."""
        return self.n_parameters - len(self.mean) * ("mean" not in self.fixed)

    @staticmethod
    def share(parts: Members, log_weight: Floats, X: Any, weight: Any, rule: Rule) -> Shared:
        alone = _shared_alone(parts[0], log_weight, X, weight) if len(parts) == 1 else None
        if alone is not None:
            return alone
        means, spread = stacked_gaussians(parts)
        found = gaussian_sums(X, weight, means, spread, log_weight, parts[0].shape, rule)
        return Shared(found.weight, parts[0]._summaries(found, means, log_weight), found.log_likelihood)

    @staticmethod
    def _summaries(found: GaussianSums, means: Floats, log_weight: Floats) -> tuple[object, ...]:
        """Sums about the present means as moments about the new ones."""
        shift = found.first / np.where(found.weight > 0, found.weight, 1.0)[:, None]  # (k, d)
        scatter = found.second - found.first[:, :, None] * shift[:, None, :]
        return tuple(map(Moments, found.weight.tolist(), means + shift, scatter))


def _shared_alone(part: Gaussian, log_weight: Floats, X: Numbers, weight: Floats | None) -> Shared | None:
    """Of a mixture of one part, which has every row: their moments; None where cells are missing, or there is none."""
    if type(part)._summaries is not Gaussian._summaries or not part.has_formula:
        return None
    own = Moments.of(X, weight)
    if not own.weight > 0 or np.isnan(own.mean).any():
        return None
    total = type(part).total_log_probs([part], [own]) + own.weight * float(log_weight[0])
    return Shared(np.array([own.weight]), (own,), total)


@dataclass(frozen=True)
class TiedGaussian(Gaussian):
    """Gaussian rows whose covariance is the same in all components of a mixture; alone it is a `Gaussian`.

    Examples
    --------
    >>> from suffice.distributions import TiedGaussian
    >>> TiedGaussian().fit(np.array([[0.0], [2.0]])).covariance
    array([[1.]])
    """

    names = ("tied_gaussian",)

    shape: ClassVar[Shape] = "tied"

    @staticmethod
    def mle_together(parts: Members, statistics: Sequence[Moments]) -> tuple[Any, ...]:
        statistics = [part.about_known(own) for part, own in zip(parts, statistics, strict=True)]
        total = sum(statistic.weight for statistic in statistics)
        covariance = reduce(np.add, (statistic.scatter for statistic in statistics)) / total
        if parts[0].floor:
            covariance.flat[:: len(covariance) + 1] += parts[0].floor
        means = [s.mean if s.weight > 0 else part.mean for part, s in zip(parts, statistics, strict=True)]
        each = zip(parts, means, strict=True)
        return tuple(part.with_arrays(**{"mean": m, "covariance": covariance, **part.known()}) for part, m in each)

    @staticmethod
    def total_log_probs(parts: Members, statistics: Sequence[Moments]) -> float:
        """All rows about the mean of their part, together."""
        weight = np.array([own.weight for own in statistics])
        shift = np.array([own.mean - part.mean for part, own in zip(parts, statistics, strict=True)])  # (k, d)
        scatter = sum((own.scatter for own in statistics), (shift.T * weight) @ shift)
        total = weight.sum(keepdims=True)
        return float(moment_log_probs(scatter[None], np.zeros((1, len(scatter))), total, parts[0].covariance[None])[0])

    @staticmethod
    def n_parameters_together(parts: Members) -> int:
        d, fixed = len(parts[0].mean), parts[0].fixed
        return len(parts) * d * ("mean" not in fixed) + d * (d + 1) // 2 * ("covariance" not in fixed)

    @staticmethod
    def _summaries(found: GaussianSums, means: Floats, log_weight: Floats) -> tuple[object, ...]:
        """The scatter within all components together, of which each gets the share of its weight."""
        shift = found.first / np.where(found.weight > 0, found.weight, 1.0)[:, None]
        about = means + shift - centre_of(means, log_weight)
        within = found.second - (about.T * found.weight) @ about
        share = found.weight / max(found.weight.sum(), 1e-300)
        return tuple(map(Moments, found.weight.tolist(), means + shift, share[:, None, None] * within))


def stacked_gaussians(parts: Members) -> tuple[Floats, Floats]:
    """Means (k, d) and covariances as the kernels take them."""
    means = np.array([part.mean for part in parts])
    if parts[0].shape == "tied":
        return means, np.ascontiguousarray(parts[0].covariance)
    return means, np.array([part.spread for part in parts])


def _is_positive(matrix: Floats) -> bool:
    return bool(np.allclose(matrix, matrix.T) and np.linalg.eigvalsh(matrix)[0] > 0)


def _log_det(matrix: Floats) -> float:
    return float(np.linalg.slogdet(matrix)[1])
