"""Principal axes from moments: what PCA, whitening and factor models share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..backend.leading import Leading, is_large, leading, of_whole, random_block
from ..typing import Floats
from .moments import Moments, RootMoments
from .sparse_rows import SparseRoot, SparseRows

EPS = float(np.finfo(np.float64).eps)
_SMALL = 32  # columns, of which all eigenvectors are found sooner than some
_SMALLEST = 1e-7  # as a share of the largest: smaller variances are not found by products of rows


@dataclass(frozen=True)
class Spectrum:
    """Variances (k,), largest first, along orthonormal axes (k, d), and the variance of all directions.

    A direction whose variance is below `rounding`, as a share of the largest, has none.
    """

    variance: Floats
    axes: Floats
    total: float
    rounding: float

    @property
    def rank(self) -> int:
        """How many directions have variance above rounding."""
        return int(np.sum(self.variance > self.rounding * self.variance[0]))

    def first(self, k: int) -> Spectrum:
        """Only the first k directions."""
        return replace(self, variance=self.variance[:k], axes=self.axes[:k])


def divisor(weight: float) -> float:
    """What scatter is divided by: Σw − 1 as for a sample; weights that sum to 1 or less are shares, so Σw."""
    return weight - 1 if weight > 1 else weight


def column_scale(summary: Moments | RootMoments | SparseRows) -> Floats:
    """The standard deviation of each column; 1 for a constant column, which correlation leaves as it is."""
    if isinstance(summary, SparseRows):
        squares = SparseRoot.of(summary).squares()
    elif isinstance(summary, Moments):
        squares = np.diagonal(summary.scatter)
    else:
        squares = np.einsum("rd,rd->d", summary.root, summary.root)
    noise = summary.weight * (8 * EPS * summary.mean) ** 2  # rounding of a constant column
    std = np.sqrt(np.where(squares > noise, squares, 0) / divisor(summary.weight))
    return np.where(std > 0, std, 1.0)


def spectrum(
    summary: Moments | RootMoments, scale: Floats | None, k: int | None = None, exact: bool = False
) -> Spectrum:
    """The k directions of largest variance (all by default) of the columns divided by `scale`.

    `exact` takes the singular values of a root in any case, and not its products where they lose no more than half of
    the digits.
    """
    if isinstance(summary, Moments):
        return _from_scatter(summary, scale, k)
    root = summary.root if scale is None else summary.root / scale
    return _from_root(root, divisor(summary.weight), k) if exact else of_root(root, divisor(summary.weight), k)


def of_root(root: Floats, weight: float = 1.0, k: int | None = None, products: Floats | None = None) -> Spectrum:
    """Of rootᵀ root / weight, by the products of rows where these lose no more than half of the digits.

    `products` is root rootᵀ, where that is known.
    """
    by_rows = _from_rows(root, weight, k, products)
    return _from_root(root, weight, k) if by_rows is None else by_rows


def _from_scatter(summary: Moments, scale: Floats | None, k: int | None) -> Spectrum:
    covariance = summary.scatter / divisor(summary.weight)
    if scale is not None:
        covariance = covariance / np.outer(scale, scale)
    values, vectors = of_products(covariance, k)
    total, rounding = float(np.trace(covariance)), len(covariance) * EPS
    return Spectrum(np.maximum(values, 0.0), with_sign(vectors.T), total, rounding)


def of_products(matrix: Floats, k: int | None) -> tuple[Floats, Floats]:
    """The k largest eigenvalues of a positive semi-definite matrix, falling, and eigenvectors; few by blocks."""
    d = len(matrix)
    guess = leading(lambda V: matrix @ V, random_block(d, k), k) if k is not None and is_large(d, k) else None
    return _decided(guess, lambda: matrix, k)


def _decided(guess: Leading | None, matrix: Callable[[], Floats], k: int | None) -> tuple[Floats, Floats]:
    """Eigenvalues and eigenvectors: those of a guess that was right, else of the matrix."""
    if guess is not None and guess.found:
        return guess.values, guess.vectors
    whole = matrix()
    found = None if guess is None else of_whole(whole, guess)
    return eigenvectors(whole, k) if found is None else found


def eigenvectors(matrix: Floats, k: int | None) -> tuple[Floats, Floats]:
    """The k largest eigenvalues, all by default, falling, and the eigenvectors as columns."""
    d = len(matrix)
    if k is None or k > d // 2 or d <= _SMALL:
        values, vectors = np.linalg.eigh(matrix)
    else:
        from scipy.linalg import eigh

        values, vectors = eigh(matrix, subset_by_index=(d - k, d - 1), check_finite=False)
    kept = slice(None, None, -1) if k is None else slice(None, -k - 1, -1)
    return values[kept], vectors[:, kept]


def _from_rows(root: Floats, weight: float, k: int | None, products: Floats | None) -> Spectrum | None:
    """By the products of the rows of a root, fewer than columns; None where small variances would lose their digits."""
    r, d = root.shape
    if r > d or (k is not None and not 0 < k <= r) or not r:
        return None
    guess = None
    if k is not None and is_large(r, k):
        guess = leading(lambda V: root @ (V.T @ root).T, root @ random_block(d, k), k)
    values, vectors = _decided(guess, lambda: root @ root.T if products is None else products, k)
    kept = values > _SMALLEST * values[0]
    unclear = np.any(values[~kept] > 10 * r * EPS * values[0])
    if unclear or not kept.any() or (k is not None and not kept.all()):
        return None
    values = values[kept]
    axes = vectors[:, kept].T @ root / np.sqrt(values)[:, None]
    squares = np.einsum("rd,rd->", root, root) if products is None else np.trace(products)
    total = float(squares) / weight
    return Spectrum(values / weight, with_sign(axes), total, rounding=r * EPS)


def _from_root(root: Floats, weight: float, k: int | None) -> Spectrum:
    beyond = k is not None and k > len(root)  # more directions than rows: the others have no variance
    _, singular, axes = np.linalg.svd(root, full_matrices=beyond)
    variance = np.zeros(len(axes))
    variance[: len(singular)] = singular**2 / weight
    rounding = (axes.shape[1] * EPS) ** 2  # the root has not squared its errors
    return Spectrum(variance[:k], with_sign(axes[:k]), float(variance.sum()), rounding)


def with_sign(axes: Floats) -> Floats:
    """Axes whose largest entry is positive, so that the same data give the same signs."""
    largest = np.abs(axes).argmax(axis=1)
    negative = axes[np.arange(len(axes)), largest] < 0
    return np.ascontiguousarray(axes * np.where(negative, -1.0, 1.0)[:, None])
