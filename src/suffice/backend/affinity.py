"""Rounds of affinity propagation on a matrix of similarities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .dispatch import is_native
from .native import kernels
from .threads import thread_count
from .weights import doubles

Array = NDArray[Any]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Messages:
    """Similarities, availabilities and responsibilities (n, n), and what the last sweep found for each row (n,).

    `responsibility` is a step ahead of `availability`: a sweep ends one round and begins the next. `support` is
    Σᵢ max(r_ik, 0) with r_kk as it is; `evidence` is a_kk + r_kk and `choice` the similarity to the k of the largest
    a_ik + r_ik, both of the round that ended.
    """

    similarity: Array
    availability: Array
    responsibility: Array
    support: Floats | None
    evidence: Floats
    choice: Floats

    @classmethod
    def zero(cls, similarity: Array) -> Messages:
        """No messages yet; the first sweep only begins a round."""
        n, S = len(similarity), np.ascontiguousarray(similarity)
        return cls(S, np.zeros_like(S), np.zeros_like(S), None, np.zeros(n), np.zeros(n))


def sweep(old: Messages, damping: float) -> Messages:
    """End a round with its availabilities, begin the next with its responsibilities; the matrices are overwritten."""
    if not is_native(old.similarity):
        return _sweep_portable(old, damping)
    n = len(old.similarity)
    support, evidence, choice = np.empty(n), np.zeros(n), np.zeros(n)
    matrices = (old.similarity, old.availability, old.responsibility)
    kernels().affinity_sweep(*matrices, doubles(old.support), damping, thread_count(), support, evidence, choice)
    return Messages(*matrices, support, evidence, choice)


def _sweep_portable(old: Messages, damping: float) -> Messages:
    S, A, R = old.similarity, old.availability, old.responsibility
    rows = np.arange(len(S))
    evidence, choice = old.evidence, old.choice
    if old.support is not None:
        free = old.support - np.maximum(R, 0)
        new = np.minimum(free, 0)
        new[rows, rows] = old.support - R[rows, rows]
        A[:] = damping * A + (1 - damping) * new
        evidence = np.asarray(A[rows, rows] + R[rows, rows], np.float64)
        choice = np.asarray(S[rows, np.argmax(A + R, axis=1)], np.float64)
    total = S + A
    first = np.argmax(total, axis=1)
    rival = np.repeat(total[rows, first][:, None], len(S), axis=1)
    total[rows, first] = -np.inf
    rival[rows, first] = total.max(axis=1)
    R[:] = damping * R + (1 - damping) * (S - rival)
    support = np.maximum(R, 0)
    support[rows, rows] = R[rows, rows]
    return Messages(S, A, R, support.sum(axis=0, dtype=np.float64), evidence, choice)
