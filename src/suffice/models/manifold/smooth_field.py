"""Σⱼ mⱼ / (1 + d²) as a smooth function on a grid: a convolution by Fourier transforms (Linderman et al., 2019)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import fft

from ...backend import embedding
from ...typing import Floats

_STEP = 0.5  # between knots: 1 / (1 + d²) is known to some thousandths
_FEWEST = 64  # knots along the longer side of a map, however small that is
_MOST = 2000  # knots along a side
_ROOM = 8  # knots beyond the points on each side
_ROUND = 16  # knots come in so many, so that the transform of the kernel can stay
_SMALLEST = 40  # halvings of the step
_SAMPLES = np.array([1.0, 26.0, 66.0, 26.0, 1.0]) / 120  # the quintic B-spline at whole numbers


@dataclass(frozen=True)
class SmoothField:
    """The coefficients of a quintic spline on a grid that covers the points of a map of one or two coordinates."""

    total: float
    origin: Floats
    step: float
    coefficients: Floats

    @classmethod
    def of(cls, points: Floats, mass: Floats, room: float = 0.0) -> SmoothField:
        """The field of points (m, k) with masses, as far as `room` beyond them."""
        flat = _flat(points)
        low, high = flat.min(axis=0) - room, flat.max(axis=0) + room
        step = _step(float((high - low).max()))
        origin = low - _ROOM * step
        shape = [_ROUND * -(-int((high - low)[c] / step + 2 * _ROOM) // _ROUND) for c in (0, 1)]
        spread = embedding.spread(flat, mass, origin, step, (shape[0], shape[1]))
        return cls(float(mass.sum()), origin, step, _convolved(spread, step))

    def at(self, places: Floats, curved: bool = False) -> embedding.Field:
        """The field at places (q, k), its slope and its curvature."""
        k = places.shape[1]
        value, slope, curve = embedding.read_off(_flat(places), self.coefficients, self.origin, self.step, curved)
        own = None if curve is None else curve[:, :k, :k]
        return embedding.Field(value + self.total, np.ascontiguousarray(slope[:, :k]), own)


def _flat(points: Floats) -> Floats:
    """Points with two coordinates."""
    if points.shape[1] == 2:
        return np.ascontiguousarray(points)
    return np.concatenate([points, np.zeros((len(points), 1))], axis=1)


def _step(span: float) -> float:
    """A power of two, so that maps of about the same size have the same."""
    step = _STEP
    for _ in range(_SMALLEST):
        if span >= _FEWEST * step:
            break
        step /= 2
    while span > _MOST * step:
        step *= 2
    return step


def _convolved(spread: Floats, step: float) -> Floats:
    """The coefficients of the field of what the knots have."""
    rows, columns = spread.shape
    size = [fft.next_fast_len(2 * side, real=True) for side in spread.shape]
    cells = fft.fft(fft.rfft(spread, size[1], axis=1), size[0], axis=0, overwrite_x=True)
    cells *= _kernel(step, size[0], size[1])
    cells = fft.ifft(cells, axis=0, overwrite_x=True)[:rows]
    return np.ascontiguousarray(fft.irfft(cells, size[1], axis=1)[:, :columns])


@lru_cache(maxsize=2)
def _kernel(step: float, rows: int, columns: int) -> Floats:
    """The transform of 1 / (1 + d²) − 1 on a circle of knots, over those of the splines at both of its ends."""
    down, across = (step * np.minimum(np.arange(side), side - np.arange(side)) for side in (rows, columns))
    squared = down[:, None] ** 2 + across**2
    found = fft.rfft2(-squared / (1 + squared)).real
    found /= _spline_transform(rows)[:, None] ** 2
    found /= _spline_transform(columns)[: columns // 2 + 1] ** 2
    return np.asarray(found)


def _spline_transform(side: int) -> Floats:
    samples = np.zeros(side)
    samples[np.arange(-2, 3)] = _SAMPLES
    return np.asarray(fft.fft(samples).real)
