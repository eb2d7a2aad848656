"""The kernels of k-medoids; see `portable.py` for what each computes."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, Reals
from ..native import kernels
from ..threads import thread_count
from ..weights import doubles
from .values import Indices, Search, by_rows


def fault(D: Reals, tolerance: float) -> tuple[str, int, int] | None:
    """The place of a cell that is negative or asymmetric."""
    kind, i, j = kernels().dissimilarity_fault(D, tolerance, thread_count())
    return (("negative", "asymmetric")[kind - 1], i, j) if kind else None


def build(D: Reals, weight: Floats | None, k: int) -> Indices:
    """BUILD: k times the row that lowers the cost most."""
    medoids = np.zeros(k, dtype=np.int64)
    kernels().medoid_build(by_rows(D), doubles(weight), thread_count(), medoids)
    return medoids


def swaps(D: Reals, weight: Floats | None, search: Search) -> Search:
    """One pass over the candidates, with bounds on what each could gain."""
    bound = search.bound.copy() if len(search.bound) else np.full(len(D), -np.inf)
    medoids, memory = search.medoids.copy(), np.array([search.quiet, search.drift, 0.0])
    kernels().medoid_pass(by_rows(D), doubles(weight), thread_count(), medoids, bound, memory)
    return Search(medoids, float(memory[2]), int(memory[0]), bound, float(memory[1]))
