"""Distributions: families with `log_prob`, `sample`, `statistic` and `mle`, one in each file."""

from .base import Distribution
from .poisson import Poisson

__all__ = ["Distribution", "Poisson"]
