"""The Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.gram import Form
from ..choices import check_number
from ..errors import InvalidParameter
from ..holds import number, optional
from ..typing import Floats, Reals
from .base import Kernel, WithSlopes, product_matrix
from .radial import Lengths, _Radial, check_lengths, held_lengths


@dataclass(frozen=True)
class GaussianKernel(_Radial):
    """The Gaussian kernel, k(x, y) = exp(−gamma ‖x − y‖²), or exp(−Σⱼ (xⱼ − yⱼ)² / hⱼ²) by its bandwidth.

    One of the two is given; with neither, gamma is 1/d. The length scale ℓ of other libraries is h / √2.

    >>> GaussianKernel(gamma=0.5)([[0.0, 0.0]], [[0.0, 0.0], [1.0, 1.0]]).round(4)
    array([[1.    , 0.3679]])
    >>> GaussianKernel(bandwidth=(1.0, 2.0))([[0.0, 0.0]], [[1.0, 2.0]]).round(4)
    array([[0.1353]])
    """

    gamma: float | None = None
    bandwidth: Lengths | None = None
    names: ClassVar = ("gaussian", "rbf")
    tunable: ClassVar = ("gamma", "bandwidth")
    lengths_in: ClassVar = "bandwidth"
    holds: ClassVar = {"gamma": optional(number(above=0)), "bandwidth": optional(held_lengths)}

    def __post_init__(self) -> None:
        if self.gamma is not None:
            check_number(self, "gamma", 0.0, above=True)
        if self.bandwidth is not None:
            check_lengths("GaussianKernel", "bandwidth", self.bandwidth)
            if self.gamma is not None:
                raise InvalidParameter(
                    f"GaussianKernel: gamma and bandwidth say the same thing, gamma = 1 / bandwidth²; got both, "
                    f"{self.gamma!r} and {self.bandwidth!r}."
                )

    def scale(self, X: Reals) -> float:
        """gamma for rows of d columns; with a bandwidth, after they were divided by it."""
        if self.bandwidth is not None:
            return 1.0
        return 1 / max(1, X.shape[1]) if self.gamma is None else float(self.gamma)

    def lengths(self, d: int) -> Floats:
        if self.bandwidth is not None:
            return super().lengths(d)
        return np.array([(1.0 if self.gamma is None else self.gamma * d) ** -0.5 * d**0.5])

    def between(self, X: Reals, Y: Reals) -> Reals:
        form = Form("gaussian", self.scale(X))
        if self.bandwidth is not None:
            lengths = super().lengths(X.shape[1]).astype(X.dtype)
            A = X / lengths
            X, Y = A, A if Y is X else Y / lengths
        return product_matrix(X, Y, form)

    def form(self, d: int) -> Form | None:
        if self.bandwidth is None:
            return Form("gaussian", 1 / max(1, d) if self.gamma is None else float(self.gamma))
        return None if np.ndim(self.bandwidth) else Form("gaussian", float(self.bandwidth) ** -2)  # type: ignore[arg-type]

    def profile(self, s: Reals) -> Reals:
        return np.exp(-s)

    def profile_slope(self, s: Reals) -> Reals:
        return -s * np.exp(-s)

    def between_with_slopes(self, X: Reals, Y: Reals) -> WithSlopes:
        K, slopes = super().between_with_slopes(X, Y)
        if self.gamma is not None:
            slopes = [self.profile_slope(self._squared(X, Y))]
        return K, slopes

    has_frequencies: ClassVar = True

    def frequencies(self, rng: np.random.Generator, size: int, d: int) -> Floats:
        lengths = np.array([1 / np.sqrt(self.scale(np.empty((0, d))))]) if self.bandwidth is None else self.lengths(d)
        return np.asarray(np.sqrt(2) * rng.standard_normal((d, size)) / lengths[:, None])

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(), cls(gamma=2.0), cls(bandwidth=1.5), cls(bandwidth=(0.5, 1.0, 2.0, 4.0))
