"""Gaussians whose columns are independent: a variance for each column, or one for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from ..backend.mixture import GaussianSums, Rule, Shape
from ..errors import InvalidParameter
from ..holds import either, floats, number
from ..statistics import DiagonalMoments
from ..typing import Floats, Numbers, RandomState
from .base import Distribution, drawn
from .conditional import Given, given_apart
from .gaussian import Gaussian
from .parameters import ArrayParameter, fixed_field, parameter
from .sharing import Members, Shared


@dataclass(frozen=True)
class DiagonalGaussian(Distribution):
    """Independent Gaussian columns: log p(x) = −½ Σⱼ (xⱼ − mⱼ)² / vⱼ + log(2π vⱼ). Missing cells are left out.

    Examples
    --------
    >>> from suffice.distributions import DiagonalGaussian
    >>> DiagonalGaussian().fit(np.array([[0.0, 5.0], [2.0, np.nan], [4.0, 7.0]])).mean
    array([2., 6.])
    """

    names = ("diagonal_gaussian",)
    shape: ClassVar[Shape] = "diagonal"
    fixable = ("mean", "variance")

    mean: ArrayParameter = parameter("m, (d,).", ("d",))
    variance: ArrayParameter = parameter(
        "v, (d,).", ("d or 1",), holds=either(floats("d", at_least=0), floats(1, at_least=0))
    )
    floor: float | Floats = 0.0  # ν², which `mle` adds to the variances; keeps them from collapsing
    fixed: tuple[str, ...] = fixed_field()  # type: ignore[misc]

    holds: ClassVar = {"floor": either(number(at_least=0), floats("d", at_least=0))}

    def __post_init__(self) -> None:
        super().__post_init__()
        if "variance" in self.fixed and not np.all(self.variance > 0):
            raise InvalidParameter(
                f"{type(self).__name__}: a variance that stays fixed must be positive; got {self.variance.tolist()}."
            )

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.normal(size=3) * 3, rng.uniform(0.5, 4.0, 3))

    @property
    def spread(self) -> Floats:
        """The variances of the columns, (d,)."""
        variance, d = np.asarray(self.variance), len(self.mean)
        return variance if len(variance) == d else variance.repeat(d)

    # -- densities --------------------------------------------------------------------------------------------------
    def log_prob(self, X: Numbers) -> Floats:
        self._require_parameters()
        return self.log_probs([self], X)[:, 0]

    def sample(self, n: int, random_state: RandomState = None) -> Floats:
        self._require_parameters()
        rows = drawn(n, random_state).standard_normal((n, len(self.mean)))
        rows *= np.sqrt(self.spread)
        rows += self.mean
        return rows

    def moments(self) -> tuple[Floats, Floats]:
        return self.mean, self.spread

    def entropy(self) -> float:
        return 0.5 * float(np.sum(1 + np.log(2 * np.pi * self.spread)))

    def kl(self, other: Self) -> float:
        ratio = self.spread / other.spread
        return 0.5 * float(np.sum(ratio - 1 - np.log(ratio) + (other.mean - self.mean) ** 2 / other.spread))

    def given(self, X: Any) -> Given:
        """Rows with missing values, given what was seen of them."""
        return given_apart(X, self.mean, self.spread)

    # -- learning ---------------------------------------------------------------------------------------------------
    def statistic(self, X: Numbers, weight: Numbers | None = None) -> DiagonalMoments:
        return DiagonalMoments.of(X, weight)

    def mle(self, statistic: DiagonalMoments) -> Self:
        seen = statistic.weight > 0
        if not seen.any():
            return self
        statistic = self.about_known(statistic)
        variance = statistic.scatter / np.where(seen, statistic.weight, 1.0) + self.floor
        mean = statistic.mean
        if not seen.all():  # a column never seen says nothing, and stays as it was
            mean = np.where(seen, mean, 0.0 if self.mean is None else self.mean)
            variance = np.where(seen, variance, self.spread if self.has_parameters else 1.0)
        return self.with_arrays(**{"mean": mean, "variance": variance, **self.known()})

    def about_known(self, statistic: DiagonalMoments) -> DiagonalMoments:
        """The summary about the mean, where that stays fixed."""
        if "mean" not in self.fixed:
            return statistic
        weight, shift = statistic.weight, np.where(statistic.weight > 0, statistic.mean - self.mean, 0.0)
        return DiagonalMoments(weight, self.mean, statistic.scatter + weight * shift**2)

    def total_log_prob(self, statistic: DiagonalMoments) -> float:
        return self.total_log_probs([self], [statistic])

    def around(self, mean: Floats, variance: Floats) -> Self:
        """The member with this mean and these variances."""
        return replace(self, **{"mean": mean, "variance": variance, **self.known()})

    def with_spread(self, variance: Floats) -> Self:
        """The member with this variance."""
        return replace(self, variance=variance)

    def moved_to(self, mean: Floats) -> Self:
        """The member of the same shape elsewhere."""
        return self if "mean" in self.fixed else replace(self, mean=mean)

    def floored(self, floor: float | Floats) -> Self:
        """The member with this much added to its variances, now and by every `mle` from here on."""
        return replace(self, variance=self.variance + floor, floor=floor)

    # -- many at once -------------------------------------------------------------------------------------------------
    @staticmethod
    def log_probs(parts: Sequence[object], X: Numbers) -> Floats:
        return Gaussian.log_joints(parts, np.zeros(len(parts)), X)

    @staticmethod
    def log_joints(parts: Sequence[object], log_weight: Floats, X: Numbers) -> Floats:
        return Gaussian.log_joints(parts, log_weight, X)

    def grouped_statistics(
        self, X: Numbers, group: Numbers, groups: int, weight: Numbers | None = None
    ) -> tuple[DiagonalMoments, ...]:
        return DiagonalMoments.grouped(X, group, groups, weight)

    @staticmethod
    def mle_together(parts: Members, statistics: Sequence[DiagonalMoments]) -> tuple[Any, ...]:
        weight = np.array([own.weight for own in statistics])  # (k, d)
        if parts[0].fixed or not weight.all():  # what was never seen stays as it was
            return Distribution.mle_together(parts, statistics)
        variances = parts[0]._variances(weight, np.array([own.scatter for own in statistics]))
        found = zip(parts, statistics, variances, strict=True)
        return tuple(part.with_arrays(mean=own.mean, variance=v + part._floor) for part, own, v in found)

    @staticmethod
    def _variances(weight: Floats, scatter: Floats) -> Floats:
        """The variances that follow from the cells of each part, (k, d) or (k, 1)."""
        return scatter / weight

    @property
    def _floor(self) -> float | Floats:
        return self.floor

    @staticmethod
    def total_log_probs(parts: Members, statistics: Sequence[DiagonalMoments]) -> float:
        variance = np.array([part.variance for part in parts])  # (k, d), or (k, 1) for all columns alike
        sums = np.array([(own.weight, own.scatter, own.mean) for own in statistics])  # (k, 3, d)
        weight, shift = sums[:, 0], sums[:, 2] - np.array([part.mean for part in parts])
        squares = sums[:, 1] + weight * shift**2
        return -0.5 * float((weight * np.log(2 * np.pi * variance) + squares / variance).sum())

    @staticmethod
    def pooled(parts: Members, statistics: Sequence[DiagonalMoments]) -> tuple[DiagonalMoments, ...]:
        """Summaries of which each has its cells' share of the scatter of all, so that the same variances follow."""
        statistics = [part.about_known(own) for part, own in zip(parts, statistics, strict=True)]
        scatter, cells = (sum(getattr(own, name) for own in statistics) for name in ("scatter", "weight"))
        variance = parts[0]._variances(np.atleast_2d(np.maximum(cells, 1e-300)), np.atleast_2d(scatter))[0]
        return tuple(DiagonalMoments(own.weight, own.mean, own.weight * variance) for own in statistics)

    @property
    def n_spread_parameters(self) -> int:
        """How many of the parameters are variances."""
        return 0 if "variance" in self.fixed else len(self.variance)

    @staticmethod
    def share(parts: Sequence[object], log_weight: Floats, X: object, weight: object, rule: Rule) -> Shared:
        return Gaussian.share(parts, log_weight, X, weight, rule)

    @staticmethod
    def _summaries(found: GaussianSums, means: Floats, log_weight: Floats) -> tuple[object, ...]:
        """Sums about the present means as moments of the cells that were there about the new ones."""
        cells = np.maximum(found.weight[:, None] - found.missing, 0.0)  # (k, d)
        shift = found.first / np.where(cells > 0, cells, 1.0)
        scatter = np.maximum(found.second - found.first * shift, 0.0)
        return tuple(map(DiagonalMoments, cells, means + shift, scatter))


