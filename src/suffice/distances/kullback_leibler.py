"""The Kullback–Leibler divergence."""

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
from .histograms import _OfHistograms


@dataclass(frozen=True)
class KullbackLeibler(_OfHistograms):
    """The Kullback–Leibler divergence of histograms: D(x, y) = Σⱼ xⱼ log(xⱼ / yⱼ), in nats.

    Rows are scaled to sum to 1. It is not symmetric, and infinite where y has a 0 and x has not: such pairs are
    refused; `smoothing` adds a little to every cell before.

    >>> KullbackLeibler().pairwise([[1.0, 1.0]], [[1.0, 3.0], [5.0, 5.0]]).round(4)
    array([[0.1438, 0.    ]])
    """

    smoothing: float = 0.0  # type: ignore[misc]
    holds: ClassVar = {"smoothing": number(at_least=0)}
    names: ClassVar = ("kl", "kullback_leibler")
    kind: ClassVar = "product"
    has_kernel: ClassVar = False
    is_symmetric: ClassVar = False

    def __post_init__(self) -> None:
        smoothing = plain_number(self.smoothing)
        if smoothing is None or not smoothing >= 0:
            raise InvalidParameter(f"KullbackLeibler: smoothing must be a number, at least 0; got {self.smoothing!r}.")
        object.__setattr__(self, "smoothing", smoothing)

    def _between(self, own: Array, other: Array | None, ranking: bool, dtype: DTypeLike) -> Array:
        other = own if other is None else other
        self._check(own, other)
        own_log, other_log = (np.log(np.where(Z > 0, Z, 1.0)) for Z in (own, other))
        entropy = np.einsum("nd,nd->n", own, own_log)
        values = entropy[:, None] - kernels.pairwise(own, other_log, Term("product"))
        return np.maximum(values, 0, out=values).astype(dtype, copy=False)  # rounding below 0

    def _check(self, own: Array, other: Array) -> None:
        empty = np.flatnonzero(np.any(other == 0, axis=1))
        if not empty.size:
            return
        lost = kernels.pairwise(own, (other[empty] == 0).astype(np.float64), Term("product"))  # mass where y has none
        if lost.any():
            i, at = np.argwhere(lost)[0]
            j = int(np.argmax((other[empty[at]] == 0) & (own[i] > 0)))
            raise InvalidData(
                f"KullbackLeibler: row {empty[at]} of Y is 0 in column {j} where row {i} of X is not, so the "
                "divergence is infinite. Use KullbackLeibler(smoothing=…), or JensenShannon."
            )
