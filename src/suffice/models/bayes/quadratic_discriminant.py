"""Quadratic discriminant analysis."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ...data import Chunk
from ...estimator import estimator
from ...params import derived, param
from ...scikit_learn import Counterpart
from ...statistics import RootMoments
from ...typing import Floats
from .discriminant import Discriminant
from .few_rows import RootCovariance
from .gaussian import Structure


@estimator
class QuadraticDiscriminantAnalysis(Discriminant):
    """Quadratic discriminant analysis, a Gaussian in each class: P(c | x) ∝ P(c) N(x; mean_c, covariance_c).

    The boundary between two classes is a quadric. With `shrinkage` and `reg_param` the covariance of a class is first
    moved towards a multiple of the identity, then (1 − r) C + r I is taken. Missing values are integrated out: by EM
    at `fit`, and by the density of what is there at `predict`. A covariance that is singular still is raised to
    `floor`, with a warning. The objective is the negative log likelihood of the rows with their classes.

    Examples
    --------
    >>> import suffice as sf
    >>> crabs = sf.datasets.load("crabs")
    >>> model = sf.QuadraticDiscriminantAnalysis().fit(crabs.matrix(), crabs["sp"])
    >>> model.score(crabs.matrix(), crabs["sp"])
    1.0
    """

    complexity = "-shrinkage"

    units = "columns"

    counterpart: ClassVar = Counterpart(
        "sklearn.discriminant_analysis",
        ignored={
            "solver": "there is one way, which takes shrinkage",
            "store_covariance": "`covariance_` is computed when it is read",
            "tol": "singular covariances are raised to `floor`",
        },
        absent={"covariance_estimator": "use `shrinkage`"},
    )

    reg_param: float = param(
        0.0, number=True, at_least=0, at_most=1, doc="The share of the identity in each covariance."
    )

    @derived
    def covariance_(self) -> Floats:
        """The covariance of each class, (k, d, d)."""
        return np.stack([member.covariance for member in self._members])

    @derived
    def _axes(self) -> tuple[Floats, Floats]:
        values, vectors = np.linalg.eigh(self.covariance_)
        return values[:, ::-1], vectors[:, :, ::-1]

    @derived
    def rotations_(self) -> Floats:
        """The principal axes of each class as columns, (k, d, d)."""
        return self._axes[1]

    @derived
    def scalings_(self) -> Floats:
        """The variance along each of them, falling, (k, d)."""
        return self._axes[0]

    def _structure(self) -> Structure:
        return "full"

    def _covariance(self, parts: tuple[Any, ...]) -> Floats:
        factors = [self._correction(part.weight, 1, "a class") for part in parts]
        covariance = self._covariances(parts) * np.array(factors)[:, None, None]
        return np.asarray((1 - self.reg_param) * covariance + self.reg_param * np.eye(self.n_features_in_))

    def _scores(self, chunk: Chunk) -> Floats:
        return np.asarray(self._log_joint(chunk) + 0.5 * self.n_features_in_ * np.log(2 * np.pi))

    def _root_covariance(self, parts: tuple[RootMoments, ...]) -> list[RootCovariance]:
        factors = [(1 - self.reg_param) * self._correction(part.weight, 1, "a class") for part in parts]
        each = zip(self._root_covariances(parts), factors, strict=True)
        return [own.times(factor).with_noise(self.reg_param) for own, factor in each]


QuadraticDiscriminant = QuadraticDiscriminantAnalysis  # pickles and files of earlier versions name it so
