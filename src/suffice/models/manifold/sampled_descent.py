"""Descent on the fuzzy cross-entropy of a map, by edges that are drawn and points drawn against them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...backend import embedding
from ...backend.embedding import Curve, Drawing, Edges, Sample, Sampling
from ...backend.mixing import GOLDEN, mixed
from ...backend.weights import running_mass
from ...engine import Step
from ...typing import CSR, Floats, Whole

_EACH, _FEWEST, _MOST = 4, 1 << 10, 1 << 16  # edges for each object, by which the cross-entropy is estimated
_AT_ONCE = 2e5  # edges that are looked at between two looks at the time
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
    """What is minimised, the mean over edges (i, j) of −log ν_ij − Σ log(1 − ν_il), by what is drawn.

    An edge counts what it weighs times the masses of both ends; of the points l there are `negatives`, drawn by their
    masses, each of which counts `repulsion`. All draws follow from a seed.
    """

    layout: Layout
    edges: Edges
    sampling: Sampling
    sample: Sample

    @classmethod
    def of(cls, graph: CSR, mass: Floats, layout: Layout, seed: int) -> SampledDescent:
        """For a symmetric graph (m, m) of memberships."""
        m, row = len(mass), np.repeat(np.arange(len(mass)), np.diff(graph.indptr))
        others, ends = graph.indices.astype(np.int64), graph.indptr[1:].astype(np.int64)
        share, drawing = graph.data / max(float(graph.data.max(initial=0.0)), _NO_MASS), None
        if np.any(mass != mass[:1]):
            heaviest = np.zeros(m)
            np.maximum.at(heaviest, row, mass[others])
            share, drawing = share * mass[others] / np.maximum(heaviest[row], _NO_MASS), Drawing.of(mass)
        pair = np.minimum(row, others) * m + np.maximum(row, others)
        phase = mixed(mixed(pair.astype(np.uint64)) + GOLDEN * np.array([seed], dtype=np.uint64)) >> np.uint64(33)
        rate = (share * _ALL).astype(np.uint32)
        edges = Edges(ends, others.astype(np.int32), rate, phase.astype(np.uint32))
        sampling = Sampling(layout.curve, layout.repulsion, layout.negatives, seed, drawing)
        at, against = _drawn(graph.data * mass[row] * mass[others], mass, seed)
        sample = Sample(*(numbers.astype(np.int32) for numbers in (row[at], others[at], against)))
        return cls(layout, edges, sampling, sample)

    def step(self, now: Moved) -> Step[Moved]:
        """One epoch, whose steps are shorter than those of the last."""
        return self.several(now, 1)

    def several(self, now: Moved, most: int | None = None) -> Step[Moved]:
        """Some epochs at once, at most so many."""
        epochs, left = self.layout.epochs, self.layout.epochs - now.epochs
        count = min(left, most or left, 1 + int(_AT_ONCE / (1 + len(self.edges.others))))
        rates = self.layout.rate * (1 - np.arange(now.epochs, now.epochs + count) / epochs)
        found = embedding.sampled(now.points, self.edges, self.sampling, self.sample, rates, now.epochs)
        pushes = self.layout.repulsion * self.layout.negatives * found.pushes
        shown = [
            (pull + push, {"attraction": pull, "repulsion": push, "rate": rate})
            for pull, push, rate in zip(found.pulls.tolist(), pushes.tolist(), rates.tolist(), strict=True)
        ]
        after, (objective, metrics) = Moved(found.points, now.epochs + count, self), shown[-1]
        sane = bool(np.isfinite(found.points).all())
        return Step(after, objective, metrics, after.epochs >= epochs, not sane, shown[:-1])


def _drawn(weight: Floats, mass: Floats, seed: int) -> tuple[Whole, Whole]:
    """Edges by their weights, each as often as its share says, to one; and points by their masses."""
    if not weight.any():
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    rng, size = np.random.default_rng(seed), int(np.clip(_EACH * len(mass), _FEWEST, _MOST))
    edges = running_mass(weight, len(weight)).rows((np.arange(size) + rng.random(size)) / size)
    return edges.astype(np.int64), running_mass(mass, len(mass)).rows(rng.random(size)).astype(np.int64)
