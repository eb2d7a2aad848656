"""All monomials of some columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import comb
from typing import ClassVar, cast

import numpy as np

from ...data import Source
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import integers, require
from ...params import learned, param
from ...scikit_learn import Counterpart
from ...typing import Reals, Whole
from .base import FeatureMap, check_room

_HIGHEST, _MOST = 1000, 1_000_000  # degree, monomials


def _are_degrees(value: object) -> bool:
    """Whether a value is a pair of the least and the largest degree."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        return False
    whole = all(isinstance(item, int | np.integer) and not isinstance(item, bool) for item in value)
    return whole and 0 <= value[0] <= value[1] <= _HIGHEST and value[1] > 0


@estimator
class PolynomialFeatures(FeatureMap):
    """All monomials of the columns up to a degree: φ(x) = (x₁ᵖ¹ ⋯ x_dᵖᵈ), p₁ + … + p_d ≤ degree.

    Of d columns there are C(d + k, k) up to degree k: 1, x₁, …, x_d, x₁², x₁x₂, …, lower degrees first. A linear model
    of them is a polynomial. `interaction_only` leaves out powers; with `columns` only these are multiplied, which gives
    the interactions of chosen columns. A product with a missing value is missing.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.PolynomialFeatures(2).fit([[2.0, 3.0]])
    >>> model.transform([[2.0, 3.0]])
    array([[1., 2., 3., 4., 6., 9.]])
    >>> model.get_feature_names_out().tolist()
    ['1', 'x0', 'x1', 'x0^2', 'x0 x1', 'x1^2']
    """

    counterpart: ClassVar = Counterpart("sklearn.preprocessing", ignored={"order": "it is the order in memory"})

    degree: object = param(
        2,
        positional=True,
        integer=True,
        at_least=0,
        at_most=_HIGHEST,
        accept=_are_degrees,
        allowed="a pair of the least and the largest degree",
        doc="The largest degree, or the least and the largest.",
    )
    interaction_only: bool = param(False, choices=(True, False), doc="Whether no column is multiplied with itself.")
    include_bias: bool = param(True, choices=(True, False), doc="Whether the monomial of degree 0, 1, is among them.")

    powers_: Whole = learned("The exponents of the mapped columns in each feature, (p, m).", holds=integers("p", "m"))
    n_output_features_: int = learned("How many columns `transform` gives.")

    def check_loaded(self) -> None:
        super().check_loaded()
        low, high = self.powers_.min(initial=0), self.powers_.sum(axis=1).max(initial=0)
        require(low >= 0 and high <= 10_000, "powers_ must be at least 0, and at most 10,000 in a feature")

    def _degrees(self) -> tuple[int, int]:
        given = self.degree
        low, high = (0, given) if isinstance(given, int) else cast(tuple[int, int], given)
        if high == 0 and not self.include_bias:
            raise InvalidParameter(
                f"{type(self).__name__}: degree must be above 0 where include_bias is False; got {self.degree!r}."
            )
        return int(low), int(high)

    def _found(self, source: Source, chosen: Whole) -> Attributes:
        (low, high), m = self._degrees(), len(chosen)
        count = sum(comb(m, k) if self.interaction_only else comb(m + k - 1, k) for k in range(low, high + 1))
        if count > _MOST:
            raise InvalidParameter(
                f"{type(self).__name__}: degree={self.degree!r} of {m} columns makes {count:,} monomials, and at most "
                f"{_MOST:,} are made; take a lower degree or fewer columns."
            )
        powers, leading = np.zeros((1, m), dtype=np.int64), np.array([m])
        parts = [powers[: int(self.include_bias)]]
        for k in range(1, high + 1):
            powers, leading = _multiplied(powers, leading, self.interaction_only)
            if k >= low:
                parts.append(powers)
        made = np.concatenate(parts)
        return {"powers_": made, "n_output_features_": len(made) + len(source.schema) - m}

    def _features(self, X: Reals) -> Reals:
        check_room(X, len(self.powers_), type(self).__name__, "take a lower degree, or fewer columns")
        columns = np.ascontiguousarray(X.T)  # (m, n)
        made = np.empty((len(self.powers_), len(X)), X.dtype)  # one row a feature
        place: dict[tuple[int, ...], int] = {}
        try:
            with np.errstate(over="raise"):
                for i, held in enumerate(map(_factors, self.powers_)):
                    place[held] = i
                    self._multiply(made, i, held, place, columns)
        except FloatingPointError:
            raise InvalidData(
                f"{type(self).__name__}: products of columns overflow, whose cells reach {np.nanmax(np.abs(X)):.3g}; "
                "scale the columns down, or take a lower degree."
            ) from None
        return made.T

    def _multiply(
        self, made: Reals, i: int, held: tuple[int, ...], place: dict[tuple[int, ...], int], columns: Reals
    ) -> None:
        """Feature i, the product of the columns `held`: that of all but the last, where it was made, times the last."""
        if not held:
            made[i] = 1
        elif held[:-1] in place and len(held) > 1:
            np.multiply(made[place[held[:-1]]], columns[held[-1]], out=made[i])
        else:
            made[i] = columns[held[0]]
            for j in held[1:]:
                np.multiply(made[i], columns[j], out=made[i])

    def _feature_names(self, names: Sequence[str]) -> Iterable[str]:
        for powers in self.powers_:
            held = [(names[j], powers[j]) for j in np.flatnonzero(powers).tolist()]
            yield " ".join(name if power == 1 else f"{name}^{power}" for name, power in held) or "1"


def _multiplied(powers: Whole, leading: Whole, once: bool) -> tuple[Whole, Whole]:
    """The exponents of the monomials of the next degree, and the first column of each.

    Each column is multiplied with those of this degree that begin with it, or where it is there `once` after it.
    """
    m = powers.shape[1]
    begin = np.searchsorted(leading, np.arange(m) + once)
    count = len(leading) - begin
    first = np.repeat(np.arange(m), count)
    rows = np.arange(len(first)) - np.repeat(np.cumsum(count) - count - begin, count)
    made = powers[rows]
    made[np.arange(len(first)), first] += 1
    return made, first


def _factors(powers: Whole) -> tuple[int, ...]:
    """The columns that are multiplied, each as often as its exponent says."""
    return tuple(np.repeat(np.arange(len(powers)), powers).tolist())
