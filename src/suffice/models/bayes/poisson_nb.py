"""Poisson naive Bayes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags

from ...data import Chunk
from ...distributions import Distribution, Poisson
from ...distributions.log_linear import log_factorials
from ...estimator import Attributes, estimator
from ...holds import floats
from ...params import learned
from ...typing import Floats, Labels
from .linear_nb import LinearNB, check_counts
from .multinomial_nb import counts_example
from .naive import alpha_param


@estimator
class PoissonNB(LinearNB):
    """Naive Bayes with a count in every column: P(c | x) ∝ P(c) ∏ⱼ λ_cj^xⱼ exp(−λ_cj).

    λ_cj = (Σx + α) / (n_c + α) over the n_c rows of the class. Missing values are left out: of the sums at `fit`, and
    of the product at `predict`. The objective is the negative log likelihood of the rows with their classes, without
    the terms of x alone.

    Examples
    --------
    >>> import suffice as sf
    >>> goals = [[0, 3], [1, 2], [4, 0], [3, 1]]
    >>> model = sf.PoissonNB().fit(goals, ["away", "away", "home", "home"])
    >>> model.rate_.round(2).tolist()
    [[0.67, 2.0], [2.67, 0.67]]
    """

    complexity = "-alpha"

    suits = "counts"

    exemptions: ClassVar[Mapping[str, str]] = {
        "check_sample_weight_equivalence_on_dense_data": "its rows are fractions, which are no counts",
        "check_classifiers_one_label_sample_weights": "its rows are fractions, which are no counts",
        "check_decision_proba_consistency": "its rows are fractions, which are no counts",
        "check_sample_weight_equivalence_on_sparse_data": "its rows are fractions, which are no counts",
    }

    family: ClassVar[Distribution] = Poisson()

    alpha: object = alpha_param("So many rows of ones are added to each class.")

    rate_: Floats = learned("λ, the mean of each class and column, (k, d).", holds=floats("k", "d"))

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, Labels]:
        return counts_example(rng, n)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.input_tags.categorical = True  # scikit-learn's only way to say that cells are whole numbers
        return tags

    def _prepared(self, chunk: Chunk) -> Any:
        check_counts(chunk, type(self).__name__)
        self.family.check(chunk.X, type(self).__name__, chunk.number)
        return chunk.X

    def _terms(self, members: tuple[Any, ...]) -> tuple[Floats, Floats, Attributes]:
        rate = np.stack([member.rate for member in members])
        return np.log(rate), -rate, {"rate_": rate}

    def _log_base(self, chunk: Chunk) -> Floats:
        return -log_factorials(chunk.X)
