"""Where topics begin: at the best of several kinds of draws, each run for a few iterations on some documents.

Optima differ by several per cent, and each kind of draw ends in poor ones of some tables, however often it is repeated.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...data import Needs, as_source
from ...typing import Floats
from .dirichlet_topics import Inference
from .divergence import Divergence
from .document_draws import by_chance, mean_words, nearly_one, of_seeds, raced
from .document_sample import Together, different
from .documents import Documents
from .nonnegative_start import at_random, filled, from_singular_vectors
from .strides import Shares

_SIZE = 2000  # different documents that take part
_DRAWS = 2  # of each kind
_STAGES = ((6, 3), (9, 1))  # so many iterations of all, and how many of them go on
_OF_SHARES = ((10, 3), (15, 1))
_SWEEPS = 20  # of the rows before the first iteration
_UNSEEN = 0.01  # the share of words that only other documents may have


def best_posteriors(fit: Inference, words: float, rng: np.random.Generator) -> Floats:
    """Dirichlet posteriors of words in topics to begin with, (d, k), for documents of so many words."""
    found = different(fit.passes, _SIZE, int(rng.integers(1 << 62)))
    race, prior = fit.over(Together(found)), fit.priors.words
    starts = (race.started(prior + drawn) for drawn in _counts(found, len(fit.priors.topics), rng))
    best = raced(starts, race.improved, lambda now: now.bound, _STAGES)
    return prior + (best.columns - prior) * (words / float(found.words.sum()))


def _counts(found: Documents, k: int, rng: np.random.Generator) -> Iterator[Floats]:
    if k == 1:
        yield mean_words(found, k)
        return
    for _ in range(_DRAWS):
        yield nearly_one(found, k, rng) + by_chance(found, k, rng)
        yield of_seeds(found, k, rng)
        yield nearly_one(found, k, rng)
        yield mean_words(found, k) * nearly_one(found, k, rng)


def best_shares(fit: Divergence, k: int, rng: np.random.Generator) -> Shares:
    """Probabilities of words in topics, (d, k), and shares of topics in rows, to begin with."""
    found = different(fit.passes, _SIZE, int(rng.integers(1 << 62)))
    race = fit.over(Together(found))
    starts = ((Shares(columns, race.started(columns)), -np.inf) for columns in _probabilities(found, k, rng))

    def improved(now: tuple[Shares, float]) -> tuple[Shares, float]:
        columns, rows, sums = race.improved(now[0].columns, now[0].rows)
        return Shares(columns, rows), sums.logs

    best = raced(starts, improved, lambda now: now[1], _OF_SHARES)[0].columns
    columns = _normalised(_normalised(best) + _UNSEEN / len(best))
    return Shares(columns, fit.started(columns, _SWEEPS))


def _probabilities(found: Documents, k: int, rng: np.random.Generator) -> Iterator[Floats]:
    d, mean = found.cells.d, mean_words(found, k)
    for _ in range(_DRAWS if k > 1 else 1):
        yield _normalised(at_random(k, d, 1.0, rng))
        if k == 1:
            return
        yield _normalised(0.1 * mean + by_chance(found, k, rng))
        yield _normalised(of_seeds(found, k, rng))
        if k <= min(len(found), d):
            rows = as_source(found.cells.matrix(), sample_weight=found.counts, needs=Needs(sparse=True))
            yield _normalised(filled(from_singular_vectors(rows, k, rng), "nndsvda", rng))


def _normalised(columns: Floats) -> Floats:
    return np.asarray(columns / columns.sum(axis=0))
