"""The Minkowski distances."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from ..backend.arrays import Array
from ..backend.distances import Term
from ..errors import InvalidParameter
from ..holds import number
from ..params import plain_number
from .base import Distance

_LARGEST = 100


@dataclass(frozen=True)
class Minkowski(Distance):
    """The Minkowski distance of order p, `d(x, y) = (Σⱼ |xⱼ − yⱼ|ᵖ)^(1/p)`; a metric from p = 1 on.

    p = 1 is Manhattan, p = 2 Euclidean, p = ∞ Chebyshev. p = 0 is the limit of `Σⱼ |xⱼ − yⱼ|ᵖ` for p → 0: the number
    of columns in which two rows differ.

    >>> Minkowski(p=3).pairwise([[0.0, 0.0]], [[1.0, 2.0]]).round(4)
    array([[2.0801]])
    """

    p: float = 2.0
    holds: ClassVar = {"p": number(at_least=0, finite=False)}
    names: ClassVar = ("minkowski",)
    kind: ClassVar = "power"
    missing: ClassVar = True
    by_units: ClassVar = True

    def __post_init__(self) -> None:
        p = plain_number(self.p)
        if p is None or not p >= 0:
            raise InvalidParameter(f"Minkowski: p must be a number, at least 0; got {self.p!r}.")
        object.__setattr__(self, "p", p)
        if _LARGEST < self.p < math.inf:
            raise InvalidParameter(
                f"Minkowski: p must be at most {_LARGEST}, or infinity, as most numbers to a higher power are 0 or "
                f"infinite; got {self.p!r}. Use Chebyshev()."
            )

    @property
    def is_metric(self) -> bool:  # type: ignore[override]
        """Whether p is at least 1, or 0."""
        return self.p >= 1 or self.p == 0

    def term(self, ranking: bool = False) -> Term:
        if math.isinf(self.p):
            return Term("largest")
        if self.p == 0:
            return Term("different")
        if self.p == 2:
            return Term("squared", "none" if ranking else "root")
        if self.p == 1:
            return Term("absolute")
        return Term("power", "none" if ranking else "power", self.p)

    def to_true(self, values: Array) -> Array:
        return values if self.p in (0, math.inf) else values ** (1 / self.p)

    def to_ranking(self, values: Array) -> Array:
        return values if self.p in (0, math.inf) else values**self.p

    @classmethod
    def examples(cls) -> tuple[Distance, ...]:
        return tuple(cls(p) for p in (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, math.inf))
