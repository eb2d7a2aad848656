"""The kernels of posteriors; see `portable.py` for what each computes."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, Whole
from ..native import kernels
from ..threads import thread_count
from ..weights import doubles


def posterior(log_joint: Floats, log_prior: Floats) -> Floats:
    """P(c | x)."""
    out = np.empty(log_joint.shape)
    kernels().posteriors(log_joint, doubles(log_prior), False, thread_count(), out)
    return out


def log_posterior(log_joint: Floats, log_prior: Floats) -> Floats:
    """log P(c | x)."""
    out = np.empty(log_joint.shape)
    kernels().posteriors(log_joint, doubles(log_prior), True, thread_count(), out)
    return out


def log_total(log_joint: Floats) -> Floats:
    """log Σ p(x, c)."""
    out = np.empty(len(log_joint))
    kernels().log_totals(log_joint, thread_count(), out)
    return out


def likeliest(log_joint: Floats, log_prior: Floats) -> Whole:
    """The class with the largest."""
    out = np.empty(len(log_joint), dtype=np.int64)
    kernels().likeliest(log_joint, doubles(log_prior), thread_count(), out)
    return out
