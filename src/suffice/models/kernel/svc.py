"""Support vector machines for classes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import ClassVar, Self

import numpy as np
from sklearn.base import clone

from ...backend.smo import Programme, Solved
from ...data.rows import as_values
from ...errors import InvalidData, InvalidParameter, shown
from ...estimator import estimator
from ...params import are_numbers, check, param
from ...scikit_learn import Counterpart
from ...typing import Floats, Reals, TableLike, TargetLike, WeightLike, Whole
from .class_pairs import ClassPairs
from .support_vector_classifier import SupportVectorClassifier
from .support_vectors import LEFT_ASIDE

COSTS = (0.01, 0.1, 1.0, 10.0, 100.0)


@estimator
class SVC(SupportVectorClassifier):
    """A support vector machine: minimises ½‖w‖² + C Σᵢ sᵢ max(0, 1 − yᵢ (w·φ(xᵢ) + b)), where φ(x)·φ(x′) = k(x, x′).

    Its dual, which is solved, is to minimise ½ Σᵢⱼ αᵢαⱼyᵢyⱼ k(xᵢ, xⱼ) − Σᵢ αᵢ with Σ αᵢyᵢ = 0 and 0 ≤ αᵢ ≤ C sᵢ; the
    rows with αᵢ > 0 are the support vectors. Several classes are learned one against one, each pair by itself; a row
    gets the class of most votes. C = ∞ asks for a hard margin: no row may be on the wrong side, and classes that no
    plane tells apart are refused.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.SVC(C=10).fit(iris.matrix(), iris["species"])
    >>> model.n_support_.tolist(), round(model.score(iris.matrix(), iris["species"]), 2)
    ([4, 11, 12], 0.99)
    """

    complexity = "C"

    proposed = True
    most_rows = 10_000

    counterpart: ClassVar = Counterpart("sklearn.svm", ignored=LEFT_ASIDE)

    C: float = param(1.0, number=True, above=0, doc="How much errors cost; ∞ for a hard margin.")

    def _programme(self, pairs: ClassPairs, i: int, j: int) -> Programme:
        return pairs.programme(i, j)

    def _cost(self, weight: Floats) -> Floats:
        return weight * self.C

    def _plane(self, found: Solved) -> tuple[Floats, float]:
        return found.a, found.levels[0]

    def margins(self, X: TableLike, y: TargetLike) -> Reals:
        """y (w·φ(x) + b) of every row, (n,), with y = ±1: below 1 within the margin, below 0 on the wrong side.

        Of several classes it is the least margin of the row's own class against any other.
        """
        self._check_fitted("support_")
        k, labels = len(self.classes_), as_values(y, type(self).__name__).tolist()
        place = {label: c for c, label in enumerate(self.classes_.tolist())}
        code = np.array([place.get(label, -1) if isinstance(label, Hashable) else -1 for label in labels], dtype=int)
        decisions = self._rows(X, self._decisions)
        if len(labels) != len(decisions) or np.any(code < 0):
            raise InvalidData(
                f"{type(self).__name__}: y must hold a class of the fit for each of {len(decisions)} rows."
            )
        if k == 2:
            return np.asarray(np.where(code == 1, 1, -1) * decisions[:, 0], dtype=decisions.dtype)
        own = [
            np.where(code == i, found, np.where(code == j, -found, np.inf))
            for found, (i, j) in zip(decisions.T, combinations(range(k), 2), strict=True)
        ]
        return np.asarray(np.min(own, axis=0), dtype=decisions.dtype)

    def path(
        self, X: TableLike, y: TargetLike = None, *, C: Sequence[float] = COSTS, sample_weight: WeightLike = None
    ) -> list[Self]:
        """A fitted model for each C, in the order of C, each begun where the one before ended; by default 0.01 to 100.

        With C the variables of the dual grow in proportion: α C′ / C is where the fit for C′ begins.
        """
        check(self)
        if not are_numbers(C, 1):
            raise InvalidParameter(f"{type(self).__name__}: C must be a list of numbers above 0; got {shown(C)}.")
        found: list[Self] = []
        for value in np.asarray(C).tolist():
            model = clone(self).set_params(C=value)
            if found and np.isfinite(found[-1].C) and np.isfinite(value):
                model._begin_at = found[-1]
            try:
                found.append(model.fit(X, y, sample_weight))
            finally:
                model.__dict__.pop("_begin_at", None)
        return found

    def _first_variables(self, pairs: ClassPairs, places: Whole) -> list[Floats] | None:
        before: SVC | None = getattr(self, "_begin_at", None)
        if before is None:
            return None
        counts = np.zeros((max(int(places.max(initial=-1)) + 1, int(before.support_.max(initial=-1)) + 1), pairs.k - 1))
        counts[before.support_] = before.dual_coef_.T * (self.C / before.C) * (-1 if pairs.k == 2 else 1)
        own = counts[places]
        return [np.concatenate([own[pairs.rows[i], j - 1], own[pairs.rows[j], i]]) for i, j in pairs]
