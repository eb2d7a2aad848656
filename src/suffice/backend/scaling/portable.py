"""Maps of points in plain array code: readable, and the definition of what the kernels compute."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import pdist, squareform

from ...typing import Floats, Whole
from .values import Products

_LAST = 1e-12  # a step of Newton's that lowers the stress by less than this part of it is the last
_CURVED = 1e-10  # of the diagonal: less curvature than that is none


def guttman(points: Floats, target: Floats, weight: Floats | None = None, mass: Floats | None = None) -> Products:
    """The products of Guttman's transform, and the stress, of points (m, k).

    Pairs i < j stand in the order of SciPy's pdist; each counts `weight` times the masses (m,) of both points.
    """
    points = np.asarray(points, dtype=np.float64)
    m = len(points)
    if m < 2:
        return Products(np.zeros(points.shape), 0.0, 0.0)
    i, j = np.triu_indices(m, 1)
    w = np.ones(len(i)) if weight is None else np.asarray(weight)
    w = w if mass is None else w * mass[i] * mass[j]
    d = pdist(points)
    ratio = squareform(np.divide(w * target, d, out=np.zeros_like(d), where=d > 0), checks=False)
    product = ratio.sum(axis=1)[:, None] * points - ratio @ points
    return Products(product, float(np.sum(w * (target - d) ** 2)), float(np.sum(w * d * d)))


def isotonic(
    values: Floats, order: Whole, ends: Whole, weight: Floats | None = None, keep_ties: bool = False
) -> Floats:
    """The rising function of the order nearest to the values (n,), by least squares.

    `order` (n,) has the places from the first on, `ends` (b,) where each tie in it ends: within one, values come in
    their own order, or all get the same with `keep_ties`.
    """
    values = np.asarray(values, dtype=np.float64)
    w = np.ones(len(values)) if weight is None else np.asarray(weight, dtype=np.float64)
    blocks: list[_Block] = []
    for places in np.split(order, ends[:-1]) if len(values) else []:
        if keep_ties:
            total = float(w[places].sum())
            mean = float(w[places] @ values[places]) / total if total > 0 else float(values[places].mean())
            _pool(blocks, _Block(mean, total, list(places)))
        else:
            for place in places[np.lexsort((places, values[places]))]:
                _pool(blocks, _Block(float(values[place]), float(w[place]), [place]))
    out = np.empty(len(values))
    for block in blocks:
        out[block.places] = block.mean
    return out


class _Block(NamedTuple):
    mean: float
    weight: float
    places: list[int]


def _pool(blocks: list[_Block], last: _Block) -> None:
    """Put a block behind the others; those whose mean is not below its own become one with it."""
    while blocks and not blocks[-1].mean < last.mean:
        before = blocks.pop()
        both = before.weight + last.weight
        mean = before.mean + (last.mean - before.mean) * (last.weight / both) if both > 0 else before.mean
        last = _Block(mean, both, before.places + last.places)
    blocks.append(last)


def placed(
    points: Floats,
    mass: Floats,
    target: Floats,
    starts: Floats,
    weight: Floats | None = None,
    most: int = 100,
    tolerance: float = 1e-12,
) -> tuple[Floats, Floats]:
    """Places (q, k) of least stress Σⱼ wⱼ (tⱼ − ‖x − zⱼ‖)² by distances `target` (q, m) to the points, and it (q,).

    Each row is searched from its `starts` (q, s, k), and the best end counts. A step is that of Newton's method where
    it lowers the stress, else that of majorisation; `weight` (q, m) is of pairs, `mass` (m,) of points.
    """
    out, stress = np.empty((len(target), points.shape[1])), np.full(len(target), np.inf)
    for i, row in enumerate(target):
        w = mass if weight is None else weight[i] * mass
        own = w > 0
        for start in starts[i]:
            place, found = _searched(points[own], w[own], row[own], np.array(start, dtype=np.float64), most, tolerance)
            if found < stress[i] * (1 - 1e-9) or not np.isfinite(stress[i]):
                out[i], stress[i] = place, found
    return out, stress


def _searched(
    points: Floats, w: Floats, target: Floats, place: Floats, most: int, tolerance: float
) -> tuple[Floats, float]:
    now = _look(points, w, target, place)
    for _ in range(most):
        found, newton = None, _newton(now)
        if newton is not None and -now.slope @ newton <= _LAST * now.stress:  # rounding hides what it would fall by
            return place + newton, now.stress
        for step in (newton, now.major):
            if step is not None:
                after = _look(points, w, target, place + step)
                if after.stress < now.stress:
                    found = step, after
                    break
        if found is None:
            break
        step, now = found
        place = place + step
        if np.linalg.norm(step) <= tolerance * np.abs(place).max():
            break
    return place, now.stress


class _Look(NamedTuple):
    """Stress of a place, its slope and curvature there, and the step of majorisation."""

    stress: float
    slope: Floats
    curve: Floats
    major: Floats


def _look(points: Floats, w: Floats, target: Floats, place: Floats) -> _Look:
    apart = place - points
    squared = np.sum(apart * apart, axis=1)
    distance, there = np.sqrt(squared), squared > 0
    ratio = np.divide(target, distance, out=np.ones_like(target), where=there)
    pull = w * (1 - ratio)
    turn = np.divide(w * ratio, squared, out=np.zeros_like(w), where=there)
    slope = pull @ apart
    curve = pull.sum() * np.eye(len(place)) + (apart.T * turn) @ apart
    total = float(w.sum())
    return _Look(float(w @ (distance - target) ** 2), slope, curve, -slope / total if total > 0 else 0 * slope)


def _newton(look: _Look) -> Floats | None:
    """The step of Newton's method; None where the curvature is not positive."""
    try:
        root = np.linalg.cholesky(look.curve)
    except np.linalg.LinAlgError:
        return None
    if np.any(np.diagonal(root) ** 2 <= _CURVED * np.abs(np.diagonal(look.curve))):
        return None
    return np.asarray(-np.linalg.solve(look.curve, look.slope))
