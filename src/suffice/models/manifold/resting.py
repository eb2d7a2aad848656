"""Where new rows come to rest in a map whose objects stay, by the value, slope and curvature of what is minimised."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...backend.embedding import Field
from ...backend.neighbors import Within
from ...typing import Flags, Floats

_MOST = 100  # steps of a search
_STEEP = 1e-10  # a slope beside which a row stays where it is

Look = Callable[[Floats], Field]  # places (q, k) of all new rows to what is minimised there, with its curvature


def rested(lists: Within, points: Floats, share: Floats, look: Look) -> Floats:
    """Places of new rows with their nearest objects, by lists, none of them empty, and the objects' shares.

    The search begins at the nearest object and at the mean of all of a list; a row at distance 0 goes where that is.
    """
    starts = lists.starts()
    out: Floats = points[lists.rows[starts]]
    away = lists.distances[starts] > 0
    if len(points) < 2 or not away.any():
        return out
    means = np.add.reduceat(share[:, None] * points[lists.rows], starts, axis=0)
    found = [lowest(look, start) for start in (out, means)]
    better = found[1][1] < found[0][1]
    return np.where(away[:, None], np.where(better[:, None], found[1][0], found[0][0]), out)


def lowest(look: Look, start: Floats) -> tuple[Floats, Floats]:
    """Where each row comes to rest, and its value there: Newton's steps, no longer than a radius of its own."""
    places, radius = start.copy(), np.ones(len(start))
    now, going = look(places), np.ones(len(start), dtype=bool)
    for _ in range(_MOST):
        going &= (np.abs(now.slope).max(axis=1) > _STEEP) & (radius > 1e-12)
        if not going.any():
            break
        step = _newton(now, radius) * going[:, None]
        after = look(places + step)
        better = going & (after.value < now.value)
        radius = np.where(better, 2 * radius, np.minimum(radius, np.linalg.norm(step, axis=1)) / 4)
        places[better] += step[better]
        now = Field(*(_chosen(better, new, old) for new, old in zip(after, now, strict=True)))
    return places, now.value


def _newton(now: Field, radius: Floats) -> Floats:
    """Steps along which the value falls, by the sizes of the curvatures."""
    assert now.curve is not None
    values, axes = np.linalg.eigh(now.curve)
    size = np.maximum(np.abs(values), 1e-6)
    step = -np.einsum("qab,qb->qa", axes, np.einsum("qba,qb->qa", axes, now.slope) / size)
    length = np.linalg.norm(step, axis=1)
    return np.asarray(step * np.minimum(1.0, radius / np.maximum(length, 1e-300))[:, None])


def _chosen(some: Flags, new: Floats | None, old: Floats | None) -> Floats:
    assert new is not None
    assert old is not None
    return np.asarray(np.where(some.reshape(-1, *[1] * (new.ndim - 1)), new, old))
