"""Any statistic, kept separately for each class; classes may turn up at any time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from .. import backend
from ..data.labels import encode, united
from ..data.rows import as_rows, as_values, as_weight, is_sparse
from ..errors import InvalidData
from ..holds import floats, instance, label_array, require, tuples
from ..typing import Floats, Labels, Numbers, Reals, TargetLike
from .affine import Affine
from .base import Arrays, Statistic, check_alike
from .moments import DiagonalMoments, Moments, RootMoments

T = TypeVar("T", bound=Statistic)
S = TypeVar("S", bound=Statistic)
Grouped = Callable[[Any, NDArray[np.int64], int, Any], tuple[T, ...]]  # X, group of each row, groups, weight


@dataclass(frozen=True)
class PerClass(Statistic, Generic[T]):
    """The classes (k,), sorted, the weight of their rows (k,), and one statistic each.

    >>> s = PerClass.of(np.array([[1.0], [2.0], [5.0]]), np.array(["b", "a", "b"]))
    >>> s.classes.tolist(), s.weight.tolist(), s.parts[1].mean.tolist()
    (['a', 'b'], [1.0, 2.0], [3.0])
    """

    classes: Labels
    weight: NDArray[np.float64]
    parts: tuple[T, ...]

    holds: ClassVar = {
        "classes": label_array("k", distinct=True),
        "weight": floats("k", at_least=0),
        "parts": tuples(instance(Statistic, d="d"), "k"),
    }

    def check_loaded(self) -> None:
        check_alike(self.parts)

    def check_parts(self, *kinds: type[Statistic]) -> None:
        """Raise an error where the statistics of a file are of another class than a model adds up."""
        names = " or ".join(kind.__name__ for kind in kinds)
        require(all(type(part) in kinds for part in self.parts), f"parts must be of class {names}")

    @classmethod
    def of(cls, X: Numbers, y: Numbers, weight: Numbers | None = None) -> PerClass[DiagonalMoments]:  # type: ignore[override]
        """Diagonal moments of the rows of each class; missing cells are left out."""
        return cls.by(DiagonalMoments.grouped, as_rows(X, cls.__name__), y, weight)

    @classmethod
    def full(cls, X: Numbers, y: TargetLike, weight: Numbers | None = None) -> PerClass[Moments]:
        """Full moments of the rows of each class."""
        return cls.by(_full, as_rows(X, cls.__name__), y, weight)

    @classmethod
    def rooted(cls, X: Numbers, y: TargetLike, weight: Numbers | None = None) -> PerClass[RootMoments]:
        """Full moments in square-root form, the smaller one where rows are fewer than columns."""
        return cls.by(_rooted, as_rows(X, cls.__name__), y, weight)

    @staticmethod
    def by(grouped: Grouped[S], X: Numbers, y: object, weight: Numbers | None = None) -> PerClass[S]:
        """The statistic that `grouped(X, group, groups, weight)` gives for each group of rows, by class."""
        X = X if is_sparse(X) else as_rows(X, "PerClass")  # the cells of a sparse matrix are for `grouped` to check
        labels = as_values(y, "PerClass")
        if labels.shape != (X.shape[0],):
            raise InvalidData(f"PerClass: y must have a class for each of {X.shape[0]} rows; got shape {labels.shape}.")
        weight = as_weight(weight, X.shape[0], "PerClass")
        classes, codes = encode(labels)
        rows = np.bincount(codes, weight, len(classes)).astype(np.float64)
        parts = grouped(X, codes, len(classes), weight) if len(classes) else ()
        return PerClass(classes, rows, tuple(parts))._without_empty()

    def _without_empty(self) -> PerClass[T]:
        """A class whose rows all weigh nothing is not there, as if its rows were not."""
        some = self.weight > 0
        if some.all():
            return self
        parts = tuple(part for part, kept in zip(self.parts, some, strict=True) if kept)
        return PerClass(self.classes[some], self.weight[some], parts)

    def __add__(self, other: PerClass[T]) -> PerClass[T]:
        if not self.parts or not other.parts:
            return other if not self.parts else self
        classes = united(self.classes, other.classes)
        weight = np.zeros(len(classes))
        parts: list[T | None] = [None] * len(classes)
        for side in (self, other):
            for k, own, part in zip(np.searchsorted(classes, side.classes), side.weight, side.parts, strict=True):
                mine = parts[k]
                parts[k] = part if mine is None else mine + part
                weight[k] += own
        return PerClass(classes, weight, tuple(part for part in parts if part is not None))

    def after(self, change: Affine) -> PerClass[T] | None:
        found = [part.after(change) for part in self.parts]
        parts = tuple(part for part in found if part is not None)
        return PerClass(self.classes, self.weight, parts) if len(parts) == len(found) else None

    def __sub__(self, other: PerClass[T]) -> PerClass[T]:
        """The statistic without the rows of `other`, which must be among them; a class may become empty."""
        at = np.searchsorted(self.classes, other.classes)
        known = at < len(self.classes)
        known[known] = self.classes[at[known]] == other.classes[known]
        if not known.all() or np.any(self.weight[at] < other.weight - 1e-9):
            raise InvalidData("these rows were never added: a class has fewer rows than would be removed.")
        parts, weight = list(self.parts), self.weight.copy()
        for k, own, part in zip(at, other.weight, other.parts, strict=True):
            parts[k] = parts[k] - part
            weight[k] = max(weight[k] - own, 0.0)
        return PerClass(self.classes, weight, tuple(parts))

    def is_finite(self) -> bool:
        return bool(np.isfinite(self.weight).all()) and all(part.is_finite() for part in self.parts)

    def to_arrays(self) -> Arrays:
        kind = type(self.parts[0]).__name__ if self.parts else ""
        return {**super().to_arrays(), "kind": np.array(kind)}

    @classmethod
    def from_arrays(cls, arrays: Any) -> PerClass[Any]:
        kinds = {member.__name__: member for member in Statistic.members}
        parts = []
        for k in range(int(arrays["parts"])):
            prefix = f"parts.{k}."
            own: Arrays = {key[len(prefix) :]: value for key, value in arrays.items() if key.startswith(prefix)}
            parts.append(kinds[str(arrays["kind"])].from_arrays(own))
        return PerClass(arrays["classes"], arrays["weight"], tuple(parts))

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        X = rng.normal(size=(n, 2))
        X[rng.random((n, 2)) < 0.2] = np.nan
        return X, rng.choice(["red", "green", "blue"], n), rng.integers(0, 3, n).astype(float)


def _full(X: Reals, group: NDArray[np.int64], groups: int, weight: Floats | None) -> tuple[Moments, ...]:
    return tuple(Moments(*backend.moments(X, None, weight, rows)) for rows in _rows_of(group, groups))


def _rooted(X: Reals, group: NDArray[np.int64], groups: int, weight: Floats | None) -> tuple[RootMoments, ...]:
    own = [None if weight is None else weight[rows] for rows in _rows_of(group, groups)]
    return tuple(RootMoments.of(X[rows], w) for rows, w in zip(_rows_of(group, groups), own, strict=True))


def _rows_of(group: NDArray[np.int64], groups: int) -> list[NDArray[np.int64]]:
    """The rows of each group, in order."""
    order = np.argsort(group.astype(np.int16) if groups < 2**15 else group, kind="stable")  # short codes: radix sort
    ends = np.cumsum(np.bincount(group, minlength=groups))
    return np.split(order, ends[:-1])
