"""Densities of classes that share everything but their centre."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np

from ...backend.mixture import Rule
from ...data import Chunk, Source
from ...distributions import DiagonalGaussian, Distribution, Gaussian, SphericalGaussian, StudentT, TiedGaussian
from ...distributions.sharing import Shared
from ...distributions.student_t import TailMoments
from ...engine import Outcome, Step, iterate, little_to_gain
from ...statistics import DiagonalMoments, Statistic
from ...typing import Labels

CENTRED = (Gaussian, TiedGaussian, DiagonalGaussian, SphericalGaussian, StudentT)  # a mean, and what is about it

Members = tuple[Distribution, ...]


def pooled_densities(
    source: Source,
    labels: Labels,
    start: Callable[[], Sequence[Distribution]],
    *,
    tol: float,
    max_iter: int,
    constant: float,
) -> Outcome[Members]:
    """The likeliest densities of classes that differ by their means alone, from those that `start` gives, by EM.

    The objective is −Σ w log p(x | class), and a constant.
    """

    def begin(run: int) -> Members:
        members = tuple(start())
        return pooled(members, summed(members).statistics)

    def step(members: Members) -> Step[Members]:
        found = summed(members)
        return Step(pooled(members, found.statistics), constant - found.log_likelihood)

    def summed(members: Members) -> Shared:
        return source.reduce(partial(_summed, members=members, labels=labels))

    rows = source.reduce(_weight)
    return iterate(begin, step, stop=little_to_gain(tol * rows, falling=True), max_iter=max_iter)


def beginning(family: Any, parts: Sequence[DiagonalMoments]) -> Members:
    """Members with the means of the classes and the variances within them, from which EM begins.

    A class of few rows has no covariance of its own, so that no class is fitted by itself.
    """
    whole = sum(parts[1:], parts[0])
    within = sum(part.scatter for part in parts) / np.where(whole.weight > 0, whole.weight, 1.0)
    variance = np.where(within > 0, within, 1.0)
    return tuple(family.around(np.where(part.weight > 0, part.mean, whole.mean), variance) for part in parts)


def pooled(members: Sequence[Distribution], statistics: Sequence[Statistic]) -> Members:
    """The means of the classes, and of all rows about the mean of their class what else a member has."""
    own = type(members[0]).mle_together(members, statistics)
    shared = members[0].mle(reduce(add, map(_about_its_mean, members, statistics)))
    return tuple(shared.with_arrays(mean=part.mean) for part in own)


def _about_its_mean(member: Any, statistic: Any) -> Any:
    """The summary of the rows less their mean, or about the one that all classes have where it stays fixed."""
    if "mean" in member.fixed:
        return member.about_known(statistic)
    if isinstance(statistic, TailMoments):
        return replace(statistic, moments=_about_its_mean(member, statistic.moments))
    return replace(statistic, mean=np.zeros_like(statistic.mean))


def _summed(chunk: Chunk, members: Sequence[Distribution], labels: Labels) -> Shared:
    """The summary of the rows of each class, and Σ w log p(x | class)."""
    codes = np.searchsorted(labels, np.asarray(chunk.y)).astype(np.int32)
    return type(members[0]).share(members, np.zeros(len(members)), chunk.X, chunk.weight, Rule(labels=codes))


def _weight(chunk: Chunk) -> float:
    return float(len(chunk) if chunk.weight is None else np.sum(chunk.weight))
