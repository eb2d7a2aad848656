"""Points and weights of integrals from 0 to 1."""

from __future__ import annotations

import numpy as np

from ...typing import Floats


def gauss(columns: int) -> tuple[Floats, Floats]:
    """Of a rule that is exact for products of so many factors less one, each linear.

    >>> points, weights = gauss(3)
    >>> round(float(weights @ points**2), 15)
    0.333333333333333
    """
    points, weights = np.polynomial.legendre.leggauss(max(1, -(-columns // 2)))
    return np.ascontiguousarray((points + 1) / 2), np.ascontiguousarray(weights / 2)
