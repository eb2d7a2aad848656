"""Moves that change which clusters there are, each of which lowers Σ w ‖x − centre‖² + λ K.

What a move is worth follows from weights and means: parting a cluster into halves lowers the sum of squares by
w₁w₂/(w₁+w₂) ‖μ₁−μ₂‖², and joining two clusters raises it by as much (Ward, 1963).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp

from ...backend import kmeans
from ...backend.weights import given_or_ones
from ...data import Chunk, Source
from ...typing import Codes, Floats

PASSES = 10  # of the 2-means inside each cluster at the most
WORTH = 1 + 1e-9  # times the price: what rounding may make of a move that is worth nothing


@dataclass(frozen=True)
class _Grouped:
    """The weight (k,) of rows by group and their sums (k, m), about a shift."""

    weight: Floats
    sums: Floats

    def __add__(self, other: _Grouped) -> _Grouped:
        return _Grouped(self.weight + other.weight, self.sums + other.sums)

    @classmethod
    def of(cls, values: Floats, codes: Codes, k: int, weight: Floats | None) -> _Grouped:
        w = given_or_ones(weight, len(codes))
        members = sp.csr_array((w, (codes, np.arange(len(codes)))), shape=(k, len(codes)))
        return cls(np.bincount(codes, w, k).astype(np.float64), np.asarray(members @ values))

    @property
    def means(self) -> Floats:
        return np.asarray(self.sums / np.where(self.weight > 0, self.weight, 1.0)[:, None])


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
    squares = source.reduce(partial(_squares, centres=centres, shift=shift))
    weight = squares.weight
    own = squares.means[:, :d] - squares.means[:, d:] ** 2  # (k, d): the variance of the columns
    widest = np.eye(d)[np.argmax(own, axis=1)] * np.sqrt(np.maximum(own.max(axis=1), 0.0))[:, None]
    means = np.stack([squares.means[:, d:] - widest, squares.means[:, d:] + widest], axis=1)  # (k, 2, d)
    for _ in range(PASSES):
        found = source.reduce(partial(_by_halves, centres=centres, means=means, shift=shift))
        moved = found.means.reshape(k, 2, d)
        weight = found.weight.reshape(k, 2)
        if np.array_equal(moved, means):
            break
        means = moved
    return Halves(weight, means + shift)


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


def _squares(chunk: Chunk, centres: Floats, shift: Floats) -> _Grouped:
    labels = kmeans.nearest(chunk.X, centres, shift)[0]
    Z = np.asarray(chunk.X, dtype=np.float64) - shift
    return _Grouped.of(np.hstack([Z**2, Z]), labels, len(centres), chunk.weight)


def _by_halves(chunk: Chunk, centres: Floats, means: Floats, shift: Floats) -> _Grouped:
    labels = kmeans.nearest(chunk.X, centres, shift)[0]
    Z = np.asarray(chunk.X, dtype=np.float64) - shift
    axis, middle = means[:, 1] - means[:, 0], means.mean(axis=1)  # (k, d)
    beyond = np.einsum("nd,nd->n", Z, axis[labels]) > np.sum(axis * middle, axis=1)[labels]
    return _Grouped.of(Z, 2 * labels + beyond, 2 * len(centres), chunk.weight)
