"""What every sampler is: a way to give classes other sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, overload

import numpy as np

from ...choices import Choices, Named, check_number
from ...data import Chunk, Needs, Schema, as_source
from ...data.columns import tabled
from ...data.labels import encode
from ...plots.tables import as_frame
from ...randomness import generator
from ...registry import register_member
from ...typing import Codes, Flags, Floats, FrameT, Labels, RandomState, Reals, TableLike, TargetLike, WeightLike


@dataclass(frozen=True)
class Rows:
    """Rows (n, d) with the codes of their classes (n,) and their weights (n,), and which columns hold categories.

    `places` (n,) says which row of the table each is, or was drawn from where it is new, `made` (n,).
    """

    X: Reals
    codes: Codes
    weight: Floats
    categories: tuple[int, ...]
    places: Codes
    made: Flags

    @classmethod
    def of(cls, chunk: Chunk, codes: Codes, schema: Schema) -> Rows:
        """The rows of a chunk that count."""
        weight = np.ones(len(codes)) if chunk.weight is None else np.asarray(chunk.weight, dtype=np.float64)
        known = np.flatnonzero(weight > 0)
        made = np.zeros(len(known), dtype=bool)
        return cls(np.asarray(chunk.X)[known], codes[known], weight[known], schema.not_numeric, known, made)

    def totals(self) -> Floats:
        """The weight of each class, (k,)."""
        return np.asarray(np.bincount(self.codes, self.weight), dtype=np.float64)

    def at(self, places: Codes, weight: Floats | None = None) -> Rows:
        """Some of the rows, with other weights."""
        own = self.weight[places] if weight is None else weight
        X, codes, made = self.X[places], self.codes[places], self.made[places]
        return Rows(X, codes, own, self.categories, self.places[places], made)

    def like(self, drawn: Codes, X: Reals, weight: Floats) -> Rows:
        """New rows with these cells, drawn from some of the rows."""
        return Rows(X, self.codes[drawn], weight, self.categories, self.places[drawn], np.ones(len(drawn), dtype=bool))

    def and_also(self, other: Rows) -> Rows:
        """These rows, and others after them."""
        names = ("X", "codes", "weight", "places", "made")
        both = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in names}
        return Rows(**both, categories=self.categories)


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

    @overload
    def resample(  # type: ignore[overload-overlap]
        self, X: FrameT, y: TargetLike, sample_weight: WeightLike = None, random_state: RandomState = None
    ) -> tuple[FrameT, Labels, Floats]: ...
    @overload
    def resample(
        self, X: TableLike, y: TargetLike, sample_weight: WeightLike = None, random_state: RandomState = None
    ) -> tuple[Reals, Labels, Floats]: ...
    def resample(
        self, X: TableLike, y: TargetLike, sample_weight: WeightLike = None, random_state: RandomState = None
    ) -> tuple[object, Labels, Floats]:
        """Other rows of a table, their classes and their weights; for training alone.

        A frame gives a frame of the same kind, categories and missing cells and all; anything else gives an array.
        """
        from .frames import as_given

        owner = type(self).__name__
        X = tabled(X, owner)
        source = as_source(X, y, sample_weight, needs=Needs(owner, "classes", missing=True, categories=True))
        chunk = source.in_memory if source.in_memory is not None else source.gather()
        classes, codes = encode(np.asarray(chunk.y))
        found = self.drawn(Rows.of(chunk, codes, source.schema), generator(random_state))
        frame = as_frame(X)
        rows = found.X if frame is None else as_given(frame, chunk, found)
        return rows, classes[found.codes], found.weight


SAMPLERS: Choices[Sampler] = Choices("sampler", Sampler)


def drawn_places(own: Codes, weight: Floats, count: int, rng: np.random.Generator) -> Codes:
    """So many of some places, drawn with replacement in proportion to the weights."""
    share = np.cumsum(weight[own])
    place = np.searchsorted(share, rng.random(count) * share[-1], side="right")
    return np.asarray(own[np.minimum(place, len(own) - 1)])
