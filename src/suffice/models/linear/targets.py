"""What a linear model must know of its targets before it begins: their weight, their range, or their classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import ClassVar

import numpy as np

from ...backend.weights import given_or_ones
from ...data import Chunk, Source
from ...data.rows import as_column, as_weight
from ...errors import InvalidData, InvalidParameter
from ...holds import number
from ...statistics import Counts, Statistic
from ...typing import Floats, Labels, TargetLike, WeightLike

ClassWeight = Mapping[object, float] | str | None


@dataclass(frozen=True)
class TargetSums(Statistic, saved=False):
    """Σw, the mean of the targets by weight, the lowest and the highest one, and the number of rows.

    >>> TargetSums.of(np.array([1.0, 4.0]), np.array([2.0, 1.0]))
    TargetSums(weight=3.0, mean=2.0, low=1.0, high=4.0, rows=2)
    """

    weight: float
    mean: float
    low: float
    high: float
    rows: int

    holds: ClassVar = {
        "weight": number(at_least=0),
        "mean": number(finite=False),
        "low": number(finite=False),
        "high": number(finite=False),
    }

    @classmethod
    def of(cls, y: TargetLike, weight: WeightLike = None) -> TargetSums:
        """The sums of some targets; those that weigh nothing count nothing."""
        values = np.asarray(as_column(y, cls.__name__), dtype=np.float64)
        w = as_weight(weight, len(values), cls.__name__)
        if w is None:
            ends = float(values.min(initial=np.inf)), float(values.max(initial=-np.inf))
            return cls(float(len(values)), float(values.mean()) if len(values) else 0.0, *ends, len(values))
        total, some = float(w.sum()), values[w > 0]
        mean = float(w @ values) / total if total > 0 else 0.0
        return cls(total, mean, float(some.min(initial=np.inf)), float(some.max(initial=-np.inf)), len(some))

    def __add__(self, other: TargetSums) -> TargetSums:
        weight = self.weight + other.weight
        share = other.weight / weight if weight > 0 else 0.0
        mean = self.mean + share * (other.mean - self.mean)
        rows = self.rows + other.rows
        return TargetSums(weight, mean, min(self.low, other.low), max(self.high, other.high), rows)

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        return rng.normal(size=n), rng.integers(0, 3, n).astype(float)


def target_sums(chunk: Chunk) -> TargetSums:
    """The sums of the targets of a chunk."""
    return TargetSums.of(chunk.y, chunk.weight)


@dataclass(frozen=True)
class CodedClasses:
    """The classes of a source, sorted, the weight of each, (k,), and the source with their codes as targets.

    With two classes the codes are signs, −1 for the first and 1 for the second. `each` is what `class_weight` makes a
    row of each class count, (k,).
    """

    classes: Labels
    weight: Floats
    source: Source
    each: Floats | None = None

    @classmethod
    def of(cls, source: Source, class_weight: ClassWeight, signs: bool = True) -> CodedClasses:
        """Two passes over the targets: which there are, and their codes."""
        owner = source.needs.owner
        found = source.reduce_targets(_counted)
        if len(found.values) < 2:
            raise InvalidData(f"{owner}: y holds one class, {str(found.values[0])!r}; at least 2 are needed.")
        each = class_weights(class_weight, found.values, found.counts, owner)
        code = partial(coded, classes=found.values, each=each, signs=signs and len(found.values) == 2)
        weight = found.counts if each is None else found.counts * each
        return cls(found.values, weight, source.mapped(code), each)


def coded_as(source: Source, classes: Labels) -> Source:
    """The source with the codes of known classes as targets."""
    return source.mapped(partial(coded, classes=classes, each=None, signs=len(classes) == 2))


def _counted(chunk: Chunk) -> Counts:
    return Counts.of(chunk.y, chunk.weight)


def coded(chunk: Chunk, classes: Labels, each: Floats | None, signs: bool) -> Chunk:
    """A chunk with codes for classes, and its weights times those of the classes."""
    if len(classes) == 2:
        code = (chunk.y == classes[1]).astype(np.int64)
    else:
        code = np.minimum(np.searchsorted(classes, chunk.y), len(classes) - 1)  # rows of no weight may have others
    weight = chunk.weight
    if each is not None:
        weight = given_or_ones(weight, len(chunk)) * each[code]
    y = 2.0 * code - 1.0 if signs else code
    return Chunk(chunk.X, y, weight, chunk.start, chunk.numbers)


def class_weights(given: ClassWeight, classes: Labels, counts: Floats, owner: str) -> Floats | None:
    """What a row of each class counts, (k,); None where all count the same."""
    if given is None:
        return None
    if isinstance(given, str):
        return np.asarray(counts.sum() / (len(classes) * counts))
    known = {label: k for k, label in enumerate(classes.tolist())}
    found = np.ones(len(classes))
    for label, value in given.items():
        if label not in known:
            raise InvalidParameter(
                f"{owner}: class_weight names the class {label!r}, which y does not have; it has "
                f"{', '.join(map(repr, list(known)[:5]))}."
            )
        found[known[label]] = value if isinstance(value, Real) else np.nan
    if not (np.isfinite(found).all() and np.all(found >= 0) and found.any()):
        raise InvalidParameter(f"{owner}: class_weight must hold numbers of at least 0; got {dict(given)!r}.")
    return found


def one_target(source: Source, k: int) -> Source:
    """The rows with one of several targets."""
    return source.mapped(partial(_with_target, k=k))


def _with_target(chunk: Chunk, k: int) -> Chunk:
    return replace(chunk, y=chunk.y[:, k])
