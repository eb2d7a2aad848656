"""k-medoids as k-means does it: rows to their nearest medoid, then the best medoid of each cluster."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...backend.medoids import Indices
from ...engine import Step
from ...typing import Floats, Reals


@dataclass(frozen=True)
class Medoids:
    """The rows that stand for the others, and the cost with every row at its nearest."""

    medoids: Indices  # (k,)
    cost: float = np.inf


def alternate(D: Reals, weight: Floats, state: Medoids) -> Step[Medoids]:
    """One assignment and one update; done where no medoid changes."""
    near = D[:, state.medoids]  # (n, k): from each row to the medoids
    labels = np.argmin(near, axis=1)
    labels[state.medoids] = np.arange(len(state.medoids))  # of medoids at one place each keeps its own cluster
    assigned = float(weight @ near[np.arange(len(D)), labels])
    medoids = np.array([_best(D, weight, np.flatnonzero(labels == k), m) for k, m in enumerate(state.medoids)])
    cost = float(weight @ D[np.arange(len(D)), medoids[labels]])
    done = bool(np.array_equal(medoids, state.medoids))
    return Step(Medoids(medoids, cost), cost, {"assigned": assigned, "changed": float(not done)}, done=done)


def _best(D: Reals, weight: Floats, members: Indices, before: int) -> int:
    """The member with the least distance to all others by weight; the medoid so far where none is better."""
    members = members[weight[members] > 0]
    cost = weight[members] @ D[np.ix_(members, members)]  # (m,): of each member as the medoid
    best = int(members[np.argmin(cost)])
    own = int(np.flatnonzero(members == before)[0])
    return best if cost.min() < cost[own] else before
