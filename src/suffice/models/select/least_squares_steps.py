"""Subsets of columns in least squares: the errors of every next step in all folds, from moments alone.

Forward, every column and the target stand as what the chosen columns S leave of them, e = x − Σ_S γ_s x_s with γ from
the rows that a fold learns from. Column j would then have the slope β = A_jy / A_jj, with A the products of these
remainders, and the rows tested on, with T the products of theirs, would have the squares T_yy − 2 β T_jy + β² T_jj: a
few operations a candidate. Taking a column takes its part from all others, as Gaussian elimination does (a sweep).

Backward, with B = A⁻¹ and the slopes b of the columns that are left, the slopes without column j are b − b_j u, where
u = B_j / B_jj has 1 for the column and minus the slopes that make up for it; so the squares are
S − 2 b_j uᵀ r + b_j² uᵀ T u, with S those of all columns and r = T b − T_y.

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


@dataclass(frozen=True)
class _WithAll:
    """Least squares with all columns that are left, m, in each of k folds, and what leaving one of them out changes."""

    squares: Floats  # (k, q): of the rows tested
    slope: Floats  # (k, m, q)
    along: Floats  # (k, m, q): uᵀ r, u the slopes that make up for a column, r the products of what is missed
    own: Floats  # (k, m): uᵀ T u

    @classmethod
    def of(cls, products: FoldProducts, some: Whole) -> _WithAll:
        """From the products of some of the columns: of those learned from A and C, of those tested T and D."""
        p = products.p
        A, C = products.learned[:, some][:, :, some], products.learned[:, some, p:]
        T, D = products.tested[:, some][:, :, some], products.tested[:, some, p:]
        inverse = np.linalg.inv(A)
        slope = inverse @ C
        rest = T @ slope - D
        squares = np.diagonal(products.tested[:, p:, p:], axis1=1, axis2=2) + np.sum(slope * (rest - D), axis=1)
        instead = inverse / np.diagonal(inverse, axis1=1, axis2=2)[:, None]  # u of each column: 1 for itself
        return cls(squares, slope, np.swapaxes(instead, 1, 2) @ rest, np.sum(instead * (T @ instead), axis=1))

    def without(self, places: Whole) -> Floats:
        """The squares without each of some columns, (k, c, q)."""
        slope = self.slope[:, places]
        change = slope**2 * self.own[:, places, None] - 2 * slope * self.along[:, places]
        return np.asarray(self.squares[:, None] + change)


class BackwardSteps:
    """Columns are left out; the equations of all that are left are solved anew after each step.

    To go on from the solution before would be less work, and loses all digits where columns are nearly alike: their
    inverse is large, and what remains of it without one of them is small. Columns that others before them determine, in
    any fold, take no part: to leave them out changes nothing.
    """

    def __init__(self, of: FoldProducts, rooted: bool) -> None:
        self.of, self.rooted = of, rooted
        self.left = np.flatnonzero(~determined(of))
        self._solved: _WithAll | None = None

    @property
    def weight(self) -> Floats:
        return self.of.weight

    def now(self) -> Scores:
        return self.of.as_scores(self._with_all().squares.sum(axis=1)[None], self.rooted)

    def _with_all(self) -> _WithAll:
        if self._solved is None:
            self._solved = _WithAll.of(self.of, self.left)
        return self._solved

    def scores(self, columns: Whole) -> Scores:
        found = self._with_all()
        squares = np.repeat(found.squares[:, None], len(columns), axis=1)  # (k, c, q)
        some = np.flatnonzero(np.isin(columns, self.left))
        squares[:, some] = found.without(np.searchsorted(self.left, columns[some]))
        return self.of.as_scores(squares.sum(axis=2).T, self.rooted)

    def take(self, column: int) -> None:
        if column in self.left:
            self.left, self._solved = self.left[self.left != column], None


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
