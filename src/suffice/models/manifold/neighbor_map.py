"""A map whose new rows are put where they are nearest to their neighbours, as far as the others let them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...backend import embedding
from ...backend.neighbors import Within
from ...holds import floats, instance, number
from ...typing import Floats, Numbers, Whole
from .affinities import conditional
from .map import Map
from .neighbourhood import Neighbourhood
from .resting import rested
from .smooth_field import SmoothField

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
        share = conditional(lists, self.mass, self.perplexity)
        return rested(lists, self.points, share, _Pulled(self, lists, share).at)

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
