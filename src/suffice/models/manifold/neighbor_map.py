"""A map whose new rows are put where they are nearest to their neighbours, as far as the others let them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...backend import embedding
from ...backend.neighbors import Within
from ...holds import floats, instance, number
from ...typing import Flags, Floats, Numbers, Whole
from .affinities import conditional
from .map import Map
from .neighbourhood import Neighbourhood
from .smooth_field import SmoothField

_MOST = 100  # steps of a search
_STEEP = 1e-10  # a slope beside which a row stays where it is
_WIDTH = 256  # numbers that a row takes while it is placed
EXACT = 3000  # objects, up to which all pairs are compared sooner than by a grid


@dataclass(frozen=True)
class NeighborMap(Map):
    """A new row x goes to the z of least Σ pⱼ log(pⱼ / qⱼ), its own divergence, where the objects j stay.

    p are the shares of the objects for x at the perplexity of the fit, and q = mⱼ / (1 + ‖z − zⱼ‖²) as shares. The
    search begins at the nearest object and at the mean of the neighbours; a row at distance 0 goes where the object is.
    """

    near: Neighbourhood
    mass: Floats
    perplexity: float

    holds: ClassVar = {
        "near": instance(Neighbourhood, m="m", d="d"),
        "mass": floats("m", above=0),
        "perplexity": number(at_least=1),
    }

    def places(self, X: Numbers) -> Floats:
        k = self.points.shape[1]
        return self.near.compared.by_blocks(X, k, lambda some: self._placed(self.near.lists(some)), _WIDTH)

    def dissimilarities(self, some: Whole) -> Floats:
        return self.near.compared.among(some)

    def _placed(self, lists: Within) -> Floats:
        starts = lists.starts()
        out: Floats = self.points[lists.rows[starts]]
        away = lists.distances[starts] > 0
        if len(self.points) < 2 or not away.any():
            return out
        share = conditional(lists, self.mass, self.perplexity)
        pulled = _Pulled(self, lists, share)
        means = np.add.reduceat(share[:, None] * self.points[lists.rows], starts, axis=0)
        found = [_lowest(pulled, start) for start in (out, means)]
        better = found[1][1] < found[0][1]
        return np.where(away[:, None], np.where(better[:, None], found[1][0], found[0][0]), out)

    def field(self) -> SmoothField | None:
        """Σⱼ mⱼ / (1 + d²) on a grid; None where all objects are compared."""
        if len(self.points) <= EXACT or self.points.shape[1] > 2:
            return None
        return SmoothField.of(self.points, self.mass, room=5.0)


class _Pulled:
    """The divergence of new rows from their neighbours, up to a number of each row."""

    def __init__(self, made: NeighborMap, lists: Within, share: Floats) -> None:
        self.made, self.lists, self.share, self.smooth = made, lists, share, made.field()

    def at(self, places: Floats) -> embedding.Field:
        """Value, slope and curvature."""
        made = self.made
        pull = embedding.pull(places, made.points, self.lists.ends, self.lists.rows, self.share, True)
        smooth = self.smooth
        push = embedding.push(places, made.points, made.mass, True) if smooth is None else smooth.at(places, True)
        assert pull.curve is not None
        assert push.curve is not None
        total = np.maximum(push.value, 1e-9 * made.mass.sum())
        slope = push.slope / total[:, None]
        curve = pull.curve + push.curve / total[:, None, None] - slope[:, :, None] * slope[:, None]
        return embedding.Field(pull.value + np.log(total), pull.slope + slope, curve)


def _lowest(pulled: _Pulled, start: Floats) -> tuple[Floats, Floats]:
    """Where each row comes to rest, and its value there: Newton's steps, no longer than a radius of its own."""
    places, radius = start.copy(), np.ones(len(start))
    now, going = pulled.at(places), np.ones(len(start), dtype=bool)
    for _ in range(_MOST):
        going &= (np.abs(now.slope).max(axis=1) > _STEEP) & (radius > 1e-12)
        if not going.any():
            break
        step = _newton(now, radius) * going[:, None]
        after = pulled.at(places + step)
        better = going & (after.value < now.value)
        radius = np.where(better, 2 * radius, np.minimum(radius, np.linalg.norm(step, axis=1)) / 4)
        places[better] += step[better]
        now = embedding.Field(*(_chosen(better, new, old) for new, old in zip(after, now, strict=True)))
    return places, now.value


def _newton(now: embedding.Field, radius: Floats) -> Floats:
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
