"""Random numbers that belong to a fit: never the global generator, the same seed gives the same stream."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import InvalidParameter
from .params import param
from .typing import RandomState


def generator(random_state: RandomState) -> np.random.Generator:
    """A generator from whatever scikit-learn accepts: None, a seed, a RandomState, or a Generator.

    >>> float(generator(0).random()) == float(generator(0).random())
    True
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31, size=4))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InvalidParameter(
            "random_state must be None, an integer, at least 0, a RandomState or a Generator; "
            f"got {random_state!r:.80}."
        ) from None


def seed_of(random_state: RandomState) -> int:
    """A seed of 62 bits for kernels that draw by themselves; that of an integer is a scrambled one (SplitMix64).

    >>> seed_of(0) == seed_of(0) != seed_of(1)
    True
    """
    if not isinstance(random_state, int) or isinstance(random_state, bool) or random_state < 0:
        return int(generator(random_state).integers(1 << 62))
    z = random_state + 0x9E3779B97F4A7C15
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        z = (z ^ (z >> shift)) * factor & (1 << 64) - 1
    return (z ^ (z >> 31)) >> 2


def random_state_param(default: int | None = None) -> Any:
    """The declaration of `random_state`, the same for every estimator that draws."""
    return param(
        default,
        integer=True,
        at_least=0,
        choices=(None,),
        types=(np.random.RandomState, np.random.Generator),
        doc="The seed of the random numbers; the same seed gives the same fit.",
    )
