"""A kernel of what a map makes of the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from ..errors import InvalidData, InvalidParameter, shown
from ..holds import anything, instance, require
from ..typing import Reals
from .base import Kernel, Rows, WithSlopes
from .gaussian import GaussianKernel
from .linear import LinearKernel
from .operator import _Operator, check_kernels


@runtime_checkable
class Transforms(Protocol):
    """A fitted estimator that maps rows to rows."""

    def transform(self, X: Rows, /) -> Rows: ...


@dataclass(frozen=True)
class ComposedKernel(_Operator, operator="@"):
    """A kernel of mapped rows, k(f(x), f(y)), `kernel @ f`, of a function of rows or a fitted estimator's `transform`.

    `LinearKernel() @ f` has the explicit features f: added to another kernel it makes a semi-parametric model.

    >>> logs = LinearKernel() @ np.log1p
    >>> logs([[1.0]], [[3.0]]).round(4)
    array([[0.9609]])
    """

    kernel: Kernel
    map: Transforms | Callable[[Rows], Rows]
    holds: ClassVar = {"kernel": instance(Kernel), "map": anything()}

    def __post_init__(self) -> None:
        check_kernels(self, "kernel")
        if not self._is_map():
            raise InvalidParameter(
                f"ComposedKernel: map must be a function of rows or a fitted estimator with transform; got "
                f"{shown(self.map)}."
            )

    def _is_map(self) -> bool:
        known = isinstance(self.map, Transforms) or callable(self.map)
        return known and not isinstance(self.map, type | Kernel)

    def check_loaded(self) -> None:
        """Refuse what cannot map rows."""
        require(self._is_map(), "map must be a function of rows or an estimator with transform")

    @property
    def reads_categories(self) -> bool:
        return False

    def atoms(self) -> tuple[Kernel, ...]:
        return (self,)  # the map makes of the rows what it likes

    def rows(self, X: Rows) -> Rows:
        used = self.map.transform if isinstance(self.map, Transforms) else self.map
        given = X if hasattr(X, "columns") else Kernel.rows(self, X)  # a frame keeps its names
        made = self.kernel.rows(used(given))
        if len(made) != len(given):
            raise InvalidData(f"ComposedKernel: map made {len(made)} rows of {len(given)}; it must keep their number.")
        return made

    def part(self, X: Rows, Y: Rows, at: int | None) -> Reals:
        return self.kernel.part(X, Y, at)

    def part_with_slopes(self, X: Rows, Y: Rows, at: int | None) -> WithSlopes:
        return self.kernel.part_with_slopes(X, Y, at)

    def diagonal(self, X: Rows) -> Reals:
        return self.kernel.diagonal(X)

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(GaussianKernel(0.5), np.tanh), cls(LinearKernel(), np.square)
