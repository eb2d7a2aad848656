"""What classifiers by votes of rows share."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ...backend.posteriors import proportions
from ...data import Chunk
from ...data.labels import encode
from ...estimator import Attributes, Classifier, check_expected, declares
from ...holds import floats, integers, require
from ...params import learned, param
from ...typing import Floats, Labels, Reals, TableLike, TargetLike, WeightLike
from .base import NeighborsModel
from .ties import RULES, as_rule, is_rule, most_votes
from .training import Training
from .votes import Pairs


@declares
class VotingClassifier(NeighborsModel, Classifier):
    """Base: a subclass gives the pairs of rows and neighbours, and what each counts."""

    ties: object = param(
        "first",
        choices=tuple(RULES),
        accept=is_rule,
        allowed="a tie rule",
        doc="Who decides between classes of equal votes: the first, the nearest row, the larger class, or chance.",
    )
    class_prior_: Floats = learned(
        "The shares of the classes among the rows of the fit, (classes,).", holds=floats("k", at_least=0)
    )
    holds: ClassVar = {"_codes": integers("n", at_least=0, below="k")}

    def check_loaded(self) -> None:
        super().check_loaded()
        targets = self._rows_fit.y
        require(targets is not None and targets.ndim == 1, "the rows of the fit must have a class each")

    def _targets(self, rows: Training) -> Attributes:
        classes, codes = encode(rows.y)
        count = np.bincount(codes, rows.weight, len(classes))
        return {"classes_": classes, "class_prior_": count / count.sum(), "_codes": codes}

    def partial_fit(
        self, X: TableLike, y: TargetLike = None, classes: TargetLike = None, *, sample_weight: WeightLike = None
    ) -> Self:
        """Add rows; `classes` may name the classes to expect, and those that never turn up are not predicted."""
        check_expected(type(self).__name__, y, classes)
        return super().partial_fit(X, y, sample_weight=sample_weight)

    def _pairs(self, X: TableLike) -> Pairs:
        raise TypeError(f"{type(self).__name__} does not define _pairs")

    def _shares(self, X: TableLike, pairs: Pairs) -> Floats:
        """The share of each class in the votes, (m, classes); among all rows where none counts."""
        return proportions(pairs.shares(self._codes, len(self.classes_)), self.class_prior_)

    def predict_proba(self, X: TableLike) -> Reals:
        """The share of each class among the votes, (m, classes)."""
        return self._rows(X, lambda chunk: self._shares(chunk.X, self._pairs(chunk.X)).astype(chunk.X.dtype))

    def predict(self, X: TableLike) -> Labels:
        """The class with most votes; `ties` decides where several have."""
        return self._rows(X, self._decided)

    def _decided(self, chunk: Chunk) -> NDArray[np.generic]:
        return self._decided_by(chunk.X, self._pairs(chunk.X))

    def _decided_by(self, X: TableLike, pairs: Pairs) -> NDArray[np.generic]:
        shares = self._shares(X, pairs)
        tied = most_votes(shares)
        found = np.argmax(shares, axis=1)
        unclear = np.flatnonzero(tied.sum(axis=1) > 1)
        if unclear.size:
            ruled = as_rule(self.ties).decide(tied, pairs, self._codes, self.class_prior_, X)
            found[unclear] = ruled[unclear]
        return np.asarray(self.classes_[found])
