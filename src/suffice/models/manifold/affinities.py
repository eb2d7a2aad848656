"""How near objects of a map shall be to each other, as shares of pairs (van der Maaten and Hinton, 2008)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ...backend import embedding
from ...backend.neighbors import Within
from ...typing import Floats, Whole
from .walk import walked


def conditional(lists: Within, mass: Floats, perplexity: float) -> Floats:
    """Shares of the neighbours in each list, in the order of the lists: of mass times a Gaussian about the row.

    Its width is such that the shares are as uncertain as those of so many equal ones.
    """
    distance = np.asarray(lists.distances, dtype=np.float64)
    shares, _ = embedding.calibrated(distance**2, lists.ends, mass[lists.rows], float(np.log(perplexity)))
    return shares


@dataclass(frozen=True)
class Affinities:
    """The shares p of pairs of objects, which sum to 1: those of each object from `ends` to `ends`, with the others.

    `entropy` is Σ p log(p / (mass mass)) over all of them.
    """

    ends: Whole  # (m,)
    others: Whole  # (pairs,), of 32 bits
    share: Floats  # (pairs,)
    entropy: float

    @classmethod
    def of(cls, lists: Within, mass: Floats, perplexity: float) -> Affinities:
        """The mean of how each object sees the other, by the lists of their neighbours."""
        m = len(mass)
        own = conditional(lists, mass, perplexity) * np.repeat(mass, np.diff(lists.ends, prepend=0))
        starts = np.concatenate([[0], lists.ends])
        seen = sparse.csr_array((own, lists.rows, starts), shape=(m, m))
        both = (seen + seen.T).tocsr()
        both.sort_indices()
        share = both.data / max(float(both.data.sum()), 1e-300)
        pair = np.repeat(mass, np.diff(both.indptr)) * mass[both.indices]
        known = share > 0
        entropy = float(np.sum(share[known] * np.log(share[known] / pair[known])))
        ends = np.asarray(both.indptr[1:], dtype=np.int64)
        return cls(ends, both.indices.astype(np.int32), share, entropy)

    def slowest(self, k: int) -> Floats:
        """The k slowest vectors of a walk whose steps have these shares, (m, k), which tell pieces apart first."""
        m = len(self.ends)
        both = sparse.csr_array((self.share, self.others, np.concatenate([[0], self.ends])), shape=(m, m))
        return np.ascontiguousarray(walked(both, np.ones(m), k + 1).vectors[:, 1:])

    def pull(self, points: Floats) -> embedding.Field:
        """Σ p log(1 + d²) of each object."""
        return embedding.pull(points, points, self.ends, self.others, self.share)
