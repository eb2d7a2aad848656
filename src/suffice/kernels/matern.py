"""The Matérn kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import gammaln, kve

from ..errors import InvalidParameter, shown
from ..holds import number
from ..params import plain_number
from ..typing import Floats, Reals
from .base import Kernel
from .radial import Lengths, _Radial, check_lengths, held_lengths

_LARGEST = 100.0  # beyond, the Bessel function leaves the range of a double where the kernel is not 1 yet


@dataclass(frozen=True)
class MaternKernel(_Radial):
    """The Matérn kernel: with r² = Σⱼ (xⱼ − yⱼ)² / ℓⱼ² and t = √(2ν) r, k(x, y) = 2^(1−ν) / Γ(ν) · t^ν K_ν(t).

    A function drawn from it has a derivative of order k for every k < ν. In closed form: exp(−r) for ν = 1/2,
    (1 + √3 r) exp(−√3 r) for 3/2, (1 + √5 r + 5 r²/3) exp(−√5 r) for 5/2, and exp(−r²/2) for ∞.

    >>> MaternKernel(2.0, nu=0.5)([[0.0]], [[0.0], [2.0]]).round(4)
    array([[1.    , 0.3679]])
    """

    length_scale: Lengths = 1.0
    nu: float = 1.5
    names: ClassVar = ("matern",)
    tunable: ClassVar = ("length_scale",)
    holds: ClassVar = {"length_scale": held_lengths, "nu": number(above=0, finite=False)}

    def __post_init__(self) -> None:
        check_lengths("MaternKernel", "length_scale", self.length_scale)
        nu = plain_number(self.nu)
        if nu is None or not (0 < nu <= _LARGEST or nu == np.inf):
            raise InvalidParameter(
                f"MaternKernel: nu must be a number above 0 and at most {_LARGEST:g}, or infinity, the Gaussian kernel;"
                f" got {shown(self.nu)}."
            )

    def profile(self, s: Reals) -> Reals:
        t = self._t(s)
        if self.nu in (0.5, np.inf):
            found = np.exp(-t)
        elif self.nu == 1.5:
            found = (1 + t) * np.exp(-t)
        elif self.nu == 2.5:
            found = (1 + t + t**2 / 3) * np.exp(-t)
        else:
            found = self._bessel(t, self.nu, 1 - t**2 / (4 * max(self.nu - 1, 1.0)))
        return np.asarray(found)

    def profile_slope(self, s: Reals) -> Reals:
        t = self._t(s)
        if self.nu == np.inf:
            found = -t * np.exp(-t)
        elif self.nu == 0.5:
            found = -t / 2 * np.exp(-t)
        elif self.nu == 1.5:
            found = -(t**2) / 2 * np.exp(-t)
        elif self.nu == 2.5:
            found = -(t**2) * (1 + t) / 6 * np.exp(-t)
        else:
            found = -self._bessel(t, self.nu - 1, t / (2 * max(self.nu - 1, 1.0))) * t / 2
        return np.asarray(found)

    def _t(self, s: Reals) -> Reals:
        """√(2ν) r, or r²/2 for ν = ∞; of rows so far apart that the kernel is 0 for any ν, 1e4."""
        return np.minimum(s / 2 if self.nu == np.inf else np.sqrt(2 * self.nu * s), 1e4)

    def _bessel(self, t: Reals, order: float, limit: Reals) -> Reals:
        """2^(1−ν) / Γ(ν) · t^ν K_order(t), and its limit where t is so small that K is beyond all numbers."""
        wide = t.astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            logs = (1 - self.nu) * np.log(2) - gammaln(self.nu) + self.nu * np.log(wide) + np.log(kve(order, wide))
            found = np.exp(logs - wide)
        return np.where(np.isfinite(logs) | (wide > 1), found, limit).astype(t.dtype)

    has_frequencies: ClassVar = True

    def frequencies(self, rng: np.random.Generator, size: int, d: int) -> Floats:
        normal = rng.standard_normal((d, size)) / self.lengths(d)[:, None]
        return normal if self.nu == np.inf else normal / np.sqrt(rng.chisquare(2 * self.nu, size) / (2 * self.nu))

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        several = tuple(cls(1.5, nu) for nu in (0.5, 1.5, 2.5, np.inf, 0.8, 3.7, 40.0))
        return (*several, cls((0.5, 1.0, 2.0, 4.0), 2.5), cls((0.5, 1.0, 2.0, 4.0), 1.2))
