"""The parameters of a search as places on an axis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol, Self

import numpy as np

from ..errors import InvalidParameter, did_you_mean
from ..params import as_float, plain_number
from ..text import figure
from ..typing import Floats


class Tried(Protocol):
    """One combination of parameters, and what it was measured at."""

    @property
    def params(self) -> Mapping[str, object]: ...
    @property
    def values(self) -> Mapping[str, float]: ...


class _Measured(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def larger(self) -> bool: ...


class Searched(Protocol):
    """What a search found."""

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def candidates(self) -> Sequence[Tried]: ...
    @property
    def ranking(self) -> Sequence[Tried]: ...
    @property
    def best(self) -> Tried: ...
    @property
    def measure(self) -> _Measured: ...
    def is_logarithmic(self, name: str) -> bool | None: ...


@dataclass(frozen=True, eq=False)
class Scale:
    """Places for the values of one parameter: numbers along a line, others by name; cells are named in order."""

    names: tuple[str, ...]  # of the cells
    listed: tuple[object, ...] | None = None  # the value of each cell; None where numbers are cut into cells
    edges: Floats | None = None  # between cells, on the scale
    log: bool = False

    @classmethod
    def of(cls, found: Searched, name: str, most: int) -> Self:
        """A cell for each value of a parameter that was tried, or cells of equal width where there are too many."""
        values = [candidate.params[name] for candidate in found.candidates if name in candidate.params]
        numbers = [plain_number(value) for value in values]
        if any(number is None for number in numbers):
            distinct = list({_text(value): value for value in values}.values())
            return cls(tuple(map(_text, distinct)), tuple(distinct))
        known = sorted({float(number) for number in numbers if number is not None})
        if len(known) <= most:
            return cls(tuple(_text(value) for value in known), tuple(known))
        log = is_logarithmic(found, name)
        low, high = (math.log(end) if log else end for end in (known[0], known[-1]))
        edges = np.linspace(low, high, most + 1)
        middles = [(a + b) / 2 for a, b in pairwise(edges.tolist())]
        return cls(tuple(figure(math.exp(x) if log else x, 2) for x in middles), None, edges, log)

    def cell(self, value: object) -> int:
        """The cell in which a value is."""
        if self.edges is not None:
            number = as_float(value)
            x = math.log(number) if self.log else number
            return int(np.clip(np.searchsorted(self.edges, x, side="right") - 1, 0, len(self.names) - 1))
        return self.names.index(_text(value))


def is_logarithmic(found: Searched, name: str) -> bool:
    """Whether a parameter is best shown on a logarithmic scale: it was searched so, or its values grow by factors."""
    said = found.is_logarithmic(name)
    if said is not None:
        return said
    values = [plain_number(one.params[name]) for one in found.candidates if name in one.params]
    known = sorted({float(value) for value in values if value is not None})
    if len(known) < 3 or known[0] <= 0:
        return False
    steps, factors = np.diff(known), np.diff(np.log(known))
    return bool(np.std(factors) / np.mean(factors) < np.std(steps) / np.mean(steps))


def checked_parameter(found: Searched, name: str | None, who: str, otherwise: Sequence[str]) -> str:
    """One of the parameters of a search."""
    known = found.names
    if name is None:
        if not otherwise:
            raise InvalidParameter(f"{who}: the search has one parameter alone, {known[0]!r}; draw it as a curve.")
        return str(otherwise[0])
    if name not in known:
        hint = did_you_mean(str(name), list(known))
        raise InvalidParameter(f"{who}: {name!r} was not searched; what was: {', '.join(known)}.{hint}")
    return name


def parameter_column(
    found: Searched, candidates: Sequence[Tried], name: str
) -> tuple[Floats, tuple[tuple[float, str], ...]]:
    """The places of a parameter's values, (n,), NaN where a candidate does not have it; and the ends, or all names."""
    given = [one.params.get(name, math.nan) for one in candidates]
    numbers = [plain_number(value) for value in given]
    if any(number is None for number in numbers):
        known = sorted({_text(value) for value in given if value == value})
        places = [float(known.index(_text(value))) if value == value else math.nan for value in given]
        return np.array(places), tuple((float(i), text) for i, text in enumerate(known))
    values = np.array([math.nan if number is None else float(number) for number in numbers])
    shown = np.log10(values) if is_logarithmic(found, name) else values
    ends = [int(np.nanargmin(shown)), int(np.nanargmax(shown))] if np.isfinite(shown).any() else []
    return shown, tuple((float(shown[i]), figure(float(values[i]), 3)) for i in dict.fromkeys(ends))


def _text(value: object) -> str:
    number = plain_number(value)
    return figure(float(number), 3) if number is not None else str(value)
