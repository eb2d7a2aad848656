"""Drawn topics to begin with, and the race that finds the best of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from ...backend.weights import RunningMass
from ...engine import in_turn
from ...typing import Floats
from .documents import Documents

_SAME = 1e-9  # a cosine nearer to 1 is rounding

T = TypeVar("T")


def raced(
    live: Iterable[T], improved: Callable[[T], T], worth: Callable[[T], float], stages: Sequence[tuple[int, int]]
) -> T:
    """The best of some starts: a stage is so many iterations of each, and how many go on; one alone does not run."""
    live = list(live)
    for rounds, kept in stages if len(live) > 1 else ():
        ran = in_turn(partial(_onwards, one, improved, rounds) for one in live)
        live = sorted(ran, key=lambda one: -worth(one))[:kept]
    return live[0]


def _onwards(now: T, improved: Callable[[T], T], rounds: int) -> T:
    for _ in range(rounds):
        now = improved(now)
    return now


# ---- how many words of each kind topics have, (d, k) ----


def mean_words(found: Documents, k: int) -> Floats:
    """Those of all, the same for each topic."""
    return np.tile(found.words[:, None] / k, (1, k))


def nearly_one(found: Documents, k: int, rng: np.random.Generator) -> Floats:
    """1, give or take a tenth."""
    return np.ascontiguousarray(rng.gamma(100.0, 0.01, (k, found.cells.d)).T)


def by_chance(found: Documents, k: int, rng: np.random.Generator) -> Floats:
    """Each document is of one topic."""
    topic = np.floor(found.luck(int(rng.integers(1 << 62))) * k).astype(np.int64)
    starts, of_row, values = found.turned
    word = np.repeat(np.arange(found.cells.d), np.diff(starts))
    sums = np.bincount(word * k + topic[of_row], values, minlength=found.cells.d * k)
    return sums.reshape(-1, k).astype(np.float64)


def of_seeds(found: Documents, k: int, rng: np.random.Generator) -> Floats:
    """Each topic has the words of one document, drawn far from those before, as k-means++ does; and those of all."""
    cells, shares, total = found.cells, found.shares, float(found.words.sum())
    roots, far, out = np.sqrt(shares), np.ones(len(found)), mean_words(found, k)
    for z in range(k):
        mass = RunningMass(found.counts * far)
        if not mass.total > 0:
            break  # fewer different documents than topics
        own = cells.at(int(mass.rows(rng.random(1))[0]))
        out[:, z] /= 2
        out[cells.columns[own], z] += shares[own] * total / (2 * k)
        seed = np.zeros(cells.d)
        seed[cells.columns[own]] = roots[own]
        alike = cells.row_sums(roots * seed[cells.columns])  # cosines of the angles between the roots
        far = np.where(alike < 1 - _SAME, np.minimum(far, 1 - alike), 0.0)
    return out
