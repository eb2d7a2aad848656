"""What random Fourier features have in common: cosines of random directions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ...backend import dense, first_bad
from ...data import Needs, Source
from ...estimator import Attributes, declares
from ...holds import floats
from ...params import learned, param
from ...randomness import generator, random_state_param
from ...typing import Floats, RandomState, Reals, Whole
from .base import FeatureMap, check_room


def n_components_param() -> int:
    """How many features a random map has."""
    made: int = param(100, integer=True, at_least=1, at_most=1_000_000, doc="How many features.")
    return made


def numbered(owner: object, count: int) -> Iterable[str]:
    """Names of features that no column has."""
    return (f"{type(owner).__name__.lower()}{k}" for k in range(count))


@declares
class RandomWaves(FeatureMap):
    """Base of the maps φ(x) = √(2/D) cos(xᵀω + b), b uniform: a subclass draws ω in `_drawn`."""

    needs = Needs(scaled=True, one_hot=True)
    squares = False

    n_components: int = n_components_param()
    random_state: RandomState = random_state_param()

    random_weights_: Floats = learned("The directions ω, (m, D).", holds=floats("m", "D"))
    random_offset_: Floats = learned("The phases b, (D,).", holds=floats("D"))

    def _found(self, source: Source, chosen: Whole) -> Attributes:
        rng = generator(self.random_state)
        weights = self._drawn(rng, source, chosen)
        return {"random_weights_": weights, "random_offset_": rng.uniform(0, 2 * np.pi, self.n_components)}

    def _drawn(self, rng: np.random.Generator, source: Source, chosen: Whole) -> Floats:
        """The directions, (m, D)."""
        raise TypeError(f"{type(self).__name__} does not define _drawn")

    def _features(self, X: Reals) -> Reals:
        D = len(self.random_offset_)
        check_room(X, D, type(self).__name__, "lower n_components, or transform fewer rows at a time")
        with np.errstate(over="ignore", invalid="ignore"):
            made: Reals = X @ self.random_weights_.astype(X.dtype, copy=False)
            made += self.random_offset_.astype(X.dtype, copy=False)
            made = dense.cosines(made, (2 / D) ** 0.5)
        return made if first_bad(made) is None else np.nan_to_num(made, nan=0.0)  # a phase beyond all numbers

    def _feature_names(self, names: Sequence[str]) -> Iterable[str]:
        return numbered(self, len(self.random_offset_))
