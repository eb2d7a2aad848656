"""The space of a search: which parameters are tried, and with what."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from ...errors import InvalidParameter, did_you_mean, shown
from ...params import declared
from ...typing import EstimatorLike, Floats
from .dimensions import Between, Dimension, Drawn, Listed, Quantiles
from .ranges import range_of

SpaceLike = Mapping[str, object] | Sequence[Mapping[str, object]] | Sequence[str] | str
_MOST_VALUES = 10_000  # in a list
_MOST_COMBINATIONS = 1_000_000  # of a grid


@dataclass(frozen=True, eq=False)
class Proposal:
    """Parameters to try, of which part of the space they are, and from what share of the training rows to learn."""

    params: Mapping[str, object]
    part: int = 0
    share: float = 1.0


@dataclass(frozen=True, eq=False)
class Space:
    """Parts, each a mapping of parameters to what they are tried with; a proposal is from one of them."""

    parts: tuple[Mapping[str, Dimension], ...]
    given: object = field(default=None, repr=False)  # as the user wrote it

    @classmethod
    def of(cls, space: SpaceLike, model: EstimatorLike, owner: str = "search") -> Space:
        """What a user means: a mapping, several of them, or names whose ranges follow from the declarations."""
        names = [space] if isinstance(space, str) else space
        if isinstance(names, Mapping):
            several: list[object] = [names]
        elif isinstance(names, list | tuple) and names:
            several = [dict.fromkeys(names)] if all(isinstance(name, str) for name in names) else list(names)
        else:
            several = [None]
        mappings: list[Mapping[str, object]] = [one for one in several if isinstance(one, Mapping) and one]
        if len(mappings) < len(several):
            raise InvalidParameter(
                f"{owner}: space must map parameters to lists of values or to Between(low, high), or list names of "
                f"parameters, or several such mappings; got {shown(space)}."
            )
        known = model.get_params()
        parts = tuple(
            {name: _dimension(name, own, model, known, owner) for name, own in one.items()} for one in mappings
        )
        return cls(parts, space)

    @property
    def names(self) -> tuple[str, ...]:
        """Every parameter, in the order in which they stand."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part))

    @property
    def size(self) -> int | None:
        """How many combinations there are; None where nobody can list them."""
        sizes = [[own.size for own in part.values()] for part in self.parts]
        if any(size is None for part in sizes for size in part):
            return None
        return sum(math.prod(size for size in part if size is not None) for part in sizes)

    def grid(self, points: int, owner: str = "search") -> list[Proposal]:
        """All combinations; of a range so many points."""
        values = [{name: own.values(points) for name, own in part.items()} for part in self.parts]
        total = sum(math.prod(map(len, part.values())) for part in values)
        if total > _MOST_COMBINATIONS:
            raise InvalidParameter(
                f"{owner}: the grid has {total:,} combinations; give fewer values, or draw some with strategy='random'."
            )
        return [
            Proposal(dict(zip(part, combination, strict=True)), i)
            for i, part in enumerate(values)
            for combination in product(*part.values())
        ]

    def drawn(self, shares: Floats) -> Proposal:
        """The proposal at uniform shares, (1 + the largest number of parameters,): the first one chooses the part."""
        part = min(int(shares[0] * len(self.parts)), len(self.parts) - 1)
        own = zip(self.parts[part].items(), shares[1:], strict=False)
        return Proposal({name: dimension.at(float(share)) for (name, dimension), share in own}, part)

    @property
    def width(self) -> int:
        """How many shares a draw takes."""
        return 1 + max(map(len, self.parts))

    def key(self, proposal: Proposal) -> tuple[object, ...]:
        """The same for equal proposals alone."""
        return proposal.part, *(self._shown(proposal, name) for name in self.parts[proposal.part])

    def _shown(self, proposal: Proposal, name: str) -> object:
        value = proposal.params[name]
        return (type(value).__name__, value) if isinstance(value, int | float | str) else repr(value)

    def place(self, proposal: Proposal) -> Floats:
        """The coordinates of a proposal, (w,): those of its part, the middle for parameters of others."""
        found: list[float] = []
        for i, part in enumerate(self.parts):
            if len(self.parts) > 1:
                found.append(float(i == proposal.part))
            for name, dimension in part.items():
                if i == proposal.part:
                    found += dimension.place(proposal.params[name])
                else:
                    found += [0.5] * len(dimension.place(dimension.at(0.5)))
        return np.array(found)

    def near(self, proposal: Proposal, step: float, rng: np.random.Generator) -> Proposal:
        """Another proposal of the same part, about so far away."""
        part = self.parts[proposal.part].items()
        moved = {name: own.near(proposal.params[name], step, rng) for name, own in part}
        return Proposal(moved, proposal.part)

    def __iter__(self) -> Iterator[Mapping[str, Dimension]]:
        return iter(self.parts)


def _dimension(name: str, given: object, model: EstimatorLike, known: Mapping[str, object], owner: str) -> Dimension:
    """What one parameter is tried with, checked."""
    if name not in known:
        hint, kind = did_you_mean(str(name), list(known)), type(model).__name__
        raise InvalidParameter(f"{owner}: space names {name!r}, which is no parameter of {kind}.{hint}")
    if given is None:
        return range_of(name, model, owner)
    if isinstance(given, Between):
        for end in (given.low, given.high):
            check_value(name, end, model, known, owner)
        return given
    if isinstance(given, Quantiles):
        return Drawn(given)
    values = _listed(given)
    if values is None or not 1 <= len(values) <= _MOST_VALUES:
        raise InvalidParameter(
            f"{owner}: space must give {name!r} a list of 1 to {_MOST_VALUES:,} values, Between(low, high), or a "
            f"distribution with ppf and cdf; got {shown(given)}."
        )
    for value in values:
        check_value(name, value, model, known, owner)
    return Listed(values)


def _listed(given: object) -> list[object] | None:
    """The values of a list, a tuple, a range or a one-dimensional array, without NumPy's types; else None."""
    if isinstance(given, np.ndarray):
        return given.tolist() if given.ndim == 1 else None
    if not isinstance(given, list | tuple | range) or len(given) > _MOST_VALUES:
        return None
    return [value.item() if isinstance(value, np.generic) else value for value in given]


def check_value(
    name: str, value: object, model: EstimatorLike, known: Mapping[str, object], owner: str = "search"
) -> None:
    """Refuse a value that the declaration of its parameter does not allow, where there is one."""
    before, _, own = name.rpartition("__")
    holder = known.get(before) if before else model
    rule = declared(type(holder)).get(own) if hasattr(type(holder), "__dataclass_fields__") else None
    if rule is not None and not rule.allows(value):
        raise InvalidParameter(f"{owner}: {name} must be {rule}; got {shown(value)}{rule.refusal(value)}")
