"""Cells of points, half as wide in every coordinate from level to level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...typing import Floats

_LEAF = 8  # points that are not divided further
_DEEPEST = 60  # levels


@dataclass(frozen=True)
class Tree:
    """A cell: its points where it is a leaf, else its parts; what they weigh together, and their mean."""

    points: Floats
    mass: Floats
    side: float
    parts: tuple[Tree, ...]
    total: float
    mean: Floats

    @classmethod
    def of(cls, points: Floats, mass: Floats) -> Tree:
        """The cell of all points."""
        low, high = points.min(axis=0), points.max(axis=0)
        return cls._cell(points, mass, 0.5 * (low + high), float((high - low).max()), _DEEPEST)

    @classmethod
    def _cell(cls, points: Floats, mass: Floats, middle: Floats, side: float, levels: int) -> Tree:
        parts: list[Tree] = []
        if len(points) > _LEAF and side > 0 and levels > 0:
            above = points > middle
            codes = above @ (1 << np.arange(points.shape[1]))
            for code in np.unique(codes):
                own = codes == code
                corner = np.where(above[own][0], 0.25, -0.25) * side
                parts.append(cls._cell(points[own], mass[own], middle + corner, side / 2, levels - 1))
        total = float(mass.sum())
        mean = mass @ points / total if total > 0 else np.zeros(points.shape[1])
        return cls(points, mass, side, tuple(parts), total, mean)

    def look(self, z: Floats, angle: float) -> tuple[float, Floats]:
        """Σ m / (1 + d²) and its slope at a place."""
        if not self.parts and len(self.points) <= _LEAF:
            return _met(z, self.points, self.mass)
        if not self.parts or self.side**2 < angle**2 * float(np.sum((z - self.mean) ** 2)):
            return _met(z, self.mean[None], np.array([self.total]))
        found = [part.look(z, angle) for part in self.parts]
        return sum(one for one, _ in found), np.sum([two for _, two in found], axis=0)


def _met(z: Floats, points: Floats, mass: Floats) -> tuple[float, Floats]:
    apart = z - points
    near = 1 / (1 + np.sum(apart**2, axis=1))
    return float(mass @ near), np.asarray(-2 * (mass * near**2) @ apart)
