"""What every sampler is: a way to give classes other sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...choices import Choices, Named, check_number
from ...data import Chunk, Needs, Schema, as_source
from ...data.labels import encode
from ...randomness import generator
from ...registry import register_member
from ...typing import Codes, Floats, Labels, RandomState, Reals, TableLike, TargetLike, WeightLike


@dataclass(frozen=True)
class Rows:
    """Rows (n, d) with the codes of their classes (n,) and their weights (n,), and which columns hold categories."""

    X: Reals
    codes: Codes
    weight: Floats
    categories: tuple[int, ...]

    @classmethod
    def of(cls, chunk: Chunk, codes: Codes, schema: Schema) -> Rows:
        """The rows of a chunk that count."""
        weight = np.ones(len(codes)) if chunk.weight is None else np.asarray(chunk.weight, dtype=np.float64)
        known = weight > 0
        return cls(np.asarray(chunk.X)[known], codes[known], weight[known], schema.not_numeric)

    def totals(self) -> Floats:
        """The weight of each class, (k,)."""
        return np.asarray(np.bincount(self.codes, self.weight), dtype=np.float64)

    def at(self, places: Codes, weight: Floats | None = None) -> Rows:
        """Some of the rows, with other weights."""
        own = self.weight[places] if weight is None else weight
        return Rows(self.X[places], self.codes[places], own, self.categories)

    def and_also(self, other: Rows) -> Rows:
        """These rows, and others after them."""
        X, codes = np.concatenate([self.X, other.X]), np.concatenate([self.codes, other.codes])
        return Rows(X, codes, np.concatenate([self.weight, other.weight]), self.categories)


@dataclass(frozen=True)
class Sampler(Named):
    """Base of the samplers: frozen dataclasses whose `drawn` gives other rows, of any classes, by a generator.

    `ratio` is the weight of the smallest class beside the largest afterwards: 1 makes all alike.
    """

    ratio: float = 1.0
    members: ClassVar[list[type[Sampler]]] = []

    def __init_subclass__(cls) -> None:
        Sampler.members.append(cls)
        SAMPLERS.register(cls)
        register_member(cls, "sampler")

    def __post_init__(self) -> None:
        check_number(self, "ratio", 0.0, above=True, most=1.0)

    def drawn(self, rows: Rows, rng: np.random.Generator) -> Rows:
        """Rows to learn from in place of these."""
        raise TypeError(f"{type(self).__name__} does not define drawn")

    def resample(
        self, X: TableLike, y: TargetLike, sample_weight: WeightLike = None, random_state: RandomState = None
    ) -> tuple[Reals, Labels, Floats]:
        """Other rows of a table of numbers, their classes and their weights; for training alone."""
        owner = type(self).__name__
        source = as_source(X, y, sample_weight, needs=Needs(owner, target="classes"))
        chunk = source.in_memory if source.in_memory is not None else source.gather()
        classes, codes = encode(np.asarray(chunk.y))
        found = self.drawn(Rows.of(chunk, codes, source.schema), generator(random_state))
        return found.X, classes[found.codes], found.weight


SAMPLERS: Choices[Sampler] = Choices("sampler", Sampler)


def drawn_places(own: Codes, weight: Floats, count: int, rng: np.random.Generator) -> Codes:
    """So many of some places, drawn with replacement in proportion to the weights."""
    share = np.cumsum(weight[own])
    place = np.searchsorted(share, rng.random(count) * share[-1], side="right")
    return np.asarray(own[np.minimum(place, len(own) - 1)])
