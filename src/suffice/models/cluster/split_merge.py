"""Moves that change which clusters there are, each of which lowers Σ w ‖x − centre‖² + λ K.

What a move is worth follows from weights and means: parting a cluster into halves lowers the sum of squares by
w₁w₂/(w₁+w₂) ‖μ₁−μ₂‖², and joining two clusters raises it by as much (Ward, 1963).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ...backend import kmeans
from ...data import Chunk, Source
from ...statistics import DiagonalMoments, PerClass
from ...typing import Floats

PASSES = 10  # of the 2-means inside each cluster at the most
WORTH = 1 + 1e-9  # times the price: what rounding may make of a move that is worth nothing


@dataclass(frozen=True)
class Halves:
    """Each cluster as two: their weights (k, 2), their means (k, 2, d), and what parting them gains (k,)."""

    weight: Floats
    means: Floats

    @property
    def gain(self) -> Floats:
        one, two = self.weight.T
        both = np.where(one + two > 0, one + two, 1.0)
        return np.asarray(one * two / both * np.sum((self.means[:, 0] - self.means[:, 1]) ** 2, axis=1))


def halved(source: Source, centres: Floats, shift: Floats) -> Halves:
    """Every cluster parted by a 2-means of its own, which starts across its widest column; all in the same passes."""
    k, d = centres.shape
    weight, means = np.zeros((k, 2)), np.repeat(centres[:, None], 2, axis=1)  # (k, 2, d)
    whole = source.reduce(partial(_by_cluster, centres=centres, shift=shift))
    for cluster, part in zip(whole.classes, whole.parts, strict=True):
        j = int(np.argmax(part.scatter))
        means[cluster, :, j] += np.array([-1.0, 1.0]) * np.sqrt(part.variance()[j])
    for _ in range(PASSES):
        found = source.reduce(partial(_by_half, centres=centres, means=means, shift=shift))
        new = means.copy()
        new.reshape(2 * k, d)[found.classes] = [part.mean for part in found.parts]
        weight = np.zeros(2 * k)
        weight[found.classes] = found.weight
        if np.array_equal(new, means):
            break
        means = new
    return Halves(weight.reshape(k, 2), means)


def moved(centres: Floats, weight: Floats, halves: Halves, price: float, most: int) -> Floats | None:
    """The centres after the moves that gain most, None where no move gains: parts, then joins, then both at once."""
    gain = halves.gain
    room = most - len(centres)
    worth = np.flatnonzero(gain > price * WORTH)
    if worth.size and room > 0:
        chosen = worth[np.argsort(-gain[worth], kind="stable")][:room]
        return np.vstack([np.delete(centres, chosen, axis=0), *halves.means[chosen]])
    pairs = _cheapest_joins(centres, weight)
    if len(pairs) and pairs[0][0] * WORTH < price:
        return _joined(centres, weight, [(i, j) for cost, i, j in pairs if cost * WORTH < price])
    for parted in np.argsort(-gain, kind="stable"):
        apart = next(((cost, i, j) for cost, i, j in pairs if parted not in (i, j)), None)
        if apart is not None and gain[parted] > apart[0] * WORTH:
            centres = np.vstack([centres, halves.means[parted, 1]])
            centres[parted] = halves.means[parted, 0]
            return _joined(centres, np.append(weight, 0.0), [apart[1:]])
    return None


def _cheapest_joins(centres: Floats, weight: Floats) -> list[tuple[float, int, int]]:
    """What joining two clusters costs, with the two, cheapest first; a cluster and the one it is cheapest to join."""
    k = len(centres)
    if k < 2:
        return []
    found = []
    for i in range(k):
        cost = weight[i] * weight / (weight[i] + weight) * np.sum((centres - centres[i]) ** 2, axis=1)
        cost[i] = np.inf
        j = int(np.argmin(cost))
        found.append((float(cost[j]), min(i, j), max(i, j)))
    return sorted(set(found))


def _joined(centres: Floats, weight: Floats, pairs: list[tuple[int, int]]) -> Floats:
    """The centres with these pairs joined, each cluster at most once."""
    used: set[int] = set()
    centres, gone = centres.copy(), []
    for i, j in pairs:
        if not used & {i, j}:
            used |= {i, j}
            centres[i] += weight[j] / (weight[i] + weight[j]) * (centres[j] - centres[i])
            gone.append(j)
    return np.asarray(np.delete(centres, gone, axis=0))


def _by_cluster(chunk: Chunk, centres: Floats, shift: Floats) -> PerClass[DiagonalMoments]:
    return PerClass.of(chunk.X, kmeans.nearest(chunk.X, centres, shift)[0], chunk.weight)


def _by_half(chunk: Chunk, centres: Floats, means: Floats, shift: Floats) -> PerClass[DiagonalMoments]:
    labels = kmeans.nearest(chunk.X, centres, shift)[0]
    axis, middle = means[:, 1] - means[:, 0], means.mean(axis=1) - shift  # (k, d)
    along = np.einsum("nd,nd->n", np.asarray(chunk.X, dtype=np.float64) - shift, axis[labels])
    beyond = along > np.sum(axis * middle, axis=1)[labels]
    return PerClass.of(chunk.X, 2 * labels + beyond, chunk.weight)
