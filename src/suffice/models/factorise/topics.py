"""What models of topics share: words by topic, shares of topics in rows, the perplexity of new rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils import Tags

from ...backend.factors import cell_products
from ...backend.weights import given_or_ones
from ...data import Chunk, Needs, Source
from ...errors import InvalidData, NotConverged, warn
from ...estimator import Transformer, declares
from ...holds import floats
from ...params import check_argument, learned, param
from ...randomness import random_state_param
from ...typing import Floats, Labels, RandomState, Reals, TableLike, WeightLike
from .cells import Cells
from .documents import Documents
from .topic_words import TopicWords

_MOST_WORDS = 2.0**63  # NumPy draws from no more


@declares
class TopicModel(ClassNamePrefixFeaturesOutMixin, Transformer):  # type: ignore[misc]
    """Base of models of rows of counts as mixtures of topics; a subclass gives `_shares` and `_word_probability`."""

    needs = Needs(sparse=True)
    maximises = True
    small: ClassVar = {"n_components": 2, "max_iter": 15}
    suits = "counts"

    n_components: int = param(10, positional=True, integer=True, at_least=1, doc="How many topics, k.")
    random_state: RandomState = random_state_param()

    components_: Floats = learned("What of each word each topic has, (k, d).", holds=floats("k", "d", at_least=0))
    topic_shares_: Floats = learned("How much of all words is of each topic, (k,).", holds=floats("k", at_least=0))
    n_iter_: int = learned("How many iterations there were.")

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, None]:
        topics = np.array([[0.6, 0.3, 0.05, 0.05], [0.05, 0.05, 0.5, 0.4]])
        shares = rng.dirichlet([0.4, 0.4], n)
        return rng.poisson(rng.uniform(10, 40, n)[:, None] * (shares @ topics)).astype(np.float64), None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    # -- what a subclass gives ----------------------------------------------------------------------------------------
    def _shares(self, found: Documents) -> Floats:
        """P(topic | row), (n, k)."""
        raise TypeError(f"{type(self).__name__} does not define _shares")

    def _word_probability(self) -> Floats:
        """P(word | topic), (k, d)."""
        raise TypeError(f"{type(self).__name__} does not define _word_probability")

    def _expected(self, shares: Floats, cells: Cells) -> Floats:
        """P(word | row) of cells whose rows have these shares of topics, (cells,)."""
        topics = np.ascontiguousarray(self._word_probability().T)
        return cell_products(shares, topics, cells.starts, cells.columns)

    # -- rows ---------------------------------------------------------------------------------------------------------
    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def _documents(self, chunk: Chunk) -> Documents:
        return Documents.of(chunk, type(self).__name__)

    def transform(self, X: TableLike) -> Reals:
        """The shares of the topics in every row, (n, k), which add up to 1."""
        self._check_fitted("components_")
        return self._rows(X, lambda chunk: self._shares(self._documents(chunk)).astype(chunk.X.dtype))

    def inverse_transform(self, X: TableLike) -> Reals:
        """The probability of every word in rows with these shares of topics, (n, d)."""
        self._check_fitted("components_")
        topics = self._word_probability()
        return self._rows_back(X, lambda chunk: (chunk.X @ topics).astype(chunk.X.dtype), len(topics))

    def topic_words(self, n: int = 10, names: Labels | None = None) -> TopicWords:
        """The n likeliest words of each topic, as a table; `names` are those of the columns."""
        self._check_fitted("components_")
        owner, topics = type(self).__name__, self._word_probability()
        d = topics.shape[1]
        check_argument(owner, "n", n, integer=True, at_least=1)
        given = names if names is not None else getattr(self, "feature_names_in_", [f"x{j}" for j in range(d)])
        words = np.asarray(given, dtype=object)
        if words.shape != (d,):
            raise InvalidData(f"{owner}: names must be one a column, shape ({d},); got shape {words.shape}.")
        return TopicWords.of(topics, self.topic_shares_, words, min(n, d))

    def perplexity(self, X: TableLike, sample_weight: WeightLike = None, *, held_out: float = 0.5) -> float:
        """exp(−mean log P(word)) of words that the shares of their row were not fitted to; the less the better.

        The share `held_out` of the words of each row is drawn and set aside, the same words every time (document
        completion); with 0 the shares are fitted to the same words that are judged.
        """
        self._check_fitted("components_")
        check_argument(type(self).__name__, "held_out", held_out, number=True, at_least=0, below=1)

        def logs(chunk: Chunk) -> Floats:
            found = self._documents(chunk)
            check_countable(found, type(self).__name__)
            found, judged = halved(found, held_out)
            expected = self._expected(self._shares(found), judged.cells)
            w = given_or_ones(chunk.weight, len(chunk))[judged.cells.rows] * judged.cells.values
            return np.array([w @ np.log(np.maximum(expected, 1e-300)), w.sum()])

        total, words = self._summed(X, sample_weight, logs)
        if not words:
            raise InvalidData(f"{type(self).__name__}: X holds no words to judge; all counts are 0.")
        return float(np.exp(-total / words))

    def _say_if_unfinished(self, status: str, max_iter: int) -> None:
        if status == "max_iter":
            warn(
                f"{type(self).__name__}: the objective still rose after max_iter={max_iter} iterations; raise max_iter "
                "or tol.",
                NotConverged,
            )


def check_countable(found: Documents, owner: str) -> None:
    """Refuse rows with more words than can be drawn from."""
    words = found.cells.values.sum()
    if not words < _MOST_WORDS:
        raise InvalidData(f"{owner}: X holds {words:g} words, too many to draw from; scale the counts down.")


def halved(found: Documents, share: float) -> tuple[Documents, Documents]:
    """The words of rows that are kept, and those set aside, drawn by the row's own words and nothing else."""
    if not share:
        return found, found
    cells = found.cells
    whole = np.floor(cells.values).astype(np.int64)
    aside = (cells.values - whole) * share
    for begin, end in zip(cells.starts[:-1], cells.starts[1:], strict=True):
        own = slice(begin, end)
        rng = np.random.default_rng([int(whole[own].sum()), *cells.columns[own].tolist()])
        aside[own] += rng.binomial(whole[own], share)
    kept = np.maximum(cells.values - aside, 0.0)
    return _with(found, kept), _with(found, aside)


def _with(found: Documents, values: Floats) -> Documents:
    return Documents(replace(found.cells, values=values).some(values > 0), None, found.weight)


@dataclass(frozen=True)
class Words:
    """How many words rows have by weight, and Σ n log n of the numbers n of words of each."""

    total: float
    logs: float

    @classmethod
    def of(cls, chunk: Chunk, owner: str) -> Words:
        """Those of some rows."""
        found = Documents.of(chunk, owner)
        n, w = found.cells.row_sums(found.cells.values), given_or_ones(chunk.weight, len(chunk))
        return cls(float(w @ n), float(w @ (n * np.log(np.where(n > 0, n, 1.0)))))

    def __add__(self, other: Words) -> Words:
        return Words(self.total + other.total, self.logs + other.logs)


def words_of(source: Source, owner: str) -> Words:
    """Those of all rows; none at all are refused."""
    found = source.reduce(lambda chunk: Words.of(chunk, owner))
    if not found.total > 0 or not np.isfinite(found.logs):
        raise InvalidData(f"{owner}: X holds no words, or too many: its counts add up to {found.total:g}.")
    return found
