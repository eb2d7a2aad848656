"""Moments of classes from rows with missing cells, by EM: the cells are expected under the class's Gaussian."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...backend.mixture import Rule
from ...data import Chunk, Source
from ...distributions import Gaussian
from ...engine import Kept, Outcome, Step, iterate, little_to_gain
from ...errors import NotConverged, squares_overflow, warn
from ...holds import instance, tuples
from ...statistics import DiagonalMoments, Moments, PerClass, Statistic
from ...typing import Floats
from .base import class_prior, log_of, with_rows
from .covariance import column_scale, floored

_TOL, _MAX_ITER = 1e-10, 1000  # what the mean log-likelihood of a row may still gain, and iterations


@dataclass(frozen=True)
class Completed(Statistic, saved=False):
    """The moments of each class with what is missing expected, and Σ w log p(class, what was seen)."""

    moments: PerClass[Moments]
    log_likelihood: float

    def __add__(self, other: Completed) -> Completed:
        return Completed(self.moments + other.moments, self.log_likelihood + other.log_likelihood)


@dataclass(frozen=True)
class _State:
    """The Gaussians under which missing cells are expected, and the moments they follow from."""

    members: tuple[Gaussian, ...]
    moments: PerClass[Any]


def completed(model: Any, source: Source, tied: bool) -> Outcome[PerClass[Moments]]:
    """The expected moments of each class at the maximum of the likelihood of what was seen."""
    owner = type(model).__name__
    seen = with_rows(owner, source.reduce(lambda chunk: PerClass.of(chunk.X, chunk.y, chunk.weight)))
    if not seen.is_finite():
        raise squares_overflow(owner)
    scale = column_scale(seen.parts)
    prior = log_of(class_prior(owner, "priors", model.priors, seen.weight))

    def step(state: _State) -> Step[_State]:
        found = source.reduce(lambda chunk: _expected(chunk, state, prior))
        return Step(_State(_members(found.moments, tied, scale, model.floor), found.moments), -found.log_likelihood)

    k, d = len(seen.classes), len(source.schema)
    outcome = iterate(
        lambda run: _State(_first(seen, scale), seen),
        step,
        stop=little_to_gain(_TOL * float(seen.weight.sum()), falling=True),
        max_iter=_MAX_ITER,
        kept=Kept.fields(_State, members=tuples(instance(Gaussian, d=d), k), moments=instance(PerClass, d=d, k=k)),
    )
    if outcome.history.status == "max_iter":
        warn(f"{owner}: EM for the missing values stopped after {_MAX_ITER} iterations.", NotConverged)
    return outcome.then(lambda state: state.moments)


def _first(seen: PerClass[DiagonalMoments], scale: Floats) -> tuple[Gaussian, ...]:
    """The columns by themselves; where a class has no values or no spread in one, those of all classes."""
    total = sum(seen.parts[1:], seen.parts[0])
    members = []
    for part in seen.parts:
        variance = part.scatter / np.where(part.weight > 0, part.weight, 1.0)
        spread = np.where(variance > 1e-3 * scale**2, variance, scale**2)
        members.append(Gaussian(np.where(part.weight > 0, part.mean, total.mean), np.diag(spread)))
    return tuple(members)


def _members(moments: PerClass[Moments], tied: bool, scale: Floats, floor: float) -> tuple[Gaussian, ...]:
    parts = moments.parts
    if tied:
        pooled = sum(part.scatter for part in parts) / moments.weight.sum()
        covariances = [floored(pooled, scale, floor).covariance] * len(parts)
    else:
        covariances = [floored(part.covariance(), scale, floor).covariance for part in parts]
    return tuple(Gaussian(part.mean, own) for part, own in zip(parts, covariances, strict=True))


def _expected(chunk: Chunk, state: _State, log_prior: Floats) -> Completed:
    classes = state.moments.classes
    codes = np.minimum(np.searchsorted(classes, np.asarray(chunk.y)), len(classes) - 1).astype(np.int32)
    found = Gaussian.share(state.members, log_prior, chunk.X, chunk.weight, Rule(labels=codes))
    return Completed(PerClass(classes, found.weight, found.statistics), found.log_likelihood)
