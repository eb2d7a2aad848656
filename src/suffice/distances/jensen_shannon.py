"""The Jensen–Shannon distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .histograms import _OfHistograms


@dataclass(frozen=True)
class JensenShannon(_OfHistograms):
    """The Jensen–Shannon distance of histograms: d(x, y) = √½ (D(x, m) + D(y, m)), m = (x + y) / 2.

    D is the Kullback–Leibler divergence in nats; cells of 0 are no trouble. Rows are scaled to sum to 1.

    >>> JensenShannon().pairwise([[1.0, 0.0]], [[0.0, 1.0], [2.0, 0.0]]).round(4)
    array([[0.8326, 0.    ]])
    """

    names: ClassVar = ("jensenshannon",)
    kind: ClassVar = "jensen"
    takes_root: ClassVar = True
    is_metric: ClassVar = True
