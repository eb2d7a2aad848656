"""Kinds of values: numbers, text, objects, and what is made of others."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..errors import InvalidData

Dimension = str | int | None  # a name, also "n+1" or "n-1", a number, or whatever it is
_HUGE = 2**63  # whole numbers beyond are no counts


def require(holds: object, otherwise: str) -> None:
    """Raise an error that says what is wrong, unless it holds."""
    if not holds:
        raise InvalidData(otherwise)


def words(value: object) -> str:
    """A value in few words."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return repr(value)[:60] if isinstance(value, str | int | float | None) else type(value).__name__


class Sizes(dict[str, int]):
    """The named dimensions of one object; `inside` has those of the objects that it may hold, by identity."""

    inside: Mapping[int, Mapping[str, int]] = {}

    def agree(self, dimension: Dimension, size: int) -> None:
        """Note a dimension, or compare it with what is known of it."""
        if isinstance(dimension, str):
            ends = dimension.endswith(("+1", "-1"))
            name, own = (dimension[:-2], size - int(dimension[-2:])) if ends else (dimension, size)
            known = self.setdefault(name, own)
            require(known == own >= 0, f"must have {name} = {known}, as the others have; got {own}")
        elif dimension is not None:
            require(dimension == size, f"must have a length of {dimension}; got {size}")

    def copied(self) -> Sizes:
        """A copy to try something with."""
        other = Sizes(self)
        other.inside = self.inside
        return other


class Kind:
    """Base: what a value may be. `measure` looks at types and dimensions; `look`, when all are known, at contents."""

    needed = True  # whether the attribute must be there

    def measure(self, value: object, sizes: Sizes) -> None:
        """Raise `InvalidData` for a value of another type, or with dimensions that do not agree."""

    def look(self, value: object, sizes: Sizes) -> None:
        """Raise `InvalidData` for contents that are not allowed."""


def at_place(place: str, look: Callable[[Any, Sizes], None], value: object, sizes: Sizes) -> None:
    """Measure or look at a value; the error then begins with its place."""
    try:
        look(value, sizes)
    except InvalidData as error:
        raise InvalidData(f"{place}{'' if str(error).startswith('[') else ' '}{error}") from None


@dataclasses.dataclass(frozen=True)
class Bounds:
    """Between which numbers something lies; `at_most` and `below` may name a dimension."""

    at_least: float | None = None
    above: float | None = None
    at_most: float | str | None = None
    below: float | str | None = None

    def look(self, low: float, high: float, sizes: Mapping[str, int]) -> None:
        """Compare the least and the largest; NaN is between no numbers."""
        require(self.at_least is None or low >= self.at_least, f"must be at least {self.at_least}; got {low}")
        require(self.above is None or low > self.above, f"must be above {self.above}; got {low}")
        if self.at_most is not None:
            limit, name = _limit(self.at_most, sizes)
            require(high <= limit, f"must be at most {name}; got {high}")
        if self.below is not None:
            limit, name = _limit(self.below, sizes)
            require(high < limit, f"must be below {name}; got {high}")


def _limit(bound: float | str, sizes: Mapping[str, int]) -> tuple[float, str]:
    if not isinstance(bound, str):
        return bound, f"{bound}"
    require(bound in sizes, f"must be within {bound}, of which nothing is known")
    return sizes[bound], f"{bound} = {sizes[bound]}"


@dataclasses.dataclass(frozen=True)
class _Number(Kind):
    bounds: Bounds
    finite: bool

    def measure(self, value: object, sizes: Sizes) -> None:
        require(isinstance(value, Real) and not isinstance(value, bool), f"must be a number; got {words(value)}")
        require(not isinstance(value, Integral) or abs(int(value)) < _HUGE, "must be a number of at most 64 bits")

    def look(self, value: Any, sizes: Sizes) -> None:
        require(math.isfinite(value) or not self.finite, f"must be finite; got {value}")
        self.bounds.look(value, value, sizes)


def number(*, finite: bool = True, **bounds: float | str) -> Kind:
    """A number."""
    return _Number(Bounds(**bounds), finite)  # type: ignore[arg-type]


@dataclasses.dataclass(frozen=True)
class _Whole(Kind):
    dimension: str | None
    bounds: Bounds

    def measure(self, value: Any, sizes: Sizes) -> None:
        require(isinstance(value, Integral) and not isinstance(value, bool), f"must be an integer; got {words(value)}")
        require(abs(int(value)) < _HUGE, "must be an integer of at most 64 bits")
        sizes.agree(self.dimension, int(value))

    def look(self, value: Any, sizes: Sizes) -> None:
        self.bounds.look(int(value), int(value), sizes)


def whole(dimension: str | None = None, *, at_least: float = 0, **bounds: float | str) -> Kind:
    """An integer, which may be a dimension of other attributes."""
    return _Whole(dimension, Bounds(at_least=at_least, **bounds))  # type: ignore[arg-type]


