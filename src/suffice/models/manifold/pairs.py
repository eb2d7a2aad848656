"""The pairs of objects that a stress is summed over."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.spatial.distance import squareform

from ...backend.blas import blas_threads_for
from ...errors import InvalidData, squares_overflow
from ...typing import Floats, Whole


@dataclass(frozen=True)
class Pairs:
    """Dissimilarities of the pairs i < j, as shares of the largest, and what each counts beside the objects' masses.

    A pair that counts 0 has no dissimilarity.
    """

    delta: Floats  # (pairs,), in the order of SciPy's pdist
    weight: Floats | None  # (pairs,)
    mass: Floats  # (m,), of mean 1
    unit: float  # the largest dissimilarity
    scale: float  # what a sum of squares of shares is times, in the units of the dissimilarities and with all weights

    @classmethod
    def of(cls, D: Floats, mass: Floats, weight: Floats | None, owner: str) -> Pairs:
        """Those of a matrix (m, m), NaN where a dissimilarity is missing, with weights (m, m)."""
        delta = squareform(D, checks=False)
        w = None if weight is None else squareform(weight, checks=False).astype(np.float64)
        missing, largest = np.isnan(delta), 1.0
        if missing.any():
            w = np.where(missing, 0.0, 1.0 if w is None else w)
            delta = np.where(missing, 0.0, delta)
        if len(delta) and missing.all():
            raise InvalidData(f"{owner}: no dissimilarity between any two objects is known, all are NaN; give some.")
        if w is not None and w.max(initial=0.0) > 0:
            _check_connected(w, len(D), owner)
            largest = float(w.max())
            w = w / largest
        unit, mean = float(delta.max(initial=0.0)) or 1.0, float(mass.mean())
        scale = (unit * mean) ** 2 * largest
        if not np.isfinite(scale * len(D) ** 2):
            raise squares_overflow(owner)
        return cls(delta / unit, w, mass / mean, unit, scale)

    def __len__(self) -> int:
        return len(self.mass)

    @cached_property
    def counts(self) -> Floats:
        """What each pair counts in all, (pairs,)."""
        own = np.ones(len(self.delta))
        if np.any(self.mass != 1):
            own = squareform(np.outer(self.mass, self.mass), checks=False)
        return np.asarray(own if self.weight is None else own * self.weight)

    def by_dissimilarity(self, objects: Whole, owner: str) -> Pairs:
        """The same where each pair counts one over its dissimilarity as well, as in Sammon's stress."""
        w = np.ones(len(self.delta)) if self.weight is None else self.weight
        zero = (self.delta == 0) & (w > 0)
        if zero.any():
            i, j = (int(objects[at]) for at in _ends(int(np.argmax(zero)), len(self)))
            raise InvalidData(
                f"{owner}: the dissimilarity of rows {i} and {j}, which differ, is 0, and Sammon's stress divides by "
                "it; take kind='metric', or another metric."
            )
        own = np.divide(w, self.delta, out=np.zeros_like(w), where=w > 0)
        return replace(self, weight=own, scale=self.scale / self.unit)

    # ---- the matrix V of Guttman's transform ----

    def solved(self, product: Floats) -> Floats:
        """V⁺ times (m, k), where V is the Laplacian of what the pairs count."""
        if self.weight is None or len(self) < 2:  # V = Σ mass · diag(mass) − mass massᵀ
            return np.asarray(product / (self.mass[:, None] * self.mass.sum()))
        with blas_threads_for(product.size * len(product)):
            found = cho_solve(self._factor, product, check_finite=False)
        return np.asarray(found - found.mean(axis=0))

    @cached_property
    def _factor(self) -> tuple[Floats, bool]:
        W = squareform(self.counts, checks=False)
        V = np.diag(W.sum(axis=1)) - W
        V += np.trace(V) / len(V) ** 2  # 1 is the only direction that V does not see
        with blas_threads_for(len(V) ** 3 / 3):
            return cho_factor(V, lower=True, overwrite_a=True, check_finite=False)  # type: ignore[no-any-return]


def _ends(pair: int, m: int) -> tuple[int, int]:
    """The objects i < j of a pair."""
    i, j = np.triu_indices(m, 1)
    return int(i[pair]), int(j[pair])


def _check_connected(weight: Floats, m: int, owner: str) -> None:
    """Refuse objects between which no chain of known dissimilarities leads."""
    from scipy.sparse.csgraph import connected_components

    if np.all(weight > 0) or m < 2:
        return
    count, label = connected_components(squareform(weight > 0, checks=False), directed=False)
    if count > 1:
        raise InvalidData(
            f"{owner}: the objects fall into {count} groups between which no dissimilarity is known, such as those of "
            f"objects 0 and {int(np.argmax(label != label[0]))}; map each group by itself, or give dissimilarities "
            "between them."
        )
