"""Arguments to try searches of neighbours with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..distances import Term
from ..examples import Arguments, Case
from . import Panels, Tree


def _terms(case: Case) -> list[Term]:
    return [
        Term("squared"),
        Term("absolute"),
        Term("largest"),
        Term("power", p=3.0),
        Term("squared", weight=np.ones(case.d), scale=float(case.d)),
    ]


def nearest_rows(case: Case) -> Iterator[Arguments]:
    """Fewer neighbours than rows, and more."""
    rng = case.rng()
    for term in _terms(case):
        missing = 0.0 if term.weight is None else 0.2
        yield rng.normal(size=(5, case.d)), case.rows(rng, missing), term, 3
    yield rng.normal(size=(5, case.d)), case.rows(rng), Term("squared"), case.n + 2


def rows_within(case: Case) -> Iterator[Arguments]:
    """A radius with some rows in it."""
    rng = case.rng()
    for term in _terms(case):
        missing = 0.0 if term.weight is None else 0.2
        yield rng.normal(size=(5, case.d)), case.rows(rng, missing), term, 2.0 * case.d


def pack_panels(case: Case) -> Iterator[Arguments]:
    """Contiguous rows of some columns."""
    X = np.ascontiguousarray(case.rows(case.rng()))
    if case.n and case.d >= 6:
        yield X, np.ones(case.d), 2.0**-8


def filtered_nearest(case: Case) -> Iterator[Arguments]:
    """The same, and queries."""
    rng = case.rng()
    X = np.ascontiguousarray(case.rows(rng))
    panels = Panels.of(X)
    if panels is not None:
        yield rng.normal(size=(5, case.d)), X, panels, 3


def filtered_within(case: Case) -> Iterator[Arguments]:
    """A radius with few rows in it, and one with many, where all are compared."""
    for Q, X, panels, _ in filtered_nearest(case):
        yield Q, X, panels, 0.3 * case.d
        yield Q, X, panels, 9.0 * case.d


def kd_build(case: Case) -> Iterator[Arguments]:
    """At least one row."""
    if case.n:
        yield (case.rows(case.rng()),)


def kd_nearest(case: Case) -> Iterator[Arguments]:
    """A tree, and queries."""
    rng = case.rng()
    if case.n:
        yield rng.normal(size=(5, case.d)), Tree.of(case.rows(rng)), Term("squared"), 3


def kd_within(case: Case) -> Iterator[Arguments]:
    """A tree, and queries."""
    for Q, tree, term, _ in kd_nearest(case):
        yield Q, tree, term, 9.0
        yield Q, tree, term, 9.0, 2
