"""Variational EM of latent Dirichlet allocation: posteriors of topics in rows, of words in topics, and the bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, psi

from ...backend.factors import mix_rows, ratio_sums
from ...engine import Kept
from ...holds import floats, number
from ...typing import Floats
from .documents import Documents, Pieces

_AGAIN = 3  # sweeps of a row from where it was


@dataclass(frozen=True)
class Priors:
    """The Dirichlet priors of topics in a row, (k,), and of words in a topic."""

    topics: Floats
    words: float


@dataclass(frozen=True)
class Posteriors:
    """The Dirichlet posteriors of words in topics, (d, k), and of topics in rows, (n, k), and the bound."""

    columns: Floats
    rows: Floats
    bound: float

    @staticmethod
    def kept(d: int, n: int, k: int) -> Kept[Posteriors]:
        """How they are written to a checkpoint."""
        return Kept.fields(Posteriors, columns=floats(d, k), rows=floats(n, k), bound=number(finite=False))


@dataclass(frozen=True)
class WordSums:
    """How many words of each kind each topic has, (d, k), and the bound of the rows."""

    counts: Floats
    bound: float

    def __add__(self, other: WordSums) -> WordSums:
        return WordSums(self.counts + other.counts, self.bound + other.bound)


def expected_logs(parameters: Floats, axis: int) -> Floats:
    """E log p of Dirichlet distributions along an axis."""
    return np.asarray(psi(parameters) - psi(parameters.sum(axis=axis, keepdims=True)))


def started(found: Documents, priors: Priors) -> Floats:
    """Posteriors of rows whose words are of all topics alike, (n, k)."""
    words = found.cells.row_sums(found.cells.values)
    return priors.topics + words[:, None] / len(priors.topics)


def posterior(found: Documents, likely: Floats, priors: Priors, rows: Floats, most: int, tolerance: float) -> Floats:
    """Better posteriors of rows, (n, k), where `likely` is exp E log p of words in topics, (d, k)."""
    cells = found.cells
    return mix_rows(likely, cells.starts, cells.columns, cells.values, rows, priors.topics, None, most, tolerance)


def row_bounds(found: Documents, likely: Floats, priors: Priors, rows: Floats, logs: Floats) -> Floats:
    """The bound of the log probability of the words of each row, (n,), where `logs` are those expected of `rows`."""
    cells = found.cells
    own = ratio_sums(np.exp(logs), likely, cells.starts, cells.columns, cells.values).logs
    own = own + ((priors.topics - rows) * logs + gammaln(rows) - gammaln(priors.topics)).sum(axis=1)
    return np.asarray(own + gammaln(priors.topics.sum()) - gammaln(rows.sum(axis=1)))


def word_sums(found: Documents, likely: Floats, logs: Floats, bounds: Floats) -> WordSums:
    """What the words of rows add to the topics, and the bound of the rows."""
    by_word = ratio_sums(likely, np.exp(logs), *found.turned)
    return WordSums(likely * by_word.sums, float(bounds.sum() if found.weight is None else bounds @ found.weight))


def bound_of_topics(columns: Floats, prior: float, logs: Floats | None = None) -> float:
    """What the posteriors of words in topics add to the bound."""
    logs = expected_logs(columns, 0) if logs is None else logs
    each = ((prior - columns) * logs + gammaln(columns) - gammaln(prior)).sum(axis=0)
    return float(np.sum(each + gammaln(prior * len(columns)) - gammaln(columns.sum(axis=0))))


class Inference:
    """A fit: the posteriors of rows go from one iteration to the next with those of topics."""

    def __init__(self, passes: Pieces, priors: Priors, most: int, tolerance: float) -> None:
        self.passes, self.priors, self.most, self.tolerance = passes, priors, most, tolerance

    def over(self, pieces: Pieces) -> Inference:
        """The same of other rows."""
        return Inference(pieces, self.priors, self.most, self.tolerance)

    def started(self, columns: Floats) -> Posteriors:
        """Where it begins, given those of words in topics, (d, k)."""
        rows = [started(found, self.priors) for _, found in self.passes.pieces()]
        return Posteriors(columns, np.concatenate(rows), -np.inf)

    def improved(self, now: Posteriors) -> Posteriors:
        """Better posteriors, with the bound of those of rows and the topics before.

        Rows are found anew: a topic that a row has little of would come back too slowly from where it was. Anew alone
        may end lower than before, so that then each row goes on from before where that is better.
        """
        logs = expected_logs(now.columns, 0)
        likely, own = np.exp(logs), bound_of_topics(now.columns, self.priors.words, logs)
        anew, sums = self._pass(likely, now.rows, again=False)
        if sums.bound + own < now.bound:
            anew, sums = self._pass(likely, now.rows, again=True)
        return Posteriors(self.priors.words + sums.counts, anew, sums.bound + own)

    def _pass(self, likely: Floats, before: Floats, again: bool) -> tuple[Floats, WordSums]:
        total, rows, priors = None, np.empty_like(before), self.priors
        for at, found in self.passes.pieces():
            rows[at] = posterior(found, likely, priors, started(found, priors), self.most, self.tolerance)
            logs = expected_logs(rows[at], 1)
            bounds = row_bounds(found, likely, priors, rows[at], logs)
            if again:
                onwards = posterior(found, likely, priors, before[at], _AGAIN, self.tolerance)
                others = expected_logs(onwards, 1)
                higher = row_bounds(found, likely, priors, onwards, others)
                better = (higher > bounds)[:, None]
                rows[at], logs = np.where(better, onwards, rows[at]), np.where(better, others, logs)
                bounds = np.maximum(bounds, higher)
            own = word_sums(found, likely, logs, bounds)
            total = own if total is None else total + own
        assert total is not None
        return rows, total
