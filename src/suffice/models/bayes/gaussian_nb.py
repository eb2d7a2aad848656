"""Gaussian naive Bayes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ... import backend
from ...data import Chunk, Needs, Source
from ...distributions import Beta, Dirichlet
from ...engine import Step
from ...errors import InvalidData
from ...estimator import Attributes, SummaryClassifier, estimator
from ...holds import floats, instance
from ...params import learned, param
from ...resampling.left_out_rows import LeftOutRows
from ...scikit_learn import Counterpart
from ...statistics import DiagonalMoments, PerClass
from ...typing import Floats
from .base import BayesClassifier, class_prior, log_of, priors_param, with_rows
from .left_out import Columns, given_prior, is_plain, left_out


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

    complexity = "-var_smoothing"

    proposed = False  # NaiveBayes is the same on numbers, and takes categories as they are

    # `var_smoothing` is a share of the largest variance, as in scikit-learn: the unit of one column changes it for all.
    units = "common"

    counterpart: ClassVar = Counterpart("sklearn.naive_bayes")

    needs = Needs(target="classes", missing=True)
    holds: ClassVar = {"summary_": instance(PerClass, d="d")}

    priors: ArrayLike | Beta | Dirichlet | None = priors_param(positional=True)
    var_smoothing: float = param(
        1e-9,
        number=True,
        at_least=0,
        doc="This share of the largest column variance (of 1 if all columns are constant) is added to every variance.",
    )

    class_prior_: Floats = learned("P(class), (k,).", holds=floats("k", at_least=0))
    class_count_: Floats = learned("The weight of the rows of each class, (k,).", holds=floats("k"))
    theta_: Floats = learned("The mean of each class and column, (k, d).", holds=floats("k", "d"))
    var_: Floats = learned(
        "The variance of each class and column, (k, d); infinite where no value was seen.",
        holds=floats("k", "d", finite=False, above=0),
    )
    epsilon_: float = learned("What was added to every variance.")

    def check_loaded(self) -> None:
        super().check_loaded()
        self.summary_.check_parts(DiagonalMoments)

    def summarise(self, chunk: Chunk) -> PerClass[DiagonalMoments]:
        return PerClass.of(chunk.X, chunk.y, chunk.weight)

    def solve(self, summary: PerClass[DiagonalMoments]) -> Step[Attributes]:
        summary = with_rows(type(self).__name__, summary)
        parts, count = summary.parts, summary.weight
        cells = np.stack([part.weight for part in parts])  # (k, d)
        scatter = np.stack([part.scatter for part in parts])
        epsilon = self.var_smoothing * (_largest_variance(parts) or 1.0)
        variance = scatter / np.where(cells > 0, cells, 1) + epsilon
        if not np.all(variance > 0):
            k, j = np.argwhere(variance == 0)[0]
            raise InvalidData(
                f"GaussianNB: column {j} has no variance in class '{summary.classes[k]}', so its density is "
                "infinite. Give var_smoothing a number above 0."
            )
        variance = np.where(cells > 0, variance, np.inf)  # never seen: says nothing at predict
        prior = class_prior(type(self).__name__, "priors", self.priors, count)
        attributes = {
            "classes_": summary.classes,
            "class_count_": count,
            "class_prior_": prior,
            "theta_": np.stack([part.mean for part in parts]),
            "var_": variance,
            "epsilon_": epsilon,
        }
        return Step(attributes, -_log_likelihood(count, prior, cells, scatter, variance))

    def _left_out(self, source: Source) -> LeftOutRows | None:
        rows, summary = source.in_memory, with_rows(type(self).__name__, self.summary_)
        complete = all(np.all(part.weight == own) for part, own in zip(summary.parts, summary.weight, strict=True))
        if rows is None or not complete or not is_plain(self.priors):
            return None
        total = sum(summary.parts[1:], summary.parts[0])
        scatter = np.stack([part.scatter for part in summary.parts])
        columns = Columns(self.theta_, scatter, summary.weight, total.mean, total.scatter, self.var_smoothing)
        return left_out(rows, self.classes_, summary.weight, given_prior(self.priors), columns.scores)

    def _log_prior(self) -> Floats:
        return log_of(self.class_prior_)

    def _log_joint(self, chunk: Chunk) -> Floats:
        return np.asarray(backend.diagonal_log_density(chunk.X, self.theta_, self.var_, self._log_prior()))

    def _draw(self, k: int, n: int, rng: np.random.Generator) -> Floats:
        spread = np.where(np.isinf(self.var_[k]), np.nan, np.sqrt(self.var_[k]))  # never seen: drawn as missing
        return np.asarray(self.theta_[k] + spread * rng.standard_normal((n, len(spread))))


def _largest_variance(parts: tuple[DiagonalMoments, ...]) -> float:
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
