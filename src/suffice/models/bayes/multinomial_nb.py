"""Multinomial naive Bayes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from ...backend.columns import count_terms
from ...data import Chunk
from ...distributions import Distribution, Multinomial
from ...distributions.log_linear import log_arrangements
from ...errors import InvalidData
from ...estimator import Attributes, estimator
from ...holds import floats
from ...params import learned
from ...scikit_learn import Counterpart
from ...typing import Floats, Labels, Numbers
from .linear_nb import LinearNB, check_counts, check_not_negative
from .naive import alpha_param

MOST_TRIALS = 2.0**63  # NumPy draws no more


@estimator
class MultinomialNB(LinearNB):
    """Naive Bayes for rows of counts, such as words: P(c | x) ∝ P(c) ∏ⱼ p_cj^xⱼ.

    p_cj = (n_cj + α) / (n_c + dα), where n_cj is the sum of the column in the class and n_c that of all d columns.
    Parts of a count, as tf–idf gives them, are taken as they are; in densities their factorial is x! = Γ(x + 1), which
    is the same for all classes, and then densities do not sum to 1. A missing count is left out: the row is judged by
    its other counts, given their sum; at `fit` the column's sum is scaled up from the rows where it is there. The
    objective is the negative log likelihood of the rows with their classes, without the terms of x alone. `sample`
    draws rows of the mean sum of their class.

    Examples
    --------
    >>> import suffice as sf
    >>> words = [[2, 1, 0], [3, 0, 0], [0, 1, 4], [0, 0, 1]]
    >>> model = sf.MultinomialNB().fit(words, ["a", "a", "b", "b"])
    >>> model.predict([[1, 1, 0], [0, 1, 1]]).tolist()
    ['a', 'b']
    """

    complexity = "-alpha"

    suits = "counts"

    counterpart: ClassVar = Counterpart("sklearn.naive_bayes", absent={"force_alpha": "alpha is taken as it is"})

    exemptions: ClassVar[Mapping[str, str]] = {
        "check_decision_proba_consistency": "its rows hold numbers below 0, which are no counts",
    }

    family: ClassVar[Distribution] = Multinomial()

    alpha: object = alpha_param("This is added to the sum of each class and column.")

    feature_log_prob_: Floats = learned(
        "log p, of each class and column, (k, d).", holds=floats("k", "d", finite=False)
    )

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, Labels]:
        return counts_example(rng, n)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _prepared(self, chunk: Chunk) -> Any:
        check_counts(chunk, type(self).__name__)
        return chunk.X

    def _shows_bad_cells(self) -> bool:
        return self._is_smooth()  # a product of an infinite cell and a finite slope is infinite or NaN

    def _terms(self, members: tuple[Any, ...]) -> tuple[Floats, Floats, Attributes]:
        log_p = np.log(np.stack([member.probability for member in members]))
        return log_p, np.zeros_like(log_p), {"feature_log_prob_": log_p}

    def _draw(self, k: int, n: int, rng: np.random.Generator) -> Floats:
        counts = self.feature_count_[k].sum() / self.class_count_[k]
        if not counts < MOST_TRIALS:
            raise InvalidData(
                f"MultinomialNB: rows of class {self.classes_[k]} hold {counts:g} counts, too many to draw."
            )
        return Multinomial(self._members[k].probability, round(counts)).sample(n, rng)

    def _of_the_rest(self, X: Numbers, terms: Floats) -> Floats:
        rest = ~np.isnan(X) @ np.exp(self.feature_log_prob_.T)  # (n, k): the probability of the columns that are there
        return np.asarray(terms - np.nansum(X, axis=1)[:, None] * np.log(np.where(rest > 0, rest, 1.0)))

    def _log_joint(self, chunk: Chunk) -> Floats:
        terms = self._terms_of_counts(chunk, arranged=False)
        return super()._log_joint(chunk) if terms is None else terms

    def _log_joint_with_base(self, chunk: Chunk) -> Floats:
        terms = self._terms_of_counts(chunk, arranged=True)
        return super()._log_joint_with_base(chunk) if terms is None else terms

    def _terms_of_counts(self, chunk: Chunk, arranged: bool) -> Floats | None:
        """log P(class) + log p(x | class), (n, k), with its arrangements or without, in one pass over the counts.

        None of a sparse matrix, and where that is no number, of missing cells or infinite slopes.
        """
        if hasattr(chunk.X, "tocsr") or not self._is_smooth():
            return None
        constant = self._constant + self.class_log_prior_
        terms, least = count_terms(chunk.X, self._slope[:, : len(constant)], constant, arranged)
        if least < 0:
            check_not_negative(chunk, type(self).__name__)
        return None if np.isnan(terms[:, 0]).any() else terms

    def _log_base(self, chunk: Chunk) -> Floats:
        return log_arrangements(chunk.X)


def counts_example(rng: np.random.Generator, n: int) -> tuple[NDArray[np.float64], Labels]:
    """Counts of four columns in three classes, for the contract tests."""
    y = rng.integers(0, 3, n)
    rates = np.array([[1, 4, 2, 8], [6, 1, 2, 3], [2, 2, 7, 1]])
    return rng.poisson(rates[y]).astype(np.float64), np.array(["ant", "bee", "cat"])[y]
