"""What the operations of k-means find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats
from ..arrays import Array
from ..weights import given_or_ones
from .rows import cluster_sums


@dataclass
class Assignment:
    """The nearest centre (n,) of each row and the squared distance (n,) to it; sums (k, d) are about the shift."""

    labels: NDArray[np.int32]
    squared: Floats
    sums: Floats
    weight: Floats
    cost: float

    @classmethod
    def of(
        cls, X: Array, labels: NDArray[np.int32], squared: Floats, centres: Floats, shift: Floats, weight: Floats | None
    ) -> Assignment:
        """What follows from the labels and distances of all rows."""
        k, w = len(centres), given_or_ones(weight, len(labels))
        mass = np.bincount(labels, w, minlength=k).astype(np.float64)
        return cls(labels, squared, cluster_sums(X, labels, k, weight, shift), mass, float(w @ squared))


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
