"""k-medoids without the matrix of all pairs: medoids of samples (CLARA), then swaps judged on all rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ...backend import medoids as backend
from ...backend.medoids import Indices, Nearest, Search
from ...engine import Kept, Outcome, Step, iterate
from ...holds import flag, floats, integers, number, optional, record, whole
from ...typing import Floats
from ..dissimilarity import Array, Dissimilarity

_POLISH = 10  # iterations of swaps on all rows, at the most
_CANDIDATES = 32  # rows that are judged as medoids in such an iteration


@dataclass(frozen=True)
class Found:
    """The best medoids so far, their cost on all rows, and what the iterations have done."""

    medoids: Indices
    cost: float = np.inf
    iterations: int = 0
    is_done: bool = False
    points: Nearest | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Clara:
    """Sampled k-medoids of the rows X: `samples` iterations on samples of `size` rows, then swaps on all rows."""

    measure: Dissimilarity
    X: Array
    weight: Floats
    k: int
    size: int
    samples: int
    passes: int
    memory: int
    rng: np.random.Generator

    def run(self) -> Outcome[Found]:
        """The best of all iterations; the objective is the cost of all rows and never rises."""
        return iterate(
            lambda run: Found(np.empty(0, np.int64)),
            self._step,
            max_iter=self.samples + _POLISH,
            snapshot=lambda found: {"medoid_indices_": found.medoids},
            kept=self._kept(),
            rng=self.rng,
        )

    def _kept(self) -> Kept[Found]:
        n = len(self.X)
        return Kept.fields(
            lambda points, **rest: Found(points=None if points is None else Nearest(*points), **rest),
            medoids=integers(None, at_least=0, below=n),
            cost=number(finite=False),
            iterations=whole(),
            is_done=flag(),
            points=optional(record(integers(n, at_least=0, below=self.k), floats(n), floats(n, finite=False))),
        )

    def _step(self, found: Found) -> Step[Found]:
        iterations = found.iterations + 1
        found = self._sample(found) if iterations <= self.samples else self._polish(found)
        found = replace(found, iterations=iterations, is_done=found.is_done or iterations == self.samples + _POLISH)
        return Step(found, found.cost, done=found.is_done)

    def _sample(self, found: Found) -> Found:
        """The medoids of a sample, if they are better; the best so far are in every sample."""
        drawn = np.concatenate([backend.draw(self.weight, self.size, self.rng), found.medoids])
        if len(np.unique(drawn)) < self.k:
            drawn = np.concatenate([drawn, np.flatnonzero(self.weight)[: self.k]])
        rows, counts = np.unique(drawn, return_counts=True)
        medoids = rows[self._solve(rows, counts.astype(np.float64))]
        points = self.nearest(medoids)
        cost = float(self.weight @ points.first)
        return Found(medoids, cost, points=points) if cost < found.cost else found

    def _solve(self, rows: Indices, counts: Floats) -> Indices:
        own = self.X[rows]
        is_given = self.measure.distance is None
        D = backend.by_rows(own[:, rows]) if is_given else self.measure.matrix(own)
        search = Search(backend.build(D, counts, self.k))
        for _ in range(self.passes):
            search = backend.improve(D, counts, search)
            if search.is_done(len(D)):
                break
        return search.medoids

    def nearest(self, medoids: Indices) -> Nearest:
        """The nearest medoids of all rows, block by block."""
        centers = self.X[medoids]
        parts = [
            Nearest.of(self.measure.between(self.X[rows], medoids, centers))
            for rows in self.measure.blocks(len(self.X), self.k)
        ]
        return Nearest(*(np.concatenate([getattr(p, name) for p in parts]) for name in ("slot", "first", "second")))

    def _polish(self, found: Found) -> Found:
        """The best swap with some rows, judged exactly on all rows; done when there is none."""
        count = min(_CANDIDATES, self.memory // (16 * len(self.X)))
        candidates = np.setdiff1d(backend.draw(self.weight, count, self.rng), found.medoids)
        best, slot, row = 0.0, 0, -1
        for c, distances in zip(candidates, self._columns(candidates), strict=True):
            changes = found.points.changes(distances, self.weight, self.k)  # type: ignore[union-attr]
            if changes.min() < best:
                best, slot, row = float(changes.min()), int(np.argmin(changes)), int(c)
        if best >= -backend.LEAST * found.cost:
            return replace(found, is_done=True)
        medoids = found.medoids.copy()
        medoids[slot] = row
        points = self.nearest(medoids)
        return replace(found, medoids=medoids, cost=float(self.weight @ points.first), points=points)

    def _columns(self, candidates: Indices) -> NDArray[np.float64]:
        """The distances of all rows to each candidate, (c, n)."""
        columns = np.empty((len(candidates), len(self.X)))
        for rows in self.measure.blocks(len(self.X), len(candidates)):
            columns[:, rows] = self.measure.between(self.X[rows], candidates, self.X[candidates]).T
        return columns
