"""The other distances that SciPy knows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import DTypeLike
from scipy.spatial.distance import cdist, pdist

from ..backend.arrays import Array
from ..errors import InvalidData, InvalidParameter
from ..typing import Floats
from .base import Distance

METRICS = ("canberra", "rogerstanimoto", "sokalsneath")  # those that obey the triangle inequality
OTHERS = ("braycurtis", "dice", "russellrao", "yule")


@dataclass(frozen=True)
class BySciPy(Distance):
    """A distance by its name in SciPy's cdist, for those that have no kernel here; computed by SciPy.

    >>> BySciPy("canberra").pairwise([[1.0, 2.0]], [[3.0, 2.0]])
    array([[0.5]])
    """

    name: str = "canberra"
    names: ClassVar = METRICS + OTHERS
    has_kernel: ClassVar = False

    @classmethod
    def of_name(cls, name: str, **arguments: object) -> BySciPy:
        return cls(name, **arguments)

    def __post_init__(self) -> None:
        if self.name not in self.names:
            raise InvalidParameter(f"BySciPy: name must be one of {', '.join(self.names)}; got {self.name!r}.")

    @property
    def is_metric(self) -> bool:  # type: ignore[override]
        """Whether no detour is shorter."""
        return self.name in METRICS

    def _between(self, own: Array, other: Array | None, ranking: bool, dtype: DTypeLike) -> Array:
        values = cdist(own, own if other is None else other, self.name)
        return self._checked(values).astype(dtype, copy=False)

    def _half(self, A: Array, ranking: bool) -> Array:
        return self._checked(pdist(A, self.name)).astype(A.dtype, copy=False)

    def _checked(self, values: Array) -> Array:
        if np.isnan(values).any():
            at = [int(k) for k in np.argwhere(np.isnan(values))[0]]
            raise InvalidData(
                f"BySciPy: {self.name!r} is not defined for pair {at} of the rows. Drop such rows, or use another "
                "distance."
            )
        return values

    @classmethod
    def examples(cls) -> tuple[Distance, ...]:
        return cls("canberra"), cls("braycurtis")

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> Floats:
        return rng.random((n, 5)) + 0.1
