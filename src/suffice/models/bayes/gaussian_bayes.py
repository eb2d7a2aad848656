"""The Gaussian Bayes classifier."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...estimator import estimator
from ...holds import either, floats
from ...params import learned, param
from ...typing import Floats
from .gaussian import GaussianClassifier, Structure


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

    units = "columns"

    covariance: str = param(
        "full",
        positional=True,
        choices=("full", "tied", "diag", "spherical"),
        doc="Each class has its own covariance, all share one, each has a variance for every column, or one variance.",
    )

    covariance_: Floats = learned(
        "The covariances: (k, d, d), tied (d, d), diag (k, d), spherical (k,).",
        holds=either(floats("k", "d", "d"), floats("d", "d"), floats("k", "d"), floats("k")),
    )

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
