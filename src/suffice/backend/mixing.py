"""Random bits by numbers, the same on every machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint64]
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def mixed(z: Bits) -> Bits:
    """A bijection of 64 bits that spreads every bit over all (as in SplitMix64).

    >>> [f"{number:x}" for number in mixed(np.arange(2, dtype=np.uint64)).tolist()]
    ['e220a8397b1dcdaf', '910a2dec89025cc1']
    """
    z = z + GOLDEN
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