@dataclasses.dataclass(frozen=True)
class _OneOf(Kind):
    types: tuple[type, ...]
    values: tuple[Any, ...] = ()

    def measure(self, value: object, sizes: Sizes) -> None:
        if not isinstance(value, self.types) or (self.values and value not in self.values):
            allowed = map(repr, self.values) if self.values else (kind.__name__ for kind in self.types)
            raise InvalidData(f"must be {' or '.join(allowed)}; got {words(value)}")


def flag() -> Kind:
    """True or False."""
    return _OneOf((bool, np.bool_))


def text() -> Kind:
    """A text."""
    return _OneOf((str,))


def choice(*values: str) -> Kind:
    """One of these texts."""
    return _OneOf((str,), values)


def anything() -> Kind:
    """Whatever it is: for what nothing is computed from."""
    return Kind()


@dataclasses.dataclass(frozen=True)
class _Either(Kind):
    kinds: tuple[Kind, ...]

    def measure(self, value: object, sizes: Sizes) -> None:
        sizes.update(self._tried(value, sizes, looking=False))

    def look(self, value: object, sizes: Sizes) -> None:
        self._tried(value, sizes, looking=True)

    def _tried(self, value: object, sizes: Sizes, looking: bool) -> Sizes:
        reasons = []
        for kind in self.kinds:
            tried = sizes.copied()
            try:
                kind.measure(value, tried)
                if looking:
                    kind.look(value, tried)
                return tried
            except InvalidData as error:
                reasons.append(str(error))
        raise InvalidData(", or ".join(dict.fromkeys(reasons)))


def either(*kinds: Kind) -> Kind:
    """The first of some kinds that fits."""
    return _Either(kinds)


def optional(kind: Kind) -> Kind:
    """None, or the kind."""
    return _Either((_OneOf((type(None),)), kind))


class _Sometimes(_Either):
    needed = False


def sometimes(kind: Kind) -> Kind:
    """An attribute that may be absent."""
    return _Sometimes((kind,))


@dataclasses.dataclass(frozen=True)
class _Sequence(Kind):
    item: Kind
    dimension: Dimension
    type: type

    def measure(self, value: Any, sizes: Sizes) -> None:
        require(type(value) is self.type, f"must be a {self.type.__name__}; got {words(value)}")
        sizes.agree(self.dimension, len(value))
        for i, item in enumerate(value):
            at_place(f"[{i}]", self.item.measure, item, sizes)

    def look(self, value: Any, sizes: Sizes) -> None:
        for i, item in enumerate(value):
            at_place(f"[{i}]", self.item.look, item, sizes)


def tuples(item: Kind, dimension: Dimension = None) -> Kind:
    """A tuple of values of one kind."""
    return _Sequence(item, dimension, tuple)


def lists(item: Kind, dimension: Dimension = None) -> Kind:
    """A list of values of one kind."""
    return _Sequence(item, dimension, list)


@dataclasses.dataclass(frozen=True)
class _Record(Kind):
    kinds: tuple[Kind, ...]

    def measure(self, value: Any, sizes: Sizes) -> None:
        known = type(value) is tuple and len(value) == len(self.kinds)
        require(known, f"must be a tuple of {len(self.kinds)}; got {words(value)}")
        for i, (kind, item) in enumerate(zip(self.kinds, value, strict=True)):
            at_place(f"[{i}]", kind.measure, item, sizes)

    def look(self, value: Any, sizes: Sizes) -> None:
        for i, (kind, item) in enumerate(zip(self.kinds, value, strict=True)):
            at_place(f"[{i}]", kind.look, item, sizes)


def record(*kinds: Kind) -> Kind:
    """A tuple of one value of each kind."""
    return _Record(kinds)


@dataclasses.dataclass(frozen=True)
class _Mapping(Kind):
    key: Kind
    item: Kind

    def measure(self, value: Any, sizes: Sizes) -> None:
        require(type(value) is dict, f"must be a dict; got {words(value)}")
        for name, item in value.items():
            self.key.measure(name, sizes)
            at_place(f"[{name!r}]", self.item.measure, item, sizes)

    def look(self, value: Any, sizes: Sizes) -> None:
        for name, item in value.items():
            self.key.look(name, sizes)
            at_place(f"[{name!r}]", self.item.look, item, sizes)


def mapping(key: Kind, item: Kind) -> Kind:
    """A dict."""
    return _Mapping(key, item)


@dataclasses.dataclass(frozen=True)
class _Part(Kind):
    bases: tuple[type, ...]
    dimensions: tuple[tuple[str, Dimension], ...]

    def measure(self, value: object, sizes: Sizes) -> None:
        if not isinstance(value, self.bases):
            names = " or ".join(base.__name__ for base in self.bases)
            raise InvalidData(f"must be of class {names}; got {words(value)}")
        own = sizes.inside.get(id(value), {})
        for name, dimension in self.dimensions:
            if name in own:  # a family without parameters has no columns yet
                sizes.agree(dimension, own[name])


def instance(*bases: type, **dimensions: Dimension) -> Kind:
    """An object of one of these classes; `name=dimension` says which of its dimensions are which of ours."""
    return _Part(bases, tuple(dimensions.items()))
