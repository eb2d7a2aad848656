"""The laws of densities and of draws from them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from ..distributions import Distribution, Mixture, jensen_shannon, kl
from ..distributions.support import Support
from ..errors import NoClosedForm
from ..typing import Floats

_DRAWS = 100_000
_ERRORS = 5.0  # standard errors that an estimate may be off


def log_prob_adds_up_to_one(cls: type[Distribution]) -> None:
    """The density adds up to one: over all whole cells, or by importance sampling where some are not."""
    member, X = drawn_rows(cls)
    whole = np.array([column.whole for column in member.supports()])
    if whole.all():
        grid = np.array(list(product(*(range(int(top) + 12) for top in X.max(axis=0)))), dtype=float)
        possible = grid[member.possible(grid)]
        np.testing.assert_allclose(np.exp(member.log_prob(possible)).sum(), 1.0, atol=1e-6)
        return
    rows, log_chance = _proposed(X, whole)
    ratio = np.exp(member.log_prob(rows) - log_chance)
    error = ratio.std() / np.sqrt(len(ratio))
    assert error < 0.05, f"{cls.__name__}: the check itself is too rough, {error:.3f}"
    assert abs(ratio.mean() - 1) < _ERRORS * error, f"{cls.__name__}: the density adds up to {ratio.mean():.4f}"


def marginals_integrate_to_one(cls: type[Distribution]) -> None:
    """The density of one column, and of two, the others missing, integrates to one by quadrature."""
    check_marginals(cls.example(np.random.default_rng(3)))


def check_marginals(member: Any) -> None:
    """`marginals_integrate_to_one` of a member."""
    X = member.sample(2000, 1)
    d = X.shape[1]
    for columns, size in [((j,), 2000) for j in range(d)] + [(pair, 400) for pair in combinations(range(d), 2)]:
        lines = [_line(X[:, j], member.supports()[j], size) for j in columns]
        values, widths = (np.meshgrid(*each, indexing="ij") for each in zip(*lines, strict=True))
        rows = np.full((values[0].size, d), np.nan)
        rows[:, columns] = np.stack([value.ravel() for value in values], axis=1)
        total = np.exp(member.log_prob(rows)) @ np.prod([width.ravel() for width in widths], axis=0)
        np.testing.assert_allclose(total, 1.0, atol=2e-3, err_msg=f"{type(member).__name__}: columns {columns}")


def density_is_zero_outside(cls: type[Distribution]) -> None:
    """−∞ is the log density of a row with one cell outside the support, alone, among many and in a mixture."""
    member, X = drawn_rows(cls, 4)
    declared = member.supports() if cls.composed else [cls.support] * X.shape[1]
    bad = np.array([_with_cell(X[0], j, value) for j, own in enumerate(declared) for value in _beyond(own)])
    rows, outside = np.concatenate([X, bad, X]), np.repeat([False, True, False], [len(X), len(bad), len(X)])
    both = Mixture.of([0.3, 0.7], [member, cls.example(np.random.default_rng(5))])
    for found in (member.log_prob(rows), cls.log_probs([member, member], rows)[:, 1], both.log_prob(rows)):
        assert np.isneginf(found[outside]).all(), f"{cls.__name__}: {rows[outside][~np.isneginf(found[outside])]}"
        assert np.isfinite(found[~outside]).all()
    np.testing.assert_array_equal(member.log_prob(rows)[~outside], np.tile(member.log_prob(X), 2))
    np.testing.assert_allclose(both.posterior_of(rows)[outside], np.tile([0.3, 0.7], (len(bad), 1)))


def divergences_keep_their_bounds(cls: type[Distribution]) -> None:
    """KL ≥ 0, infinite where the supports demand it, and 0 ≤ JS ≤ log 2, the same to and from every family."""
    p = cls.example(np.random.default_rng(3))
    for other in Distribution.members:
        if other.log_prob is Distribution.log_prob:
            continue
        q = other.example(np.random.default_rng(4))
        if len(p.supports()) != len(q.supports()):
            continue
        for a, b in ((p, q), (q, p)):
            apart, words = kl(a, b, draws=500), f"{type(a).__name__}, {type(b).__name__}"
            assert apart >= 0, f"KL of {words} is {apart}"
            contained = all(own.within(wide) for own, wide in zip(a.supports(), b.supports(), strict=True))
            assert contained or np.isinf(apart), f"KL of {words} is {apart}"
        between = jensen_shannon(p, q, draws=500)
        assert 0 <= between <= np.log(2), f"{cls.__name__}, {other.__name__}"
        assert between == jensen_shannon(q, p, draws=500), f"{cls.__name__}, {other.__name__}"


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
        row = _with_cell(X[0], j, np.nan)
        values, width = _line(X[:, j], member.supports()[j], 200_000)
        rows = np.repeat(row[None], len(values), axis=0)
        rows[:, j] = values
        marginal = np.exp(member.log_prob(rows)) @ width
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


def _beyond(support: Support) -> list[float]:
    """Values that no cell of a column may have: beyond either end, between whole numbers, infinite."""
    ends = [support.least - 1, support.most + 1, np.inf, -np.inf]
    return ends + [support.least] * support.above + [0.5] * support.whole


def _with_cell(row: Floats, column: int, value: float) -> Floats:
    found = row.copy()
    found[column] = value
    return found


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


def _line(x: Floats, support: Support, size: int) -> tuple[Floats, Floats]:
    """Values that may stand in a column, and the width that each stands for."""
    if support.whole:
        values = np.arange(x.max() + 30)
        return values, np.ones(len(values))
    u, spread = (np.arange(size) + 0.5) / size, np.std(x)
    if np.isfinite(support.most):
        length = support.most - support.least
        return support.least + length * u, np.full(size, length / size)
    if np.isfinite(support.least):
        return support.least + spread * u / (1 - u), spread / (1 - u) ** 2 / size
    angle = np.pi * (u - 0.5)
    return np.median(x) + spread * np.tan(angle), spread / np.cos(angle) ** 2 * np.pi / size
