"""Subsets of columns in least squares: the errors of every next step in all folds, from moments alone.

Forward, every column and the target stand as what the chosen columns S leave of them, e = x − Σ_S γ_s x_s with γ from
the rows that a fold learns from. Column j would then have the slope β = A_jy / A_jj, with A the products of these
remainders, and the rows tested on, with T the products of theirs, would have the squares T_yy − 2 β T_jy + β² T_jj: a
few operations a candidate. Taking a column takes its part from all others, as Gaussian elimination does (a sweep).

Backward, B = A⁻¹ and the slopes b stand for the columns that are left. Without column j the slopes change by
−B_j b_j / B_jj (an elimination undone), and the squares with them.

A ridge penalty α stands on the diagonal of A. Columns are scaled to length 1, so that units do not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...statistics import Moments
from ...typing import Flags, Floats, Whole
from ..linear.least_squares import scatter_of

_DETERMINED = 1e-10  # of the length of a column: what is left of one that others determine is below


@dataclass(frozen=True)
class Scores:
    """A measure of candidates, (c,), and of each of them in every fold, (c, folds)."""

    value: Floats
    each: Floats


class Steps(Protocol):
    """A set of columns that grows or shrinks: how good it would be after each step, and the step itself."""

    @property
    def weight(self) -> Floats:
        """The weight of the rows that each fold tests, (folds,)."""

    def now(self) -> Scores:
        """The measure of the set as it is, one candidate."""

    def scores(self, columns: Whole) -> Scores:
        """The measure after each of these columns is taken or left out."""

    def take(self, column: int) -> None:
        """Take a column, or leave it out."""


@dataclass(frozen=True)
class FoldProducts:
    """The products of the columns of [X | Y] in every fold, (folds, p + q, p + q): of rows learned from, and tested.

    Both are about the means of the rows learned from, or about the origin. `weight` (folds,) is that of rows tested.
    """

    learned: Floats
    tested: Floats
    weight: Floats
    p: int

    @classmethod
    def of(cls, parts: Sequence[tuple[Moments, Moments]], p: int, alpha: float, centred: bool) -> FoldProducts:
        """Of pairs of moments, learned from and tested; the columns are scaled, and the penalty is added."""
        learned = np.stack([scatter_of(train, centred) for train, _ in parts])
        off = [test.mean - train.mean if centred else test.mean for train, test in parts]
        tested = np.stack(
            [test.scatter + test.weight * np.outer(gap, gap) for (_, test), gap in zip(parts, off, strict=True)]
        )
        learned[:, range(p), range(p)] += alpha
        length = np.sqrt(learned[:, range(p), range(p)].max(axis=0))
        unit = np.ones(learned.shape[1])
        unit[:p] = np.where(length > 0, length, 1.0)
        both = unit[:, None] * unit
        return cls(learned / both, tested / both, np.array([test.weight for _, test in parts]), p)

    @property
    def targets(self) -> int:
        """The number of targets."""
        return int(self.learned.shape[1]) - self.p

    def as_scores(self, squares: Floats, rooted: bool) -> Scores:
        """The mean squares, or their roots, of sums of squares (c, folds)."""
        each = np.maximum(squares, 0.0) / (self.weight * self.targets)
        value = each @ self.weight / self.weight.sum()
        return Scores(np.sqrt(value), np.sqrt(each)) if rooted else Scores(value, each)


class ForwardSteps:
    """Columns are taken, the remainders of all others kept."""

    def __init__(self, of: FoldProducts, rooted: bool) -> None:
        self.of, self.rooted, p = of, rooted, of.p
        self.A, self.C = of.learned[:, :p, :p].copy(), of.learned[:, :p, p:].copy()  # (k, p, p), (k, p, q)
        self.T, self.D = of.tested[:, :p, :p].copy(), of.tested[:, :p, p:].copy()
        self.E = np.diagonal(of.tested[:, p:, p:], axis1=1, axis2=2).copy()  # (k, q)
        self._least = _DETERMINED * np.diagonal(self.A, axis1=1, axis2=2)  # (k, p)

    @property
    def weight(self) -> Floats:
        return self.of.weight

    def now(self) -> Scores:
        return self.of.as_scores(self.E.sum(axis=1)[None], self.rooted)

    def _slopes(self) -> Floats:
        """The slope that each column would have, (k, p, q); 0 where the chosen ones determine it."""
        pivot = np.diagonal(self.A, axis1=1, axis2=2)
        free = pivot > self._least
        return np.where(free[:, :, None], self.C / np.where(free, pivot, 1.0)[:, :, None], 0.0)

    def scores(self, columns: Whole) -> Scores:
        slope = self._slopes()[:, columns]
        own = np.diagonal(self.T, axis1=1, axis2=2)[:, columns, None]
        squares = self.E[:, None] - 2 * slope * self.D[:, columns] + slope**2 * own
        return self.of.as_scores(squares.sum(axis=2).T, self.rooted)

    def take(self, column: int) -> None:
        j, pivot = column, self.A[:, column, column]
        free = pivot > self._least[:, j]
        slope = self._slopes()[:, j]  # (k, q)
        part = np.where(free[:, None], self.A[:, :, j] / np.where(free, pivot, 1.0)[:, None], 0.0)  # γ, (k, p)
        t, tjj, dj = self.T[:, :, j].copy(), self.T[:, j, j].copy(), self.D[:, j].copy()
        self.E += slope**2 * tjj[:, None] - 2 * slope * dj
        self.D += (part * tjj[:, None] - t)[:, :, None] * slope[:, None] - part[:, :, None] * dj[:, None]
        self.T += _outer(part, part) * tjj[:, None, None] - _outer(part, t) - _outer(t, part)
        self.C -= self.A[:, :, j, None] * slope[:, None]
        self.A -= _outer(part, self.A[:, :, j].copy())


class BackwardSteps:
    """Columns are left out, the inverse and the slopes of all others kept.

    Columns that others before them determine, in any fold, take no part: to leave them out changes nothing.
    """

    def __init__(self, of: FoldProducts, rooted: bool) -> None:
        self.of, self.rooted, p = of, rooted, of.p
        self.free = ~determined(of)
        some = np.flatnonzero(self.free)
        k, q = len(of.learned), of.targets
        A, C = of.learned[:, some][:, :, some], of.learned[:, some, p:]
        T, D = of.tested[:, some][:, :, some], of.tested[:, some, p:]
        inverse = np.linalg.inv(A)
        slope = inverse @ C
        rest = T @ slope - D
        self.B, self.G = np.zeros((k, p, p)), np.zeros((k, p, p))
        self.b, self.h = np.zeros((k, p, q)), np.zeros((k, p, q))
        square = np.ix_(np.arange(k), some, some)
        self.B[square], self.G[square] = inverse, inverse @ T @ inverse
        self.b[:, some], self.h[:, some] = slope, inverse @ rest
        targets = np.diagonal(of.tested[:, p:, p:], axis1=1, axis2=2)
        self.E = targets + np.einsum("kpq,kpq->kq", slope, rest - D)

    @property
    def weight(self) -> Floats:
        return self.of.weight

    def now(self) -> Scores:
        return self.of.as_scores(self.E.sum(axis=1)[None], self.rooted)

    def _changes(self) -> Floats:
        """b_j / B_jj of every column, (k, p, q); 0 for one that takes no part."""
        pivot = np.diagonal(self.B, axis1=1, axis2=2)
        return np.where(self.free[:, None], self.b / np.where(self.free, pivot, 1.0)[:, :, None], 0.0)

    def scores(self, columns: Whole) -> Scores:
        change = self._changes()[:, columns]
        own = np.diagonal(self.G, axis1=1, axis2=2)[:, columns, None]
        squares = self.E[:, None] - 2 * change * self.h[:, columns] + change**2 * own
        return self.of.as_scores(squares.sum(axis=2).T, self.rooted)

    def take(self, column: int) -> None:
        j = column
        if not self.free[j]:
            return
        change, pivot = self._changes()[:, j], self.B[:, j, j].copy()
        column_of_b, column_of_g = self.B[:, :, j].copy(), self.G[:, :, j].copy()
        u, g = column_of_b / pivot[:, None], self.G[:, j, j].copy()
        self.E += change**2 * g[:, None] - 2 * change * self.h[:, j]
        self.h -= column_of_g[:, :, None] * change[:, None]
        self.h -= u[:, :, None] * self.h[:, j].copy()[:, None]
        self.b -= u[:, :, None] * self.b[:, j].copy()[:, None]
        self.G += _outer(u, u) * g[:, None, None] - _outer(u, column_of_g) - _outer(column_of_g, u)
        self.B -= _outer(u, column_of_b)
        self.free[j] = False


def determined(of: FoldProducts) -> Flags:
    """Which columns those before them determine, in any fold, (p,)."""
    found = np.zeros(of.p, dtype=bool)
    for learned in of.learned:
        A = learned[: of.p, : of.p].copy()
        least = _DETERMINED * np.diagonal(A)
        if _all_free(A, least):
            continue
        for j in range(of.p):
            if found[j] or A[j, j] <= least[j]:
                found[j] = True
            else:
                A[j + 1 :, j + 1 :] -= np.outer(A[j + 1 :, j], A[j, j + 1 :] / A[j, j])
    return found


def _all_free(A: Floats, least: Floats) -> bool:
    """Whether no pivot is as small as that: the squares of the diagonal of Cholesky's factor."""
    try:
        return bool(np.all(np.diagonal(np.linalg.cholesky(A)) ** 2 > least))
    except np.linalg.LinAlgError:
        return False


def _outer(a: Floats, b: Floats) -> Floats:
    """a bᵀ of every fold."""
    return np.asarray(a[:, :, None] * b[:, None])
