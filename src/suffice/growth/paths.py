"""The ways of rows through trees."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from ..backend.growth import leaf_paths
from ..typing import Whole
from .trees import Trees


def decision_path(trees: Trees, leaves: Whole) -> csr_matrix:
    """Which nodes rows pass, (n, nodes): 1 for those from the roots to their leaves, (n, trees)."""
    leaf = (leaves + trees.starts[:-1]).reshape(-1)
    ends = np.cumsum(trees.depths[leaf] + 1)
    indices = leaf_paths(leaf, trees.parents, ends)
    starts = np.append(0, ends[len(trees) - 1 :: len(trees)])
    if len(indices) < 2**31:
        starts = starts.astype(indices.dtype)  # one type for both, as SciPy has them
    ones = np.ones(len(indices), dtype=np.int64)
    return csr_matrix((ones, indices, starts), shape=(len(leaves), len(trees.column)))
