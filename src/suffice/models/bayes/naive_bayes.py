"""Naive Bayes with a family of its own in every column."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from ...data import Chunk, Needs
from ...distributions import FAMILIES, Categorical, DiagonalGaussian, Distribution, Gaussian, Independent
from ...distributions.independent import PartStatistics
from ...distributions.loaded import check_statistic
from ...distributions.support import NUMBERS
from ...errors import InvalidData, InvalidParameter
from ...estimator import estimator
from ...holds import floats, instance, require, tuples
from ...params import learned, param
from ...statistics import PerClass
from ...typing import Floats, Labels, Numbers
from .base import with_rows
from .categories import categories_of, log_unseen, widened
from .naive import Estimate, estimate
from .smoothing import smoothed
from .text_columns import TextColumns


def _rounds_needed(family: Distribution) -> str:
    if not family.latent:
        return ""
    return f"{type(family).__name__} is fitted in iterations of EM, and naive Bayes goes through the rows once"


ONE_PASS = FAMILIES.only(_rounds_needed)


@estimator
class NaiveBayes(TextColumns):
    """Naive Bayes with a family for each column: P(c | x) ∝ P(c) ∏ⱼ pⱼ(xⱼ | c).

    `families` maps a column, by name or position, or a tuple of columns, to a family: a name, or a distribution of
    `sf.distributions`. Columns it does not mention are categorical where they hold text, else Gaussian. Flags, counts
    and categories are smoothed by `alpha` as in `BernoulliNB`, `PoissonNB`, `MultinomialNB` and `CategoricalNB`,
    variances by `var_smoothing`. Missing values are left out: of the statistics at `fit`, and of the product at
    `predict`. The objective is the negative log likelihood of the rows with their classes.

    Examples
    --------
    >>> import suffice as sf
    >>> rows = np.array([[1.8, 0, 2], [1.6, 0, 3], [1.2, 1, 0], [1.1, 1, 1]])
    >>> model = sf.NaiveBayes({1: "bernoulli", 2: "poisson"}).fit(rows, ["tall", "tall", "short", "short"])
    >>> model.predict([[1.7, 0, 4], [np.nan, 1, 0]]).tolist()
    ['tall', 'short']
    >>> model.families_[0].parts[0].probability
    array([0.75])
    """

    complexity = "-alpha"

    units = "columns"

    needs = Needs(target="classes", missing=True, categories=True)

    families: Any = param(
        None,
        positional=True,
        choices=(None,),
        names=ONE_PASS,
        accept=lambda value: isinstance(value, Mapping),
        allowed="a mapping from columns to families",
        doc="The family of each column, or one for all; None is Gaussian.",
    )
    alpha: float = param(1.0, number=True, at_least=0, doc="The smoothing of flags, counts and categories.")
    var_smoothing: float = param(
        1e-9,
        number=True,
        at_least=0,
        doc="This share of the variance of its column (of 1 if it is constant) is added to every variance.",
    )

    families_: tuple[Independent, ...] = learned(
        "The distribution of each class, one part for each key of `families`.",
        holds=tuples(instance(Independent), "k"),
    )
    holds: ClassVar = {
        "summary_": instance(PerClass),
        "_members": tuples(instance(Independent), "k"),
        "_most": floats("d", finite=False, at_least=0),
    }

    def check_loaded(self) -> None:
        super().check_loaded()
        self.summary_.check_parts(PartStatistics)
        family, member = self._family(), self._members[0]
        alike = [type(part) for part in family.parts] == [type(part) for part in member.parts]
        require(alike and family.columns == member.columns, "_members must be of the families that were asked for")
        columns = sorted(column for key in member.columns for column in key)
        require(columns == list(range(self.n_features_in_)), "_members must have a family for every column")
        for part in self.summary_.parts:
            check_statistic(member, part)

    def _fit_needs(self) -> Needs:
        return self._needs()  # not every statistic shows an infinite cell, so it is looked for beforehand

    def _prepared(self, chunk: Chunk) -> Numbers:
        owner, family, X = type(self).__name__, self._family(), self._with_unseen(chunk.X)
        for key, part in family.families.items():
            if part.support != NUMBERS:  # infinite cells were refused when the rows came in
                Independent({key: part}).check(X, owner, chunk.number)
            if isinstance(part, Gaussian) and np.isnan(X[:, list(key)]).any():
                raise InvalidData(
                    f"{owner}: columns {key} share a Gaussian, which needs complete rows; fill the missing values."
                )
        return X

    def _grouped(self, X: Numbers, group: Numbers, groups: int, weight: Numbers | None) -> tuple[object, ...]:
        return self._family().grouped_statistics(X, group, groups, weight)

    def _estimate(self, parts: tuple[Any, ...], classes: Labels) -> Estimate:
        family = self._family()
        columns = list(zip(*(part.parts for part in parts), strict=True))  # for each key the statistic of every class
        most = np.full(self.n_features_in_, np.inf)
        families = {}
        for g, (key, own) in enumerate(family.families.items()):
            if isinstance(own, Categorical):
                sizes = categories_of(columns[g])
                columns[g] = tuple(widened(part, sizes) for part in columns[g])
                most[list(key)] = sizes
            families[key] = self._with_floor(own, columns[g]) if isinstance(own, DiagonalGaussian) else own
        whole = Independent(families)
        each = zip(*columns, strict=True)
        parts = tuple(dataclasses.replace(part, parts=own) for part, own in zip(parts, each, strict=True))
        members = tuple(smoothed(whole, part, self.alpha) for part in parts)
        for label, member in zip(classes, members, strict=True):
            _check_finite(member, label)
        return estimate(members, parts, {"families_": members, "_most": most})

    def _with_floor(self, family: DiagonalGaussian, parts: tuple[Any, ...]) -> DiagonalGaussian:
        """The family with the floor of its columns; a column that a class never has is that of all rows there."""
        total = sum(parts[1:], parts[0])
        variance = total.scatter / np.where(total.weight > 0, total.weight, 1.0)
        variance = np.where(variance > 0, variance, 1.0)
        floor: Floats = self.var_smoothing * variance
        return dataclasses.replace(family.around(total.mean, variance), floor=floor)

    def _log_joint(self, chunk: Chunk) -> Floats:
        if not all(isinstance(part, DiagonalGaussian) for part in self._members[0].parts):
            return super()._log_joint(chunk)
        return self._log_densities(chunk.X) + self.class_log_prior_  # any number may be in any column

    def _log_densities(self, X: Numbers) -> Floats:
        return self._with_unseen_terms(X, self._most)

    def _log_unseen(self) -> Floats:
        summary, d = with_rows(type(self).__name__, self.summary_), self.n_features_in_
        weight = np.zeros((len(summary.parts), d))
        for g, (key, own) in enumerate(self._family().families.items()):
            if isinstance(own, Categorical):
                counts = [part.parts[g].counts for part in summary.parts]
                weight[:, list(key)] = [[column.sum() for column in columns] for columns in counts]
        return log_unseen(weight, np.full(d, self.alpha), np.where(np.isfinite(self._most), self._most, 0.0))

    def _family(self) -> Independent:
        """The families with positions for names, Gaussian where nothing else is said."""
        d = self.n_features_in_
        if self.families is None and not self._text():
            return _all_gaussian(d)
        families = self.families.families if isinstance(self.families, Independent) else self.families or {}
        if not isinstance(families, Mapping):
            return self._for_text(Independent({tuple(range(d)): _known("all columns", families)}))
        names = list(getattr(self, "feature_names_in_", ()))
        given = Independent({key: _known(key, family) for key, family in families.items()}).named(names)
        used = {column for key in given.columns for column in key}
        if used and not all(0 <= column < d for column in used):  # type: ignore[operator]
            raise InvalidParameter(f"NaiveBayes: families names column {max(used)}, but X has {d} columns.")
        text = tuple(j for j in self._text() if j not in used)
        known = used.union(text)
        rest = tuple(j for j in range(d) if j not in known) if known else tuple(range(d))
        others = {text: Categorical(), rest: DiagonalGaussian()}
        return self._for_text(Independent({**given.families, **{key: own for key, own in others.items() if key}}))

    def _for_text(self, family: Independent) -> Independent:
        """Refuse text in a column of another family than the categorical."""
        text = self._text()
        if not text:
            return family
        for key, own in family.families.items():
            wrong = [j for j in key if j in text and not isinstance(own, Categorical)]
            if wrong:
                raise InvalidData(
                    f"NaiveBayes: column {self.feature_names_in_[wrong[0]]!r} holds text, and its family is "
                    f"{type(own).__name__}; make it categorical, or turn it into numbers."
                )
        return family


@lru_cache(maxsize=8)
def _all_gaussian(d: int) -> Independent:
    return Independent({tuple(range(d)): DiagonalGaussian()})


def _check_finite(member: Independent, label: object) -> None:
    """Refuse a density that is infinite at its mean, because the rows of a class do not vary."""
    for key, part in member.families.items():
        mean, variance = part.moments()
        if _finite_at(part, mean):
            continue
        constant = [column for column, own in zip(key, variance, strict=True) if own == 0]
        what = f"column {constant[0]} does not vary" if constant else f"columns {key} follow from each other"
        remedy = "var_smoothing" if isinstance(part, DiagonalGaussian) else f"the floor of {type(part).__name__}"
        raise InvalidData(
            f"NaiveBayes: {what} in class '{label}', so that the density is infinite. Give {remedy} a number above 0, "
            "or leave the column out."
        )


def _finite_at(part: Distribution, mean: Floats) -> bool:
    """Whether the density at the mean is a number."""
    if isinstance(part, DiagonalGaussian):
        return bool(np.min(part.spread) > 0)
    try:
        with np.errstate(divide="ignore", invalid="ignore"):
            return bool(part.log_prob(mean[None])[0] < np.inf)
    except (InvalidData, np.linalg.LinAlgError):
        return False


def _known(column: object, family: object) -> Distribution:
    """The family of a column; one given by name has independent columns, as the model assumes."""
    found = ONE_PASS.member(family, "NaiveBayes", f"families: the family of {column!r}")
    return found.by_column() if isinstance(family, str) else found
