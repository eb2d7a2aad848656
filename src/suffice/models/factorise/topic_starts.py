"""Where topics begin: draws of several kinds, of which a race on some documents finds the best."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from ...backend.weights import RunningMass
from ...engine import in_turn
from ...typing import Floats
from .dirichlet_topics import Inference, Posteriors
from .document_sample import Together, different
from .documents import Documents

_SIZE = 2000  # different documents that take part
_DRAWS = 2  # of each kind
_STAGES = ((6, 3), (9, 1))  # so many iterations of all, and how many of them go on
_SAME = 1e-9  # a cosine nearer to 1 is rounding


def best_start(fit: Inference, words: float, rng: np.random.Generator) -> Floats:
    """Posteriors of words in topics to begin with, (d, k), for documents of so many words.

    Optima differ by several per cent. Each kind of draw ends in poor ones of some tables, however often it is repeated,
    and a few iterations tell.
    """
    found = different(fit.passes, _SIZE, int(rng.integers(1 << 62)))
    race, prior = fit.over(Together(found)), fit.priors.words
    live = [race.started(prior + drawn) for drawn in _drawn(found, len(fit.priors.topics), rng)]
    for rounds, kept in _STAGES if len(live) > 1 else ():
        ran = in_turn(partial(_onwards, race, one, rounds) for one in live)
        live = sorted(ran, key=lambda one: -one.bound)[:kept]
    return prior + (live[0].columns - prior) * (words / float(found.words.sum()))


def _onwards(race: Inference, now: Posteriors, rounds: int) -> Posteriors:
    for _ in range(rounds):
        now = race.improved(now)
    return now


def _drawn(found: Documents, k: int, rng: np.random.Generator) -> Iterator[Floats]:
    """How many words of each kind topics have, (d, k)."""
    mean = found.words[:, None] / k
    if k == 1:
        yield mean
        return
    for _ in range(_DRAWS):
        yield _nearly_one(found, k, rng) + _by_chance(found, k, int(rng.integers(1 << 62)))
        yield (mean + _of_seeds(found, k, rng)) / 2
        yield _nearly_one(found, k, rng)
        yield mean * _nearly_one(found, k, rng)


def _nearly_one(found: Documents, k: int, rng: np.random.Generator) -> Floats:
    return np.ascontiguousarray(rng.gamma(100.0, 0.01, (k, found.cells.d)).T)


def _by_chance(found: Documents, k: int, seed: int) -> Floats:
    """Each document is of one topic."""
    topic = np.floor(found.luck(seed) * k).astype(np.int64)
    starts, of_row, values = found.turned
    word = np.repeat(np.arange(found.cells.d), np.diff(starts))
    sums = np.bincount(word * k + topic[of_row], values, minlength=found.cells.d * k)
    return sums.reshape(-1, k).astype(np.float64)


def _of_seeds(found: Documents, k: int, rng: np.random.Generator) -> Floats:
    """Each topic has the words of one document, drawn far from those before, as k-means++ does."""
    roots, total = np.sqrt(found.shares), float(found.words.sum())
    far, out = np.ones(len(found)), np.tile(found.words[:, None] / k, (1, k))
    for z in range(k):
        mass = RunningMass(found.counts * far)
        if not mass.total > 0:
            break  # fewer different documents than topics
        own = found.cells.at(int(mass.rows(rng.random(1))[0]))
        out[:, z], seed = 0.0, np.zeros(found.cells.d)
        out[found.cells.columns[own], z] = found.shares[own] * total / k
        seed[found.cells.columns[own]] = roots[own]
        alike = found.cells.row_sums(roots * seed[found.cells.columns])  # cosines of the angles between the roots
        far = np.where(alike < 1 - _SAME, np.minimum(far, 1 - alike), 0.0)
    return out
