"""What support vector machines for numbers share."""

from __future__ import annotations

import numpy as np

from ...backend.smo import Programme, Solved
from ...backend.weights import given_or_ones
from ...data import Chunk, Needs, Source
from ...engine import Outcome
from ...estimator import Attributes, Regressor, declares
from ...holds import integers, require, whole
from ...params import learned, param
from ...solvers.smo import State
from ...typing import Floats, Reals, TableLike, Whole
from .support_vectors import SupportVectorMachine


@declares
class SupportVectorRegressor(Regressor, SupportVectorMachine):
    """Base: a subclass gives the programme of its rows, where it starts, and what follows from its solution."""

    needs = Needs(target="numbers", one_target=True, scaled=True, one_hot=True, sparse=True)

    _task = "is within epsilon of all rows"

    C: float = param(1.0, number=True, above=0, doc="How much errors cost; ∞ allows none.")

    n_iter_: int = learned("How many pairs of variables moved.", holds=whole())
    n_support_: Whole = learned("How many support vectors there are, (1,).", holds=integers(1, at_least=0))

    def _programme(self, y: Floats, cost: Floats) -> tuple[Programme, Floats]:
        """The programme, and where it starts."""
        raise NotImplementedError

    def _plane(self, found: Solved) -> tuple[Floats, float]:
        """What rows count, (n,), and the intercept."""
        raise NotImplementedError

    def _learn(self, source: Source) -> Outcome[Attributes]:
        chunk, places = self._gathered(source)
        similarity, function = self._similarity(chunk, places)
        y = np.asarray(chunk.y, dtype=np.float64)
        programme, start = self._programme(y, self.C * given_or_ones(chunk.weight, len(chunk)))
        outcome = self._solved(similarity, [programme], [start])

        def attributes(state: State) -> Attributes:
            counts, intercept = self._plane(state[0])
            used = np.flatnonzero(counts)
            return {
                **self._support(chunk, places, used, function),
                "dual_coef_": counts[None, used],
                "intercept_": np.array([intercept]),
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

    def predict(self, X: TableLike) -> Reals:
        """Σ `dual_coef_` k(x, support vector) + `intercept_` of every row, (n,)."""
        self._check_fitted("support_")

        def predicted(chunk: Chunk) -> Reals:
            found = self._weighted(chunk, self._columns())[:, 0] + self.intercept_[0]
            return np.asarray(found, dtype=chunk.X.dtype)

        return self._rows(X, predicted)
