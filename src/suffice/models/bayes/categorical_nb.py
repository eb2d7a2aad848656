"""Categorical naive Bayes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from ...backend.columns import category_terms, largest_codes
from ...data import Chunk, Needs
from ...distributions import Categorical
from ...errors import InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import floats, integers, lists, require
from ...params import are_numbers, learned, param
from ...scikit_learn import Counterpart
from ...statistics import CategoryCounts
from ...statistics.category_counts import by_column, column_totals, joined, offsets_of, sizes_of
from ...typing import Floats, Labels, Numbers
from .categories import categories_of, log_unseen, widened
from .linear_nb import check_not_negative
from .naive import Estimate, alpha_param, alphas, estimate
from .smoothing import smoothed
from .text_columns import TextColumns

_MOST_CATEGORIES = 10_000_000  # of a column: their counts take memory


@estimator
class CategoricalNB(TextColumns):
    """Naive Bayes with a category in every column, text or codes 0, 1, 2, …: P(c | x) ∝ P(c) ∏ⱼ p_cj[xⱼ].

    p_cj[t] = (n_cjt + α) / (n_cj + αK_j), where n_cjt of the n_cj rows of the class have category t, one of the K_j
    that the column has in any class. A category that the fit never saw has n = 0 in this formula; where α is 0 it
    says nothing. Missing values are left out: of the counts at `fit`, and of the product at `predict`. The objective is
    the negative log likelihood of the rows with their classes.

    Examples
    --------
    >>> import suffice as sf
    >>> weather = [[0, 1], [0, 2], [1, 0], [1, 1]]
    >>> model = sf.CategoricalNB().fit(weather, ["play", "play", "stay", "stay"])
    >>> model.predict_proba([[0, 1], [0, 7]]).round(2).tolist()
    [[0.75, 0.25], [0.75, 0.25]]
    """

    complexity = "-alpha"

    suits = "codes"

    counterpart: ClassVar = Counterpart("sklearn.naive_bayes", absent={"force_alpha": "alpha is taken as it is"})

    needs = Needs(target="classes", missing=True, categories=True)
    exemptions: ClassVar[Mapping[str, str]] = {
        "check_sample_weight_equivalence_on_dense_data": "its rows are fractions, which are no codes",
        "check_classifiers_one_label_sample_weights": "its rows are fractions, which are no codes",
        "check_decision_proba_consistency": "its rows are fractions, which are no codes",
    }

    alpha: object = alpha_param("So many rows of each category are added to each class and column.")
    min_categories: object = param(
        None,
        integer=True,
        at_least=1,
        choices=(None,),
        accept=lambda value: are_numbers(value, 1),
        allowed="a list of one number a column",
        doc="The number of categories of each column, if more than the largest code asks for.",
    )

    category_count_: list[Floats] = learned(
        "For each column the weight of each class and category, (k, K_j).", holds=lists(floats("k", None), "d")
    )
    feature_log_prob_: list[Floats] = learned(
        "For each column log p of each class and category, (k, K_j).", holds=lists(floats("k", None, finite=False), "d")
    )
    n_categories_: NDArray[np.int64] = learned(
        "The number of categories of each column, (d,).", holds=integers("d", at_least=0)
    )

    def check_loaded(self) -> None:
        super().check_loaded()
        self.summary_.check_parts(CategoryCounts)
        require(isinstance(self._members[0], Categorical), "_members must be of Categorical")
        for name in ("category_count_", "feature_log_prob_"):
            sizes = sizes_of(getattr(self, name))
            require(np.array_equal(sizes, self.n_categories_), f"{name} must have n_categories_ of each column")

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, Labels]:
        y = rng.integers(0, 3, n)
        common = np.array([[0, 1, 2, 3], [1, 1, 0, 0], [2, 0, 1, 2]])[y]
        X = np.where(rng.random((n, 4)) < 0.6, common, rng.integers(0, 4, (n, 4)))
        return X.astype(np.float64), np.array(["ant", "bee", "cat"])[y]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = tags.input_tags.categorical = True
        return tags

    def _fit_needs(self) -> Needs:
        return self._needs()  # counts do not show an infinite cell, so it is looked for beforehand

    def _prepared(self, chunk: Chunk) -> Numbers:
        X = self._with_unseen(chunk.X)
        if not Categorical().admits_all(X):
            check_not_negative(dataclasses.replace(chunk, X=X), type(self).__name__)
            Categorical().check(X, type(self).__name__, chunk.number)
        return X

    def _grouped(self, X: Numbers, group: Numbers, groups: int, weight: Numbers | None) -> tuple[CategoryCounts, ...]:
        return CategoryCounts.grouped(X, group, groups, weight)

    def _estimate(self, parts: tuple[CategoryCounts, ...], classes: Labels) -> Estimate:
        alpha = alphas(type(self).__name__, self.alpha, len(parts[0].counts))
        sizes = self._sizes(parts)
        parts = tuple(widened(part, sizes) for part in parts)
        members = tuple(smoothed(Categorical(), part, alpha) for part in parts)
        share = np.stack([joined(member.probability, sizes) for member in members])  # (k, C)
        with np.errstate(divide="ignore"):
            attributes: Attributes = {
                "category_count_": list(by_column(np.stack([part.flat() for part in parts]), sizes)),
                "feature_log_prob_": list(by_column(np.log(share), sizes)),
                "n_categories_": sizes,
            }
        return estimate(members, parts, attributes)

    def _sizes(self, parts: tuple[CategoryCounts, ...]) -> NDArray[np.int64]:
        found = categories_of(parts)
        if self.min_categories is None:
            return found
        least = np.asarray(self.min_categories)
        if least.dtype.kind not in "iu" or (least.ndim and len(least) != len(found)):
            raise InvalidParameter(
                f"CategoricalNB: min_categories must be whole numbers, one a column, {len(found)}; "
                f"got {self.min_categories!r}."
            )
        if np.any(least > _MOST_CATEGORIES):
            raise InvalidParameter(
                f"CategoricalNB: min_categories can be at most {_MOST_CATEGORIES:,}; got {least.max()}."
            )
        return np.asarray(np.maximum(found, least), dtype=np.int64)

    def _log_densities(self, X: Numbers) -> Floats:
        rows, table = np.asarray(X), np.concatenate(self.feature_log_prob_, axis=1)  # (k, C)
        known = bool(np.all(largest_codes(rows) < self.n_categories_))
        unseen = np.zeros((len(table), rows.shape[1])) if known else self._log_unseen()
        return np.asarray(category_terms(rows, offsets_of(self.n_categories_), table.T, unseen.T))

    def _log_unseen(self) -> Floats:
        weight = column_totals(joined(self.category_count_), self.n_categories_)  # (k, d)
        return log_unseen(weight, alphas(type(self).__name__, self.alpha, weight.shape[1]), self.n_categories_)
