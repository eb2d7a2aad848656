"""Which linear functions of coefficients the rows determine, where columns depend on each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...typing import Flags, Floats

_ALONE = 1e-10  # of a squared direction: less of it outside is rounding


@dataclass(frozen=True)
class Estimable:
    """The functions vᵀb that are the same for all b that fit equally well: v is a combination of rows.

    `directions` (r, m) are an orthonormal basis of scaled rows, and `into` turns v into their units: a factor for each
    of its numbers (m,), or a matrix (p, m). A constant column has the slope 0, as if it had been left out, and counts
    for no other function.
    """

    directions: Floats
    into: Floats

    def contains(self, functions: Floats) -> Flags:
        """Whether each of the functions (n, p) is determined."""
        scaled = functions * self.into if self.into.ndim == 1 else functions @ self.into
        return self._inside(np.where(self._varying, scaled, 0.0))

    @property
    def each(self) -> Flags:
        """Whether each coefficient is determined, (p,)."""
        if self.into.ndim == 1:
            return np.asarray(self._shares > 1 - _ALONE)
        scaled = np.where(self._varying, self.into, 0.0)
        return self._inside(scaled) & scaled.any(axis=1)

    @property
    def _shares(self) -> Floats:
        return np.asarray(np.einsum("rm,rm->m", self.directions, self.directions))

    @property
    def _varying(self) -> Flags:
        return np.asarray(self._shares > _ALONE)

    def _inside(self, scaled: Floats) -> Flags:
        part = scaled @ self.directions.T
        squares = np.einsum("nm,nm->n", scaled, scaled)
        return np.asarray(np.einsum("nr,nr->n", part, part) >= (1 - _ALONE) * squares)
