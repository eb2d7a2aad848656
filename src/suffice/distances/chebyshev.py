"""The Chebyshev distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .base import Distance


@dataclass(frozen=True)
class Chebyshev(Distance):
    """The Chebyshev distance, `d(x, y) = maxⱼ |xⱼ − yⱼ|`.

    >>> Chebyshev().pairwise([[0.0, 0.0]], [[3.0, 4.0]])
    array([[4.]])
    """

    names: ClassVar = ("chebyshev", "linfinity", "infinity")
    kind: ClassVar = "largest"
    is_metric: ClassVar = True
    by_units: ClassVar = True
    missing: ClassVar = True
