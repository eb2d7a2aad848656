"""A matrix of inner products, or of squared distances, about a mean, and its leading eigenvectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigh

from ..backend.blas import blas_threads_for
from ..backend.gram import symmetric_products
from ..backend.leading import is_large
from ..backend.leading_pairs import leading_by_pairs, orthonormal
from ..typing import Floats

_FEW = 4  # times as many rows as eigenvectors, at least, where these are sought without the others
_POSITIVE = 1e-11  # of the largest eigenvalue: a matrix that is positive with so much more has no negative ones
RESIDUAL, RESIDUAL_IN_SINGLE = 1e-10, 1e-7  # of Lanczos' method; of rows that are rounded to no more digits
_LOOKS = 4  # steps to look for an eigenvalue that it missed
Check = Callable[[Floats, float], None]  # of eigenvalues, rising, and the scale of their rounding


def _any(values: Floats, scale: float) -> None:
    """Take all eigenvalues."""


def spectrum(system: Floats) -> tuple[Floats, Floats]:
    """Eigenvalues, rising, and eigenvectors of a symmetric matrix."""
    with blas_threads_for(9.0 * len(system) ** 3):
        values, vectors = np.linalg.eigh(system)
    return values, vectors


def end_of_spectrum(system: Floats, k: int) -> tuple[Floats, Floats]:
    """The k largest eigenvalues, rising, and their vectors, by bisection of a tridiagonal matrix."""
    n = len(system)
    with blas_threads_for(9.0 * n**3):
        values, vectors = eigh(system, subset_by_index=(n - k, n - 1), check_finite=False)
    return values, vectors


def is_positive(system: Floats, ridge: float) -> bool:
    """Whether a symmetric matrix with that much more on its diagonal is positive definite."""
    more = system.copy()
    more[np.diag_indices(len(more))] += ridge
    with blas_threads_for(len(more) ** 3 / 3):
        try:
            cholesky(more, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            return False
    return True


@dataclass(frozen=True)
class CentredMatrix:
    """A symmetric matrix K (n, n) about the mean of its rows by weight, which is never formed where few vectors do.

    Of a kernel it is that of the features about their mean; of −d²/2, half of squared distances with a minus, that of
    inner products of points so far apart about theirs.
    """

    K: Floats
    root: Floats  # √w, (n,)
    share: Floats  # w / Σw, (n,)
    means: Floats  # K share, (n,)
    grand: float
    total: float  # Σ w k̃(x, x)

    @classmethod
    def of(cls, K: Floats, weight: Floats) -> CentredMatrix:
        share = weight / weight.sum()
        with blas_threads_for(K.size):
            means = K @ share
        grand = float(share @ means)
        total = float(weight @ (np.diagonal(K) - 2 * means + grand))
        return cls(K, np.sqrt(weight), share, means, grand, total)

    @property
    def rounding(self) -> float:
        """Eigenvalues no larger than this are 0."""
        largest = max(float(self.K.max(initial=0.0)), -float(self.K.min(initial=0.0)))
        return 1e-15 * float(self.root @ self.root) * largest

    def eigenvalues(self) -> Floats:
        """All eigenvalues, falling."""
        with blas_threads_for(4.0 * len(self.K) ** 3):
            values = np.linalg.eigvalsh(self.whole())[::-1]
        return np.where(np.abs(values) > self.rounding, values, 0.0)

    @property
    def squares(self) -> float:
        """The sum of the squares of the cells of W^½ K̃ W^½, which is that of the squares of all eigenvalues."""
        weight, total = self.root**2, float(self.root @ self.root)
        with blas_threads_for(self.K.size):
            own = np.einsum("ij,ij,j->i", self.K, self.K, weight, optimize=False)
            whole = float(weight @ own)
        return max(whole - 2 * total * float(weight @ self.means**2) + (total * self.grand) ** 2, 0.0)

    def times(self, v: Floats) -> Floats:
        """W^½ K̃ W^½ v of two columns, (n, 2); half of the matrix is read, once for both."""
        inner = self.root * v.T
        inner -= np.outer(inner.sum(axis=1), self.share)
        found = symmetric_products(self.K, inner)
        return np.asarray((self.root * (found - (found @ self.share)[:, None])).T)

    def whole(self) -> Floats:
        """W^½ K̃ W^½."""
        found = self.K - self.means - self.means[:, None] + self.grand
        found *= self.root
        found *= self.root[:, None]
        return found

    def leading(self, k: int, check: Check = _any, residual: float = RESIDUAL) -> tuple[Floats, Floats]:
        """The k largest eigenvalues, falling, and their vectors, whose signs make the largest coordinate positive.

        `check` may refuse the eigenvalues where all of them are found; `residual`, as a share of each, is what few of
        many may leave.
        """
        found = self._by_lanczos(k, residual) if is_large(len(self.K), k) else None
        values, vectors = self._of_whole(k, check) if found is None else found
        coordinates = vectors / np.where(self.root > 0, self.root, 1.0)[:, None]
        largest = np.argmax(np.round(np.abs(coordinates), 12), axis=0)
        sign = np.where(coordinates[largest, np.arange(k)] < 0, -1.0, 1.0)
        return values, vectors * sign

    def _of_whole(self, k: int, check: Check) -> tuple[Floats, Floats]:
        """The same of the matrix that is formed: all of them, or few by themselves where no others are checked."""
        system, scale = self.whole(), 1e8 * self.rounding  # of rows that are all equal, nothing else is left
        found = end_of_spectrum(system, k) if k * _FEW <= len(system) else None
        if found is None or (check is not _any and not is_positive(system, _POSITIVE * max(found[0][-1], scale))):
            found = spectrum(system)
            check(found[0], scale)
        values, vectors = found
        values = np.where(np.abs(values) > self.rounding, values, 0.0)
        return values[: -k - 1 : -1], vectors[:, : -k - 1 : -1]

    def _by_lanczos(self, k: int, residual: float) -> tuple[Floats, Floats] | None:
        """The same by Lanczos' method, for few of many; None where it did not find all of them."""
        begin, other = np.random.default_rng(0).normal(size=(2, len(self.K), 2))
        found = leading_by_pairs(self.times, begin, k, residual)
        if found is None:
            return None
        values, vectors = found
        return None if self._largest_beside(vectors, other) > values[-1] * (1 + residual) else found

    def _largest_beside(self, vectors: Floats, start: Floats) -> float:
        """A lower bound of the largest eigenvalue beside these, by a few steps: one of equal ones may be missing."""
        basis: list[Floats] = []
        images: list[Floats] = []
        for _ in range(_LOOKS):
            basis.append(orthonormal(start, np.column_stack([vectors, *basis]))[0])
            start = self.times(basis[-1])
            images.append(start)
        inner = np.hstack(basis).T @ np.hstack(images)
        return float(np.linalg.eigvalsh((inner + inner.T) / 2)[-1])
