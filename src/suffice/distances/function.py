"""Any function of two rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike

from ..backend.arrays import Array
from ..errors import InvalidData, InvalidParameter
from ..typing import Numbers
from .base import Distance


@dataclass(frozen=True)
class Function(Distance, saved=False):
    """Any symmetric function of two rows, called once for each pair: slow, and taken at its word.

    `is_metric` says whether it obeys the triangle inequality, which some searches rely on.

    >>> Function(lambda x, y: abs(x[0] - y[0])).pairwise([[1.0], [4.0]])
    array([[0., 3.],
           [3., 0.]])
    """

    function: Callable[[Any, Any], float] = lambda x, y: 0.0
    is_metric: bool = False  # type: ignore[misc]  # of each function, not of the class
    has_kernel: ClassVar = False

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InvalidParameter(f"Function: function must be a function of two rows; got {self.function!r}.")

    def _between(self, own: Array, other: Array | None, ranking: bool, dtype: DTypeLike) -> Array:
        if other is not None:
            return self._checked([[self.function(x, y) for y in other] for x in own], own, other, dtype)
        values: list[list[object]] = []
        for i, x in enumerate(own):  # each pair once
            values.append([values[j][i] for j in range(i)] + [self.function(x, y) for y in own[i:]])
        return self._checked(values, own, own, dtype)

    def _half(self, A: Array, ranking: bool) -> Array:
        return self._between(A, None, ranking, A.dtype)[np.triu_indices(len(A), 1)]

    def _checked(self, values: object, own: Array, other: Array, dtype: DTypeLike) -> Array:
        try:
            found = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidData(f"Function: {self.function!r} must return a number for two rows; {error}.") from None
        bad = ~(found >= 0) | np.isinf(found)
        if bad.any():
            i, j = np.argwhere(bad)[0]
            raise InvalidData(
                f"Function: {self.function!r} gives {float(found[i, j])} for the rows {own[i]} and {other[j]}; a "
                "distance must be a number, at least 0. Drop such rows, or use another function."
            )
        return found.astype(dtype, copy=False)

    @classmethod
    def examples(cls) -> tuple[Distance, ...]:
        return (cls(_most_apart, is_metric=True),)


def _most_apart(x: object, y: Numbers) -> float:
    return float(np.max(np.abs(x - y)))
