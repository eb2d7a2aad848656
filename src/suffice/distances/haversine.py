"""The great-circle distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import DTypeLike

from ..backend import distances as kernels
from ..backend.arrays import Array
from ..backend.distances import Term
from ..errors import InvalidData, InvalidParameter
from ..holds import number
from ..params import plain_number
from ..typing import Floats
from .base import Distance

_TERM = Term("squared")


@dataclass(frozen=True)
class Haversine(Distance):
    """The great-circle distance of places on a sphere, d(x, y) = 2 R arcsin(‖u − v‖ / 2); u, v their unit vectors.

    A row is a latitude and a longitude, in radians. R is the radius: 1 gives radians, 6371 kilometres on Earth.

    >>> bath, york = np.radians([51.38, -2.36]), np.radians([53.96, -1.08])
    >>> round(Haversine(radius=6371)(bath, york))
    300
    """

    radius: float = 1.0
    names: ClassVar = ("haversine", "great_circle")
    has_kernel: ClassVar = False  # the arc is taken afterwards
    is_metric: ClassVar = True
    holds: ClassVar = {"radius": number(above=0)}

    def __post_init__(self) -> None:
        radius = plain_number(self.radius)
        if radius is None or not radius > 0:
            raise InvalidParameter(f"Haversine: radius must be a number, above 0; got {self.radius!r}.")
        object.__setattr__(self, "radius", radius)

    def rows(self, X: Array) -> Array:
        """The places as points of the unit sphere, (n, 3)."""
        if X.shape[1] != 2:
            raise InvalidData(
                f"Haversine: rows must have 2 columns, latitude and longitude in radians; X has {X.shape[1]} columns."
            )
        latitude, longitude = np.asarray(X, dtype=np.float64).T
        beyond = np.abs(latitude) > np.pi / 2 + 1e-6  # single precision rounds the pole
        if beyond.any():
            row = int(np.argmax(beyond))
            raise self._refuse(row, f"has the latitude {latitude[row]:g}, beyond ±π/2 radians", "Use np.radians(X).")
        across = np.cos(latitude)
        return np.column_stack([across * np.cos(longitude), across * np.sin(longitude), np.sin(latitude)])

    def to_true(self, values: Array) -> Array:
        return 2 * self.radius * np.arcsin(np.minimum(np.sqrt(values) / 2, 1.0))

    def to_ranking(self, values: Array) -> Array:
        return (2 * np.sin(np.minimum(np.asarray(values) / (2 * self.radius), np.pi / 2))) ** 2

    def _between(self, own: Array, other: Array | None, ranking: bool, dtype: DTypeLike) -> Array:
        squared = kernels.pairwise(own, other, _TERM, np.float64)
        return (squared if ranking else self.to_true(squared)).astype(dtype, copy=False)

    def _half(self, A: Array, ranking: bool) -> Array:
        squared = kernels.condensed(self.rows(A), _TERM, np.float64)
        return (squared if ranking else self.to_true(squared)).astype(A.dtype, copy=False)

    @classmethod
    def examples(cls) -> tuple[Distance, ...]:
        return cls(), cls(radius=6371.0)

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> Floats:
        return np.column_stack([rng.uniform(-1.4, 1.4, n), rng.uniform(-3.1, 3.1, n)])
