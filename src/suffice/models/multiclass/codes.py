"""Code matrices (k, m) of −1, 0 and 1: how k classes are told apart by m binary problems."""

from __future__ import annotations

import numpy as np

from ...errors import InvalidParameter
from ...params import numbers
from ...typing import ArrayLike, Floats
from .one_vs_one import one_vs_one
from .one_vs_rest import one_vs_rest

NAMES = ("random", "sparse_random", "exhaustive", "one_vs_rest", "one_vs_one")
_DRAWS = 50  # random codes that are compared
_MOST_CLASSES = 12  # of an exhaustive code, which has 2,047 columns then


def code_matrix(owner: str, code: str | ArrayLike, k: int, code_size: float, rng: np.random.Generator) -> Floats:
    """The code matrix of k classes that a name or a matrix gives."""
    if not isinstance(code, str):
        return _given(owner, code, k)
    if k == 2 or code == "one_vs_rest":
        return one_vs_rest(k)
    if code == "one_vs_one":
        return one_vs_one(k)
    if code == "exhaustive":
        return exhaustive(owner, k)
    letters = max(int(np.ceil(np.log2(k))), int(k * code_size))  # with fewer some words would be equal
    found = drawn(k, letters, rng, 0.5 if code == "sparse_random" else 0.0)
    if found is None:
        raise InvalidParameter(
            f"{owner}: {letters} letters are too few for {k} different random words; raise code_size, or give a code."
        )
    return found


def exhaustive(owner: str, k: int) -> Floats:
    """Every way to part k classes, (k, 2^(k−1) − 1): any two rows differ in 2^(k−2) places (Dietterich and Bakiri).

    >>> exhaustive("OutputCodeClassifier", 3).astype(int).tolist()
    [[1, 1, 1], [-1, -1, 1], [-1, 1, -1]]
    """
    if k > _MOST_CLASSES:
        raise InvalidParameter(
            f"{owner}: an exhaustive code of {k} classes would need {2 ** (k - 1) - 1} classifiers; at most "
            f"{_MOST_CLASSES} classes are taken. Use code='random'."
        )
    parts = np.arange(2 ** (k - 1) - 1)
    rest = [np.where(parts >> (k - 2 - row) & 1, 1.0, -1.0) for row in range(k - 1)]
    return np.array([np.ones(len(parts)), *rest])


def drawn(k: int, m: int, rng: np.random.Generator, zeros: float) -> Floats | None:
    """Of many random codes that can be learned the one whose nearest rows are farthest apart; cells are 0 with this
    probability. None where some rows are equal in all of them."""
    best, apart = None, -1.0
    for _ in range(_DRAWS):
        code = np.where(rng.random((k, m)) < 0.5, -1.0, 1.0)
        code[rng.random((k, m)) < zeros] = 0.0
        code = _with_both_sides(code, rng)
        own = _least_distance(code)
        if own > apart and len(np.unique(code, axis=0)) == k:
            best, apart = code, own
    return best


def _with_both_sides(code: Floats, rng: np.random.Generator) -> Floats:
    """The code with a 1 and a −1 in every column, put into two rows at random where one lacks."""
    for column in code.T:
        if not (column > 0).any() or not (column < 0).any():
            column[rng.choice(len(column), 2, replace=False)] = (-1.0, 1.0)
    return code


def _least_distance(code: Floats) -> float:
    """In how many places the two rows differ that differ least; a 0 counts a half."""
    apart = (code.shape[1] - code @ code.T) / 2
    return float(apart[np.triu_indices(len(code), 1)].min())


def _given(owner: str, code: ArrayLike, k: int) -> Floats:
    m = np.shape(code)[1]
    matrix = numbers(owner, "code", code, (k, m), f"one row for each of the {k} classes")
    if not np.isin(matrix, (-1, 0, 1)).all():
        raise InvalidParameter(f"{owner}: code must hold −1, 0 and 1 only.")
    lone = np.flatnonzero(~((matrix > 0).any(axis=0) & (matrix < 0).any(axis=0)))
    if len(lone) or not m:
        where = f"column {lone[0]} of code" if m else "code"
        raise InvalidParameter(f"{owner}: {where} must have both a 1 and a −1, so that there is something to learn.")
    alike = np.argwhere(np.triu((matrix[:, None] == matrix[None]).all(axis=2), 1))
    if len(alike):
        i, j = alike[0]
        raise InvalidParameter(f"{owner}: rows {i} and {j} of code are equal, so that nothing tells the classes apart.")
    return matrix
