"""An iteration of affinity propagation in plain NumPy: readable, and the definition of what the kernel computes."""

from __future__ import annotations

import numpy as np

from .values import Messages


def sweep(old: Messages, damping: float) -> Messages:
    """End an iteration with its availabilities, begin the next with its responsibilities, in place."""
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
