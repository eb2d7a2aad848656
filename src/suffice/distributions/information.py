"""Entropy and divergences, of tables of probabilities and of distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from ..data.rows import as_numbers
from ..errors import InvalidParameter, NoClosedForm
from ..randomness import generator
from .base import Distribution, entropy_of

Floats = NDArray[np.float64]
_DRAWS = 100_000


class Estimate(float):
    """A number with its `standard_error`, which is 0 where a formula gave it.

    >>> half = Estimate(0.5, 0.01)
    >>> half + 1, half.standard_error
    (1.5, 0.01)
    """

    standard_error: float

    def __new__(cls, value: float, standard_error: float = 0.0) -> Self:
        number = super().__new__(cls, value)
        number.standard_error = standard_error
        return number

    def __reduce__(self) -> Any:
        return Estimate, (float(self), self.standard_error)


def entropy(p: Any, *, draws: int = _DRAWS, random_state: Any = 0) -> Estimate:
    """The entropy −E log p(x), in nats, of a table of probabilities or of a distribution.

    Where a distribution has no formula, the mean over `draws` of its rows.

    >>> from suffice.distributions.information import entropy
    >>> round(entropy([0.5, 0.25, 0.25]) / np.log(2), 12)
    1.5
    """
    if not isinstance(p, Distribution):
        return Estimate(entropy_of(_table(p)))
    return _closed_or_drawn(p.entropy, lambda x: -p.log_prob(x), p, draws, random_state)


def kl(p: Any, q: Any, *, draws: int = _DRAWS, random_state: Any = 0) -> Estimate:
    """KL(p ‖ q) = E log p(x)/q(x) under p, in nats; infinite where p can be what q cannot.

    Both are tables of one shape, or distributions over the same columns. Where there is no formula, the mean over
    `draws` rows of p.

    >>> from suffice.distributions.information import kl
    >>> round(kl([0.5, 0.5], [0.9, 0.1]), 4)
    0.5108
    """
    if not isinstance(p, Distribution):
        return Estimate(float(np.sum(rel_entr(*_tables(p, q)))))

    def closed() -> float:
        if type(p) is not type(q):
            raise NoClosedForm(f"KL of {type(p).__name__} and {type(q).__name__} has no closed form.")
        return p.kl(q)

    return _closed_or_drawn(closed, lambda x: p.log_prob(x) - q.log_prob(x), p, draws, random_state)


def jensen_shannon(p: Any, q: Any, *, draws: int = _DRAWS, random_state: Any = 0) -> Estimate:
    """The Jensen–Shannon divergence ½ KL(p ‖ m) + ½ KL(q ‖ m) with m = ½ p + ½ q, from 0 to log 2.

    Of tables by the formula; of distributions the mean over `draws` rows, half from each.

    >>> from suffice.distributions.information import jensen_shannon
    >>> round(jensen_shannon([1.0, 0.0], [0.0, 1.0]) / np.log(2), 12)
    1.0
    """
    if not isinstance(p, Distribution):
        first, second = _tables(p, q)
        middle = (first + second) / 2
        return Estimate(float(np.sum(rel_entr(first, middle) + rel_entr(second, middle))) / 2)
    rng = generator(random_state)
    sides = [_mean(_above_middle(a, b, a.sample(max(2, draws // 2), rng))) for a, b in ((p, q), (q, p))]
    error = float(np.hypot(sides[0].standard_error, sides[1].standard_error)) / 2
    return Estimate(max(0.0, (sides[0] + sides[1]) / 2), error)


def _above_middle(p: Distribution, q: Distribution, X: Floats) -> Floats:
    """log p(x) − log m(x), (n,)."""
    own = p.log_prob(X)
    return np.asarray(own - np.logaddexp(own, q.log_prob(X)) + np.log(2))


def _closed_or_drawn(
    closed: Callable[[], float], term: Callable[[Any], Floats], p: Distribution, draws: int, random_state: Any
) -> Estimate:
    try:
        return Estimate(closed())
    except NoClosedForm:
        return _mean(term(p.sample(max(2, draws), random_state)))


def _mean(terms: Floats) -> Estimate:
    if np.isinf(terms).any():
        return Estimate(float(terms.mean()), 0.0)
    return Estimate(float(terms.mean()), float(terms.std(ddof=1) / np.sqrt(len(terms))))


def _tables(p: Any, q: Any) -> tuple[Floats, Floats]:
    first, second = _table(p), _table(q)
    if first.shape != second.shape:
        raise InvalidParameter(f"The two tables must have one shape; got {first.shape} and {second.shape}.")
    return first, second


def _table(p: Any) -> Floats:
    table = as_numbers(p, "A table of probabilities")
    if not (table >= 0).all() or abs(table.sum() - 1) > 1e-8:
        raise InvalidParameter(
            f"A table of probabilities has numbers of at least 0 that add up to 1; got a sum of {table.sum():g}."
        )
    return table
