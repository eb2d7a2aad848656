"""A few leading eigenvectors of a large symmetric matrix, by a block Krylov method that knows when it is right."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..typing import Floats

_MORE = 8  # vectors of a block beside those asked for: equal eigenvalues are found with their multiplicity
_LARGE = 40  # a matrix of at least so many rows for each vector of a block is large
_MOST_BLOCKS = 14  # in all; more cost as much as a whole decomposition
_RESIDUAL = 1e-10  # |A v − λ v| as a share of λ, of every vector asked for
_EXPECTED_FROM = 3  # blocks, after which the residuals say how many more it takes


def is_large(size: int, k: int) -> bool:
    """Whether k eigenvectors of a matrix are few enough to be sought by `leading`."""
    return size >= _LARGE * (k + _MORE)


def random_block(size: int, k: int) -> Floats:
    """Random columns to begin with where k eigenvectors are sought, (size, k and some more)."""
    return np.random.default_rng(0).normal(size=(size, k + _MORE))


@dataclass(frozen=True)
class Leading:
    """The k largest eigenvalues, falling, and the eigenvectors as columns; lower bounds and guesses if not `found`."""

    values: Floats
    vectors: Floats
    found: bool


def leading(apply: Callable[[Floats], Floats], start: Floats, k: int) -> Leading:
    """The k largest eigenvalues of a positive semi-definite matrix, and its eigenvectors.

    `apply` multiplies the matrix by some columns. The space of `start`, a random block, and its products with powers of
    the matrix is extended until the residuals of the best k vectors in it vanish (Musco & Musco, 2015). They are not
    found within the work that is worth it in noise, whose eigenvalues lie close together.
    """
    space = _Space([np.linalg.qr(start)[0]], [])
    residuals: list[float] = []
    for _ in range(_MOST_BLOCKS):
        values, vectors, residual = space.extended(apply, k)
        residuals.append(residual)
        enough = len(residuals) >= _EXPECTED_FROM and _blocks_left(residuals) > _MOST_BLOCKS - len(residuals)
        if residual <= _RESIDUAL or enough:
            break
    return Leading(values, vectors, residual <= _RESIDUAL)


def of_whole(matrix: Floats, guess: Leading) -> tuple[Floats, Floats] | None:
    """The same of a matrix at hand, by ARPACK; None where it has missed one of equal eigenvalues.

    The eigenvalues of a guess are lower bounds, and a block finds equal ones.
    """
    from scipy.sparse.linalg import ArpackError, eigsh

    k, size = len(guess.values), len(matrix)
    wanted, start = min(size, max(4 * k, 40)), guess.vectors.sum(axis=1)
    try:
        values, vectors = eigsh(matrix, k, v0=start, ncv=wanted, tol=_RESIDUAL)
    except ArpackError:
        return None
    values, vectors = values[::-1], vectors[:, ::-1]
    return (values, vectors) if np.all(values >= guess.values * (1 - 1e-9)) else None


@dataclass(frozen=True)
class _Space:
    """Orthonormal blocks, and the products of the matrix with them."""

    blocks: list[Floats]
    products: list[Floats] = field(default_factory=list)

    def extended(self, apply: Callable[[Floats], Floats], k: int) -> tuple[Floats, Floats, float]:
        """The best k values and vectors with the product of the last block, and the largest of their residuals."""
        new = apply(self.blocks[-1])
        self.products.append(new)
        V, AV = np.hstack(self.blocks), np.hstack(self.products)
        inner = V.T @ AV
        values, within = np.linalg.eigh((inner + inner.T) / 2)
        values, within = values[: -k - 1 : -1], within[:, : -k - 1 : -1]
        vectors = V @ within
        lengths = np.linalg.norm(AV @ within - vectors * values, axis=0)
        self.blocks.append(_orthonormal(new, V))
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(lengths > 0, lengths / values, 0.0)
        return values, vectors, float(np.max(np.where(values > 0, shares, np.inf)))


def _orthonormal(block: Floats, V: Floats) -> Floats:
    """The block without its part in the space of V: twice, for what rounding leaves the first time."""
    for _ in range(2):
        block = np.linalg.qr(block - V @ (V.T @ block))[0]
    return block


def _blocks_left(residuals: list[float]) -> float:
    """How many blocks more it takes if residuals go on falling as they did."""
    before, last = residuals[-2:]
    if not 0 < last < before < math.inf:
        return math.inf
    return math.log(last / _RESIDUAL) / math.log(before / last)
