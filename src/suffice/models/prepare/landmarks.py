"""Landmarks: the few rows that a kernel machine compares all others with."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np
from scipy.linalg import cho_factor, cho_solve, get_blas_funcs
from scipy.linalg.lapack import dpstrf, dtrtri

from ...backend.weights import given_or_ones
from ...data import Chunk, Source
from ...kernels import Function, Kernel
from ...typing import Floats, Reals, Whole
from .distinct_rows import DistinctRows

Way = Literal["uniform", "k-means++", "leverage"]
_CANDIDATES = 10  # rows for each landmark among which k-means++ draws


def drawn(rows: Source, kernel: Function, size: int, way: Way, rng: np.random.Generator) -> tuple[Floats, Whole]:
    """Different rows of a source, and their numbers."""
    seed = int(rng.integers(2**62))
    count = size * _CANDIDATES if way == "k-means++" else size
    some = rows.reduce(partial(DistinctRows.of, size=count, seed=seed))
    if way == "k-means++":
        chosen = _far_apart(some.rows, kernel, size, rng)
        return some.rows[chosen], some.numbers[chosen]
    if way == "leverage" and len(some.rows) == size:
        score = _leverage(rows, kernel, some.rows)
        some = rows.reduce(partial(DistinctRows.of, size=size, seed=int(rng.integers(2**62)), score=score))
    return some.rows, some.numbers


def independent(K: Floats) -> tuple[Whole, Floats]:
    """Landmarks whose features are independent, (r,), and L⁻¹ (r, r) of their matrix L Lᵀ, by Cholesky with pivots.

    The others add nothing: to rounding, their features are sums of those of the ones before.
    """
    factor, pivots, rank, _ = dpstrf(K, lower=1, tol=len(K) * np.finfo(np.float64).eps * float(np.diagonal(K).max()))
    inverse, _ = dtrtri(np.tril(factor[:rank, :rank]), lower=1)
    return pivots[:rank].astype(np.int64) - 1, np.tril(inverse)


def times_inverse(K: Reals, inverse: Floats, spare: bool) -> Reals:
    """The rows L⁻¹ k of kernels k with the landmarks, (n, r), written over K where it is spare."""
    multiply = get_blas_funcs("trmm", (K,))  # half the work of a product with any matrix
    lower = np.asfortranarray(inverse, dtype=K.dtype)
    made: Reals = multiply(1.0, lower, np.ascontiguousarray(K).T, side=0, lower=1, overwrite_b=spare)
    return made.T


def _far_apart(X: Floats, kernel: Function, size: int, rng: np.random.Generator) -> Whole:
    """Rows drawn in proportion to ‖φ(x) − φ(z)‖², z the nearest so far (k-means++ in the space of the kernel)."""
    own = _own(kernel, X)
    nearest, chosen = np.ones(len(X)), np.empty(0, dtype=np.int64)
    while len(chosen) < min(size, len(X)):
        mass = np.cumsum(nearest)
        if not mass[-1] > 0:
            break  # what is left are copies
        new = int(np.searchsorted(mass, rng.random() * mass[-1], side="right"))
        apart = own + own[new] - 2 * np.asarray(kernel(X, X[new : new + 1]), dtype=np.float64)[:, 0]
        apart[apart <= 1e-12 * (own + own[new])] = 0.0
        nearest = apart if not len(chosen) else np.minimum(nearest, apart)
        nearest[new] = 0.0
        chosen = np.append(chosen, new)
    return np.sort(chosen)


def _leverage(rows: Source, kernel: Function, pilot: Floats) -> Callable[[Reals], Floats]:
    """The ridge leverage φᵀ(ΦᵀΦ + λ)⁻¹φ of a row, estimated with the features φ that some landmarks give.

    What they do not see of it, k(x, x) − ‖φ‖², counts as a direction of its own, so by 1/λ. The penalty λ is such that
    the effective number of rows, the sum over all, is at most that of the landmarks.
    """
    kept, inverse = independent(np.array(kernel(pilot, pilot), dtype=np.float64))
    pilot = pilot[kept]

    def features(X: Reals) -> Floats:
        K = np.asarray(kernel(np.asarray(X, dtype=np.float64), pilot), dtype=np.float64)
        return np.asarray(times_inverse(K, inverse, spare=False), dtype=np.float64)

    def summed(chunk: Chunk) -> Floats:
        total = np.zeros((len(pilot), len(pilot)))
        weight = given_or_ones(chunk.weight, len(chunk))
        height = max(64, (1 << 22) // len(pilot))
        for i in range(0, len(chunk), height):
            made = features(chunk.X[i : i + height])
            total += made.T @ (made * weight[i : i + height, None])
        return total

    products: Floats = rows.reduce(summed)
    ridge = max(float(np.trace(products)) / len(pilot), 1e-300)
    solved = cho_factor(products + ridge * np.eye(len(pilot)))

    def score(X: Reals) -> Floats:
        made = features(X)
        seen = np.sum(made * cho_solve(solved, made.T).T, axis=1)
        unseen = np.maximum(_own(kernel, X) - np.sum(made**2, axis=1), 0.0) / ridge
        return np.asarray(np.clip(seen + unseen, 1e-300, 1.0))

    return score


def _own(kernel: Function, X: Reals) -> Floats:
    """k(x, x) of each row, (n,)."""
    if isinstance(kernel, Kernel):
        return kernel.diag(X).astype(np.float64, copy=False)
    parts = (X[i : i + 64] for i in range(0, len(X), 64))
    return np.concatenate([np.zeros(0), *(np.diagonal(kernel(part, part)) for part in parts)])
