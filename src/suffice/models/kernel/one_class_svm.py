"""The support of a density by a support vector machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from sklearn.base import OutlierMixin

from ...backend.smo import Programme
from ...backend.weights import given_or_ones
from ...data import Chunk, Source
from ...engine import Outcome
from ...estimator import Attributes, ByChance, estimator
from ...holds import integers, number, require, whole
from ...params import learned, param
from ...scikit_learn import Counterpart
from ...solvers.smo import State
from ...typing import Codes, Reals, TableLike, Whole
from .sums import filled
from .support_vectors import LEFT_ASIDE, SupportVectorMachine


@estimator
class OneClassSVM(OutlierMixin, SupportVectorMachine):  # type: ignore[misc]
    """Where most rows are: the plane that is farthest from the origin, beyond which a share 1 − ν of the rows lies.

    It minimises ½‖w‖² − ρ + Σᵢ sᵢ max(0, ρ − w·φ(xᵢ)) / (ν Σ s), where φ(x)·φ(x′) = k(x, x′); a row is an outlier where
    w·φ(x) < ρ. Its dual, which is solved, is to minimise ½ Σᵢⱼ αᵢαⱼ k(xᵢ, xⱼ) with Σ αᵢ = ν Σ s and 0 ≤ αᵢ ≤ sᵢ.

    Examples
    --------
    >>> import suffice as sf
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(size=(95, 2)), rng.uniform(5, 9, (5, 2))])
    >>> sf.OneClassSVM(nu=0.1).fit(X).predict([[0.0, 0.0], [6.0, -6.0]])
    array([ 1, -1])
    """

    proposed = False

    counterpart: ClassVar = Counterpart("sklearn.svm", ignored=LEFT_ASIDE)

    exemptions: ClassVar[Mapping[str, str]] = {
        check: ByChance("rows on the boundary are in or out by rounding")
        for check in (
            "check_classifier_data_not_an_array",
            "check_sample_weight_equivalence_on_dense_data",
            "check_sample_weight_equivalence_on_sparse_data",
            "order_of_rows_does_not_matter",
            "single_precision",
        )
    }

    nu: float = param(
        0.5, number=True, above=0, at_most=1, doc="The share of outliers at most, of support vectors at least."
    )

    n_iter_: int = learned("How many pairs of variables moved.", holds=whole())
    n_support_: Whole = learned("How many support vectors there are, (1,).", holds=integers(1, at_least=0))
    offset_: float = learned("ρ, of `score_samples`.", holds=number())

    def _learn(self, source: Source) -> Outcome[Attributes]:
        chunk, places = self._gathered(source)
        similarity, function = self._similarity(chunk, places)
        weight, zero = given_or_ones(chunk.weight, len(chunk)), np.zeros(len(chunk))
        programme = Programme(np.arange(len(chunk)), zero, zero, weight, 0.0, len(chunk))
        outcome = self._solved(similarity, [programme], [filled(weight, self.nu * float(weight.sum()))])

        def attributes(state: State) -> Attributes:
            a, intercept = state[0].a, state[0].levels[0]
            used = np.flatnonzero(a)
            return {
                **self._support(chunk, places, used, function),
                "dual_coef_": a[None, used],
                "intercept_": np.array([intercept]),
                "offset_": -intercept,
                "n_support_": np.array([len(used)]),
                "n_iter_": state[0].pairs,
                "fit_status_": int(outcome.history.status != "converged"),
            }

        return outcome.then(attributes)

    def check_loaded(self) -> None:
        super().check_loaded()
        require(
            self.dual_coef_.shape[0] == 1 and len(self.intercept_) == 1, "dual_coef_ and intercept_ must have one row"
        )

    def score_samples(self, X: TableLike) -> Reals:
        """w·φ(x) of every row, (n,)."""
        self._check_fitted("support_")

        def scores(chunk: Chunk) -> Reals:
            return self._weighted(chunk, self._columns())[:, 0].astype(chunk.X.dtype, copy=False)

        return self._rows(X, scores)

    def decision_function(self, X: TableLike) -> Reals:
        """w·φ(x) − ρ of every row, (n,): below 0 for outliers."""
        found = self.score_samples(X)
        return np.asarray(found - self.offset_, dtype=found.dtype)

    def predict(self, X: TableLike) -> Codes:
        """1 for rows that are where most are, −1 for outliers."""
        return np.where(self.decision_function(X) >= 0, 1, -1)
