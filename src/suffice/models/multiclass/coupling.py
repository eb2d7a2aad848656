"""Probabilities of k classes from those of all pairs: r (n, pairs) is what each pair says of its second class."""

from __future__ import annotations

import numpy as np

from ...typing import Floats

_AT_ONCE = 1 << 20  # cells of the systems that are solved together


def averaged(second: Floats, k: int) -> Floats:
    """pᵢ = 2 Σⱼ rᵢⱼ / (k (k − 1)), (n, k).

    >>> averaged(np.array([[0.25, 0.25, 0.5]]), 3).round(3)
    array([[0.5 , 0.25, 0.25]])
    """
    return np.asarray(_square(second, k).sum(axis=2) * (2 / (k * (k - 1))))


def coupled(second: Floats, k: int) -> Floats:
    """The p that minimise Σᵢ Σⱼ (rⱼᵢ pᵢ − rᵢⱼ pⱼ)² with Σ pᵢ = 1, (n, k), by Wu, Lin and Weng (2004).

    Where all pairs agree, rᵢⱼ = pᵢ / (pᵢ + pⱼ), it gives this p:

    >>> coupled(np.array([[1 / 4, 1 / 4, 1 / 2]]), 3).round(3)
    array([[0.6, 0.2, 0.2]])
    """
    height = max(1, _AT_ONCE // (k + 1) ** 2)
    starts = range(0, len(second), height)
    return np.concatenate([_coupled(second[start : start + height], k) for start in starts])


def _coupled(second: Floats, k: int) -> Floats:
    r = _square(second, k)  # (n, k, k)
    other = r.transpose(0, 2, 1)
    system = np.zeros((len(r), k + 1, k + 1))
    system[:, :k, :k] = -r * other
    own = np.arange(k)
    system[:, own, own] = np.sum(other**2, axis=2)
    system[:, :k, k] = system[:, k, :k] = 1.0
    right = np.zeros((k + 1, 1))
    right[k] = 1.0
    try:
        p = np.linalg.solve(system, np.broadcast_to(right, (len(r), k + 1, 1)))[:, :k, 0]
    except np.linalg.LinAlgError:  # pairs that are sure of both sides may leave several answers, of which any will do
        p = np.linalg.pinv(system, hermitian=True)[:, :k, k]
    p = np.maximum(p, 0.0)
    return np.asarray(p / p.sum(axis=1, keepdims=True))


def _square(second: Floats, k: int) -> Floats:
    """rᵢⱼ, what the pair of i and j says of i, (n, k, k); 0 on the diagonal."""
    first, last = np.triu_indices(k, 1)
    r = np.zeros((len(second), k, k))
    r[:, last, first] = second
    r[:, first, last] = 1 - second
    return r
