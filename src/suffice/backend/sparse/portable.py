"""Operations on the rows of CSR matrices by SciPy: readable, and the definition of what the kernels compute."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, Numbers, Whole
from ..weights import given_or_ones


def group_sums(X: Numbers, group: Whole, groups: int, weight: Floats | None = None) -> Floats:
    """The weighted sum of the rows of each group, (groups, d); `group` numbers them from 0."""
    sums, each = np.zeros((groups, X.shape[1])), given_or_ones(weight, X.shape[0])
    for g in range(groups):
        sums[g] = X.T @ np.where(group == g, each, 0.0)
    return sums


def affine(X: Numbers, matrix: Floats, offset: Floats) -> Floats:
    """X matrix + offset, (n, k); a matrix that is `padded` already need not be copied."""
    return np.asarray(X @ matrix[:, : len(offset)] + offset)
