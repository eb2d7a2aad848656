"""Rows in memory that k-means begins from, and samples of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...backend import kmeans
from ...backend.dense import largest
from ...backend.weights import Mass, given_or_ones, running_mass
from ...typing import Flags, Floats

Rng = np.random.Generator
_HEAVY = (
    20.0  # times its square is the mean square of a squared distance where tails are heavy; of a Gaussian at most 3
)
_FAR = 0.02  # of all squared distances: a row that makes up as much is not to be missed


@dataclass(frozen=True)
class Rows:
    """Rows in memory to begin from, with their weights (n,) or None for equal ones; `complete`: none was filled."""

    X: Any
    weight: Any
    complete: bool = True

    def weights(self) -> Floats:
        """The weight of each row."""
        return given_or_ones(self.weight, self.X.shape[0])

    def mass(self) -> Mass:
        """Draws rows by weight, so that weighted and repeated rows have the same chances."""
        return running_mass(self.weight, self.X.shape[0])

    def draw(self, rng: Rng) -> int:
        """The number of a row, drawn by weight."""
        return self.mass().draw(rng)

    def spread(self, size: int, rng: Rng) -> Rows:
        """About `size` of the rows, evenly spread over the running weight; they then count equally."""
        return self._picked(self.mass().rows((np.arange(size) + rng.random()) / size), None)

    def far_and_near(self, size: int, centre: Floats, rng: Rng) -> Rows:
        """About `size` of the rows, half of them by squared distance from the centre, weighed so that sums stay true.

        A lightweight coreset (Bachem, Lucic and Krause, 2018): few far rows, which decide the inertia, are not missed.
        """
        squared = kmeans.nearest(self.X, centre[None, :], centre)[1]
        weight = self.weights()
        factor = 0.5 + 0.5 * squared / max(float(weight @ squared) / float(weight.sum()), np.finfo(np.float64).tiny)
        picks = running_mass(weight * factor, len(factor)).rows((np.arange(size) + rng.random()) / size)
        return self._picked(picks, 1 / factor[picks])

    def _picked(self, rows: NDArray[np.intp], weight: Floats | None) -> Rows:
        if kmeans.is_csr(self.X):
            return Rows(self.X[rows], weight)
        return Rows(np.ascontiguousarray(self.X[rows], np.float64), weight)  # read often, so converted once

    def has_far_rows(self, sample: Rows) -> bool:
        """Whether so few rows make up the squared distances from the mean that an even sample may miss them."""
        centre = sample.mean()
        squared = kmeans.nearest(sample.X, centre[None, :], centre)[1]
        average = float(squared.mean())
        if not average > 0:
            return True
        cells = self.X.data[:, None] if kmeans.is_csr(self.X) else self.X
        reach = float(largest(cells)) + float(np.abs(centre).max())
        is_heavy = float(np.mean((squared / average) ** 2)) > _HEAVY
        return is_heavy or reach > math.sqrt(_FAR * self.X.shape[0]) * math.sqrt(average)

    def mean(self) -> Floats:
        """The mean of the rows, each counted once."""
        return np.asarray(self.X.mean(axis=0, dtype=np.float64)).ravel()

    def at(self, rows: list[int]) -> Floats:
        """Copies of some rows, in double."""
        return kmeans.dense(self.X[rows])

    def equal(self, row: int) -> Flags:
        """Which rows (n,) are equal to one of them."""
        if kmeans.is_csr(self.X):
            return np.asarray(kmeans.row_squares(self.X, self.at([row]))[:, 0] == 0)
        return np.asarray(np.all(self.X[row] == self.X, axis=1))
