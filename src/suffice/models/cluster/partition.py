"""Clusters of the vectors of a spectral map, without means: by turning them to the axes."""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr, svd

from ...typing import Codes, Floats

_TURNS, _STARTS = 20, 30


def by_pivots(vectors: Floats) -> Codes:
    """The largest of the vectors turned to pivotal rows (Damle, Minden and Ying, 2019); (n, k) gives (n,)."""
    k = vectors.shape[1]
    pivots = qr(vectors.T, mode="r", pivoting=True)[1][:k]
    U, _, Vt = svd(vectors[pivots].T)
    return np.asarray(np.argmax(np.abs(vectors @ (U @ Vt)), axis=1), dtype=np.int64)


def by_rotation(vectors: Floats, rng: np.random.Generator) -> Codes:
    """The nearest flags of clusters to rotated vectors, their rows of length 1 (Yu and Shi, 2003)."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = vectors / np.where(length > 0, length, 1.0)
    best = -np.inf
    found: Codes = np.zeros(len(rows), dtype=np.int64)
    for _ in range(_STARTS):
        labels, fit = _rotated(rows, _begun(rows, rng))
        if fit > best * (1 + 1e-12) or best == -np.inf:
            best, found = fit, labels
    return found


def _begun(rows: Floats, rng: np.random.Generator) -> Floats:
    """A rotation to begin with: rows that are as far from parallel as can be."""
    k = rows.shape[1]
    turn = np.zeros((k, k))
    turn[:, 0] = rows[rng.integers(len(rows))]
    along = np.zeros(len(rows))
    for column in range(1, k):
        along += np.abs(rows @ turn[:, column - 1])
        turn[:, column] = rows[np.argmin(along)]
    return turn


def _rotated(rows: Floats, turn: Floats) -> tuple[Codes, float]:
    fit, labels = -np.inf, np.zeros(len(rows), dtype=np.int64)
    for _ in range(_TURNS):
        labels = np.argmax(rows @ turn, axis=1).astype(np.int64)
        sums = np.zeros((rows.shape[1], rows.shape[1]))
        np.add.at(sums, labels, rows)
        U, singular, Vt = svd(sums)
        if float(singular.sum()) <= fit * (1 + 1e-12):
            break
        fit, turn = float(singular.sum()), (U @ Vt).T
    return labels, fit
