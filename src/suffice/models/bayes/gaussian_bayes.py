"""The Gaussian Bayes classifier."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ...estimator import Attributes, estimator
from ...holds import choice, sometimes
from ...params import derived, param
from ...statistics import RootMoments
from ...typing import Floats
from .few_rows import RootCovariance, pooled, shrunk_root
from .gaussian import GaussianClassifier, Structure, Within


@estimator
class GaussianBayes(GaussianClassifier):
    """Bayes' rule with a Gaussian in each class: P(c | x) ∝ P(c) N(x; mean_c, covariance_c).

    The estimates are those of maximum likelihood, from the moments of each class, so rows can be added with
    `partial_fit` and taken away with `remove`. Missing values are integrated out: by EM at `fit`, and by the density
    of what is there at `predict`. A singular covariance is raised to `floor`, with a warning. The objective is the
    negative log likelihood of the rows with their classes.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.GaussianBayes("full").fit(iris.matrix(), iris["species"])
    >>> model.score(iris.matrix(), iris["species"])
    0.98
    >>> X, y = model.sample(3, random_state=0)
    >>> model.log_density(X + 5).round() < model.log_density(X).round()
    array([ True,  True,  True])
    """

    proposed = False  # QuadraticDiscriminantAnalysis is the same with its defaults

    units = "columns"

    covariance: str = param(
        "full",
        positional=True,
        choices=("full", "tied", "diag", "spherical"),
        doc="Each class has its own covariance, all share one, each has a variance for every column, or one variance.",
    )

    holds: ClassVar = {"_fitted_as": sometimes(choice("full", "tied", "diag", "spherical"))}

    @derived
    def covariance_(self) -> Floats:
        """The covariances: (k, d, d), tied (d, d), diag (k, d), spherical (k,)."""
        structure = getattr(self, "_fitted_as", self.covariance)
        if structure == "tied":
            return np.asarray(self._members[0].covariance)
        spread = np.stack([member.spread for member in self._members])
        return spread[:, 0] if structure == "spherical" else spread

    def _structure(self) -> Structure:
        return self.covariance  # type: ignore[return-value]

    def _covariance(self, parts: tuple[Any, ...]) -> Floats:
        scatter = np.stack([part.scatter for part in parts])
        weight = np.stack([np.asarray(part.weight) for part in parts])  # (k,), or (k, d) of the cells
        if self.covariance == "full":
            return np.asarray(scatter / weight[:, None, None])
        if self.covariance == "tied":
            return np.asarray(scatter.sum(axis=0) / weight.sum())
        if self.covariance == "spherical":
            scatter, weight = (np.broadcast_to(a.sum(axis=1, keepdims=True), a.shape) for a in (scatter, weight))
        seen = weight > 0
        return np.where(seen, scatter / np.where(seen, weight, 1.0), np.inf)

    def _root_covariance(self, parts: tuple[RootMoments, ...]) -> list[RootCovariance]:
        each = [shrunk_root(part, None, self.n_features_in_) for part in parts]
        weight = np.array([part.weight for part in parts])
        return [pooled(each, weight / weight.sum())] if self.covariance == "tied" else each

    def _also(self, means: Floats, prior: Floats, within: Within) -> Attributes:
        return {"_fitted_as": self.covariance}
