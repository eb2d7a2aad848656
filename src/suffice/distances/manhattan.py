"""The Manhattan distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .base import Distance


@dataclass(frozen=True)
class Manhattan(Distance):
    """The Manhattan (city block) distance, `d(x, y) = Σⱼ |xⱼ − yⱼ|`.

    >>> Manhattan().pairwise([[0.0, 0.0]], [[3.0, 4.0]])
    array([[7.]])
    """

    names: ClassVar = ("manhattan", "cityblock", "l1")
    kind: ClassVar = "absolute"
    is_metric: ClassVar = True
    by_units: ClassVar = True
    missing: ClassVar = True
