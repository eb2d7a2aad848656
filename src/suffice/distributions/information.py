"""Entropy and divergences, of tables of probabilities and of distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from scipy.special import rel_entr

from ..errors import InvalidParameter, NoClosedForm
from ..randomness import generator
from ..typing import Floats, NumberLike, RandomState
from .base import Distribution, entropy_of
from .support import Support

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

    def __reduce__(self) -> tuple[object, ...]:
        return Estimate, (float(self), self.standard_error)


def entropy(p: NumberLike | Distribution, *, draws: int = _DRAWS, random_state: RandomState = 0) -> Estimate:
    """The entropy −E log p(x), in nats, of a table of probabilities or of a distribution.

    Where a distribution has no formula, the mean over `draws` of its rows.

    >>> from suffice.distributions.information import entropy
    >>> round(entropy([0.5, 0.25, 0.25]) / np.log(2), 12)
    1.5
    """
    if not isinstance(p, Distribution):
        return Estimate(entropy_of(_table(p)))
    return _closed_or_drawn(p.entropy, lambda x: -p.log_prob(x), p, draws, random_state)


def kl(
    p: NumberLike | Distribution, q: NumberLike | Distribution, *, draws: int = _DRAWS, random_state: RandomState = 0
) -> Estimate:
    """KL(p ‖ q) = E log p(x)/q(x) under p, in nats, at least 0; infinite where p can be what q cannot.

    Both are tables of one shape, or distributions over the same columns. Where there is no formula, the mean over
    `draws` rows of p, unless the supports of the two say already that it is infinite.

    >>> from suffice.distributions import Exponential, Gaussian
    >>> from suffice.distributions.information import kl
    >>> round(kl([0.5, 0.5], [0.9, 0.1]), 4)
    0.5108
    >>> kl(Gaussian([9.0], [[1.0]]), Exponential([1.0]))
    inf
    """
    if not isinstance(p, Distribution):
        return Estimate(float(np.sum(rel_entr(*_tables(p, q)))))
    other = _distribution(q)
    if not all(own.within(wide) for own, wide in _supports(p, other)):
        return Estimate(np.inf)
    found = _closed_or_drawn(
        lambda: closed_kl(p, other), lambda x: p.log_prob(x) - _log_chance(other, x), p, draws, random_state
    )
    return Estimate(np.maximum(0.0, found), found.standard_error)


def closed_kl(p: Distribution, q: Distribution) -> float:
    """KL(p ‖ q) by the formula that both share; infinite where one of them has no density, as a singular Gaussian."""
    if type(p).kl is not type(q).kl:
        raise NoClosedForm(f"KL of {type(p).__name__} and {type(q).__name__} has no closed form.")
    try:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = p.kl(q)
            return np.inf if np.isnan(found) else found
    except np.linalg.LinAlgError:
        return np.inf


def jensen_shannon(
    p: NumberLike | Distribution, q: NumberLike | Distribution, *, draws: int = _DRAWS, random_state: RandomState = 0
) -> Estimate:
    """The Jensen–Shannon divergence ½ KL(p ‖ m) + ½ KL(q ‖ m) with m = ½ p + ½ q, from 0 to log 2.

    Of tables by the formula; of distributions the mean over `draws` rows, half from each, drawn with the same random
    numbers, so that the order of the two does not matter. It is log 2 between whole
    numbers and measurements, for which no value has both a probability and a density.

    >>> from suffice.distributions.information import jensen_shannon
    >>> round(jensen_shannon([1.0, 0.0], [0.0, 1.0]) / np.log(2), 12)
    1.0
    """
    if not isinstance(p, Distribution):
        first, second = _tables(p, q)
        middle = (first + second) / 2
        return Estimate(float(np.sum(rel_entr(first, middle) + rel_entr(second, middle))) / 2)
    other = _distribution(q)
    if any(own.whole != wide.whole for own, wide in _supports(p, other)):
        return Estimate(np.log(2))
    n, seed = max(2, draws // 2), int(generator(random_state).integers(2**31))
    found = _mean((_above_middle(p, other, p.sample(n, seed)) + _above_middle(other, p, other.sample(n, seed))) / 2)
    return Estimate(min(max(0.0, found), np.log(2)), found.standard_error)


def _distribution(q: object) -> Distribution:
    if not isinstance(q, Distribution):
        raise InvalidParameter(f"A divergence is between two distributions, or two tables; got a {type(q).__name__}.")
    return q


def _supports(p: Distribution, q: Distribution) -> list[tuple[Support, Support]]:
    """The supports of each column, which must be the same ones."""
    first, second = p.supports(), q.supports()
    if len(first) != len(second):
        raise InvalidParameter(
            f"The two distributions must be over the same columns; got {type(p).__name__} of {len(first)} and "
            f"{type(q).__name__} of {len(second)}."
        )
    return list(zip(first, second, strict=True))


def _above_middle(p: Distribution, q: Distribution, X: Floats) -> Floats:
    """log p(x) − log m(x), (n,), of rows drawn from p."""
    own = p.log_prob(X)
    return np.asarray(own - np.logaddexp(own, _log_chance(q, X)) + np.log(2))


def _log_chance(q: Distribution, X: Floats) -> Floats:
    """log q(x), (n,), as of a draw: of a multinomial only rows with its number of counts have a probability."""
    return np.where(q.possible(X), q.log_prob(X), -np.inf)


def _closed_or_drawn(
    closed: Callable[[], float], term: Callable[[Any], Floats], p: Distribution, draws: int, random_state: RandomState
) -> Estimate:
    try:
        return Estimate(closed())
    except NoClosedForm:
        return _mean(term(p.sample(max(2, draws), random_state)))


def _mean(terms: Floats) -> Estimate:
    if np.isinf(terms).any():
        return Estimate(float(terms.mean()), 0.0)
    return Estimate(float(terms.mean()), float(terms.std(ddof=1) / np.sqrt(len(terms))))


def _tables(p: object, q: object) -> tuple[Floats, Floats]:
    first, second = _table(p), _table(q)
    if first.shape != second.shape:
        raise InvalidParameter(f"The two tables must have one shape; got {first.shape} and {second.shape}.")
    return first, second


def _table(p: object) -> Floats:
    try:
        table = np.asarray(p, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter(f"A table of probabilities has numbers; got a {type(p).__name__}.") from None
    if not (table >= 0).all() or abs(table.sum() - 1) > 1e-8:
        raise InvalidParameter(
            f"A table of probabilities has numbers of at least 0 that add up to 1; got a sum of {table.sum():g}."
        )
    return table
