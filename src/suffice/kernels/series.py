"""Polynomials of a kernel, of which a power is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import InvalidParameter, shown
from ..holds import either, floats, instance, lists, number, tuples
from ..params import are_numbers
from ..typing import Reals
from .base import Kernel, Rows, WithSlopes
from .gaussian import GaussianKernel
from .linear import LinearKernel
from .operator import _Operator, asked, asked_with_slopes, check_kernels

_numbers = either(*(kind(number(at_least=0)) for kind in (tuples, lists)), floats(None, at_least=0))


@dataclass(frozen=True)
class SeriesKernel(_Operator, operator="series"):
    """A polynomial of a kernel, Σ_p c_p k(x, y)^p with c_p ≥ 0, `kernel.series((c₀, c₁, …))`.

    >>> LinearKernel().series((1.0, 0.0, 2.0))([[3.0]], [[2.0]])
    array([[73.]])
    """

    kernel: Kernel
    coefficients: tuple[float, ...] = (0.0, 1.0)
    tunable: ClassVar = ("coefficients",)
    holds: ClassVar = {"kernel": instance(Kernel), "coefficients": _numbers}

    def __post_init__(self) -> None:
        check_kernels(self, "kernel")
        given = np.asarray(self.coefficients, dtype=np.float64) if are_numbers(self.coefficients, 1) else np.empty(0)
        if not given.size or not np.all((given >= 0) & np.isfinite(given)) or not given.any():
            raise InvalidParameter(
                "SeriesKernel: coefficients must be finite numbers, at least 0 and not all 0, one a power from 0 "
                f"on; got {shown(self.coefficients)}."
            )

    def part(self, X: Rows, Y: Rows, at: int | None) -> Reals:
        return self._sum(asked(self.kernel, X, Y, at))

    def part_with_slopes(self, X: Rows, Y: Rows, at: int | None) -> WithSlopes:
        K, slopes = asked_with_slopes(self.kernel, X, Y, at)
        c = np.asarray(self.coefficients, dtype=np.float64)
        steep = np.polynomial.polynomial.polyval(K, c[1:] * np.arange(1, len(c))) if len(c) > 1 else np.zeros_like(K)
        own = [each * K**p for p, each in enumerate(self.coefficients)] if np.all(c) else []
        return self._sum(K), [*(steep * slope for slope in slopes), *own]

    def diagonal(self, X: Rows) -> Reals:
        return self._sum(self.kernel.diag(X))

    def _sum(self, K: Reals) -> Reals:
        found = np.polynomial.polynomial.polyval(K, np.asarray(self.coefficients, dtype=np.float64))
        return np.asarray(found, dtype=K.dtype)

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return (
            cls(GaussianKernel(0.5), (1.0, 2.0, 0.5)),
            cls(LinearKernel(), (0.0, 0.0, 1.0)),
            cls(LinearKernel(), (2.0,)),
        )
