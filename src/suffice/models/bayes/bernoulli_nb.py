"""Bernoulli naive Bayes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ...data import Chunk, Needs
from ...distributions import Bernoulli, Distribution
from ...errors import InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import floats
from ...params import learned, param
from ...scikit_learn import Counterpart
from ...typing import Floats, Numbers
from .linear_nb import LinearNB, check_sparse_gaps
from .naive import alpha_param


@estimator
class BernoulliNB(LinearNB):
    """Naive Bayes with a flag in every column: P(c | x) ∝ P(c) ∏ⱼ p_cj^xⱼ (1 − p_cj)^(1 − xⱼ).

    p_cj = (n_cj + α) / (n_c + 2α), where n_cj of the n_c rows of the class have the flag. Missing values are left out:
    of the counts at `fit`, and of the product at `predict`. The objective is the negative log likelihood of the rows
    with their classes.

    Examples
    --------
    >>> import suffice as sf
    >>> words = [[1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 1]]
    >>> model = sf.BernoulliNB().fit(words, ["a", "a", "b", "b"])
    >>> model.predict_proba([[1, 0, 0]]).round(2)
    array([[0.9, 0.1]])
    """

    complexity = "-alpha"

    read_late = ("binarize",)
    suits = "flags"

    counterpart: ClassVar = Counterpart("sklearn.naive_bayes", absent={"force_alpha": "alpha is taken as it is"})

    family: ClassVar[Distribution] = Bernoulli()

    alpha: object = alpha_param("So many rows with the flag, and as many without, are added to each class and column.")
    binarize: float | None = param(
        0.0, number=True, choices=(None,), doc="Cells above this are flags; None if they are 0 and 1 already."
    )

    feature_log_prob_: Floats = learned(
        "log p, of the flag in each class and column, (k, d).", holds=floats("k", "d", finite=False)
    )

    def _fit_needs(self) -> Needs:
        return self._needs()  # a cell that is infinite would be a flag, so it is looked for beforehand

    def _prepared(self, chunk: Chunk) -> Any:
        X, owner = chunk.X, type(self).__name__
        check_sparse_gaps(X, owner, chunk.number)
        if self.binarize is None:
            self.family.check(X, owner, chunk.number)
            return X
        if not hasattr(X, "tocsr"):
            return np.where(np.isnan(X), X, self.binarize < X)
        if self.binarize < 0:
            raise InvalidParameter(
                f"{owner}: binarize must be at least 0 for a sparse matrix, whose zeros are no flags; "
                f"got {self.binarize}."
            )
        return type(X)(((X.data > self.binarize).astype(X.dtype), X.indices, X.indptr), X.shape)

    def _terms(self, members: tuple[Any, ...]) -> tuple[Floats, Floats, Attributes]:
        p = np.stack([member.probability for member in members])
        log_p, log_q = np.log(p), np.log1p(-p)
        return log_p - log_q, log_q, {"feature_log_prob_": log_p}

    def _log_densities(self, X: Numbers) -> Floats:
        return super()._log_densities(X) if self._is_smooth() else Bernoulli.log_probs(self._members, X)
