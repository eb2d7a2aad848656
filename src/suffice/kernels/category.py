"""The kernel of categories."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend import distances
from ..backend.distances import Term
from ..choices import check_number
from ..data.rows import FLOATS, is_gap
from ..holds import number
from ..typing import Reals
from .base import Kernel, Rows


@dataclass(frozen=True)
class CategoryKernel(Kernel):
    """The kernel of categories, k(x, y) = 1/d Σⱼ (1 where xⱼ = yⱼ, else `unequal`), of cells of any kind.

    Cells are equal or not, as texts, numbers or codes; a missing one is a category of its own. For mixed columns take
    another kernel of the numbers, each kernel `on` its columns.

    >>> rows = [["red", 1.0], ["red", 3.0], ["blue", 1.0]]
    >>> CategoryKernel()(rows)
    array([[1. , 0.5, 0.5],
           [0.5, 1. , 0. ],
           [0.5, 0. , 1. ]])
    """

    unequal: float = 0.0
    names: ClassVar = ("category", "overlap")
    takes: ClassVar = "cells"
    holds: ClassVar = {"unequal": number(at_least=0, below=1)}

    def __post_init__(self) -> None:
        check_number(self, "unequal", 0.0, most=1.0, below=True)

    def between(self, X: Rows, Y: Rows) -> Reals:
        A, B = _codes(X, X if Y is X else Y)
        apart: Reals = distances.pairwise(A, None if Y is X else B, Term("different"))
        return np.asarray(1 - apart * ((1 - self.unequal) / max(1, X.shape[1])), dtype=_precision(X))

    def diagonal(self, X: Rows) -> Reals:
        return np.ones(len(X), dtype=_precision(X))

    @classmethod
    def examples(cls) -> tuple[Kernel, ...]:
        return cls(), cls(0.3)

    def example(self, rng: np.random.Generator, n: int) -> Rows:
        return np.array(["red", "green", "blue", None], dtype=object)[rng.integers(0, 4, (n, 3))]


def _precision(X: Rows) -> type:
    return np.float32 if X.dtype == np.float32 else np.float64


def _codes(X: Rows, Y: Rows) -> tuple[Reals, Reals]:
    """The cells of both tables as numbers, equal where they are equal."""
    if X.dtype in FLOATS and Y.dtype == X.dtype and not (np.isnan(X).any() or np.isnan(Y).any()):
        return X, Y
    numbers = [_numbering() for _ in range(X.shape[1])]
    return _coded(X, numbers), _coded(Y, numbers)


def _numbering() -> defaultdict[object, int]:
    known: defaultdict[object, int] = defaultdict()
    known.default_factory = known.__len__
    return known


def _coded(cells: Rows, numbers: list[defaultdict[object, int]]) -> Reals:
    out = np.empty(cells.shape)
    for j, known in enumerate(numbers):
        out[:, j] = [known[None if is_gap(cell) else cell] for cell in cells[:, j].tolist()]
    return out
