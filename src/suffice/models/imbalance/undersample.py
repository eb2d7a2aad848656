"""Rows of large classes left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...statistics import row_uniforms
from .sampler import Rows, Sampler


@dataclass(frozen=True)
class Undersample(Sampler):
    """Rows of large classes are left out by chance until the smallest class has `ratio` of the weight of each.

    Of the last row that is kept only so much of its weight counts as is missing, so that the weights fit exactly. The
    draws belong to the cells of rows, not to their places.

    >>> X, y, weight = Undersample().resample([[0.0], [1.0], [2.0], [3.0], [4.0]], [0, 0, 0, 0, 1], random_state=0)
    >>> np.bincount(y, weight).tolist()
    [1.0, 1.0]
    """

    names = ("undersample",)

    def drawn(self, rows: Rows, rng: np.random.Generator) -> Rows:
        totals = rows.totals()
        most = totals[totals > 0].min() / self.ratio
        uniforms = row_uniforms(rows.X, int(rng.integers(2**62)))  # of the cells: weights are repetitions
        places, weights = [], []
        for c in np.flatnonzero(totals > 0):
            own = np.flatnonzero(rows.codes == c)
            if totals[c] > most:
                own = own[np.argsort(uniforms[own], kind="stable")]
                before = np.cumsum(rows.weight[own]) - rows.weight[own]
                own = own[before < most]
                weight = np.minimum(rows.weight[own], most - before[before < most])
            else:
                weight = rows.weight[own]
            places.append(own)
            weights.append(weight)
        order = np.argsort(np.concatenate(places), kind="stable")
        return rows.at(np.concatenate(places)[order], np.concatenate(weights)[order])
