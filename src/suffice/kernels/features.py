"""The exact features of a Gram matrix."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from ..errors import InvalidData
from ..typing import Floats, NumberLike
from .precomputed import check_symmetric_matrix


def gram_features(gram: NumberLike) -> Floats:
    """Features whose inner products are a Gram matrix: Φ = U D^½ of K = U D Uᵀ, (n, r) of rank r, ΦΦᵀ = K.

    The columns are those of kernel principal components without centring, the largest first. What any kernel machine
    finds with K the linear one finds in Φ: kernel k-means is k-means there. K must be positive semi-definite.

    >>> K = np.array([[2.0, 0.0], [0.0, 8.0]])
    >>> np.abs(gram_features(K).round(3))
    array([[0.   , 1.414],
           [2.828, 0.   ]])
    """
    check_symmetric_matrix(gram, "gram_features", "gram")
    K = np.asarray(gram, dtype=np.float64)
    values, vectors = eigh((K + K.T) / 2)
    size = len(K) * np.finfo(np.float64).eps * max(1e-300, float(np.abs(values).max(initial=0.0)))
    if len(values) and values[0] < -1e-9 * len(K) * np.abs(K).max():
        raise InvalidData(
            f"gram_features: the matrix has the eigenvalue {values[0]:.3g}, so that it is no matrix of inner products; "
            "take a kernel that is positive semi-definite."
        )
    kept = values > size
    return np.ascontiguousarray((vectors[:, kept] * np.sqrt(values[kept]))[:, ::-1])
