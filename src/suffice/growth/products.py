"""What columns add to trees whose leaves say anything: Shapley values of products of factors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy.special import roots_legendre

from ..typing import Floats

Branch = tuple[int, Floats, float]  # a child, the part of each row (n,) that goes there, and of all weight
Split = Callable[[int], tuple[int, Sequence[Branch]] | None]  # the column of a node and its branches; None for a leaf
Factors = dict[int, tuple[Floats, float]]  # by column: of each row (n,) where it is known, and where it is not


def leaf_factors(split: Split, n: int) -> Iterator[tuple[int, Factors]]:
    """The leaves of a tree, each with the factors of the columns on its way."""
    open_: list[tuple[int, Factors]] = [(0, {})]
    while open_:
        node, factors = open_.pop()
        found = split(node)
        if found is None:
            yield node, factors
            continue
        column, branches = found
        known, unknown = factors.get(column, (np.ones(n), 1.0))
        open_ += [(child, {**factors, column: (known * part, unknown * share)}) for child, part, share in branches]


def add_shapley(total: Floats, factors: Factors, value: Floats) -> None:
    """Add the Shapley values of a product of factors, times `value` (q,), to those of columns (n, d, q).

    The mean over all orders in which columns become known, o being the factor of a column that is, z of one that is
    not, is (o − z) ∫ Π (o t + z (1 − t)) dt over the other columns, a polynomial that a Gauss rule integrates exactly.
    """
    if not factors:
        return
    known, unknown = np.stack([o for o, _ in factors.values()], axis=1), np.array([z for _, z in factors.values()])
    point, weight = roots_legendre((len(factors) + 1) // 2)
    t = (point + 1) / 2
    each = known[:, :, None] * t + unknown[:, None] * (1 - t)  # (n, m, points)
    ones = np.ones_like(each[:, :1])
    before = np.cumprod(np.concatenate([ones, each[:, :-1]], axis=1), axis=1)
    after = np.cumprod(np.concatenate([ones, each[:, :0:-1]], axis=1), axis=1)[:, ::-1]
    share = (known - unknown) * (before * after @ (weight / 2))
    total[:, list(factors)] += share[:, :, None] * value


def unknown_share(factors: Factors) -> float:
    """The factor of a row of which nothing is known."""
    return float(np.prod([z for _, z in factors.values()]))
