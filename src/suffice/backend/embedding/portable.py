"""Maps by neighbours in plain array code: readable, and the definition of what the kernels compute."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from ...typing import Floats, Whole
from .sampled import log_odds
from .sampled import sampled as sampled
from .splines import KNOTS, knots
from .tree import Tree
from .values import STUDENT, Curve, Field

_MOST = 200  # steps of the search for a precision
_NEAR = 1e-13  # of the entropy
_LARGEST = 1e30  # a precision at which only the nearest count


def calibrated(squared: Floats, ends: Whole, mass: Floats, entropy: float) -> tuple[Floats, Floats]:
    """Shares of neighbours (pairs,) and the precision of each list (q,).

    The lists of squared distances δ end at `ends`. A share is mass · exp(−β δ) of their sum, with the β at which
    −Σ share · log(share / mass) is the entropy asked for; 0 where no β gives as much.
    """
    share, precision = np.empty(len(squared)), np.zeros(len(ends))
    for i, (begin, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        if end > begin:
            share[begin:end], precision[i] = _list(squared[begin:end], mass[begin:end], entropy)
    return share, precision


def _list(squared: Floats, mass: Floats, entropy: float) -> tuple[Floats, float]:
    gaps = np.asarray(squared - squared.min(), dtype=np.float64)
    unit = float(gaps.mean()) or 1.0
    gaps = gaps / unit
    beta = 0.0 if np.log(mass.sum()) <= entropy else _precision(gaps, mass, entropy)
    share = mass * _exp(-beta * gaps)
    return share / share.sum(), beta / unit


def _exp(x: Floats) -> Floats:
    return np.asarray(np.where(x < -690, 0.0, np.exp(np.maximum(x, -690))))


def _precision(gaps: Floats, mass: Floats, entropy: float) -> float:
    """By Newton's method between bounds."""
    low, high, beta = 0.0, _LARGEST, 1.0
    for _ in range(_MOST):
        own = mass * _exp(-beta * gaps)
        total = own.sum()
        mean = own @ gaps / total
        spread = own @ gaps**2 / total - mean**2
        error = np.log(total) + beta * mean - entropy
        if abs(error) <= _NEAR:
            break
        low, high = (beta, high) if error > 0 else (low, beta)
        after = beta + error / (beta * spread) if spread > 0 else 2 * beta
        if not low < after < high:
            after = 4 * beta if high == _LARGEST else 0.5 * (low + high)
        if after >= _LARGEST or after == beta:
            break
        beta = float(after)
    return beta


def pull(
    rows: Floats,
    points: Floats,
    ends: Whole,
    others: Whole,
    share: Floats,
    curved: bool = False,
    curve: Curve = STUDENT,
) -> Field:
    """−Σ p log ν over the list of each row, with the shares p of the points `others`; lists end at `ends` (q,)."""
    q = len(rows)
    row = np.repeat(np.arange(q), np.diff(ends, prepend=0))
    apart = np.asarray(rows, dtype=np.float64)[row] - points[others]
    value, first, second = _potential(np.sum(apart**2, axis=1), curve)
    hold = 2 * share * first
    bend = _curves(row, q, hold, 4 * share * second, apart) if curved else None
    return Field(_sums(row, q, share * value), _sums(row, q, hold[:, None] * apart), bend)


def _potential(squared: Floats, curve: Curve) -> tuple[Floats, Floats, Floats]:
    """−log ν with its first and second derivative by the squared distance."""
    if curve == STUDENT:
        near = 1 / (1 + squared)
        return -np.log(near), near, -(near**2)
    wide, odds = curve.room + squared, log_odds(squared, curve)
    far = expit(odds)  # 1 − ν
    first = curve.b * far / wide
    return np.logaddexp(0.0, odds), first, first * (curve.b * (1 - far) - 1) / wide


def push(rows: Floats, points: Floats, mass: Floats | None = None, curved: bool = False) -> Field:
    """Σⱼ mⱼ / (1 + d²) of each row (q, k) over all points (m, k), near or far; a row that is a point counts itself."""
    (q, k), m = rows.shape, len(points)
    apart = (np.asarray(rows, dtype=np.float64)[:, None] - points).reshape(q * m, k)
    near = 1 / (1 + np.sum(apart**2, axis=1))
    own = near * (1.0 if mass is None else np.tile(mass, q))
    row, hold = np.repeat(np.arange(q), m), -2 * own * near
    curve = _curves(row, q, hold, -4 * hold * near, apart) if curved else None
    return Field(_sums(row, q, own), _sums(row, q, hold[:, None] * apart), curve)


def _sums(row: Whole, q: int, values: Floats) -> Floats:
    out = np.zeros((q, *values.shape[1:]))
    np.add.at(out, row, values)
    return out


def _curves(row: Whole, q: int, level: Floats, outer: Floats, apart: Floats) -> Floats:
    each = level[:, None, None] * np.eye(apart.shape[1]) + outer[:, None, None] * apart[:, :, None] * apart[:, None]
    return _sums(row, q, each)


def push_by_tree(rows: Floats, points: Floats, mass: Floats | None = None, angle: float = 0.5) -> Field:
    """The same where a cell whose side is less than `angle` times as long as it is far away counts as one point.

    Cells are divided in the middle of each coordinate until they hold 8 points (Barnes and Hut, 1986).
    """
    tree = Tree.of(np.asarray(points, dtype=np.float64), np.ones(len(points)) if mass is None else mass)
    found = [tree.look(row, angle) for row in np.asarray(rows, dtype=np.float64)]
    value, slope = np.array([one for one, _ in found]), np.array([two for _, two in found])
    return Field(value.reshape(len(rows)), slope.reshape(rows.shape))


def spread(points: Floats, mass: Floats | None, origin: Floats, step: float, shape: tuple[int, int]) -> Floats:
    """What each knot of a grid has of the points (m, 2), by quintic B-splines; the first knot is at `origin`."""
    out, own = np.zeros(shape), np.ones(len(points)) if mass is None else mass
    down, across = (knots(points[:, c], origin[c], step, shape[c]) for c in (0, 1))
    cells = own[:, None, None] * down.value[:, :, None] * across.value[:, None]
    np.add.at(out, (down.at[:, :, None], across.at[:, None]), cells)
    return out


def read_off(rows: Floats, field: Floats, origin: Floats, step: float, curved: bool = False) -> Field:
    """The spline with the coefficients `field`, one a knot, at places (q, 2)."""
    down, across = (knots(rows[:, c], origin[c], step, field.shape[c]) for c in (0, 1))
    cells = field[down.at[:, :, None], across.at[:, None]].reshape(len(rows), KNOTS, KNOTS)

    def of(one: Floats, two: Floats) -> Floats:
        return np.asarray(np.einsum("qab,qa,qb->q", cells, one, two))

    slope = np.stack([of(down.slope, across.value), of(down.value, across.slope)], axis=1)
    curve = None
    if curved:
        both = of(down.slope, across.slope)
        ends = of(down.curve, across.value), of(down.value, across.curve)
        curve = np.stack([ends[0], both, both, ends[1]], axis=1).reshape(-1, 2, 2)
    return Field(of(down.value, across.value), slope, curve)
