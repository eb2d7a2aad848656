"""Arguments to try distances with."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...typing import Floats
from ..examples import Arguments, Case
from . import Term


def _terms(case: Case) -> list[tuple[Term, bool]]:
    """Terms, and whether the cells must not be negative."""
    d = case.d
    return [
        (Term("squared", "root"), False),
        (Term("absolute"), False),
        (Term("largest"), False),
        (Term("power", "power", 3.0), False),
        (Term("different", scale=1.0), False),
        (Term("mixed", numbers=d // 2, weight=np.ones(d), scale=1.0), False),
        (Term("squared", "root", weight=np.ones(d), scale=float(d)), False),
        (Term("jaccard", weight=np.ones(d)), True),
        (Term("product"), False),
        (Term("jensen", "root"), True),
        (Term("smaller"), True),
        (Term("chi"), True),
    ]


def _values(case: Case, rng: np.random.Generator, n: int, term: Term, positive: bool) -> Floats:
    values = rng.normal(size=(n, case.d))
    if term.kind in ("different", "mixed", "jaccard"):
        values = rng.integers(0, 2, values.shape).astype(np.float64)
    elif positive:
        values = rng.dirichlet(np.ones(case.d), n)
    if term.weight is not None and term.kind != "jaccard":
        values[rng.random(values.shape) < 0.1] = np.nan
    return values


def pairwise(case: Case) -> Iterator[Arguments]:
    """Every kind of term, among rows and between two tables."""
    rng = case.rng()
    for term, positive in _terms(case):
        X, Y = (case.laid_out(_values(case, rng, n, term, positive)) for n in (case.n, 5))
        yield X, None, term
        yield X, Y, term, np.float64


def condensed(case: Case) -> Iterator[Arguments]:
    """Every kind of term."""
    rng = case.rng()
    for term, positive in _terms(case):
        yield case.laid_out(_values(case, rng, case.n, term, positive)), term
