"""Probabilistic latent semantic analysis."""

from __future__ import annotations

import numpy as np

from ...data import Source
from ...engine import Outcome, gain_tol_param, iterate, little_to_gain
from ...estimator import Attributes, estimator
from ...params import param
from ...randomness import generator
from ...typing import Floats
from .cells import Cells
from .divergence import Divergence, folded_in, smoothed
from .documents import Documents, Passes
from .strides import Shares, divergence_step
from .topic_starts import best_shares
from .topics import TopicModel, words_of

_MOST_SWEEPS, _STILL = 2000, 1e-10


@estimator
class PLSA(TopicModel):
    """Probabilistic latent semantic analysis: max Σ w xᵢⱼ log Σ_z P(z | i) P(j | z), rows as mixtures of topics.

    EM for the shares of topics in rows and the words of topics, without a prior (Hofmann, 1999). It is the
    factorisation `NMF` by the Kullback–Leibler divergence, with factors that are probabilities: both have the same
    optima. A new row gets the shares that are best for the topics.

    A topic has probability 0 for words that were never of it, and one such word would decide the perplexity of new rows
    alone. So `perplexity` mixes what a row predicts with the words of all rows, nine to one (Jelinek–Mercer smoothing,
    as in Hofmann's PLSI-U), and these nine to one with all words alike; the topics stay as they are.

    Examples
    --------
    >>> import suffice as sf
    >>> words = [[4, 3, 0, 0], [2, 4, 1, 0], [0, 0, 3, 5], [0, 1, 2, 4]]
    >>> model = sf.PLSA(2, random_state=0).fit(words)
    >>> print(model.topic_words(2, ["goal", "ball", "vote", "law"]))
    topic  share  words
    0      0.48   law 0.65, vote 0.35
    1      0.52   ball 0.53, goal 0.40
    """

    tol: float = gain_tol_param(1e-6)
    max_iter: int = param(500, integer=True, at_least=1, doc="How many iterations at the most.")
    n_init: int = param(1, integer=True, at_least=1, doc="How many starts; the best is kept.")

    def _learn(self, source: Source) -> Outcome[Attributes]:
        owner, d, k = type(self).__name__, len(source.schema), self.n_components
        words = words_of(source, owner)
        fit, rng = Divergence(Passes(source, owner)), generator(self.random_state)
        n = source.count()

        # What is expected of a row adds up to its words, so that dividing by these gives probabilities.
        step = divergence_step(fit, lambda apart, logs: (logs - words.logs) / words.total, 0.0)
        outcome = iterate(
            lambda run: best_shares(fit, k, rng), step, stop=little_to_gain(self.tol), max_iter=self.max_iter,
            restarts=self.n_init, minimise=False,
            snapshot=lambda now: {"components_": _normalised(now.columns)[0]},
            kept=Shares.kept(d, n, k), rng=rng,
        )  # fmt: skip
        self._say_if_unfinished(outcome.history.status, self.max_iter)
        n_iter = len(outcome.history)
        return outcome.then(lambda now: self._attributes(now, source) | {"n_iter_": n_iter})

    def _attributes(self, now: Shares, source: Source) -> Attributes:
        topics, sizes = _normalised(now.columns)
        weight = np.concatenate([_weights(found) for _, found in Passes(source, type(self).__name__).pieces()])
        mass = (weight @ now.rows) * sizes
        return {"components_": topics, "topic_shares_": mass / mass.sum()}

    def _shares(self, found: Documents) -> Floats:
        W = folded_in(found, np.ascontiguousarray(self.components_.T), _MOST_SWEEPS, _STILL)
        size = W.sum(axis=1, keepdims=True)
        return np.where(size > 0, W / np.where(size > 0, size, 1.0), self.topic_shares_)

    def _word_probability(self) -> Floats:
        return self.components_

    def _expected(self, shares: Floats, cells: Cells) -> Floats:
        anywhere = smoothed(self.topic_shares_ @ self.components_, 1 / cells.d)
        return smoothed(super()._expected(shares, cells), anywhere[cells.columns])


def _normalised(columns: Floats) -> tuple[Floats, Floats]:
    """P(word | topic), (k, d), and what the factors of columns (d, k) added up to."""
    sizes = columns.sum(axis=0)
    return np.ascontiguousarray((columns / np.where(sizes > 0, sizes, 1.0)).T), sizes


def _weights(found: Documents) -> Floats:
    return np.ones(len(found)) if found.weight is None else found.weight
