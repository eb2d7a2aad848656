"""A kernel of features less their mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..data.rows import FLOATS
from ..errors import InvalidData, InvalidParameter
from ..holds import instance, row_array
from ..typing import Reals
from .base import Kernel, Rows, WithSlopes
from .gaussian import GaussianKernel
from .linear import LinearKernel
from .operator import _Operator, asked, asked_with_slopes, check_kernels


@dataclass(frozen=True, eq=False)
class CenteredKernel(_Operator, operator="centered"):
    """A kernel of features less their mean over some rows z, `kernel.centered(Z)`: (φ(x) − m)·(φ(y) − m).

    k(x, y) − 1/n Σᵢ k(x, zᵢ) − 1/n Σᵢ k(zᵢ, y) + 1/n² Σᵢⱼ k(zᵢ, zⱼ).

    >>> LinearKernel().centered([[1.0], [3.0]])([[1.0]], [[3.0]])
    array([[-1.]])
    """

    kernel: Kernel
    reference: Rows
    holds: ClassVar = {"kernel": instance(Kernel), "reference": row_array("n", "d")}

    def __post_init__(self) -> None:
        check_kernels(self, "kernel")
        found = Kernel.rows(self, self.reference)
        if not len(found):
            raise InvalidParameter("CenteredKernel: reference must have rows, over which features are averaged.")
        object.__setattr__(self, "reference", found)

    def part(self, X: Rows, Y: Rows, at: int | None) -> Reals:
        return self.part_with_slopes(X, Y, at, slopes=False)[0]

    def part_with_slopes(self, X: Rows, Y: Rows, at: int | None, slopes: bool = True) -> WithSlopes:
        Z = self._beside(X)

        def asked_for(A: Rows, B: Rows, place: int | None) -> list[Reals]:
            if not slopes:
                return [asked(self.kernel, A, B, place)]
            K, others = asked_with_slopes(self.kernel, A, B, place)
            return [K, *others]

        own = [K.mean(axis=1) for K in asked_for(X, Z, None)]
        other = own if Y is X else [K.mean(axis=1) for K in asked_for(Y, Z, None)]
        whole = [K.mean() for K in asked_for(Z, Z, None)]
        K, *others = (
            each - left[:, None] - right + middle
            for each, left, right, middle in zip(asked_for(X, Y, at), own, other, whole, strict=True)
        )
        return K, others

    def _beside(self, X: Rows) -> Rows:
        """The rows z in the precision of X, which must have their columns."""
        Z = self.reference
        if X.shape[1:] != Z.shape[1:]:
            raise InvalidData(
                f"CenteredKernel: X has {X.shape[1]} columns, but the rows of reference have {Z.shape[1]}."
            )
        return Z.astype(X.dtype, copy=False) if X.dtype in FLOATS and Z.dtype in FLOATS else Z

    def diagonal(self, X: Rows) -> Reals:
        Z = self._beside(X)
        toward = asked(self.kernel, X, Z, None).mean(axis=1)
        return np.asarray(self.kernel.diag(X) - 2 * toward + asked(self.kernel, Z, Z, None).mean())

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        Z = np.random.default_rng(0).normal(size=(9, 4))
        return cls(GaussianKernel(0.5), Z), cls(LinearKernel(), Z)
