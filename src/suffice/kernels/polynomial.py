"""The polynomial kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from ..backend.gram import Form
from ..choices import check_number
from ..errors import InvalidParameter
from ..holds import number, optional, whole
from ..params import plain_number
from ..typing import Reals
from .base import Kernel, WithSlopes, _Scaled, product_matrix


class _OfDegree(Protocol):
    @property
    def degree(self) -> int: ...


def check_degree(kernel: _OfDegree) -> None:
    """Refuse a degree that is no whole number from 1 to 1000."""
    found = plain_number(kernel.degree)
    if found is None or not 1 <= found <= 1000 or found != int(found):
        raise InvalidParameter(
            f"{type(kernel).__name__}: degree must be an integer, at least 1 and at most 1000; got {kernel.degree!r}."
        )


@dataclass(frozen=True)
class PolynomialKernel(_Scaled):
    """The polynomial kernel, k(x, y) = (gamma x·y + coef0)^degree: all products of up to `degree` cells.

    >>> PolynomialKernel(degree=2, gamma=1.0)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[144.]])
    """

    degree: int = 3
    gamma: float | None = None
    coef0: float = 1.0
    names: ClassVar = ("polynomial", "poly")
    tunable: ClassVar = ("gamma", "coef0")
    holds: ClassVar = {
        "degree": whole(at_least=1, at_most=1000),
        "gamma": optional(number(above=0)),
        "coef0": number(at_least=0),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self, "coef0", 0.0)
        check_degree(self)

    def between(self, X: Reals, Y: Reals) -> Reals:
        return product_matrix(X, Y, self.form(X.shape[1]))

    def form(self, d: int) -> Form:
        return Form("polynomial", self.scale_of(d), self.coef0, self.degree)

    def diagonal(self, X: Reals) -> Reals:
        return np.asarray((self.scale(X) * np.einsum("ij,ij->i", X, X) + self.coef0) ** self.degree, dtype=X.dtype)

    def between_with_slopes(self, X: Reals, Y: Reals) -> WithSlopes:
        products = self.scale(X) * product_matrix(X, Y, Form("product"))
        base = products + self.coef0
        inner = self.degree * base ** (self.degree - 1)
        slopes = [] if self.gamma is None else [inner * products]
        return base**self.degree, [*slopes, *([inner * self.coef0] if self.coef0 else [])]

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(), cls(degree=2, gamma=0.3, coef0=0.0)
