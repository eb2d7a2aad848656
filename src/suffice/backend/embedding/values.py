"""What the operations of maps by neighbours take and give beside arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Whole

Turns = NDArray[np.uint32]
Numbers = NDArray[np.int32]


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

    A clock of each edge begins at its `phase` and goes on by its `rate` in an epoch; at multiples of 2³¹ it is due, so
    at most twice an epoch. The two ends of an edge have the same phase.
    """

    ends: Whole  # (m,)
    others: Numbers
    rate: Turns
    phase: Turns


class Drawing(NamedTuple):
    """How points are drawn by mass, each first alike: which part of its draws each keeps, and who has the rest."""

    share: Floats  # (m,)
    alias: Numbers  # (m,)

    @classmethod
    def of(cls, mass: Floats) -> Drawing:
        """For masses above 0 (Walker, 1977): what light ones lack and what heavy ones have too much, side by side.

        >>> Drawing.of(np.array([1.0, 3.0]))
        Drawing(share=array([0.5, 1. ]), alias=array([1, 1], dtype=int32))
        """
        part = mass * (len(mass) / max(mass.sum(), 1e-300))
        light, heavy = np.flatnonzero(part < 1), np.flatnonzero(part >= 1)
        share, alias = part.copy(), np.arange(len(mass), dtype=np.int32)
        if not (len(light) and len(heavy)):
            return cls(np.ones(len(mass)), alias)
        ends, spare = np.cumsum(1 - part[light]), np.cumsum(part[heavy] - 1)
        begins = np.append(0.0, ends[:-1])
        alias[light] = heavy[np.minimum(np.searchsorted(spare, begins, side="right"), len(heavy) - 1)]
        last = np.minimum(np.searchsorted(ends, spare), len(light) - 1)  # who takes more than a heavy one has left
        over = np.where(begins[last] < spare, ends[last] - spare, 0.0)
        share[heavy] = np.clip(1 - over, 0.0, 1.0)
        alias[heavy] = np.append(heavy[1:], heavy[-1:])
        return cls(share, alias)


class Sampling(NamedTuple):
    """How points are drawn that push one away: so many for each edge that is drawn once, by their masses."""

    curve: Curve
    push: float  # what a push counts beside a pull
    negatives: int
    seed: int
    drawing: Drawing | None = None  # None: all alike


class Sample(NamedTuple):
    """Edges, and a point drawn against each, by which the objective is looked at."""

    rows: Numbers
    others: Numbers
    against: Numbers


class Descended(NamedTuple):
    """Points after some epochs, and after each the means of −log ν and of −log(1 − ν) of a sample."""

    points: Floats  # (m, k)
    pulls: Floats  # (epochs,)
    pushes: Floats  # (epochs,)
