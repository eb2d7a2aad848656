"""A kernel of some columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import InvalidData, InvalidParameter, shown
from ..holds import instance, tuples, whole
from ..typing import Reals
from .base import Kernel, Rows, WithSlopes
from .category import CategoryKernel
from .gaussian import GaussianKernel
from .linear import LinearKernel
from .operator import _Operator, check_kernels


@dataclass(frozen=True)
class ColumnsKernel(_Operator, operator="on"):
    """A kernel of some columns, `kernel.on((0, 2))`, by number: other kernels may have the others.

    >>> mixed = GaussianKernel(1.0).on(0) * CategoryKernel().on(1)
    >>> mixed([[1.0, "red"], [2.0, "red"], [1.0, "blue"]]).round(3)
    array([[1.   , 0.368, 0.   ],
           [0.368, 1.   , 0.   ],
           [0.   , 0.   , 1.   ]])
    """

    kernel: Kernel
    columns: tuple[int, ...] = (0,)
    holds: ClassVar = {"kernel": instance(Kernel), "columns": tuples(whole(at_least=0))}

    def __post_init__(self) -> None:
        check_kernels(self, "kernel")
        several = isinstance(self.columns, Iterable) and not isinstance(self.columns, str)
        listed: list[int] = list(self.columns) if several else [self.columns]  # type: ignore[list-item]
        whole_ones = all(isinstance(j, int | np.integer) and not isinstance(j, bool) and j >= 0 for j in listed)
        if not listed or not whole_ones:
            raise InvalidParameter(
                f"ColumnsKernel: columns must be numbers of columns, from 0 on; got {shown(self.columns)}."
            )
        object.__setattr__(self, "columns", tuple(int(j) for j in listed))

    @property
    def reads_categories(self) -> bool:
        return True  # whoever names columns knows what they hold

    def atoms(self) -> tuple[Kernel, ...]:
        return (self,)  # whatever the other columns hold

    def rows(self, X: Rows) -> Rows:
        cells = Kernel.rows(self, X)
        if max(self.columns) >= cells.shape[1]:
            raise InvalidData(f"ColumnsKernel: there is no column {max(self.columns)}; the rows have {cells.shape[1]}.")
        return self.kernel.rows(cells[:, list(self.columns)])

    def part(self, X: Rows, Y: Rows, at: int | None) -> Reals:
        return self.kernel.part(X, Y, at)

    def part_with_slopes(self, X: Rows, Y: Rows, at: int | None) -> WithSlopes:
        return self.kernel.part_with_slopes(X, Y, at)

    def diagonal(self, X: Rows) -> Reals:
        return self.kernel.diagonal(X)

    def example(self, rng: np.random.Generator, n: int) -> Rows:
        return self.kernel.example(rng, n)[:, np.arange(1 + max(self.columns)) % 3]

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(GaussianKernel(0.5), (0, 2)), cls(CategoryKernel(), (1,)), cls(LinearKernel(), (3,))
