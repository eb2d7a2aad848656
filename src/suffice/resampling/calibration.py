"""Probabilities of scores: the cores of calibrators, for decisions on rows that no fit has seen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import InvalidData
from ..holds import floats, number
from ..registry import registered
from ..typing import Codes, Flags, Floats, Labels, Whole

_STEPS = 100


@registered("calibration/sigmoid")
@dataclass(frozen=True)
class Sigmoid:
    """P(yes | score) = 1 / (1 + exp(slope · score + level)), fitted by maximum likelihood (Platt, 2000).

    With n₊ and n₋ rows of either kind, targets are (n₊ + 1) / (n₊ + 2) and 1 / (n₋ + 2) instead of 1 and 0, so that
    scores which separate the two do not lead to certainty.

    >>> found = Sigmoid.of(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([False, False, True, True]))
    >>> found(np.array([0.0])).round(2)
    array([0.5])
    """

    slope: float
    level: float
    holds: ClassVar = {"slope": number(), "level": number()}

    @classmethod
    def of(cls, scores: Floats, yes: Flags, weight: Floats | None = None) -> Sigmoid:
        """By Newton's method with halved steps (Lin, Lin and Weng, 2007)."""
        w = np.ones(len(scores)) if weight is None else weight
        positive, negative = float(w[yes].sum()), float(w[~yes].sum())
        target = np.where(yes, (positive + 1) / (positive + 2), 1 / (negative + 2))
        at = np.array([0.0, np.log((negative + 1) / (positive + 1))])
        unit = float(np.abs(scores).max(initial=0.0)) or 1.0
        rows = np.column_stack([scores / unit, np.ones(len(scores))])
        value = _cross_entropy(rows @ at, target, w)
        for _ in range(_STEPS):
            chance = _logistic(-(rows @ at))
            gradient = rows.T @ (w * (target - chance))
            hessian = (rows * (w * chance * (1 - chance))[:, None]).T @ rows + 1e-12 * np.eye(2) * max(1.0, w.sum())
            step = -np.linalg.solve(hessian, gradient)
            if np.abs(gradient).max() < 1e-9 * max(1.0, w.sum()):
                break
            size = 1.0
            while size > 1e-10:
                after = _cross_entropy(rows @ (at + size * step), target, w)
                if after < value + 1e-4 * size * float(gradient @ step):
                    break
                size /= 2
            else:
                break
            at, value = at + size * step, after
        return cls(float(at[0]) / unit, float(at[1]))

    def __call__(self, scores: Floats) -> Floats:
        """P(yes | score)."""
        return self.chances(scores, self.slope, self.level)

    @staticmethod
    def chances(scores: Floats, slope: Floats | float, level: Floats | float) -> Floats:
        """The same of several sigmoids, one a column."""
        return _logistic(-(scores * slope + level))


def _logistic(x: Floats) -> Floats:
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


def _cross_entropy(linear: Floats, target: Floats, weight: Floats) -> float:
    """−Σ w (t log p + (1 − t) log(1 − p)), p = 1 / (1 + exp(linear))."""
    return float(weight @ (target * linear + np.logaddexp(0.0, -linear)))


@registered("calibration/isotonic")
@dataclass(frozen=True, eq=False)
class Isotonic:
    """P(yes | score) that never falls: steps between scores, straight lines from one to the next."""

    scores: Floats
    chances: Floats
    holds: ClassVar = {"scores": floats("m"), "chances": floats("m", at_least=0, at_most=1)}

    @classmethod
    def of(cls, scores: Floats, yes: Flags, weight: Floats | None = None) -> Isotonic:
        """By pooling neighbours that are out of order; equal scores count as one."""
        from sklearn.isotonic import isotonic_regression

        order = np.argsort(scores)
        values, came = scores[order], np.asarray(yes, dtype=np.float64)[order]
        w = np.ones(len(values)) if weight is None else np.asarray(weight, dtype=np.float64)[order]
        first = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
        if len(first) < len(values):
            values, came, w = values[first], np.add.reduceat(w * came, first), np.add.reduceat(w, first)
            came = came / np.where(w > 0, w, 1.0)
        if not np.all(w > 0):
            values, came, w = (part[w > 0] for part in (values, came, w))
        chances = np.asarray(isotonic_regression(came, sample_weight=w))
        turns = np.flatnonzero(np.diff(chances))  # of a flat piece its ends say all
        kept = np.union1d(np.append(turns, len(values) - 1), np.append(0, turns + 1))
        return cls(values[kept], chances[kept])

    def __call__(self, scores: Floats) -> Floats:
        """P(yes | score); beyond the known scores that of the nearest."""
        return np.interp(scores, self.scores, self.chances)


def spiegelhalter(p: Floats, came_true: Flags, weight: Floats | None = None) -> float:
    """How many standard errors the Brier score is above what the probabilities themselves expect (Spiegelhalter, 1986).

    Above 0 they are too extreme, below 0 too cautious. Σ(y − p)(1 − 2p) / √(Σ(1 − 2p)² p(1 − p)).
    """
    w, away = np.ones(len(p)) if weight is None else weight, 1 - 2 * p
    above, variance = float(np.sum(w * (came_true - p) * away)), float(np.sum(w * away**2 * p * (1 - p)))
    if variance > 0:
        return above / math.sqrt(variance)
    return math.inf if above > 0 else 0.0


def fold_numbers(code: Codes, folds: int, rng: np.random.Generator, owner: str, classes: Labels) -> Whole:
    """A fold for each row, (n,), each with its share of every class; fewer where a class has fewer rows."""
    counts = np.bincount(code, minlength=len(classes))
    if counts.min() < 2:
        few = str(classes[counts.argmin()])
        raise InvalidData(f"{owner}: probabilities need at least 2 rows of each class; there is 1 of {few!r}.")
    found = np.empty(len(code), dtype=np.int64)
    for c in range(len(classes)):
        rows = np.flatnonzero(code == c)
        found[rng.permutation(rows)] = np.arange(len(rows)) % min(folds, int(counts.min()))
    return found
