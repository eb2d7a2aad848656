"""Centres of rows with numbers and categories: the statistic of an assignment, and where the centres start."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ... import backend
from ...backend import columns
from ...backend.weights import RunningMass
from ...data import Chunk, Schema, Source
from ...holds import instance
from ...registry import registered
from ...statistics import DiagonalMoments
from ...typing import Floats
from .alternation import draw, weights
from .categories import Coding


@dataclass(frozen=True)
class Best:
    """The row (d,) with the highest score, the first among equals."""

    score: float
    row: Floats

    @classmethod
    def of(cls, chunk: Chunk, score: Floats) -> Best:
        """The best of some rows that have a weight; of no rows one that any other beats."""
        if not len(chunk):
            return cls(-np.inf, np.zeros(chunk.X.shape[1]))
        counted = score if chunk.weight is None else np.where(chunk.weight > 0, score, -np.inf)
        at = int(np.argmax(counted))
        return cls(float(counted[at]), chunk.X[at])

    def __add__(self, other: Best) -> Best:
        return other if other.score > self.score else self


@dataclass(frozen=True)
class Assigned:
    """What an iteration needs of rows assigned to k centres.

    Their cost and the weight of each cluster (k,), the moments of the numbers (k, m), the weight of each category
    (k, C), and the row farthest from its centre.
    """

    cost: float
    weight: Floats
    moments: DiagonalMoments
    counts: Floats
    far: Best

    def __add__(self, other: Assigned) -> Assigned:
        return Assigned(
            self.cost + other.cost,
            self.weight + other.weight,
            self.moments + other.moments,
            self.counts + other.counts,
            self.far + other.far,
        )


@registered("metric/mixed")
@dataclass(frozen=True)
class Metric:
    """The distance Σ (x − c)² of the numbers + gamma · mismatches of the codes, and what follows from it."""

    coding: Coding
    gamma: float = 1.0
    holds: ClassVar = {"coding": instance(Coding)}

    def nearest(self, chunk: Chunk, centres: Floats) -> tuple[Any, Floats]:
        """The nearest centre of each row, and its distance."""
        return columns.column_nearest(chunk.X, centres, len(self.coding.numbers), True, self.gamma)

    def assigned(self, chunk: Chunk, centres: Floats) -> Assigned:
        """The statistic of some rows, each assigned to its nearest centre."""
        k, m = len(centres), len(self.coding.numbers)
        labels, distance = self.nearest(chunk, centres)
        w = weights(chunk)
        moments = DiagonalMoments(*np.zeros((3, k, 0)))
        if m:
            moments = DiagonalMoments(*backend.grouped_moments(chunk.X[:, :m], labels, k, chunk.weight)[1:])
        counts = columns.category_counts(chunk.X[:, m:], labels, k, self.coding.offsets, chunk.weight)
        cost, size = float(np.sum(w * distance)), np.bincount(labels, w, k).astype(np.float64)
        return Assigned(cost, size, moments, counts, Best.of(chunk, distance))

    def updated(self, found: Assigned, centres: Floats) -> tuple[Floats, float]:
        """The means and modes of the clusters, and the objective there; what has no value stays as it was.

        The first cluster without rows is put on the row that is farthest from its centre, where that is not zero.
        """
        after, m = centres.copy(), len(self.coding.numbers)
        after[:, :m] = np.where(found.moments.weight > 0, found.moments.mean, centres[:, :m])
        mismatches, offsets = 0.0, self.coding.offsets
        for j in range(len(self.coding.codes)):
            counts = found.counts[:, offsets[j] : offsets[j + 1]]  # (k, categories of the column)
            if counts.size:
                after[:, m + j] = np.where(counts.any(axis=1), counts.argmax(axis=1), centres[:, m + j])
                mismatches += float(counts.sum() - counts.max(axis=1).sum())
        empty = np.flatnonzero(found.weight == 0)
        if len(empty) and found.far.score > 0:
            after[empty[0]] = np.where(np.isnan(found.far.row), after[empty[0]], found.far.row)
        return after, float(found.moments.scatter.sum()) + self.gamma * mismatches


@dataclass(frozen=True)
class Rows:
    """The coded rows of a source, and the distance between them."""

    source: Source
    metric: Metric

    @classmethod
    def of(cls, source: Source, metric: Metric) -> Rows:
        """The rows of a source; those in memory are coded once."""
        columns = Schema(tuple(source.schema.columns[j] for j in (*metric.coding.numbers, *metric.coding.codes)))
        return cls(source.mapped(metric.coding.coder(source.schema), columns), metric)

    def assigned(self, centres: Floats) -> Assigned:
        """The statistic of all rows, each assigned to its nearest centre."""
        metric = self.metric
        return self.source.reduce(lambda chunk: metric.assigned(chunk, centres))

    def middle(self) -> Floats:
        """The means and modes of all rows, which fill the missing values of a row that becomes a centre."""
        whole = np.full((1, len(self.metric.coding.numbers) + len(self.metric.coding.codes)), np.nan)
        return np.asarray(self.metric.updated(self.assigned(whole), whole)[0][0])

    def drawn(self, mass: Callable[[Chunk], Floats], rng: np.random.Generator) -> Floats | None:
        """A row with probability proportional to its mass, None where none has any; at most two passes."""
        total = self.source.reduce(lambda chunk: float(mass(chunk).sum()))
        if total == 0:
            return None
        target, row = rng.random() * total, None
        with closing(self.source.chunks()) as chunks:
            for chunk in chunks:
                own = mass(chunk)
                if not own.any():
                    continue
                mass_here = RunningMass(own)
                row = chunk.X[mass_here.rows(np.array([target / mass_here.total]))[0]]
                if target < mass_here.total:
                    break
                target -= mass_here.total
        return row


def spread(rows: Rows, k: int, by_distance: bool, rng: np.random.Generator) -> list[Floats]:
    """Different rows drawn one after the other: by weight, or by weight times distance from those so far."""
    chosen: list[Floats] = []
    middle, metric = rows.middle(), rows.metric

    def mass(chunk: Chunk) -> Floats:
        if not chosen:
            return weights(chunk)
        distance = metric.nearest(chunk, np.array(chosen))[1]
        return weights(chunk) * (distance if by_distance else distance > 0)

    while len(chosen) < k:
        row = rows.drawn(mass, rng)
        if row is None:
            break
        chosen.append(np.where(np.isnan(row), middle, row))
    return chosen


def huang(rows: Rows, k: int, rng: np.random.Generator) -> list[Floats]:
    """Modes put together from categories drawn by their shares; each then gives way to the row nearest to it."""
    shares, metric = rows.metric.coding.shares, rows.metric
    chosen: list[Floats] = []
    while len(chosen) < k:
        seed = np.array([draw(share, rng) if len(share) else np.nan for share in shares], dtype=np.float64)

        def nearness(chunk: Chunk, seed: Floats = seed) -> Best:
            score = -metric.nearest(chunk, seed[None])[1]
            if chosen:
                score[metric.nearest(chunk, np.array(chosen))[1] == 0] = -np.inf
            return Best.of(chunk, score)

        found = rows.source.reduce(nearness)
        if found.score == -np.inf:
            break
        chosen.append(np.where(np.isnan(found.row), seed, found.row))
    return chosen


def cao(rows: Rows, k: int) -> list[Floats]:
    """The row whose categories are the most frequent, then the rows of largest density times distance."""
    chosen: list[Floats] = []
    middle, metric = rows.middle(), rows.metric

    def score(chunk: Chunk) -> Best:
        codes = np.nan_to_num(chunk.X, nan=-1.0).astype(np.intp)  # a missing value takes the zero at the end
        density = np.sum([np.append(share, 0.0)[codes[:, j]] for j, share in enumerate(metric.coding.shares)], axis=0)
        apart = metric.nearest(chunk, np.array(chosen))[1] if chosen else np.ones(len(chunk))
        return Best.of(chunk, density * apart)

    while len(chosen) < k:
        found = rows.source.reduce(score)
        if chosen and found.score <= 0:
            break
        chosen.append(np.where(np.isnan(found.row), middle, found.row))
    return chosen
