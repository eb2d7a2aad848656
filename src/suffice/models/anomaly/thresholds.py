"""Thresholds of scores, below which an alarm is raised: by the share of the rows, or by labelled ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...backend.weights import given_or_ones
from ...data import Chunk
from ...statistics import SortedValues
from ...typing import Floats


@dataclass(frozen=True)
class Alarm:
    """What a false alarm and a missed anomaly cost."""

    false: float
    missed: float


@dataclass(frozen=True)
class Scored:
    """The scores of normal and of anomalous rows."""

    normal: SortedValues
    anomalous: SortedValues

    def __add__(self, other: Scored) -> Scored:
        return Scored(self.normal + other.normal, self.anomalous + other.anomalous)

    def is_finite(self) -> bool:
        """A row of density zero has a score, -inf."""
        return True


def scored(chunk: Chunk, score: Callable[[Chunk], object], anomaly: object) -> Scored:
    """The scores of a chunk, apart by its labels, where there are any."""
    values, weight = score(chunk), given_or_ones(chunk.weight, len(chunk))
    normal = np.ones(len(chunk)) if anomaly is None else chunk.y != anomaly
    return Scored(SortedValues.of(values, weight * normal), SortedValues.of(values, weight * (1.0 - normal)))


def by_share(scores: SortedValues, share: float) -> float:
    """The threshold below which this share of the weight lies, or less where it would cut a row in two."""
    values, weight = scores.in_order()
    below = np.cumsum(weight)
    return _between(values, int(np.searchsorted(below, share * below[-1] * (1 + 1e-12), side="right")))


def by_labels(scores: Scored, alarm: Alarm | None) -> float:
    """The threshold of the best F1 score, or of the least cost; of equally good ones that with the fewest alarms."""
    (a, anomalous), (b, normal) = scores.anomalous.in_order(), scores.normal.in_order()
    values = np.unique(np.concatenate([a, b]))
    caught = np.concatenate([[0.0], np.cumsum(anomalous)])[np.searchsorted(a, values)]  # with the threshold at a value
    false = np.concatenate([[0.0], np.cumsum(normal)])[np.searchsorted(b, values)]
    caught, false = np.append(caught, anomalous.sum()), np.append(false, normal.sum())  # or above all
    missed = anomalous.sum() - caught
    loss = -2 * caught / (2 * caught + false + missed) if alarm is None else alarm.false * false + alarm.missed * missed
    return _between(values, int(np.argmin(loss)))


def _between(values: Floats, first: int) -> float:
    """A threshold below `values[first]` and above the one before, halfway, so that rounding moves no row across."""
    if first == 0 or first == len(values):
        edge = float(values[min(first, len(values) - 1)])
        return edge + (1 if first else -1) * 1e-6 * max(1.0, abs(edge))
    lower, upper = float(values[first - 1]), float(values[first])
    return (lower + upper) / 2 if np.isfinite(lower) else upper
