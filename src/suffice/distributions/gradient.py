"""Families whose likeliest parameters have no closed form: each `mle` climbs a few steps, which is generalised EM."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

from ..backend.blas import blas_threads_for
from ..typing import Floats
from .base import Distribution


@dataclass(frozen=True)
class ByGradient(Distribution):
    """Base: a subclass gives `free()`, `from_free(vector)` and `total_log_prob(statistic)`.

    `mle` takes `steps` quasi-Newton steps on Σ w log p as a function of the free vector, beginning at the present
    member, and never goes down; in EM that is enough for the likelihood to rise every round.
    """

    steps: int = field(default=20, kw_only=True)

    def free(self) -> Floats:
        """The parameters as a vector of any real numbers."""
        raise TypeError(f"{type(self).__name__} does not define free")

    def from_free(self, vector: Floats) -> Self:
        """The member that `free` was called on."""
        raise TypeError(f"{type(self).__name__} does not define from_free")

    def gradient(self, statistic: Any) -> Floats | None:
        """The derivative of Σ w log p by the free vector; None lets it be found by differences."""
        return None

    def mle(self, statistic: Any) -> Self:
        from scipy import optimize

        minimize: Any = optimize.minimize
        start = self.free()
        scale = max(abs(self.total_log_prob(statistic)), 1e-300)  # so that tolerances do not depend on the rows
        known = self.gradient(statistic) is not None

        def descend(vector: Floats) -> object:
            member = self.from_free(vector)
            value = -member.total_log_prob(statistic) / scale
            return (value, -member.gradient(statistic) / scale) if known else value  # type: ignore[operator]

        options = {"maxiter": self.steps, "ftol": 1e-15, "gtol": 1e-12}
        with blas_threads_for(0):  # of a few numbers at a time
            found = minimize(descend, start, jac=known, method="L-BFGS-B", options=options)
        better = self.from_free(found.x)
        return better if better.total_log_prob(statistic) >= self.total_log_prob(statistic) else self
