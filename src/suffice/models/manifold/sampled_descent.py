"""Descent on the fuzzy cross-entropy of a map, by edges that are drawn and points drawn against them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...backend import embedding
from ...backend.embedding import Curve, Drawing, Edges, Sampling
from ...backend.mixing import GOLDEN, mixed
from ...backend.weights import running_mass
from ...engine import Step
from ...typing import CSR, Floats, Whole

_DRAWN = 2048  # edges, and as many points against them, by which the cross-entropy is estimated
_ALL = (1 << 32) - 1  # the rate of an edge that is drawn twice an epoch
_NO_MASS = 1e-300


class Layout(NamedTuple):
    """The settings of a descent."""

    curve: Curve
    repulsion: float
    negatives: int
    rate: float
    epochs: int


class Moved(NamedTuple):
    """Points after so many epochs."""

    points: Floats
    epochs: int
    descent: SampledDescent


@dataclass(frozen=True)
class SampledDescent:
    """What is minimised, the mean over edges (i, j) of −log ν_ij − r Σ log(1 − ν_il) / negatives, by what is drawn.

    An edge counts what it weighs times the masses of both ends, the points l their mass. All draws follow from a seed.
    """

    layout: Layout
    edges: Edges
    sampling: Sampling
    pulls: tuple[Whole, Whole]  # drawn edges: where those of each point end, and their other ends
    pushes: Whole  # and a point that is drawn for each

    @classmethod
    def of(cls, graph: CSR, mass: Floats, layout: Layout, seed: int) -> SampledDescent:
        """For a symmetric graph (m, m) of memberships."""
        m, row = len(mass), np.repeat(np.arange(len(mass)), np.diff(graph.indptr))
        others, ends = graph.indices.astype(np.int64), graph.indptr[1:].astype(np.int64)
        own = None if np.all(mass == mass[:1]) else mass
        share = graph.data / max(float(graph.data.max(initial=0.0)), _NO_MASS)
        if own is not None:
            heaviest = np.zeros(m)
            np.maximum.at(heaviest, row, mass[others])
            share = share * mass[others] / np.maximum(heaviest[row], _NO_MASS)
        pair = np.minimum(row, others) * m + np.maximum(row, others)
        phase = mixed(mixed(pair.astype(np.uint64)) + GOLDEN * np.array([seed], dtype=np.uint64)) >> np.uint64(33)
        edges = Edges(ends, others.astype(np.int32), (share * _ALL).astype(np.uint32), phase.astype(np.uint32))
        drawn, against = _drawn(graph.data * mass[row] * mass[others], mass, seed)
        last = np.cumsum(np.bincount(row[drawn], minlength=m)).astype(np.int64)
        how = Sampling(layout.curve, layout.repulsion, layout.negatives, seed, None if own is None else Drawing.of(own))
        return cls(layout, edges, how, (last, others[drawn]), against)

    def step(self, now: Moved) -> Step[Moved]:
        """One epoch, whose steps are shorter than those of the last."""
        rate = self.layout.rate * (1 - now.epochs / self.layout.epochs)
        points = embedding.sampled(now.points, self.edges, self.sampling, rate, now.epochs)
        pull, push = self.estimate(points)
        after = Moved(points, now.epochs + 1, self)
        metrics = {"attraction": pull, "repulsion": push, "rate": rate}
        sane = bool(np.isfinite(points).all())
        return Step(after, pull + push, metrics, done=after.epochs >= self.layout.epochs, diverged=not sane)

    def estimate(self, points: Floats) -> tuple[float, float]:
        """The two parts of what is minimised, of the edges and points that are drawn once for all epochs."""
        ends, others = self.pulls
        if not len(others):
            return 0.0, 0.0
        share, how = np.full(len(others), 1 / len(others)), self.layout
        pull = embedding.pull(points, points, ends, others, share, False, how.curve)
        push = embedding.pull(points, points, ends, self.pushes, share, False, how.curve.other())
        return float(pull.value.sum()), how.repulsion * how.negatives * float(push.value.sum())


def _drawn(weight: Floats, mass: Floats, seed: int) -> tuple[Whole, Whole]:
    """Edges by their weights, in rising order, each as often as its share says, to one; and points by their masses."""
    if not weight.any():
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    rng = np.random.default_rng(seed)
    edges = running_mass(weight, len(weight)).rows((np.arange(_DRAWN) + rng.random(_DRAWN)) / _DRAWN)
    return edges.astype(np.int64), running_mass(mass, len(mass)).rows(rng.random(_DRAWN)).astype(np.int64)
