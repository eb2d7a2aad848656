"""The loss of a Student t distribution."""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma
from typing import ClassVar

import numpy as np

from ..backend.arrays import Array, namespace
from ..choices import check_number
from ..holds import number
from .base import Loss


@dataclass(frozen=True)
class StudentTLoss(Loss):
    """The negative log likelihood of Student's t: ℓ = ½ (ν + 1) log(1 + r² / (ν s²)), with r = y − η and scale s.

    Rows far away pull less and less: it is not convex. It lies below a parabola of curvature (ν + 1) / (ν s² + r²), the
    weights of its EM algorithm.

    >>> import numpy as np
    >>> StudentTLoss(df=1.0).value(np.array([0.0]), np.array([1.0])).round(4)
    array([0.6931])
    """

    df: float = 4.0
    scale: float = 1.0
    names: ClassVar = ("student_t",)
    is_convex: ClassVar = False
    majorises: ClassVar = True
    has_likelihood: ClassVar = True
    holds: ClassVar = {"df": number(above=0), "scale": number(above=0)}

    def __post_init__(self) -> None:
        check_number(self, "df", 0.0, above=True)
        check_number(self, "scale", 0.0, above=True)

    def value(self, eta: Array, y: Array) -> Array:
        rest = (y - eta) / self.scale
        return 0.5 * (self.df + 1) * namespace(eta).log1p(rest * rest / self.df)

    def gradient(self, eta: Array, y: Array) -> Array:
        return self.curvature(eta, y) * (eta - y)

    def curvature(self, eta: Array, y: Array) -> Array:
        rest = y - eta
        return (self.df + 1) / (self.df * self.scale**2 + rest * rest)

    def steepest(self) -> float:
        return (self.df + 1) / (self.df * self.scale**2)

    def log_density(self, eta: Array, y: Array, dispersion: float = 1.0) -> Array:
        at_zero = lgamma((self.df + 1) / 2) - lgamma(self.df / 2) - 0.5 * np.log(self.df * np.pi) - np.log(self.scale)
        return at_zero - self.value(eta, y)

    @classmethod
    def examples(cls) -> tuple[Loss, ...]:
        return cls(), cls(1.0, 0.5)
