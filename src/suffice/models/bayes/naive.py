"""The base of naive Bayes: a distribution of each class in which the columns are independent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...data import Chunk, Needs
from ...distributions import Beta, Dirichlet, Distribution
from ...engine import Step
from ...errors import InvalidParameter
from ...estimator import Attributes, SummaryClassifier, declares
from ...holds import floats, instance, tuples
from ...params import are_numbers, learned, numbers, param
from ...statistics import PerClass
from ...typing import Floats, Labels, Numbers
from .base import BayesClassifier, class_prior, log_of, priors_param, with_rows


@dataclass(frozen=True)
class Estimate:
    """The member of each class, Σ w log p(x | class) of the rows, and the attributes that follow."""

    members: tuple[object, ...]
    log_likelihood: float
    attributes: Attributes


def estimate(members: tuple[Any, ...], parts: tuple[object, ...], attributes: Attributes) -> Estimate:
    """The estimate whose likelihood the members know."""
    return Estimate(members, float(type(members[0]).total_log_probs(members, parts)), attributes)


@declares
class NaiveClassifier(BayesClassifier, SummaryClassifier):
    """Base: a subclass gives the family, how its statistics are taken, and what else follows from the members."""

    needs = Needs(target="classes", missing=True)

    fit_prior: bool = param(True, choices=(True, False), doc="Whether P(class) is learned; else all are equal.")
    class_prior: ArrayLike | Beta | Dirichlet | None = priors_param(otherwise="takes it as `fit_prior` says")

    class_count_: Floats = learned("The weight of the rows of each class, (k,).", holds=floats("k", above=0))
    class_log_prior_: Floats = learned("log P(class), (k,).", holds=floats("k", finite=False, at_most=0))
    holds: ClassVar = {
        "summary_": instance(PerClass, d="d"),
        "_members": tuples(instance(Distribution, d="d"), "k"),
    }

    def _prepared(self, chunk: Chunk) -> Numbers:
        """The rows in the form that the family takes, checked."""
        raise TypeError(f"{type(self).__name__} does not define _prepared")

    def _grouped(self, X: Numbers, group: Numbers, groups: int, weight: Numbers | None) -> tuple[object, ...]:
        raise TypeError(f"{type(self).__name__} does not define _grouped")

    def _estimate(self, parts: tuple[Any, ...], classes: Labels) -> Estimate:
        """What follows from the statistics of the classes, whose labels are for messages."""
        raise TypeError(f"{type(self).__name__} does not define _estimate")

    def summarise(self, chunk: Chunk) -> PerClass[Any]:
        return PerClass.by(self._grouped, self._prepared(chunk), chunk.y, chunk.weight)

    def solve(self, summary: PerClass[Any]) -> Step[Attributes]:
        summary = with_rows(type(self).__name__, summary)
        prior = self._class_prior(summary.weight)
        found = self._estimate(summary.parts, summary.classes)
        attributes = {
            "classes_": summary.classes,
            "class_count_": summary.weight,
            "class_log_prior_": log_of(prior),
            "_members": found.members,
            **found.attributes,
        }
        with np.errstate(divide="ignore", invalid="ignore"):
            return Step(attributes, -float(np.nansum(summary.weight * np.log(prior))) - found.log_likelihood)

    def _class_prior(self, count: Floats) -> Floats:
        shares = count if self.fit_prior or self.class_prior is not None else np.ones(len(count))
        return class_prior(type(self).__name__, "class_prior", self.class_prior, shares)

    def _log_prior(self) -> Floats:
        return self.class_log_prior_

    def _log_joint(self, chunk: Chunk) -> Floats:
        found = self._log_densities(self._prepared(chunk))
        found += self.class_log_prior_
        return found

    def _remedy(self) -> str:
        smoothing = vars(self).get("alpha")
        unsmoothed = smoothing is not None and np.any(np.asarray(smoothing) == 0)
        return "; give alpha a number above 0" if unsmoothed else ""

    def _log_densities(self, X: Numbers) -> Floats:
        """log p(x | class), (n, k), up to a term that is the same for all classes."""
        return np.asarray(type(self._members[0]).log_probs(self._members, X))


def alpha_param(doc: str) -> object:
    """The declaration of the smoothing."""
    return param(
        1.0,
        number=True,
        at_least=0,
        accept=lambda value: are_numbers(value, 1),
        allowed="a list of one number a column",
        doc=doc,
    )


def alphas(owner: str, alpha: Any, d: int) -> Floats:
    """The smoothing of each column, (d,)."""
    each = np.float64(alpha) if np.ndim(alpha) == 0 else numbers(owner, "alpha", alpha, (d,), "one number a column")
    if np.any(~(each >= 0)):
        raise InvalidParameter(f"{owner}: alpha must be at least 0; got {alpha!r}.")
    return np.broadcast_to(each, d)
