"""Descent with momentum on the divergence of a map from the affinities of its objects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...backend import embedding
from ...engine import Step
from ...typing import Floats
from .affinities import Affinities

_MOMENTUM = 0.8
_LONGEST = 5.0  # step of a point
_GAIN, _LOSS, _LEAST_GAIN = 0.2, 0.8, 0.01  # Jacobs (1988)
_LOOKED = 50  # iterations between two looks at whether to stop

Push = Callable[[Floats], embedding.Field]  # points to Σⱼ mⱼ / (1 + d²) of each, itself included


class Moving(NamedTuple):
    """Points, how they move, the slope there for a row of each object, and the divergence; the best of all so far."""

    points: Floats  # (m, k)
    velocity: Floats
    gain: Floats
    slope: Floats
    divergence: float
    iterations: int
    least: float
    since: int  # iterations that have brought no lower divergence


@dataclass(frozen=True)
class Descent:
    """What is minimised, Σ p log(p / q) with q = m m / (1 + d²) as shares of pairs, and by what steps.

    In the first `early` iterations p counts `exaggeration` times in the slope, so that groups find together.
    """

    affinities: Affinities
    mass: Floats
    push: Push
    rate: float
    early_rate: float
    exaggeration: float
    early: int
    patience: int
    least_slope: float

    def at(self, points: Floats, *moving: Floats, iterations: int = 0, least: float = np.inf, since: int = 0) -> Moving:
        """Where points stand."""
        velocity, gain = moving or (np.zeros_like(points), np.ones_like(points))
        factor = self.exaggeration if iterations < self.early else 1.0
        slope, divergence = self.look(points, factor)
        since = 0 if divergence < least else since + 1
        return Moving(points, velocity, gain, slope, divergence, iterations, min(least, divergence), since)

    def look(self, points: Floats, factor: float = 1.0) -> tuple[Floats, float]:
        """The slope for one row of each object, (m, k), and the divergence."""
        pull, push = self.affinities.pull(points), self.push(points)
        total = max(float(self.mass @ (push.value - self.mass)), 1e-300)
        slope = 2 * factor * pull.slope / self.mass[:, None] + 2 * push.slope / total
        return slope, max(float(pull.value.sum()) + float(np.log(total)) + self.affinities.entropy, 0.0)

    def step(self, now: Moving) -> Step[Moving]:
        """One iteration."""
        same = (now.slope > 0) == (now.velocity > 0)
        gain = np.maximum(np.where(same, now.gain * _LOSS, now.gain + _GAIN), _LEAST_GAIN)
        rate = self.early_rate if now.iterations < self.early else self.rate
        velocity = _MOMENTUM * now.velocity - rate * gain * now.slope
        velocity *= np.minimum(1.0, _LONGEST / np.maximum(np.linalg.norm(velocity, axis=1, keepdims=True), 1e-300))
        points = now.points + velocity
        points -= self.mass @ points / self.mass.sum()
        least, since = (now.least, now.since) if now.iterations != self.early else (np.inf, 0)
        after = self.at(points, velocity, gain, iterations=now.iterations + 1, least=least, since=since)
        metrics = {"slope": self._size(after)}
        return Step(after, after.divergence, metrics, done=self._is_done(after), diverged=not np.isfinite(points).all())

    def _size(self, now: Moving) -> float:
        return float(np.linalg.norm(now.slope * self.mass[:, None]))

    def _is_done(self, now: Moving) -> bool:
        if now.iterations <= self.early or now.iterations % _LOOKED:
            return False
        return now.since > self.patience or self._size(now) <= self.least_slope
