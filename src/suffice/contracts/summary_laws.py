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
from .results import fresh

RTOL = 1e-8
CUTS = (0, 7, 8, 31, 90)


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
        edges = [*(cut for cut in CUTS if cut < self.n_rows), self.n_rows]
        for first, end in pairwise(edges):
            yield self.whole.chunk.rows(first, end)

    def suited_to(self, needs: Needs, columns: tuple[str, ...] | None = None) -> Self:
        return dataclasses.replace(self, whole=self.whole.suited_to(needs, columns))

    def reduce(self, summarise: Callable[[Chunk], S]) -> S:
        parts = [summarise(chunk) for chunk in self.chunks()]
        total: S = reduce(add, parts)
        whole, nothing = summarise(self.whole.chunk), summarise(self.whole.chunk.rows(0, 0))
        _note(total, self.seen)
        assert_equal(total, whole, "the parts add up to the whole")
        assert_equal(nothing + whole, whole, "zero + s = s")
        assert_equal(whole + nothing, whole, "s + zero = s")
        assert_equal(reduce(lambda right, left: left + right, parts[::-1]), total, "(a + b) + c = a + (b + c)")
        return total


def summed_in_pieces(X: Any, y: Any = None, sample_weight: Any = None, *, needs: Needs) -> SummedInPieces:
    """A source of this table that checks every summary a model asks it for."""
    source = as_source(X, y, sample_weight, needs=needs)
    assert isinstance(source, ArraySource)
    return SummedInPieces(source)


def summaries_add_up(cls: type[Estimator]) -> None:
    """Whatever a fit sums up over the rows has a zero, is associative, and is the same for rows in pieces."""
    rng = np.random.default_rng(12)
    X, y = cls.example(rng, 120)
    weight = rng.integers(0, 3, 120).astype(float)
    model = fresh(cls)
    model.fit(summed_in_pieces(X, y, weight, needs=model._fit_needs()))


def assert_equal(left: Any, right: Any, law: str) -> None:
    """Assert that two summaries hold the same, up to rounding."""
    mine, other = dict(_leaves(left, "")), dict(_leaves(right, ""))
    owner = type(left).__name__
    assert mine.keys() == other.keys(), f"{owner}: {law}: {mine.keys() ^ other.keys()} differ"
    for name, a in mine.items():
        b, message = other[name], f"{owner}: {law}: {name}"
        if a.dtype.kind in "fiub" and b.dtype.kind in "fiub":
            size = float(np.max(np.abs(b[np.isfinite(b)]), initial=0.0))
            np.testing.assert_allclose(a, b, rtol=RTOL, atol=RTOL * size, err_msg=message)
        else:
            np.testing.assert_array_equal(a, b, err_msg=message)


def _leaves(value: Any, name: str) -> Generator[tuple[str, Any], None, None]:
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


def _inside(value: Any) -> dict[Any, Any] | None:
    """The parts of a value that has some."""
    if dataclasses.is_dataclass(value):
        return {item.name: getattr(value, item.name) for item in dataclasses.fields(value)}
    if isinstance(value, dict):
        return value
    if isinstance(value, tuple | list):
        return dict(enumerate(value))
    return None


def _note(value: Any, seen: set[type]) -> None:
    seen.add(type(value))
    for item in (_inside(value) or {}).values():
        _note(item, seen)
