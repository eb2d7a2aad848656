"""The polynomial kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..choices import check_number
from ..errors import InvalidParameter
from ..holds import number, optional, whole
from ..typing import Floats
from .base import Kernel, _Scaled


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
    holds: ClassVar = {
        "degree": whole(at_least=1),
        "gamma": optional(number(above=0)),
        "coef0": number(at_least=0),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self, "coef0", 0.0)
        if isinstance(self.degree, bool) or self.degree != int(self.degree) or self.degree < 1:
            raise InvalidParameter(f"PolynomialKernel: degree must be an integer, at least 1; got {self.degree!r}.")

    def between(self, X: Floats, Y: Floats) -> Floats:
        return (self.scale(X) * (X @ Y.T) + self.coef0) ** self.degree

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(), cls(degree=2, gamma=0.3, coef0=0.0)