@dataclass(frozen=True)
class SphericalGaussian(DiagonalGaussian):
    """Independent Gaussian columns of one variance: log p(x) = −½ ‖x − m‖² / v − ½ d log(2π v).

    Examples
    --------
    >>> from suffice.distributions import SphericalGaussian
    >>> SphericalGaussian().fit(np.array([[0.0, 0.0], [2.0, 4.0]])).variance
    array([2.5])
    """

    names = ("spherical_gaussian",)

    variance: ArrayParameter = parameter("v, (1,).", (1,), holds=floats(1, at_least=0))

    @classmethod
    def example(cls, rng: np.random.Generator) -> Self:
        return cls(rng.normal(size=3) * 3, rng.uniform(0.5, 4.0, 1))

    def mle(self, statistic: DiagonalMoments) -> Self:
        cells = statistic.weight.sum()
        if cells == 0:
            return self
        statistic = self.about_known(statistic)
        mean, variance = statistic.mean, np.array([statistic.scatter.sum() / cells + self._floor])
        if np.any(statistic.weight == 0):
            mean = np.where(statistic.weight > 0, mean, 0.0 if self.mean is None else self.mean)
        return self.with_arrays(**{"mean": mean, "variance": variance, **self.known()})

    @staticmethod
    def _variances(weight: Floats, scatter: Floats) -> Floats:
        return np.asarray(scatter.sum(axis=1, keepdims=True) / weight.sum(axis=1, keepdims=True))

    @property
    def _floor(self) -> float:
        return self.floor if isinstance(self.floor, float) else float(np.mean(self.floor))

    def around(self, mean: Floats, variance: Floats) -> Self:
        return replace(self, **{"mean": mean, "variance": np.array([np.mean(variance)]), **self.known()})
