"""What operators have in common: kernels made of kernels."""

from __future__ import annotations

import numpy as np

from ..errors import InvalidParameter, shown
from ..typing import Reals
from .base import Kernel, Rows, WithSlopes


class _Operator(Kernel):
    """Base of the kernels of kernels: a subclass gives `part`, `part_with_slopes` and `diagonal`."""

    takes = "cells"  # each part makes its rows ready by itself

    def rows(self, X: Rows) -> Rows:
        needs = {kernel.takes for kernel in self.atoms()}
        return super().rows(X) if "cells" in needs else next(iter(self.atoms())).rows(X)

    def parts(self) -> tuple[Kernel, ...]:
        """The kernels that it is made of."""
        return tuple(value for value in self.get_params(deep=False).values() if isinstance(value, Kernel))

    def atoms(self) -> tuple[Kernel, ...]:
        """The kernels at the bottom."""
        return tuple(
            atom for part in self.parts() for atom in (part.atoms() if isinstance(part, _Operator) else (part,))
        )

    @property
    def is_positive(self) -> bool:
        return all(part.is_positive for part in self.parts())

    @property
    def reads_categories(self) -> bool:
        return all(part.reads_categories for part in self.parts())

    @property
    def reads_text(self) -> bool:
        return any(part.reads_text for part in self.parts())

    def between(self, X: Rows, Y: Rows) -> Reals:
        return self.part(X, Y, None)

    def between_with_slopes(self, X: Rows, Y: Rows) -> WithSlopes:
        return self.part_with_slopes(X, Y, None)

    def example(self, rng: np.random.Generator, n: int) -> Rows:
        return self.parts()[0].example(rng, n)


def asked(kernel: Kernel, X: Rows, Y: Rows, at: int | None) -> Reals:
    """A part's matrix of rows that it makes ready by itself."""
    A = kernel.rows(X)
    return kernel.part(A, A if Y is X else kernel.rows(Y), at)


def asked_with_slopes(kernel: Kernel, X: Rows, Y: Rows, at: int | None) -> WithSlopes:
    """The same with the derivatives in its `theta`."""
    A = kernel.rows(X)
    return kernel.part_with_slopes(A, A if Y is X else kernel.rows(Y), at)


def check_kernels(operator: Kernel, *names: str) -> None:
    """Refuse a part that is no kernel."""
    for name in names:
        value = getattr(operator, name)
        if not isinstance(value, Kernel):
            raise InvalidParameter(f"{type(operator).__name__}: {name} must be a kernel; got {shown(value)}.")
