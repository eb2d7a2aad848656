"""How rows are shared out among the components of a mixture, and what they add up to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...errors import InvalidData
from ...typing import Codes, Floats, Numbers

Shape = Literal["full", "tied", "diagonal"]


class Singular(InvalidData):
    """A covariance without a root; `component` says which."""

    def __init__(self, component: int) -> None:
        super().__init__(component)  # the only argument, so that it can be pickled
        self.component = component

    def __str__(self) -> str:
        return (
            f"Gaussian: the covariance of component {self.component} is singular, so that it has no density. Leave out "
            "columns that others determine, or add a floor to the variances."
        )


@dataclass(frozen=True)
class Rule:
    """How rows are shared out among components: by posterior (soft), to the likeliest (hard), or drawn (uniforms).

    `labels` (n,) int32 fixes the component of a row, -1 leaves it open; `uniforms` (n,) lie in [0, 1).
    """

    hard: bool = False
    labels: Codes | None = None
    uniforms: Numbers | None = None

    def rows(self, part: slice) -> Rule:
        """The rule for some of the rows."""
        labels = None if self.labels is None else self.labels[part]
        return Rule(self.hard, labels, None if self.uniforms is None else self.uniforms[part])


@dataclass(frozen=True)
class GaussianSums:
    """What shared-out rows add up to: weight (k,), and about the present means the first (k, d) and second moments.

    `second` is (k, d, d), or (d, d) about `centre` for all components together, or (k, d). `missing` (k, d) is the
    weight of cells that were missing (diagonal only).
    """

    weight: Floats
    first: Floats
    second: Floats
    missing: Floats
    log_likelihood: float


def centre_of(means: Floats, log_weight: Floats) -> Floats:
    """What the second moments of tied components are about: the mean of the means of those with a weight."""
    return np.asarray(means[np.isfinite(log_weight)].mean(axis=0))
