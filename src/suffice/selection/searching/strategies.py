"""How a search goes through its space: what is tried next, given what was found so far."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...choices import Choices, Named
from ...errors import InvalidParameter
from ...typing import Floats
from .space import Proposal, Space

Rounds = Generator[list[Proposal], list[float], None]  # proposals to try together; what they lost, least is best

_PATIENCE = 50  # draws in a row that were there already


@dataclass(frozen=True)
class Strategy(Named):
    """Base of the strategies: frozen dataclasses whose `rounds` gives proposals and takes their losses."""

    members: ClassVar[list[type[Strategy]]] = []

    def __init_subclass__(cls) -> None:
        Strategy.members.append(cls)
        STRATEGIES.register(cls)

    def rounds(self, space: Space, rng: np.random.Generator) -> Rounds:
        """Lists of proposals that are tried together; a list of their losses comes back, NaN of those that failed."""
        raise TypeError(f"{type(self).__name__} does not define rounds")

    def total(self, space: Space) -> int | None:
        """How many proposals there will be, where that is known."""
        raise TypeError(f"{type(self).__name__} does not define total")


STRATEGIES: Choices[Strategy] = Choices("strategy", Strategy)


def check_count(member: object, name: str, least: int, most: int = 1_000_000) -> None:
    """Refuse a field that is no whole number within bounds."""
    value = getattr(member, name)
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or not least <= value <= most:
        raise InvalidParameter(
            f"{type(member).__name__}: {name} must be an integer, at least {least}, at most {most:,}; got {value!r}."
        )


@dataclass(frozen=True)
class GridSearch(Strategy):
    """Every combination of the values; a range gives so many `points`, evenly on its scale."""

    points: int = 5
    names = ("grid",)

    def __post_init__(self) -> None:
        check_count(self, "points", 2, 10_000)

    def rounds(self, space: Space, rng: np.random.Generator) -> Rounds:
        yield space.grid(self.points)

    def total(self, space: Space) -> int | None:
        return len(space.grid(self.points))


@dataclass(frozen=True)
class RandomSearch(Strategy):
    """`n` combinations drawn at random, none of them twice; fewer where there are no more."""

    n: int = 30
    names = ("random",)

    def __post_init__(self) -> None:
        check_count(self, "n", 1)

    def rounds(self, space: Space, rng: np.random.Generator) -> Rounds:
        yield list(drawn(space, rng, self.n))

    def total(self, space: Space) -> int | None:
        return self.n if space.size is None else min(self.n, space.size)


def drawn(space: Space, rng: np.random.Generator, n: int, spread: bool = False) -> Iterator[Proposal]:
    """Proposals that differ; `spread` divides each parameter's range among them (a Latin hypercube)."""
    if space.size is not None and space.size <= n:
        yield from space.grid(max(space.size, 2))
        return
    seen: set[object] = set()
    hypercube = _hypercube(n, space.width, rng) if spread else None
    misses = 0
    while len(seen) < n and misses < _PATIENCE:
        left = hypercube is not None and len(seen) + misses < n
        made = space.drawn(hypercube[len(seen) + misses] if left else rng.random(space.width))  # type: ignore[index]
        if (key := space.key(made)) in seen:
            misses += 1
            continue
        seen.add(key)
        yield made


def _hypercube(n: int, width: int, rng: np.random.Generator) -> Floats:
    """n points of which each n-th of every coordinate has one."""
    strata = np.argsort(rng.random((n, width)), axis=0)
    return np.asarray((strata + rng.random((n, width))) / n)


@dataclass(frozen=True)
class HalvingSearch(Strategy):
    """Many combinations on few rows, the best 1/`factor` of them on `factor` times as many, and so on to all rows.

    Of `n` combinations the first round learns from so few of the training rows that the last one, with all of them, has
    at least one; rows that are held out are always all asked. `least` is the smallest share of the rows.
    """

    n: int = 27
    factor: int = 3
    least: float = 0.01
    names = ("halving",)

    def __post_init__(self) -> None:
        check_count(self, "n", 2)
        check_count(self, "factor", 2, 100)
        if not isinstance(self.least, int | float) or isinstance(self.least, bool) or not 0 < self.least <= 1:
            raise InvalidParameter(f"HalvingSearch: least must be a share, above 0, at most 1; got {self.least!r}.")

    def shares(self, n: int) -> list[float]:
        """The share of the rows in each round, of which the last is 1.

        >>> [round(share, 3) for share in HalvingSearch().shares(27)]
        [0.037, 0.111, 0.333, 1.0]
        """
        rounds = [1.0]
        while n // self.factor ** len(rounds) >= 1 and rounds[0] / self.factor >= self.least:
            rounds.insert(0, rounds[0] / self.factor)
        return rounds

    def rounds(self, space: Space, rng: np.random.Generator) -> Rounds:
        tried = list(drawn(space, rng, self.n))
        for share in self.shares(len(tried)):
            losses = yield [Proposal(one.params, one.part, share) for one in tried]
            order = np.argsort(np.array(losses), kind="stable")  # NaN is last
            tried = [tried[i] for i in order[: max(1, len(tried) // self.factor)]]

    def total(self, space: Space) -> int | None:
        n = self.n if space.size is None else min(self.n, space.size)
        total: int = sum(max(1, n // self.factor**i) for i in range(len(self.shares(n))))
        return total
