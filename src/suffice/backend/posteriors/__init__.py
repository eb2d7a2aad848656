"""Probabilities from log densities: shifted by the largest, exponentiated and summed in double, rounded at the end.

The logarithm of a far row's density has no digits left for log k, so that subtracting a log-sum gives every class the
probability 1; and in single precision it overflows.
"""

from __future__ import annotations

from ..dispatch import DOUBLE, Native, Operation, Portable
from . import native, portable
from .portable import comparable, proportions, rounded, rounded_logs

__all__ = [
    "comparable", "likeliest", "log_posterior", "log_total", "posterior", "proportions", "rounded", "rounded_logs",
]  # fmt: skip

_DOUBLES = (DOUBLE,)

posterior = Operation(Native(native.posterior, dtypes=_DOUBLES), Portable(portable.posterior))
log_posterior = Operation(Native(native.log_posterior, dtypes=_DOUBLES), Portable(portable.log_posterior))
log_total = Operation(Native(native.log_total, dtypes=_DOUBLES), Portable(portable.log_total))
likeliest = Operation(Native(native.likeliest, dtypes=_DOUBLES), Portable(portable.likeliest))
