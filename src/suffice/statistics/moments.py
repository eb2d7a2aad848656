"""Weight, mean and centred scatter: the summary behind everything Gaussian and everything least-squares.

All of them merge by Chan, Golub & LeVeque (1979), with δ = mean₂ − mean₁ and share = W₂ / (W₁ + W₂)::

    mean = mean₁ + share · δ        scatter = scatter₁ + scatter₂ + W₁ · share · δ δᵀ

and never as E[x²] − E[x]², which loses every digit when the mean is large.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from suffice.typing import Numbers

from .. import backend
from ..backend import sparse
from ..backend.centring import centred
from ..backend.weights import given_or_ones
from ..data.rows import as_groups, as_rows, as_weight, is_sparse
from ..errors import InvalidData
from ..holds import floats, number
from ..typing import Floats, Reals, TableLike, WeightLike
from .affine import Affine
from .base import Arrays, Statistic


@dataclass(frozen=True)
class Moments(Statistic):
    """Σw, the weighted mean (d,) and the centred scatter Σ w (x−mean)(x−mean)ᵀ (d, d) of the rows of [X | Y].

    >>> m = Moments.of(np.array([[1.0, 2.0], [3.0, 6.0]]))
    >>> m.weight, m.mean.tolist(), m.scatter.tolist()
    (2.0, [2.0, 4.0], [[2.0, 4.0], [4.0, 8.0]])
    >>> merged = Moments.of(np.array([[1.0, 2.0]])) + Moments.of(np.array([[3.0, 6.0]]))
    >>> np.array_equal(merged.scatter, m.scatter)
    True
    """

    weight: float
    mean: Floats
    scatter: Floats

    holds: ClassVar = {
        "weight": number(at_least=0),
        "mean": floats("d", finite=False),
        "scatter": floats("d", "d", finite=False),
    }

    @classmethod
    def zero(cls, d: int) -> Moments:
        """The moments of no rows."""
        return cls(0.0, np.zeros(d), np.zeros((d, d)))

    @classmethod
    def of(cls, X: TableLike, weight: WeightLike = None, Y: TableLike | None = None) -> Moments:
        """The moments of the rows of X, or of X with the columns of Y put after it."""
        return cls(*backend.moments(*checked_rows(cls, X, weight, Y)))

    def __add__(self, other: Moments) -> Moments:
        total = self.weight + other.weight
        if total == 0:
            return self
        share = other.weight / total
        delta = other.mean - self.mean
        scatter = self.scatter + other.scatter + self.weight * share * np.outer(delta, delta)
        return Moments(total, self.mean + share * delta, scatter)

    def __sub__(self, other: Moments) -> Moments:
        """The moments without the rows of `other`, which must be among them."""
        left = _weight_left(self.weight, other.weight)
        if left == 0:
            return Moments.zero(len(self.mean))
        delta = (other.mean - self.mean) * (self.weight / left)  # other.mean - (mean of what is left)
        cross = other.weight * left / self.weight
        scatter = self.scatter - other.scatter - cross * np.outer(delta, delta)
        _check_were_added(np.diagonal(scatter), np.diagonal(self.scatter))
        return Moments(left, other.mean - delta, scatter)

    def after(self, change: Affine) -> Moments | None:
        if change.width != len(self.mean):
            return None
        scatter = change.turned(change.turned(self.scatter).T)
        return Moments(self.weight, change.of(self.mean), (scatter + scatter.T) / 2)

    def covariance(self, ddof: float = 0) -> Floats:
        """scatter / (Σw − ddof)."""
        return self.scatter / (self.weight - ddof)

    def rooted(self) -> RootMoments:
        """The same moments in square-root form (its digits are those of the scatter, not of the data)."""
        values, vectors = np.linalg.eigh(self.scatter)
        return RootMoments(self.weight, self.mean, np.sqrt(np.maximum(values, 0))[:, None] * vectors.T)


@dataclass(frozen=True)
class DiagonalMoments(Statistic):
    """Σw, mean and Σ w (x−mean)² of each column by itself, (d,) each; missing cells (NaN) are left out.

    >>> DiagonalMoments.of(np.array([[1.0, np.nan], [3.0, 5.0]])).weight.tolist()
    [2.0, 1.0]
    """

    weight: Floats
    mean: Floats
    scatter: Floats

    leaves_out_missing: ClassVar = True
    holds: ClassVar = {
        "weight": floats("d", at_least=0),
        "mean": floats("d", finite=False),
        "scatter": floats("d", finite=False, at_least=0),
    }

    @classmethod
    def zero(cls, d: int) -> DiagonalMoments:
        """The moments of no rows."""
        return cls(np.zeros(d), np.zeros(d), np.zeros(d))

    @classmethod
    def of(cls, X: TableLike, weight: WeightLike = None) -> DiagonalMoments:
        """The moments of the columns of X, which may be sparse."""
        if is_sparse(X):
            rows = as_rows(X, cls.__name__, sparse=True)
            return cls(*sparse.column_moments(rows, as_weight(weight, rows.shape[0], cls.__name__)))
        rows, _, w = checked_rows(cls, X, weight)
        if rows.shape[1] == 1:
            total, mean, scatter = backend.moments(rows, None, w)
            if np.isfinite(scatter[0, 0]):  # no cell is missing
                return cls(np.array([total]), mean, scatter[0])
        _, cells, mean, scatter = backend.grouped_moments(rows, None, 1, w)
        return cls(cells[0], mean[0], scatter[0])

    @classmethod
    def grouped(
        cls, X: TableLike, group: object, groups: int, weight: WeightLike = None
    ) -> tuple[DiagonalMoments, ...]:
        """The moments of each group of rows, which `group` (n,) numbers from 0."""
        rows, _, w = checked_rows(cls, X, weight)
        group = as_groups(group, len(rows), groups, cls.__name__)
        _, *sums = backend.grouped_moments(rows, group, groups, w)
        return tuple(cls(*part) for part in zip(*sums, strict=True))

    def __add__(self, other: DiagonalMoments) -> DiagonalMoments:
        total = self.weight + other.weight
        share = other.weight / np.where(total > 0, total, 1)
        delta = other.mean - self.mean
        scatter = self.scatter + other.scatter + self.weight * share * delta**2
        return DiagonalMoments(total, self.mean + share * delta, scatter)

    def __sub__(self, other: DiagonalMoments) -> DiagonalMoments:
        """The moments without the rows of `other`, which must be among them."""
        left = _weight_left(self.weight, other.weight)
        some = left > 0
        delta = (other.mean - self.mean) * self.weight / np.where(some, left, 1)
        cross = other.weight * left / np.where(self.weight > 0, self.weight, 1)
        scatter = self.scatter - other.scatter - cross * delta**2
        _check_were_added(np.where(some, scatter, 0), self.scatter)
        scatter = np.maximum(scatter, 0)
        mean = np.where(other.weight > 0, other.mean - delta, self.mean)
        return DiagonalMoments(left, np.where(some, mean, 0), np.where(some, scatter, 0))

    def after(self, change: Affine) -> DiagonalMoments | None:
        if change.width != len(self.mean) or not change.by_column:
            return None
        mean = np.where(self.weight > 0, change.of(self.mean), 0.0)
        return DiagonalMoments(self.weight, mean, self.scatter * change.factor**2)

    def variance(self, ddof: float = 0) -> Floats:
        """scatter / (Σw − ddof), NaN for a column without values."""
        return self.scatter / np.where(self.weight > ddof, self.weight - ddof, np.nan)


@dataclass(frozen=True)
class RootMoments(Statistic):
    """Moments in square-root form: scatter = rootᵀ root with a root (r, d), r ≤ d.

    While there are no more rows than columns, the root is the centred rows themselves, each times the root of its
    weight; more rows are brought to d by a QR decomposition. It keeps the digits that forming the scatter would square
    away, at two to four times the work where rows are many, and at less where they are few.
    """

    weight: float
    mean: Floats
    root: Floats

    holds: ClassVar = {
        "weight": number(at_least=0),
        "mean": floats("d", finite=False),
        "root": floats(None, "d", finite=False),
    }

    @classmethod
    def zero(cls, d: int) -> RootMoments:
        """The moments of no rows."""
        return cls(0.0, np.zeros(d), np.zeros((0, d)))

    @classmethod
    def of(cls, X: TableLike, weight: WeightLike = None, Y: TableLike | None = None) -> RootMoments:
        """The moments of the rows of X, or of X with the columns of Y put after it."""
        table, Y, weight = checked_rows(cls, X, weight, Y, sparse=True)
        d = table.shape[1] + (0 if Y is None else Y.shape[1])
        height = max(4 * d, 1_000_000 // d)  # rows of a block: cheap to merge, small beside the input
        total = cls.zero(d)
        for start in range(0, table.shape[0], height):
            rows = slice(start, start + height)
            own = table[rows].toarray() if is_sparse(table) else table[rows]
            parts = [own] if Y is None else [own, Y[rows]]
            total = total + cls._of_block(parts, None if weight is None else weight[rows])
        return total

    @classmethod
    def _of_block(cls, parts: list[Reals], weight: Floats | None) -> RootMoments:
        """The moments of the columns of all parts side by side."""
        row_weight = given_or_ones(weight, len(parts[0]))
        total = float(row_weight.sum())
        if total == 0:
            return cls.zero(sum(part.shape[1] for part in parts))
        share = row_weight / total
        with np.errstate(invalid="ignore", over="ignore"):  # a bad cell shows in the result
            mean = np.concatenate([share @ part for part in parts])
            Z = centred(parts, mean)
            rest = share @ Z  # what rounding left of the mean
            Z -= rest
            if weight is not None:
                Z *= np.sqrt(weight)[:, None]
        return cls(total, mean + rest, _square_at_most(Z))

    def __add__(self, other: RootMoments) -> RootMoments:
        total = self.weight + other.weight
        if self.weight == 0 or other.weight == 0:
            return other if self.weight == 0 else self
        share = other.weight / total
        delta = other.mean - self.mean
        stacked = np.vstack([self.root, other.root, np.sqrt(self.weight * share) * delta])
        return RootMoments(total, self.mean + share * delta, _square_at_most(stacked))

    def after(self, change: Affine) -> RootMoments | None:
        if change.width != len(self.mean):
            return None
        return RootMoments(self.weight, change.of(self.mean), _square_at_most(change.turned(self.root)))

    def by_column(self) -> DiagonalMoments:
        """The moments of each column by itself."""
        squares = np.einsum("rd,rd->d", self.root, self.root)
        return DiagonalMoments(np.full(len(self.mean), self.weight), self.mean, squares)

    def __sub__(self, other: RootMoments) -> RootMoments:
        """The moments without the rows of `other`; taken away in the scatter, so with the digits of that."""
        left = self.squared() - other.squared()
        if not left.is_finite():
            raise InvalidData("sums of squares overflow; scale the columns down.")
        return left.rooted()

    def squared(self) -> Moments:
        """The same moments with the scatter itself."""
        return Moments(self.weight, self.mean, self.root.T @ self.root)

    def comparable(self) -> Arrays:
        """The root is unique only up to a rotation, so two are compared by their scatter."""
        return self.squared().to_arrays()


def checked_rows(
    cls: type, X: TableLike, weight: WeightLike, Y: TableLike | None = None, sparse: bool = False
) -> tuple[Any, Reals | None, Floats | None]:
    """X, Y and the weights as the kernels take them, with equally many rows."""
    rows: Numbers = as_rows(X, cls.__name__, sparse=sparse)
    if Y is not None:
        Y = as_rows(Y, cls.__name__)
        if Y.shape[0] != rows.shape[0]:
            raise InvalidData(f"{cls.__name__}: X has {rows.shape[0]} rows but Y has {Y.shape[0]}.")
    return rows, Y, as_weight(weight, rows.shape[0], cls.__name__)


def _square_at_most(rows: Floats) -> Floats:
    """Rows with the same rowsᵀ rows, no more than there are columns: the triangular factor R of rows = Q R."""
    if rows.shape[0] <= rows.shape[1]:
        return rows
    R: Floats = np.linalg.qr(rows, mode="r")  # type: ignore[assignment]
    return R


def _weight_left(had: object, gone: Any) -> Any:
    """What remains of the weight, rounding aside; taking away more than there was is an error."""
    left = had - gone
    if np.any(left < -1e-9 * np.asarray(had) - 1e-12):
        raise InvalidData("more rows would be removed than were added.")
    return np.where(left > 1e-12 * np.asarray(had), left, 0.0)[()]


def _check_were_added(left: Floats, had: Floats) -> None:
    """A sum of squares cannot become negative, unless the rows were never part of it."""
    if np.any(left < -1e-6 * had):
        raise InvalidData("these rows were never added: without them the variance would be negative.")
