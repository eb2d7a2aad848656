"""The laws of densities and of draws from them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from ..distributions import Distribution
from ..errors import NoClosedForm
from ..typing import Floats

_DRAWS = 100_000
_ERRORS = 5.0  # standard errors that an estimate may be off


def log_prob_adds_up_to_one(cls: type[Distribution]) -> None:
    """The density adds up to one: over all whole cells, or by importance sampling where some are not."""
    member, X = drawn_rows(cls)
    whole = (np.floor(X) == X).all(axis=0)
    if whole.all():
        grid = np.array(list(product(*(range(int(top) + 12) for top in X.max(axis=0)))), dtype=float)
        np.testing.assert_allclose(np.exp(member.log_prob(_possible(member, grid))).sum(), 1.0, atol=1e-6)
        return
    rows, log_chance = _proposed(X, whole)
    kept = np.asarray(member.admits(rows)).reshape(len(rows), -1).all(axis=1)
    ratio = np.zeros(len(rows))
    ratio[kept] = np.exp(member.log_prob(rows[kept]) - log_chance[kept])
    error = ratio.std() / np.sqrt(len(ratio))
    assert error < 0.05, f"{cls.__name__}: the check itself is too rough, {error:.3f}"
    assert abs(ratio.mean() - 1) < _ERRORS * error, f"{cls.__name__}: the density adds up to {ratio.mean():.4f}"


def samples_have_the_moments(cls: type[Distribution]) -> None:
    """Mean and variance of the draws are those that the formulas, where there are some, give."""
    member, X = drawn_rows(cls)
    try:
        mean, variance = member.moments()
    except NoClosedForm:
        return
    apart = (X - mean) ** 2
    assert (np.abs(X.mean(axis=0) - mean) <= _ERRORS * X.std(axis=0) / np.sqrt(len(X))).all()
    assert (np.abs(apart.mean(axis=0) - variance) <= _ERRORS * apart.std(axis=0) / np.sqrt(len(X))).all()


def samples_follow_the_seed(cls: type[Distribution]) -> None:
    """The same seed gives the same rows, another seed others; no rows are no rows."""
    member = cls.example(np.random.default_rng(0))
    one, same, other = member.sample(50, 7), member.sample(50, np.random.default_rng(7)), member.sample(50, 8)
    np.testing.assert_array_equal(one, same)
    assert one.dtype == np.float64
    assert (one != other).any()
    assert member.sample(0, 7).shape == (0, one.shape[1])


def entropy_is_expected(cls: type[Distribution]) -> None:
    """The entropy, where it has a formula, is the mean of −log p over draws."""
    member, X = drawn_rows(cls)
    _agrees(cls, member.entropy, -member.log_prob(X))


def kl_is_expected(cls: type[Distribution]) -> None:
    """KL, where it has a formula, is the mean of log p − log q over draws, and 0 from itself."""
    (member, X), other = drawn_rows(cls), cls.example(np.random.default_rng(5))
    _agrees(cls, partial(member.kl, other), member.log_prob(X) - other.log_prob(X))
    _agrees(cls, partial(member.kl, member), np.zeros(2))


def missing_values_are_marginalised(cls: type[Distribution]) -> None:
    """The density of a row with a missing value is that of the seen cells: all that may stand there is summed."""
    member, X = drawn_rows(cls, 2000)
    for j in range(X.shape[1]):
        row = X[0].copy()
        row[j] = np.nan
        values, width = _line(X[:, j])
        rows = np.repeat(row[None], len(values), axis=0)
        rows[:, j] = values
        possible = np.asarray(member.admits(rows)).reshape(len(rows), -1).all(axis=1)
        marginal = np.exp(member.log_prob(rows[possible])) @ width[possible]
        np.testing.assert_allclose(np.exp(member.log_prob(row[None])), marginal, rtol=2e-3)
    assert np.abs(member.log_prob(np.full((1, X.shape[1]), np.nan))) < 1e-12


def drawn_rows(cls: type[Distribution], n: int = _DRAWS) -> tuple[Any, Floats]:
    member = cls.example(np.random.default_rng(3))
    return member, member.sample(n, 1)


def _agrees(cls: type[Distribution], formula: Callable[[], float], terms: Floats) -> None:
    try:
        value = formula()
    except NoClosedForm:
        return
    error = terms.std() / np.sqrt(len(terms))
    assert abs(value - terms.mean()) <= _ERRORS * error + 1e-10, f"{cls.__name__}: {value} is not {terms.mean()}"


def _possible(member: Any, grid: Floats) -> Floats:
    """The rows of a grid that the member draws: of a multinomial those with its number of counts."""
    grid = grid[np.asarray(member.admits(grid)).all(axis=1)]
    return grid[grid.sum(axis=1) == member.trials] if hasattr(member, "trials") else grid


def _proposed(X: Floats, whole: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Rows from a heavy-tailed proposal, (n, d), and their log density, (n,)."""
    rng, n = np.random.default_rng(9), 400_000
    columns, log_chance = [], np.zeros(n)
    for j in range(X.shape[1]):
        if whole[j]:
            top = int(X[:, j].max()) + 12
            columns.append(rng.integers(0, top, n).astype(float))
            log_chance -= np.log(top)
            continue
        middle, spread = np.median(X[:, j]), np.subtract(*np.quantile(X[:, j], [0.8, 0.2]))
        columns.append(middle + spread * student.rvs(2, size=n, random_state=rng))
        log_chance += student.logpdf(columns[-1], 2, middle, spread)
    return np.stack(columns, axis=1), log_chance


def _line(x: Floats) -> tuple[Floats, Floats]:
    """Values that may stand in a column, and the width that each stands for."""
    if (np.floor(x) == x).all():
        values = np.arange(x.max() + 30)
        return values, np.ones(len(values))
    angle = (np.arange(200_000) + 0.5) / 200_000 * np.pi - np.pi / 2
    spread = np.std(x)
    return np.median(x) + spread * np.tan(angle), spread / np.cos(angle) ** 2 * np.pi / 200_000
