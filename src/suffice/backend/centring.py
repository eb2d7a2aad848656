"""Rows less their mean, as matrix products take them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..typing import Floats, Reals


def centred(parts: Sequence[Reals], mean: Floats) -> Floats:
    """The columns of all parts side by side, less the mean (d,), in double.

    >>> centred([np.array([[1.0], [3.0]]), np.array([[5.0], [5.0]])], np.array([2.0, 5.0]))
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    Z, at = np.empty((len(parts[0]), len(mean))), 0
    for part in parts:
        end = at + part.shape[1]
        np.subtract(part, mean[at:end], out=Z[:, at:end])
        at = end
    return Z
