"""What the operations of k-means find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats


@dataclass
class Assignment:
    """The nearest centre (n,) of each row and the squared distance (n,) to it; sums (k, d) are about the shift."""

    labels: NDArray[np.int32]
    squared: Floats
    sums: Floats
    weight: Floats
    cost: float


class Moved(NamedTuple):
    """What an iteration did: where the centres go (k, d) and how far each (k,), then figures.

    `changed` rows have another centre and `scanned` were read; `empty` centres have no rows and stay. The cost is that
    of the rows assigned anew, `before` at the centres and `after` at their means; `squared` is Σ drift².
    """

    centres: Floats
    drift: Floats
    changed: int
    scanned: int
    empty: int
    before: float
    after: float
    squared: float


def cluster_weights(labels: NDArray[np.int32], weight: Floats, k: int) -> Floats:
    """The weight (k,) of the rows of each label."""
    return np.bincount(labels, weight, minlength=k).astype(np.float64)
