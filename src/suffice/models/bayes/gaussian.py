"""The base of classifiers with a Gaussian in each class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike

from ...data import Chunk, Needs, Source
from ...distributions import Beta, DiagonalGaussian, Dirichlet, Gaussian, TiedGaussian
from ...engine import Outcome, Step, closed_form
from ...errors import IllConditioned, InvalidData, warn
from ...estimator import Attributes, SummaryClassifier, declares
from ...holds import flag, floats, instance, require, tuples
from ...params import learned, param
from ...statistics import DiagonalMoments, Moments, PerClass, RootMoments
from ...typing import Floats, Numbers
from .base import BayesClassifier, class_prior, log_of, priors_param, with_rows
from .completion import completed
from .covariance import Floored, column_scale, floored
from .few_rows import FlooredRoot, RootCovariance, floored_root

Within = Sequence[Floored | FlooredRoot]  # the covariances within classes
Structure = Literal["full", "tied", "diag", "spherical"]


class MissingValues(InvalidData):
    """Sums of complete rows were asked for, and a cell is missing."""


@declares
class GaussianClassifier(BayesClassifier, SummaryClassifier):
    """Base: a subclass says what the covariances share, and how they follow from the moments of the classes."""

    needs = Needs(target="classes", missing=True)

    priors: ArrayLike | Beta | Dirichlet | None = priors_param()
    floor: float = param(
        1e-8,
        number=True,
        above=0,
        below=1,
        doc="In columns divided by their standard deviation over all rows, no direction of a class has a smaller "
        "variance than this.",
    )

    priors_: Floats = learned("P(class), (k,).", holds=floats("k", at_least=0))
    means_: Floats = learned("The mean of each class, (k, d).", holds=floats("k", "d"))
    holds: ClassVar = {
        "summary_": instance(PerClass, d="columns"),
        "_members": tuples(instance(Gaussian, DiagonalGaussian, d="d"), "k"),
        "_from_gaps": flag(),
    }

    def check_loaded(self) -> None:
        super().check_loaded()
        self.summary_.check_parts(*((DiagonalMoments,) if self._diagonal else (Moments, RootMoments)))
        widths = {len(part.mean) for part in self.summary_.parts}
        require(widths <= {self.n_features_in_, 2 * self.n_features_in_}, "summary_ must have the columns of the fit")

    def _structure(self) -> Structure:
        raise TypeError(f"{type(self).__name__} does not define _structure")

    def _covariance(self, parts: tuple[object, ...]) -> Floats:
        """The covariances (k, d, d), the one of all (d, d), or the variances (k, d), without the floor."""
        raise TypeError(f"{type(self).__name__} does not define _covariance")

    def _root_covariance(self, parts: tuple[RootMoments, ...]) -> list[RootCovariance]:
        """The covariances of classes, or the one of all, by the rows they come from, without the floor."""
        raise TypeError(f"{type(self).__name__} does not define _root_covariance")

    def _also(self, means: Floats, prior: Floats, within: Within) -> Attributes:
        """The attributes that only this class has."""
        return {}

    @property
    def _diagonal(self) -> bool:
        return self._structure() in ("diag", "spherical")

    # -- learning -----------------------------------------------------------------------------------------------------
    def summarise(self, chunk: Chunk) -> PerClass[Any]:
        held = getattr(self, "summary_", None)
        return self._summed_up(chunk, held is not None and any(isinstance(part, RootMoments) for part in held.parts))

    def _summed_up(self, chunk: Chunk, by_rows: bool) -> PerClass[Any]:
        kind = PerClass.of if self._diagonal else PerClass.rooted if by_rows else PerClass.full
        return kind(self._columns(chunk), chunk.y, chunk.weight)

    def _columns(self, chunk: Chunk) -> Numbers:
        """What is summed up of the rows."""
        rows: Numbers = chunk.X
        return rows

    def solve(self, summary: PerClass[Any]) -> Step[Attributes]:
        owner = type(self).__name__
        summary = with_rows(owner, summary)
        prior = class_prior(owner, "priors", self.priors, summary.weight)
        parts = tuple(_first_columns(part, self.n_features_in_) for part in summary.parts)
        within: Within = []
        if self._diagonal:
            members = self._diagonal_members(parts)
        else:
            found = self._within(summary, column_scale(parts))
            if found is None:
                squared = tuple(part.squared() for part in summary.parts)
                return self.solve(PerClass(summary.classes, summary.weight, squared))
            within, members = found, _full_members(parts, found)
        means = np.stack([member.mean for member in members])
        attributes = {
            "classes_": summary.classes,
            "priors_": prior,
            "means_": means,
            "_members": members,
            "_from_gaps": False,
            **self._also(means, prior, within),
        }
        totals = [member.total_log_prob(part) for member, part in zip(members, parts, strict=True)]
        with np.errstate(divide="ignore"):
            return Step(attributes, -float(np.nansum(summary.weight * np.log(prior))) - sum(totals))

    def _diagonal_members(self, parts: tuple[Any, ...]) -> tuple[Any, ...]:
        """A column that a class never has is that of all rows there."""
        total, scale = sum(parts[1:], parts[0]), column_scale(parts)
        if self._structure() == "spherical":
            scale = np.full(len(scale), np.sqrt(np.mean(scale**2)))
        variance = np.maximum(self._covariance(parts), self.floor * scale**2)
        variance = np.where(np.isinf(variance), scale**2, variance)
        means = [np.where(part.weight > 0, part.mean, total.mean) for part in parts]
        return tuple(map(DiagonalGaussian, means, variance))

    def _within(self, summary: PerClass[Any], scale: Floats) -> Within | None:
        """The covariances with their floor, one for each class or for all; None where rows do not give them."""
        if isinstance(summary.parts[0], RootMoments):
            by_rows = [floored_root(own, scale, self.floor) for own in self._root_covariance(summary.parts)]
            each: Within = [own for own in by_rows if own is not None]
            if len(each) < len(by_rows):
                return None
        else:
            covariance = self._covariance(summary.parts)
            every = covariance[None] if covariance.ndim == 2 else covariance
            each = [floored(own, scale, self.floor) for own in every]
        tied = self._structure() == "tied"
        for label, own in zip([None] if tied else summary.classes, each, strict=True):
            if own.raised:
                whose = "the classes" if tied else f"class '{label}'"
                warn(
                    f"{type(self).__name__}: the covariance of {whose} is "
                    f"singular in {own.raised} of {len(scale)} directions; there the variance is the floor, "
                    f"{self.floor:g} of that of all rows. Leave out columns that others determine, give more rows, "
                    "or shrink.",
                    IllConditioned,
                )
        return each

    # -- missing values -----------------------------------------------------------------------------------------------
    def _solved(self, summary: Any) -> Step[Attributes]:
        if any(np.isnan(part.mean).any() for part in summary.parts):
            raise MissingValues(
                f"{type(self).__name__}: a cell is NaN (a missing value), and partial_fit and remove take complete "
                "rows only. Use fit, which goes over the rows again and again, or fill the missing value."
            )
        return super()._solved(summary)

    def _learn(self, source: Source) -> Outcome[Attributes]:
        by_rows = source.is_wide
        try:
            return closed_form(lambda: self._solved(source.reduce(partial(self._summed_up, by_rows=by_rows))))
        except MissingValues:
            outcome = completed(self, source, tied=self._structure() == "tied")
        return outcome.then(lambda summary: {**self._solved(summary).state, "_from_gaps": True})

    def _update(self, opened: Callable[[], Source], merge: Callable[..., object]) -> Self:
        if getattr(self, "_from_gaps", False):
            raise InvalidData(
                f"{type(self).__name__}: the fit had missing values, so that rows can neither be added nor removed; "
                "fit all rows anew."
            )
        return super()._update(opened, merge)

    def _log_prior(self) -> Floats:
        return log_of(self.priors_)


def _first_columns(moments: object, d: int) -> Any:
    """The moments of the first d columns."""
    if isinstance(moments, RootMoments) and len(moments.mean) > d:
        return RootMoments(moments.weight, moments.mean[:d], moments.root[:, :d])
    if not isinstance(moments, Moments) or len(moments.mean) == d:
        return moments
    return Moments(moments.weight, moments.mean[:d], moments.scatter[:d, :d])


def _full_members(parts: tuple[Moments | RootMoments, ...], within: Within) -> tuple[Gaussian, ...]:
    if len(within) == 1 and len(parts) > 1:
        return tuple(within[0].member(part.mean, TiedGaussian) for part in parts)
    return tuple(own.member(part.mean, Gaussian) for part, own in zip(parts, within, strict=True))
