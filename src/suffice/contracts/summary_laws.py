"""The laws of whatever a fit sums up: any class with `+`, found where a source is asked for its sum."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any, Self

import numpy as np

from ..data import ArraySource, Chunk, Needs, Schema, Source, as_source
from ..data.source import S
from ..estimator import Estimator
from ..statistics import Statistic
from ..typing import TableLike, TargetLike, WeightLike
from .results import fresh

RTOL, ROUNDING = 1e-8, 1e-15
CUTS = (0, 7, 8, 31, 90)


def _itself(value: object) -> object:
    return value


def _pieces(rows: Chunk) -> Generator[Chunk, None, None]:
    for first, end in pairwise([*(cut for cut in CUTS if cut < len(rows)), len(rows)]):
        yield rows.rows(first, end)


@dataclass
class SummedInPieces(Source):
    """A table in memory, cut into pieces, whose sums are compared with the summary of the whole."""

    whole: ArraySource
    seen: set[type] = field(default_factory=set)
    """The classes that were summed, and those of the values in them."""

    @property
    def schema(self) -> Schema:  # type: ignore[override]
        """What the columns are."""
        return self.whole.schema

    @property
    def needs(self) -> Needs:  # type: ignore[override]
        """What the model can use."""
        return self.whole.needs

    @property
    def n_rows(self) -> int:  # type: ignore[override]
        """The number of rows."""
        return self.whole.n_rows

    def chunks(self) -> Generator[Chunk, None, None]:
        yield from _pieces(self.whole.chunk)

    def suited_to(self, needs: Needs, columns: tuple[str, ...] | None = None) -> Self:
        return dataclasses.replace(self, whole=self.whole.suited_to(needs, columns))

    def reduce(self, summarise: Callable[[Chunk], S]) -> S:
        total = check_summary(summarise, self.whole.chunk)
        self.seen |= classes_in(total)
        return total


def summed_in_pieces(
    X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None, *, needs: Needs
) -> SummedInPieces:
    """A source of this table that checks every summary a model asks it for."""
    source = as_source(X, y, sample_weight, needs=needs)
    assert isinstance(source, ArraySource)
    return SummedInPieces(source)


def check_summary(summarise: Callable[[Chunk], S], rows: Chunk, result: Callable[[S], object] = _itself) -> S:
    """The sum over pieces of some rows, which must be the summary of all of them; what has no rows adds nothing.

    Sources add in row order, so `+` has to be associative but need not commute. `result` gives what is compared, where
    a summary has many forms.
    """
    parts, whole, nothing = [summarise(piece) for piece in _pieces(rows)], summarise(rows), summarise(rows.rows(0, 0))
    total: S = reduce(add, parts)
    other: S = reduce(lambda right, left: left + right, parts[::-1])
    sums = {
        "the parts add up to the whole": total,
        "a + (b + c) adds up to the whole": other,
        "zero + s = s": nothing + whole,
        "s + zero = s": whole + nothing,
    }
    rounding = ROUNDING * len(rows) * float(np.nanmax(np.abs(rows.X), initial=1.0))  # of sums that cancel
    for law, found in sums.items():
        _assert_equal(result(found), result(whole), rounding, f"{type(whole).__name__}: {law}")
    return total


def summaries_add_up(cls: type[Estimator]) -> None:
    """Whatever a fit sums up over the rows has a zero, is associative, and is the same for rows in pieces."""
    rng = np.random.default_rng(12)
    X, y = cls.example(rng, 120)
    weight = rng.integers(0, 3, 120).astype(float)
    model = fresh(cls)
    model.fit(summed_in_pieces(X, y, weight, needs=model._fit_needs()))


def _assert_equal(left: object, right: object, rounding: float, law: str) -> None:
    mine, other = dict(_leaves(left, "")), dict(_leaves(right, ""))
    assert mine.keys() == other.keys(), f"{law}: {sorted(mine.keys() ^ other.keys())} differ"
    for name, a in mine.items():
        b = other[name]
        if "f" in (a.dtype.kind, b.dtype.kind):
            size = float(np.max(np.abs(b[np.isfinite(b)]), initial=0.0))
            np.testing.assert_allclose(a, b, rtol=RTOL, atol=RTOL * size + rounding, err_msg=f"{law}: {name}")
        else:
            np.testing.assert_array_equal(a, b, err_msg=f"{law}: {name}")


def _leaves(value: object, name: str) -> Generator[tuple[str, Any], None, None]:
    """The numbers and arrays in a value, by the path that leads to each."""
    if isinstance(value, Statistic):
        yield from ((f"{name}.{key}", array) for key, array in value.comparable().items())
        return
    inner = _inside(value)
    if inner is None:
        yield name, np.asarray(value)
    else:
        yield f"{name}.length", np.asarray(len(inner))
        for key, item in inner.items():
            yield from _leaves(item, f"{name}.{key}")


def _inside(value: object) -> dict[object, object] | None:
    """The parts of a value that has some."""
    if isinstance(value, Chunk):  # where the rows stood is not part of what they are
        return {"X": value.X, "y": value.y, "weight": value.weight}
    if dataclasses.is_dataclass(value):
        return {item.name: getattr(value, item.name) for item in dataclasses.fields(value)}
    if isinstance(value, dict):
        return value
    if isinstance(value, tuple | list):
        return dict(enumerate(value))
    return None


def classes_in(value: object) -> set[type]:
    """The class of a value, and those of the values in it."""
    return {type(value)}.union(*map(classes_in, (_inside(value) or {}).values()))
