"""The rational quadratic kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..choices import check_number
from ..holds import number
from ..typing import Floats, Reals
from .base import Kernel
from .radial import Lengths, _Radial, check_lengths, held_lengths


@dataclass(frozen=True)
class RationalQuadraticKernel(_Radial):
    """The rational quadratic kernel, k(x, y) = (1 + Σⱼ (xⱼ − yⱼ)² / (2 α ℓⱼ²))^(−α).

    It is a mixture of Gaussian kernels of all bandwidths, which α spreads; for α → ∞ it is the Gaussian kernel.

    >>> RationalQuadraticKernel(1.0, alpha=0.5)([[0.0]], [[0.0], [3.0]]).round(4)
    array([[1.    , 0.3162]])
    """

    length_scale: Lengths = 1.0
    alpha: float = 1.0
    names: ClassVar = ("rational_quadratic",)
    tunable: ClassVar = ("length_scale", "alpha")
    holds: ClassVar = {"length_scale": held_lengths, "alpha": number(above=0)}

    def __post_init__(self) -> None:
        check_lengths("RationalQuadraticKernel", "length_scale", self.length_scale)
        check_number(self, "alpha", 0.0, above=True)

    def profile(self, s: Reals) -> Reals:
        return np.asarray(np.exp(-self.alpha * np.log1p(s / (2 * self.alpha))))

    def profile_slope(self, s: Reals) -> Reals:
        u = s / (2 * self.alpha)
        return np.asarray(-self.alpha * self.profile(s) * u / (1 + u))

    def shape_slopes(self, s: Reals) -> list[Reals]:
        u = s / (2 * self.alpha)
        return [np.asarray(self.alpha * self.profile(s) * (u / (1 + u) - np.log1p(u)))]

    has_frequencies: ClassVar = True

    def frequencies(self, rng: np.random.Generator, size: int, d: int) -> Floats:
        spread = np.sqrt(rng.gamma(self.alpha, 1 / self.alpha, size))
        return rng.standard_normal((d, size)) / self.lengths(d)[:, None] * spread

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(), cls(1.5, 0.3), cls((0.5, 1.0, 2.0, 4.0), 2.0)
