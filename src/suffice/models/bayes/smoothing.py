"""Smoothing as a prior: `alpha` pseudo-observations, and the mode of what is believed with them and the rows."""

from __future__ import annotations

import dataclasses
from functools import singledispatch
from typing import Any

import numpy as np

from ...distributions import (
    Bernoulli,
    Categorical,
    DiagonalGaussian,
    Distribution,
    Independent,
    Multinomial,
    Poisson,
)
from ...statistics import CategoryCounts, ColumnSums, DiagonalMoments
from ...statistics.category_counts import by_column, column_totals, sizes_of
from ...typing import Floats, NumberLike, Numbers


@singledispatch
def smoothed(family: Distribution, statistic: object, alpha: NumberLike) -> Any:
    """The member that follows from a statistic with `alpha` pseudo-observations; a family without a rule has none."""
    return family.mle(statistic)


@smoothed.register
def _(family: Bernoulli, statistic: ColumnSums, alpha: Numbers) -> Bernoulli:
    """p = (Σx + α) / (n + 2α); ½ where nothing is known."""
    return Bernoulli().with_arrays(probability=_ratio(statistic.total + alpha, statistic.weight + 2 * alpha, 0.5))


@smoothed.register
def _(family: Poisson, statistic: ColumnSums, alpha: Numbers) -> Poisson:
    """λ = (Σx + α) / (n + α): α rows of ones; 1 where nothing is known."""
    return Poisson().with_arrays(rate=_ratio(statistic.total + alpha, statistic.weight + alpha, 1.0))


@smoothed.register
def _(family: Multinomial, statistic: ColumnSums, alpha: Numbers) -> Multinomial:
    """p = (Σx + α) / (Σ Σx + dα); the sum of a column with missing values is scaled up to all rows."""
    seen = statistic.weight > 0
    total = statistic.total * np.where(seen, statistic.rows / np.where(seen, statistic.weight, 1.0), 0.0)
    added = total + alpha
    return family.with_arrays(probability=_ratio(added, added.sum(), 1 / len(total)))


@smoothed.register
def _(family: Categorical, statistic: CategoryCounts, alpha: NumberLike) -> Categorical:
    """p = (count + α) / (n + αK) of K categories; equal where nothing is known, and 1 for the one where K is 0."""
    sizes = sizes_of(statistic.counts)
    each, total = np.broadcast_to(alpha, len(sizes)), column_totals(statistic.flat(), sizes)
    total = total + each * sizes
    some = total > 0
    added, whole = np.where(some, each, 1.0), np.where(some, total, sizes)  # where nothing is known: one of each
    probability = (statistic.flat() + np.repeat(added, sizes)) / np.repeat(whole, sizes)
    columns = by_column(probability, sizes)
    if not sizes.all():
        columns = tuple(column if len(column) else np.ones(1) for column in columns)
    return Categorical().with_arrays(probability=columns)


@smoothed.register
def _(family: DiagonalGaussian, statistic: DiagonalMoments, alpha: NumberLike) -> DiagonalGaussian:
    """The floor of the family, and of nothing known the standard normal distribution."""
    return family.mle(statistic) if np.any(statistic.weight > 0) else _standard(family, len(statistic.mean))


@smoothed.register
def _(family: Independent, statistic: Any, alpha: NumberLike) -> Independent:
    pairs = zip(family.families.items(), statistic.parts, strict=True)
    return family.with_arrays(families={key: smoothed(part, own, alpha) for (key, part), own in pairs})


def _ratio(part: Floats, whole: Floats, otherwise: float) -> Floats:
    """The one divided by the other; `otherwise` where nothing is known."""
    some = whole > 0
    return np.where(some, part / np.where(some, whole, 1.0), otherwise)


def _standard(family: DiagonalGaussian, d: int) -> DiagonalGaussian:
    return dataclasses.replace(family, mean=np.zeros(d), variance=np.ones(d))
