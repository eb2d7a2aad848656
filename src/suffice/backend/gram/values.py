"""What a kernel makes of two rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from ...typing import Floats, Reals, Whole

Kind = Literal["product", "polynomial", "gaussian"]


@dataclass(frozen=True)
class Form:
    """A kernel that follows from products: x·y, (scale x·y + constant)^degree, or exp(−scale ‖x − y‖²)."""

    kind: Kind
    scale: float = 1.0
    constant: float = 0.0
    degree: int = 1


class Filling(Protocol):
    """Rows made ready for kernel matrices with them."""

    @property
    def shape(self) -> tuple[int, int]: ...
    def fill(self, X: Reals, slots: Whole, out: Reals) -> None: ...
    def times(self, X: Reals, right: Floats, rounded: bool = False) -> Floats: ...


def tried(rows: Filling) -> tuple[Floats, Floats]:
    """What rows made ready make of three others, for comparisons."""
    n, d = rows.shape
    X, right = np.linspace(-1.0, 2.0, 3 * d).reshape(3, d), np.linspace(0.0, 1.0, 2 * n).reshape(n, 2)
    out = np.zeros((4, n))
    rows.fill(X, np.array([2, 0, 1]), out)
    return out, rows.times(X, right)
