"""Gaussian naive Bayes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ... import backend
from ...data import Chunk, Needs
from ...engine import Step
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, SummaryClassifier, estimator
from ...params import learned, param
from ...statistics import DiagonalMoments, PerClass
from .base import BayesClassifier

Floats = NDArray[np.float64]


@estimator
class GaussianNB(BayesClassifier, SummaryClassifier):
    """Naive Bayes with a Gaussian in every column: P(c | x) ∝ P(c) ∏ⱼ N(xⱼ; mean_cj, variance_cj).

    The summary is the weight, mean and centred squares of each class and column, so rows can be added with
    `partial_fit` and taken away with `remove`. Missing values are left out: of the sums at `fit`, and of the
    product at `predict`. The objective is the negative log likelihood of the rows with their classes.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.GaussianNB().fit(iris.matrix(), iris["species"])
    >>> model.score(iris.matrix(), iris["species"])
    0.96
    """

    needs = Needs(target="classes", missing=True)

    priors: Any = param(
        None,
        positional=True,
        choices=(None,),
        accept=lambda value: np.ndim(value) == 1,
        allowed="a list of one probability a class",
        doc="P(class) in the order of `classes_`; None takes the shares of the classes in the data.",
    )
    var_smoothing: float = param(
        1e-9,
        number=True,
        at_least=0,
        doc="This share of the largest column variance (of 1 if all columns are constant) is added to every variance.",
    )

    class_prior_: Floats = learned("P(class), (k,).")
    class_count_: Floats = learned("The weight of the rows of each class, (k,).")
    theta_: Floats = learned("The mean of each class and column, (k, d).")
    var_: Floats = learned("The variance of each class and column, (k, d); infinite where no value was seen.")
    epsilon_: float = learned("What was added to every variance.")

    def summarise(self, chunk: Chunk) -> PerClass[DiagonalMoments]:
        return PerClass.of(chunk.X, chunk.y, chunk.weight)

    def solve(self, summary: PerClass[DiagonalMoments]) -> Step[Attributes]:
        present = np.flatnonzero(summary.weight > 0)
        if not len(present):
            raise InvalidData("GaussianNB: no rows are left; at least one must stay.")
        parts = [summary.parts[k] for k in present]
        count = summary.weight[present]
        cells = np.stack([part.weight for part in parts])  # (k, d)
        scatter = np.stack([part.scatter for part in parts])
        epsilon = self.var_smoothing * (_largest_variance(parts) or 1.0)
        variance = scatter / np.where(cells > 0, cells, 1) + epsilon
        if not np.all(variance > 0):
            k, j = np.argwhere(variance == 0)[0]
            raise InvalidData(
                f"GaussianNB: column {j} has no variance in class '{summary.classes[present][k]}', so its density is "
                "infinite. Give var_smoothing a number above 0."
            )
        variance = np.where(cells > 0, variance, np.inf)  # never seen: says nothing at predict
        prior = self._prior(count)
        attributes = {
            "classes_": summary.classes[present],
            "class_count_": count,
            "class_prior_": prior,
            "theta_": np.stack([part.mean for part in parts]),
            "var_": variance,
            "epsilon_": epsilon,
        }
        return Step(attributes, -_log_likelihood(count, prior, cells, scatter, variance))

    def _prior(self, count: Floats) -> Floats:
        if self.priors is None:
            return np.asarray(count / count.sum())
        priors = np.asarray(self.priors, dtype=np.float64)
        if len(priors) != len(count):
            raise InvalidParameter(f"GaussianNB: priors must have one number a class, {len(count)}; got {len(priors)}.")
        if np.any(priors < 0) or not np.isclose(priors.sum(), 1.0):
            raise InvalidParameter(f"GaussianNB: priors must be probabilities that sum to 1; got {self.priors!r}.")
        return priors

    def _log_joint(self, chunk: Chunk) -> NDArray[Any]:
        with np.errstate(divide="ignore"):
            log_prior = np.log(self.class_prior_)
        joint = backend.diagonal_log_density(chunk.X, self.theta_, self.var_) + log_prior
        return np.asarray(joint, dtype=chunk.X.dtype)


def _largest_variance(parts: list[DiagonalMoments]) -> float:
    """The largest variance of a column over all classes together."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return float(np.nanmax(np.append(total.variance(), 0.0)))


def _log_likelihood(count: Floats, prior: Floats, cells: Floats, scatter: Floats, variance: Floats) -> float:
    seen = cells > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        density = np.where(seen, cells * np.log(2 * np.pi * variance) + scatter / variance, 0.0)
        return float(count @ np.log(prior) - 0.5 * np.nansum(density))
