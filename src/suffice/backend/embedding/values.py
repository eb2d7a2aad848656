"""What the operations of maps by neighbours take and give beside arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Whole

Turns = NDArray[np.uint32]  # shares of 2³²


class Field(NamedTuple):
    """A function at places (q, k): its value (q,), slope (q, k), and curvature (q, k, k) if it was asked for."""

    value: Floats
    slope: Floats
    curve: Floats | None = None


class Curve(NamedTuple):
    """How alike two points at distance d look: ν = 1 / (1 + a (room + d²)^b)."""

    a: float
    b: float
    room: float = 1e-3

    def other(self) -> Curve:
        """How unlike they look, 1 − ν, is such a curve as well."""
        return Curve(1 / self.a, -self.b, self.room)


STUDENT = Curve(1.0, 1.0, 0.0)  # 1 / (1 + d²), that of t-SNE


class Edges(NamedTuple):
    """The edges of points, those of each from `ends` to `ends`, and when they are due.

    A clock of each edge begins at its `phase` and goes on by 2 `rate` an epoch, in units of 2³²; at whole numbers it is
    due, so at most twice an epoch. The two ends of an edge have the same phase.
    """

    ends: Whole  # (m,)
    others: NDArray[np.int32]
    rate: Turns
    phase: Turns


class Sampling(NamedTuple):
    """How points are drawn that push one away: so many for each edge that is drawn once, by their masses."""

    curve: Curve
    push: float  # what a push counts beside a pull
    negatives: int
    seed: int
    mass: Floats | None = None  # running sums, (m,)
