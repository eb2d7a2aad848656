"""What a parameter may be tried with: values in a list, a range of numbers, or draws from a distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Protocol, runtime_checkable

import numpy as np

from ...errors import InvalidParameter
from ...params import as_float, plain_number

Place = tuple[float, ...]  # coordinates of a value, each from 0 to 1, in which near values behave alike


class Dimension(Protocol):
    """The values of one parameter."""

    @property
    def size(self) -> int | None:
        """How many values there are; None where nobody can list them."""

    def values(self, points: int) -> list[object]:
        """The values of a grid: all that are listed, or so many from one end to the other."""

    def at(self, share: float) -> object:
        """The value at a share of the way, from 0 up to 1: of a uniform share, a random value."""

    def place(self, value: object) -> Place:
        """The coordinates of a value."""

    def near(self, value: object, step: float, rng: np.random.Generator) -> object:
        """Another value, about so far away."""


@dataclass(frozen=True)
class Between:
    """All numbers from `low` to `high`; whole numbers where both ends are; with `log`, on a logarithmic scale.

    >>> Between(1, 9).values(3), Between(0.01, 100.0, log=True).values(3)
    ([1, 5, 9], [0.01, 1.0, 100.0])
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        ends = plain_number(self.low), plain_number(self.high)
        if None in ends or not all(math.isfinite(as_float(end)) for end in ends) or not self.low < self.high:
            raise InvalidParameter(
                f"Between: low and high must be finite numbers, low below high; got {self.low!r} and {self.high!r}."
            )
        if self.log not in (True, False):
            raise InvalidParameter(f"Between: log must be True or False; got {self.log!r}.")
        if self.log and not self.low > 0:
            raise InvalidParameter(f"Between: a logarithmic scale begins above 0; got low={self.low!r}.")

    @property
    def whole(self) -> bool:
        """Whether the numbers are whole."""
        return isinstance(self.low, Integral) and isinstance(self.high, Integral)

    @property
    def size(self) -> int | None:
        """How many whole numbers there are; None for all others."""
        return int(self.high) - int(self.low) + 1 if self.whole else None

    def _ends(self) -> tuple[float, float]:
        """Where the scale begins and ends; that of whole numbers has room for each of them."""
        low, high = (self.low - 0.5, self.high + 0.5) if self.whole else (self.low, self.high)
        return (math.log(low), math.log(high)) if self.log else (float(low), float(high))

    def at(self, share: float) -> object:
        """The number at a share of the way."""
        low, high = self._ends()
        x = low + min(max(share, 0.0), 1.0) * (high - low)
        x = min(max(math.exp(x) if self.log else x, self.low), self.high)
        return int(min(max(round(x), self.low), self.high)) if self.whole else float(x)

    def values(self, points: int) -> list[object]:
        """So many numbers, the ends among them, evenly on the scale; whole ones that fall together once."""
        if self.size is not None and self.size <= points:
            return [*range(int(self.low), int(self.high) + 1)]
        made = np.geomspace(self.low, self.high, points) if self.log else np.linspace(self.low, self.high, points)
        if not self.whole:
            return [float(f"{x:.6g}") if self.low <= float(f"{x:.6g}") <= self.high else float(x) for x in made]
        return [*dict.fromkeys(round(float(x)) for x in made)]

    def place(self, value: object) -> Place:
        """How far along the scale."""
        low, high = self._ends()
        x = math.log(as_float(value)) if self.log else as_float(value)
        return ((x - low) / (high - low),)

    def near(self, value: object, step: float, rng: np.random.Generator) -> object:
        """A normal step along the scale, turned back at the ends."""
        share = self.place(value)[0] + step * float(rng.normal())
        return self.at(abs(share) if share < 1 else 2 - share)


@dataclass(frozen=True, eq=False)
class Listed:
    """Values that are listed."""

    listed: Sequence[object]

    @property
    def size(self) -> int | None:
        """How many there are."""
        return len(self.listed)

    @property
    def ordered(self) -> bool:
        """Whether they are numbers, so that some are nearer than others."""
        return len(self.listed) > 2 and all(plain_number(value) is not None for value in self.listed)

    def values(self, points: int) -> list[object]:
        """All of them."""
        return list(self.listed)

    def at(self, share: float) -> object:
        """The value at a share of the list."""
        return self.listed[min(int(share * len(self.listed)), len(self.listed) - 1)]

    def _number(self, value: object) -> int:
        return next(i for i, own in enumerate(self.listed) if own is value or _are_equal(own, value))

    def place(self, value: object) -> Place:
        """The rank of a number; else a coordinate for each value."""
        at, m = self._number(value), len(self.listed)
        if self.ordered:
            rank = sorted(range(m), key=lambda i: as_float(self.listed[i])).index(at)
            return (rank / (m - 1),)
        return tuple(float(i == at) for i in range(m)) if m > 1 else ()

    def near(self, value: object, step: float, rng: np.random.Generator) -> object:
        """The next number, or now and then any other value."""
        m = len(self.listed)
        if not self.ordered:
            return self.at(float(rng.random())) if rng.random() < 0.2 else value
        order = sorted(range(m), key=lambda i: as_float(self.listed[i]))
        place = order.index(self._number(value)) + int(rng.integers(-1, 2))
        return self.listed[order[min(max(place, 0), m - 1)]]


@runtime_checkable
class Quantiles(Protocol):
    """A distribution, such as those of `scipy.stats`."""

    def ppf(self, share: float, /) -> object: ...
    def cdf(self, value: float, /) -> float: ...


@dataclass(frozen=True, eq=False)
class Drawn:
    """Draws from a distribution with `ppf` and `cdf`, such as those of `scipy.stats`."""

    distribution: Quantiles

    @property
    def size(self) -> int | None:
        """Nobody can list them."""
        return None

    def at(self, share: float) -> object:
        """The quantile of a share, as a plain number."""
        found = plain_number(self.distribution.ppf(min(max(share, 1e-9), 1 - 1e-9)))
        if found is None:
            raise InvalidParameter(f"search: {self.distribution!r} must give numbers by its ppf.")
        whole = hasattr(self.distribution, "pmf") or hasattr(getattr(self.distribution, "dist", None), "pmf")
        return int(found) if whole else found

    def values(self, points: int) -> list[object]:
        """Quantiles, evenly."""
        return [*dict.fromkeys(self.at((i + 0.5) / points) for i in range(points))]

    def place(self, value: object) -> Place:
        """The share below."""
        return (float(self.distribution.cdf(as_float(value))),)

    def near(self, value: object, step: float, rng: np.random.Generator) -> object:
        """A normal step in shares."""
        share = self.place(value)[0] + step * float(rng.normal())
        return self.at(abs(share) if share < 1 else 2 - share)


def _are_equal(a: object, b: object) -> bool:
    try:
        return type(a) is type(b) and bool(a == b)
    except (TypeError, ValueError):  # arrays, which are compared cell by cell
        return False
