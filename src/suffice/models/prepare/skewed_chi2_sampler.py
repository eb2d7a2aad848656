"""Random features of the skewed χ² kernel."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np

from ...data import Chunk, Source
from ...estimator import Attributes, estimator
from ...params import param
from ...scikit_learn import Counterpart
from ...typing import Floats, Reals, Whole
from .base import check_above
from .waves import RandomWaves


@estimator
class SkewedChi2Sampler(RandomWaves):
    """Random features of the skewed chi-squared kernel, k(x, y) = ∏ⱼ 2 √(xⱼ + c) √(yⱼ + c) / (xⱼ + yⱼ + 2c), x > −c.

    φ(x) = √(2/D) cos(log(x + c)ᵀω + b) with ω of the density sech(πω) (Li, Ionescu & Sminchisescu, 2010): a kernel of
    histograms, of which it takes the logarithm.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.SkewedChi2Sampler(n_components=4, random_state=0).fit([[0.2, 0.8], [0.5, 0.5]])
    >>> model.transform([[0.2, 0.8]]).shape
    (1, 4)
    """

    complexity = "n_components"

    counterpart: ClassVar = Counterpart("sklearn.kernel_approximation")

    read_late = ("skewedness",)
    exemptions: ClassVar = {
        "check_positive_only_tag_during_fit": "cells may be negative down to −skewedness, not below"
    }

    skewedness: float = param(1.0, number=True, above=0, below=np.inf, doc="The shift c.")

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, None]:
        X, _ = super().example(rng, n)
        return np.abs(X), None

    def _found(self, source: Source, chosen: Whole) -> Attributes:
        source.reduce(partial(self._looked, chosen=chosen))
        return super()._found(source, chosen)

    def _looked(self, chunk: Chunk, chosen: Whole) -> int:
        """The number of rows, after a look at their cells."""
        remedy = "Raise skewedness, or shift the column."
        check_above(chunk, chosen, -self.skewedness, type(self).__name__, remedy, equal=True)
        return len(chunk)

    def _drawn(self, rng: np.random.Generator, source: Source, chosen: Whole) -> Floats:
        u = rng.random((len(chosen), self.n_components))
        return np.log(np.tan(np.pi / 2 * np.clip(u, 1e-16, None))) / np.pi

    def _forward(self, chunk: Chunk) -> Reals:
        self._looked(chunk, self.mapped_)
        return super()._forward(chunk)

    def _features(self, X: Reals) -> Reals:
        return super()._features(np.log(X + self.skewedness).astype(X.dtype, copy=False))
