"""Moves that change which clusters there are, each of which lowers Σ w ‖x − centre‖² + λ K.

What a move is worth follows from weights and means: parting a cluster into halves lowers the sum of squares by
w₁w₂/(w₁+w₂) ‖μ₁−μ₂‖², and joining two clusters raises it by as much (Ward, 1963).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from ...backend import kmeans
from ...data import Chunk, Source
from ...statistics import DiagonalMoments, PerClass
from ...typing import Floats

PASSES = 10  # of the 2-means inside each cluster at the most
SWAPS = 3  # clusters that are parted while two others are joined, of those that gain most
TURNS = 3  # of the axis across which it starts, towards the longest one
WIDEST = 1 - 1e-9  # columns of so much of the largest variance are as wide
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
    """Every cluster parted by a 2-means of its own; all in the same passes.

    It starts across the widest column and across the longest axis, and the better is taken.
    """
    widest = _widest(source, centres, shift)
    one, other = (_parted(source, centres, shift, axis) for axis in (widest, _turned(source, centres, shift, widest)))
    better = other.gain > one.gain * WORTH
    return Halves(
        np.where(better[:, None], other.weight, one.weight), np.where(better[:, None, None], other.means, one.means)
    )


def _parted(source: Source, centres: Floats, shift: Floats, axis: Floats) -> Halves:
    """2-means inside every cluster, from two points along an axis."""
    k, d = centres.shape
    weight, means = np.zeros((k, 2)), _ends(centres, axis)
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


def _widest(source: Source, centres: Floats, shift: Floats) -> Floats:
    """One standard deviation of each cluster along its widest column, (k, d)."""
    axis = np.zeros_like(centres)
    whole = source.reduce(partial(_by_cluster, centres=centres, shift=shift))
    for cluster, part in zip(whole.classes, whole.parts, strict=True):
        widest = part.scatter >= WIDEST * part.scatter.max()  # the first of equal ones, whatever the order of the rows
        axis[cluster, np.argmax(widest)] = np.sqrt(part.variance().max())
    return axis


def _turned(source: Source, centres: Floats, shift: Floats, axis: Floats) -> Floats:
    """The axes turned towards the longest ones by the power method: Σ w (x − μ)(x − μ)ᵀ times the axis, again."""
    length = np.linalg.norm(axis, axis=1, keepdims=True)
    for _ in range(TURNS):
        found = source.reduce(partial(_by_half, centres=centres, means=_ends(centres, axis), shift=shift, leaning=True))
        axis = np.zeros_like(centres)
        for half, weight, part in zip(found.classes, found.weight, found.parts, strict=True):
            axis[half // 2] += (2 * (half % 2) - 1) * weight * (part.mean - centres[half // 2])
        own = np.linalg.norm(axis, axis=1, keepdims=True)
        axis *= np.divide(length, own, out=np.zeros_like(own), where=own > 0)
    return axis


def _ends(centres: Floats, axis: Floats) -> Floats:
    return np.stack([centres - axis, centres + axis], axis=1)


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
            return _swapped(centres, weight, halves, parted, apart[1:])
    return None


def attempts(centres: Floats, weight: Floats, halves: Halves, most: int) -> Iterator[Floats]:
    """The centres after the best part, the cheapest join, or both: moves that may gain once all rows have moved."""
    best = np.argsort(-halves.gain, kind="stable")
    pairs = _cheapest_joins(centres, weight)
    if len(centres) < most:
        yield np.vstack([np.delete(centres, best[0], axis=0), halves.means[best[0]]])
    if pairs:
        yield _joined(centres, weight, [pairs[0][1:]])
    for parted in best[:SWAPS]:
        apart = next(((i, j) for _, i, j in pairs if parted not in (i, j)), None)
        if apart is not None:
            yield _swapped(centres, weight, halves, parted, apart)


def _swapped(centres: Floats, weight: Floats, halves: Halves, parted: int, apart: tuple[int, int]) -> Floats:
    """One cluster parted, and two others joined."""
    centres = np.vstack([centres, halves.means[parted, 1]])
    centres[parted] = halves.means[parted, 0]
    return _joined(centres, np.append(weight, 0.0), [apart])


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


def _by_half(
    chunk: Chunk, centres: Floats, means: Floats, shift: Floats, leaning: bool = False
) -> PerClass[DiagonalMoments]:
    """The moments of both halves of each cluster; `leaning` weighs rows by their distance from where it is parted."""
    labels = kmeans.nearest(chunk.X, centres, shift)[0]
    axis, middle = means[:, 1] - means[:, 0], means.mean(axis=1) - shift  # (k, d)
    along = np.einsum("nd,nd->n", np.asarray(chunk.X, dtype=np.float64) - shift, axis[labels])
    beyond = along - np.sum(axis * middle, axis=1)[labels]
    weight = chunk.weight
    if leaning:
        weight = np.abs(beyond) if weight is None else np.abs(beyond) * weight
    return PerClass.of(chunk.X, 2 * labels + (beyond > 0), weight)
