"""A map whose new rows are put where their own stress is least."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...backend import scaling
from ...errors import RefusedRow
from ...holds import choice, floats, instance, optional, record
from ...typing import Floats, Numbers, Whole
from .compared import Compared
from .map import Map

_LEAST = 1e-12  # of the mean square: nearer than that counts as so near, in the mean of near points


@dataclass(frozen=True)
class PlacedMap(Map):
    """A new row x goes to the z of least Σⱼ wⱼ (t(δ(x, xⱼ)) − ‖z − zⱼ‖)², by the objects j it has a dissimilarity to.

    t is the rising function of the fit for non-metric scaling, else the dissimilarity itself, and w the weights of the
    objects, over δ for Sammon's stress. The search begins at the nearest object, at the mean of near ones and at the
    middle; a row at distance 0 from an object goes where that is.
    """

    compared: Compared
    mass: Floats
    kind: str
    rise: tuple[Floats, Floats] | None = None

    holds: ClassVar = {
        "compared": instance(Compared, m="m", d="d"),
        "mass": floats("m", above=0),
        "kind": choice("metric", "sammon", "nonmetric"),
        "rise": optional(record(floats("corners"), floats("corners"))),
    }

    def places(self, X: Numbers) -> Floats:
        return self.compared.by_blocks(X, self.points.shape[1], lambda some: self._placed(self.compared.between(some)))

    def _placed(self, D: Floats) -> Floats:
        """The places of rows at dissimilarities D (q, m) from the objects; NaN is not known."""
        known = np.isfinite(D)
        near = np.where(known, D, np.inf)
        if not known.any(axis=1).all():
            why = "has no dissimilarity to any object of the fit"
            raise RefusedRow("MDS", int(np.argmin(known.any(axis=1))), why, "Give at least one.")
        nearest = np.argmin(near, axis=1)
        away = near[np.arange(len(D)), nearest] > 0
        if self.compared.given is not None:
            nearest = np.where(away, nearest, self.compared.at_zero(D))
        places: Floats = self.points[nearest]
        if not away.any() or len(self.points) < 2:
            return places
        target = np.where(known, self._aimed_at(D), 0.0)[away]
        weight = None if known.all() else known[away].astype(np.float64)
        if self.kind == "sammon":
            weight = known[away] / np.where(known & (D > 0), D, 1.0)[away]
        starts = self._starts(near[away], places[away])
        places[away], _ = scaling.placed(self.points, self.mass, target, starts, weight)
        return places

    def _starts(self, near: Floats, nearest: Floats) -> Floats:
        """Where the searches begin, (q, 3, k)."""
        squared = near**2
        floor = _LEAST * np.mean(squared, axis=1, where=np.isfinite(squared), keepdims=True)
        share = self.mass / np.maximum(squared, np.where(floor > 0, floor, 1.0))
        share /= np.maximum(share.sum(axis=1, keepdims=True), 1e-300)
        middle = np.broadcast_to(self.mass @ self.points / self.mass.sum(), nearest.shape)
        return np.stack([share @ self.points, nearest, middle], axis=1)

    def _aimed_at(self, dissimilarity: Floats) -> Floats:
        return dissimilarity if self.rise is None else np.interp(dissimilarity, *self.rise)

    def aimed_at(self, dissimilarity: Floats) -> Floats:
        """The distances in the map that the fit aimed at."""
        return self._aimed_at(dissimilarity)

    def dissimilarities(self, some: Whole) -> Floats:
        return self.compared.among(some)
