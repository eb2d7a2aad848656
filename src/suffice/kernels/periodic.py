"""The periodic kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.gram import Form
from ..holds import Kind
from ..typing import Floats, Reals
from .base import Kernel, WithSlopes, product_matrix
from .radial import Lengths, check_lengths, held_lengths, lengths_of


@dataclass(frozen=True)
class PeriodicKernel(Kernel):
    """The periodic kernel, k(x, y) = exp(−2 Σⱼ sin²(π (xⱼ − yⱼ) / pⱼ) / ℓⱼ²): what comes again after the period p.

    Each column is periodic by itself, so that the kernel is positive for any number of columns.

    >>> PeriodicKernel(1.0, period=7.0)([[0.0]], [[3.5], [7.0], [14.0]]).round(4)
    array([[0.1353, 1.    , 1.    ]])
    """

    length_scale: Lengths = 1.0
    period: Lengths = 1.0
    names: ClassVar = ("periodic", "exp_sine_squared")
    tunable: ClassVar = ("length_scale", "period")
    holds: ClassVar[dict[str, Kind]] = {"length_scale": held_lengths, "period": held_lengths}

    def __post_init__(self) -> None:
        check_lengths("PeriodicKernel", "length_scale", self.length_scale)
        check_lengths("PeriodicKernel", "period", self.period)

    def between(self, X: Reals, Y: Reals) -> Reals:
        A = self._circles(X)
        return product_matrix(A, A if Y is X else self._circles(Y), Form("gaussian", 0.5))

    def diagonal(self, X: Reals) -> Reals:
        return np.ones(len(X), dtype=X.dtype)

    def between_with_slopes(self, X: Reals, Y: Reals) -> WithSlopes:
        K, (lengths, periods) = self.between(X, Y), self._per_column(X.shape[1])
        by_length, by_period = [], []
        for j in range(X.shape[1]):
            angle = 2 * np.pi / periods[j] * (X[:, j, None] - Y[:, j])
            by_length.append(K * (2 / lengths[j] ** 2) * (1 - np.cos(angle)))
            by_period.append(K * angle * np.sin(angle) / lengths[j] ** 2)
        return K, [*_by_number(self.length_scale, by_length, K), *_by_number(self.period, by_period, K)]

    def _per_column(self, d: int) -> tuple[Floats, Floats]:
        lengths, periods = (lengths_of(self, name, d) for name in ("length_scale", "period"))
        return np.broadcast_to(lengths, d), np.broadcast_to(periods, d)

    def _circles(self, X: Reals) -> Reals:
        """Each column as places on a circle, (n, 2 d), where the kernel is a Gaussian one of the chords."""
        lengths, periods = self._per_column(X.shape[1])
        turns = np.remainder(X / periods, 1.0) * (2 * np.pi)
        return np.hstack([np.cos(turns) / lengths, np.sin(turns) / lengths]).astype(X.dtype)

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(), cls(0.7, 3.0), cls((0.5, 1.0, 2.0, 4.0), (1.0, 2.0, 3.0, 4.0))


def _by_number(numbers: Lengths, slopes: list[Reals], K: Reals) -> list[Reals]:
    """The derivatives in one number for all columns, or in one a column."""
    return slopes if np.ndim(numbers) and np.size(numbers) == len(slopes) else [sum(slopes, np.zeros_like(K))]
