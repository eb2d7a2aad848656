"""Arguments to try stochastic gradient descent with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Array
from ..examples import Arguments, Case
from ..sparse.examples import csr
from .values import Descent, RateLaw, Rule


@dataclass(frozen=True)
class _Squared:
    names: ClassVar[tuple[str, ...]] = ("squared",)

    def value_and_gradient(self, eta: Array, y: Array) -> tuple[Array, Array]:
        return 0.5 * (eta - y) ** 2, eta - y


@dataclass(frozen=True)
class _Hinge:
    names: ClassVar[tuple[str, ...]] = ("hinge",)

    def value_and_gradient(self, eta: Array, y: Array) -> tuple[Array, Array]:
        short = np.maximum(1 - y * eta, 0.0)
        return short, np.where(short > 0, -y, 0.0)


def epoch(case: Case) -> Iterator[Arguments]:
    """Batches of one and of several, penalties, averages, weights, and three classes; dense rows and CSR."""
    rng = case.rng()
    y, weight, order = rng.normal(size=case.n), case.weight(rng), rng.permutation(case.n)
    sign, code = np.where(y > 0, 1.0, -1.0), case.groups(rng, 3).astype(np.float64)
    one, three = (Descent.at(0.1 * rng.normal(size=(k, case.d)), np.zeros(k)) for k in (1, 3))
    for X in (case.rows(rng), csr(case, rng)):
        yield X, y, None, order, one, Rule(_Squared(), RateLaw(0.01, 0.0, 0.5), l2=0.1, average_from=1)
        yield X, y, weight, order, one, Rule(_Squared(), RateLaw(0.01, 0.0, 0.25), l1=0.01, batch=4, average_from=5)
        yield X, sign, weight, order, one, Rule(_Hinge(), RateLaw(10.0, 0.0, 1.0), l2=0.1, average_from=1)
        yield X, code, None, order[: case.n // 2], three, Rule(_Hinge(), RateLaw(0.1, 0.0, 0.0), 0.01, 0.01, 1, False)


def epochs(case: Case) -> Iterator[Arguments]:
    """Three of the same epochs, with orders of their own."""
    for X, y, weight, order, state, rule in epoch(case):
        yield X, y, weight, np.stack([order, order[::-1], order]), state, rule


def random_orders(case: Case) -> Iterator[Arguments]:
    """All rows, and some of them."""
    if case.dtype == np.float64:
        yield np.arange(case.n), 5, 0, 3
        yield 2 * np.arange(case.d), (1 << 62) + 1, 7, 2
