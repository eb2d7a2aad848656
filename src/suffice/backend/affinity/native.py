"""The kernel of affinity propagation; see `portable.py` for what it computes."""

from __future__ import annotations

import numpy as np

from ..native import kernels
from ..threads import thread_count
from ..weights import doubles
from .values import Messages


def sweep(old: Messages, damping: float) -> Messages:
    """End an iteration, begin the next."""
    n = len(old.similarity)
    support, evidence, choice = np.empty(n), np.zeros(n), np.zeros(n)
    matrices = (old.similarity, old.availability, old.responsibility)
    kernels().affinity_sweep(*matrices, doubles(old.support), damping, thread_count(), support, evidence, choice)
    return Messages(*matrices, support, evidence, choice)
