"""What every kernel is: a similarity of rows that is an inner product of features, k(x, y) = φ(x)·φ(y)."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from ..choices import Choices, Named, check_number
from ..registry import register_member
from ..typing import Floats, Numbers

Function = Callable[[Floats, Floats], Floats]  # of X (n, d) and Y (m, d), (n, m)


class Kernel(Named):
    """Base of the kernels: frozen dataclasses that are functions of X (n, d) and Y (m, d), and give (n, m).

    A subclass names itself in `names` and gives `between`. Subclasses register themselves, so that everybody who takes
    names, and the contract tests, find them.
    """

    members: ClassVar[list[type[Kernel]]] = []
    is_positive: ClassVar[bool] = True  # no matrix of it has a negative eigenvalue

    def __init_subclass__(cls) -> None:
        Kernel.members.append(cls)
        KERNELS.register(cls)
        register_member(cls, "kernel")

    # ---- what a subclass says ----

    def between(self, X: Floats, Y: Floats) -> Floats:
        """k(x, y) of the rows of X (n, d) and Y (m, d), (n, m)."""
        raise TypeError(f"{type(self).__name__} does not define between")

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        """Some members, for the contract tests."""
        return (cls(),)

    # ---- what everybody uses ----

    def __call__(self, X: Numbers, Y: Numbers | None = None) -> Floats:
        """The kernel of the rows of X with those of Y, (n, m), or with each other, (n, n)."""
        rows = np.asarray(X, dtype=np.float64)
        return self.between(rows, rows if Y is None else np.asarray(Y, dtype=np.float64))


KERNELS: Choices[Kernel] = Choices("kernel", Kernel)


class _Scaled(Kernel):
    """Base of the kernels with a scale gamma; None takes 1/d."""

    gamma: float | None

    def __post_init__(self) -> None:
        if self.gamma is not None:
            check_number(self, "gamma", 0.0, above=True)

    def scale(self, X: Floats) -> float:
        """The scale for rows of d columns."""
        return 1 / X.shape[1] if self.gamma is None else float(self.gamma)
