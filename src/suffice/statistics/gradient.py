"""Sums of a loss over rows, of its gradient and its curvature: the summaries behind every linear predictor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, cast

import numpy as np

from .. import backend
from ..data.rows import as_numbers, as_rows, as_weight, is_sparse, one_a_row, plain
from ..errors import InvalidData
from ..holds import either, floats, instance, number, tuples
from ..typing import Floats, Numbers, Reals, TableLike, WeightLike
from .base import Statistic
from .moments import Moments
from .sparse_rows import SparseRows

_BLOCK = 1 << 14  # rows of single precision that are turned into doubles at once


@dataclass(frozen=True)
class GradientSums(Statistic, saved=False):
    """Σw, Σ w ℓ, Σ w g x (p,) and Σ w g of rows with loss ℓ and gradient g (n,); with g (n, k), (p, k) and (k,).

    >>> X, g = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0])
    >>> sums = GradientSums.of(X, g, np.array([0.5, 0.25]))
    >>> sums.weight, sums.value, sums.slope.tolist(), sums.offset.tolist()
    (2.0, 0.75, [-2.0, -2.0], 0.0)
    """

    weight: float
    value: float
    slope: Floats
    offset: Floats

    holds: ClassVar = {
        "weight": number(at_least=0),
        "value": number(finite=False),
        "slope": either(floats("p", finite=False), floats("p", "k", finite=False)),
        "offset": either(floats(finite=False), floats("k", finite=False)),
    }

    @classmethod
    def of(cls, X: TableLike, gradient: Floats, value: Floats, weight: WeightLike = None) -> GradientSums:
        """The sums of the rows of X, which may be sparse."""
        rows = as_rows(X, cls.__name__, sparse=True)
        n = rows.shape[0]
        w, g = as_weight(weight, n, cls.__name__), _by_row(gradient, n)
        each = one_a_row(value, n, cls.__name__, "value")
        if w is None:
            return cls(float(n), float(each.sum()), back(rows, g), np.asarray(g.sum(axis=0)))
        own = g * (w if g.ndim == 1 else w[:, None])
        return cls(float(w.sum()), float(w @ each), back(rows, own), np.asarray(own.sum(axis=0)))

    def __add__(self, other: GradientSums) -> GradientSums:
        return GradientSums(
            self.weight + other.weight,
            self.value + other.value,
            self.slope + other.slope,
            np.asarray(self.offset + other.offset),
        )

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        return rng.normal(size=(n, 3)), rng.normal(size=n), rng.random(n), rng.integers(0, 3, n).astype(float)


@dataclass(frozen=True)
class CurvedSums(Statistic, saved=False):
    """Gradient sums, and the moments of the rows weighted by their curvature h (n,), whose scatter is the Hessian's.

    >>> X = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> CurvedSums.of(X, np.ones(2), np.ones(2), np.array([0.5, 0.5])).second.mean.tolist()
    [2.0, 3.0]
    """

    first: GradientSums
    second: Moments

    holds: ClassVar = {"first": instance(GradientSums), "second": instance(Moments)}

    @classmethod
    def of(
        cls, X: TableLike, gradient: Floats, value: Floats, curvature: Floats, weight: WeightLike = None
    ) -> CurvedSums:
        """The sums of the rows of X, which may be sparse."""
        rows = as_rows(X, cls.__name__, sparse=True)
        w = as_weight(weight, rows.shape[0], cls.__name__)
        bent = one_a_row(curvature, rows.shape[0], cls.__name__, "curvature")
        bent = bent if w is None else bent * w
        return cls(GradientSums.of(rows, gradient, value, w), bent_moments(rows, bent))

    def __add__(self, other: CurvedSums) -> CurvedSums:
        return CurvedSums(self.first + other.first, self.second + other.second)

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        X, gradient, value, weight = GradientSums.example(rng, n)
        return X, gradient, value, rng.random(n), weight


@dataclass(frozen=True)
class ClassCurvedSums(Statistic, saved=False):
    """Gradient sums of k predictors a row, and for each pair of classes the moments weighted by the product of their p.

    The Hessian of a row is (diag(p) − p pᵀ) ⊗ x xᵀ, the sum over pairs c < e of p_c p_e (u_c − u_e)(u_c − u_e)ᵀ ⊗ x xᵀ
    with unit vectors u. `second` holds the pairs in the order (0, 1), (0, 2), …, (1, 2), ….

    >>> X, p = np.array([[1.0, 2.0], [3.0, 4.0]]), np.full((2, 3), 1 / 3)
    >>> sums = ClassCurvedSums.of(X, np.ones((2, 3)), np.ones(2), p)
    >>> len(sums.second), sums.second[0].mean.tolist()
    (3, [2.0, 3.0])
    """

    first: GradientSums
    second: tuple[Moments, ...]

    holds: ClassVar = {"first": instance(GradientSums), "second": tuples(instance(Moments))}

    @classmethod
    def of(
        cls, X: TableLike, gradient: Floats, value: Floats, share: Floats, weight: WeightLike = None
    ) -> ClassCurvedSums:
        """The sums of the rows of X, which may be sparse, with the probabilities of the classes (n, k)."""
        rows = as_rows(X, cls.__name__, sparse=True)
        w = as_weight(weight, rows.shape[0], cls.__name__)
        p = _by_row(share, rows.shape[0])
        return cls(GradientSums.of(rows, gradient, value, w), pair_moments(rows, p, w))

    def __add__(self, other: ClassCurvedSums) -> ClassCurvedSums:
        both = zip(self.second, other.second, strict=True)
        return ClassCurvedSums(self.first + other.first, tuple(one + two for one, two in both))

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[object, ...]:
        share = rng.dirichlet(np.ones(3), n)
        weight = rng.integers(0, 3, n).astype(float)
        return rng.normal(size=(n, 2)), rng.normal(size=(n, 3)), rng.random(n), share, weight


def _by_row(values: Floats, n: int) -> Floats:
    """Numbers, one or several a row, (n,) or (n, k), in double precision."""
    found = plain(as_numbers(values, "GradientSums"))
    if found.ndim not in (1, 2) or len(found) != n:
        raise InvalidData(f"GradientSums: gradient must have {n} rows of numbers; got an array of shape {found.shape}.")
    return np.asarray(found, dtype=np.float64)


def bent_moments(rows: Numbers, weight: Floats | None) -> Moments:
    """Moments by weight of rows, which may be sparse; where most have none, only the others are looked at."""
    some = None if weight is None else np.flatnonzero(weight)
    if is_sparse(rows):
        if weight is not None and some is not None and len(some) < rows.shape[0]:
            rows, weight = rows[some], weight[some]
        return SparseRows.of(rows, weight).squared()
    if some is None or 2 * len(some) > rows.shape[0]:
        return Moments.of(np.asarray(rows), weight)
    return Moments(*backend.moments(cast(Reals, rows), None, weight, some))


def pair_moments(rows: Numbers, share: Floats, weight: Floats | None) -> tuple[Moments, ...]:
    """Moments of rows, which may be sparse, by the products of the probabilities of each pair of classes, (n, k)."""
    columns = np.ascontiguousarray(share.T)
    own = columns if weight is None else columns * weight
    pairs = ((c, e) for c in range(len(columns)) for e in range(c + 1, len(columns)))
    return tuple(bent_moments(rows, own[c] * columns[e]) for c, e in pairs)


def forth(X: Numbers, slope: Floats, intercept: Floats) -> Floats:
    """X slope + intercept in double precision, (n,) or (n, k)."""
    if is_sparse(X) or X.dtype == np.float64:
        product = np.asarray(X @ slope)
        product += intercept
        return product
    found = np.empty((X.shape[0], *slope.shape[1:]))
    for start in range(0, X.shape[0], _BLOCK):
        rows = slice(start, start + _BLOCK)
        found[rows] = X[rows].astype(np.float64) @ slope
    return np.asarray(found + intercept)


def back(X: Numbers, values: Floats) -> Floats:
    """Xᵀ values in double precision, (p,) or (p, k)."""
    if is_sparse(X) or X.dtype == np.float64:
        return np.asarray(X.T @ values)
    found = np.zeros((X.shape[1], *values.shape[1:]))
    for start in range(0, X.shape[0], _BLOCK):
        rows = slice(start, start + _BLOCK)
        found += X[rows].astype(np.float64).T @ values[rows]
    return found
