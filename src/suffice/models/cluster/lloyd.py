"""The iterations of k-means: in memory with bounds, from any other source by one pass each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...backend import kmeans
from ...data import Chunk, Source
from ...engine import Kept, Step
from ...holds import floats
from ...statistics import ClusterSums
from ...statistics.cluster_sums import nearest_with_missing
from ...typing import Floats

S = TypeVar("S")
Project = Callable[[Floats], Floats]  # puts new centres where they must be, such as on the unit sphere


@dataclass(frozen=True)
class Centres:
    """The state between two iterations: where the centres are, and how far each moved in the last one."""

    at: Floats
    drift: Floats
    iterations: Iterations  # whose labels and bounds belong to these centres

    @classmethod
    def starting(cls, at: Floats, iterations: Iterations) -> Centres:
        return cls(np.ascontiguousarray(at), np.zeros(len(at)), iterations)

    @classmethod
    def kept(cls, k: int, d: int, iterations: Callable[[], Iterations]) -> Kept[Centres]:
        """How it is written to a checkpoint: without labels and bounds, which the next iteration finds again."""
        return Kept(floats(k, d), lambda state: state.at, lambda at: cls.starting(at, iterations()))

    def step(self) -> Step[Centres]:
        """One iteration further."""
        return self.iterations.step(self)


class Iterations(Protocol):
    """One assignment and one update."""

    def step(self, state: Centres) -> Step[Centres]: ...


@dataclass(frozen=True)
class Scale:
    """The mean of all rows and Σ w ‖x − mean‖², and the squared move of all centres that ends the iterations."""

    shift: Floats
    total: float
    tol: float = 0.0

    def step(self, state: S, objective: float, assigned: float, moved: float, changed: float, refilled: int) -> Step[S]:
        """Done where no row changed its centre, or the centres moved by less than `tol` in all (squared)."""
        metrics = {"assigned": assigned, "moved": moved, "changed": changed, "refilled": float(refilled)}
        return Step(state, objective, metrics, done=changed == 0 or (moved <= self.tol and refilled == 0))


class BoundedRounds:
    """Iterations over rows in memory; rows whose bounds settle their centre are not read (the answer is Lloyd's)."""

    def __init__(self, chunk: Chunk, scale: Scale, k: int, project: Project | None, bounded: bool = True) -> None:
        self.chunk, self.scale, self.project, self.bounded = chunk, scale, project, bounded
        self.rows = kmeans.BoundedRows(chunk.X, chunk.weight, scale.shift, scale.total, k)

    def assign(self, state: Centres) -> kmeans.Moved:
        """Bring the labels and sums up to date with the centres, and see where these go next."""
        if not self.bounded:
            self.rows.forget()
        return self.rows.iterate(state.at, state.drift)

    def finish(self, state: Centres) -> tuple[NDArray[np.int32], float]:
        """The labels at the end and the objective; taken from the sums, but where these would lose too many digits."""
        cost = self.assign(state).before
        if cost < 1e-6 * self.scale.total:
            squared = kmeans.nearest(self.chunk.X, state.at, self.scale.shift)[1]
            cost = float(squared.sum() if self.chunk.weight is None else squared @ self.chunk.weight)
        return self.rows.labels, cost

    def step(self, state: Centres) -> Step[Centres]:
        done = self.assign(state)
        if self.project is not None or done.empty:
            summary = ClusterSums(self.rows.mass[:, None], self.rows.sums, self.scale.shift, np.nan)
            return _updated(state, summary, self.scale, self.project, self._farthest, done.changed)
        state = Centres(done.centres, done.drift, self)
        return self.scale.step(state, done.after, done.before, done.squared, float(done.changed), 0)

    def _farthest(self, centres: Floats, count: int) -> Floats:
        squared = kmeans.nearest(self.chunk.X, centres, self.scale.shift)[1]
        return _farthest_of(self.chunk, squared, count).rows


class SourceRounds:
    """Iterations over any source, also with missing cells: one pass each."""

    def __init__(self, source: Source, scale: Scale, project: Project | None) -> None:
        self.source, self.scale, self.project = source, scale, project

    def step(self, state: Centres) -> Step[Centres]:
        summarise = partial(_summarise, centres=state.at, shift=self.scale.shift)
        return _updated(state, self.source.reduce(summarise), self.scale, self.project, self._farthest, None)

    def _farthest(self, centres: Floats, count: int) -> Floats:
        find = partial(far_rows, centres=centres, shift=self.scale.shift, count=count)
        return self.source.reduce(find).rows


def _updated(
    state: Centres,
    summary: ClusterSums,
    scale: Scale,
    project: Project | None,
    farthest: Callable[[Floats, int], Floats],
    changed: int | None,
) -> Step[Centres]:
    """Move the centres to the means of their rows, and empty ones to the rows farthest from their centres."""
    assigned = summary.cost_at(state.at, scale.total)
    new = summary.centres(state.at) if project is None else project(summary.centres(state.at))
    objective = summary.cost_at(new, scale.total)
    empty = np.flatnonzero(~summary.weight.any(axis=1))
    if empty.size:
        rows = farthest(state.at, len(empty))
        empty = empty[: len(rows)]
        new[empty] = rows
    move = new - state.at
    squared = np.einsum("kd,kd->k", move, move)
    drift, moved = np.sqrt(squared), float(squared.sum())
    refilled = int(empty.size)
    count = float((moved > 0) if changed is None else changed) if not refilled else float(refilled)
    after = Centres(np.ascontiguousarray(new), drift, state.iterations)
    return scale.step(after, objective, assigned, moved, count, refilled)


@dataclass(frozen=True)
class _Far:
    """The rows farthest from their centres, farthest first."""

    rows: Floats
    cost: Floats
    count: int

    def __add__(self, other: _Far) -> _Far:
        rows, cost = np.vstack([self.rows, other.rows]), np.append(self.cost, other.cost)
        order = np.argsort(-cost, kind="stable")[: self.count]
        return _Far(rows[order], cost[order], self.count)


def _farthest_of(chunk: Chunk, squared: Floats, count: int) -> _Far:
    cost = squared if chunk.weight is None else np.where(chunk.weight > 0, squared, 0.0)
    count_here = min(count, len(cost))
    least = np.partition(cost, -count_here)[-count_here] if count_here else np.inf
    candidates = np.flatnonzero(cost >= least)  # the rest need not be sorted
    order = candidates[np.argsort(-cost[candidates], kind="stable")][:count]
    rows = kmeans.dense(chunk.X[order])
    rounding = (1e-12 * np.nanmax(np.abs(rows), axis=1, initial=0.0)) ** 2  # of the mean of equal rows
    far = cost[order] > rounding
    return _Far(rows[far], cost[order][far], count)


def far_rows(chunk: Chunk, centres: Floats, shift: Floats, count: int) -> _Far:
    """The `count` rows of a chunk that are farthest from their centres."""
    if not kmeans.is_csr(chunk.X) and np.isnan(chunk.X).any():
        squared = nearest_with_missing(chunk.X, centres, shift)[1]
        found = _farthest_of(chunk, squared, count)
        missing = np.isnan(found.rows)
        return _Far(np.where(missing, shift, found.rows), found.cost, count)
    return _farthest_of(chunk, kmeans.nearest(chunk.X, centres, shift)[1], count)


def _summarise(chunk: Chunk, centres: Floats, shift: Floats) -> ClusterSums:
    return ClusterSums.of(chunk.X, chunk.weight, centres, shift, costed=False)
