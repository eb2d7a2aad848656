"""Affine maps of rows, dense or sparse."""

from __future__ import annotations

from typing import cast

import numpy as np

from ..typing import Floats, Numbers, Reals
from . import dense, sparse


def affine_rows(X: Numbers, shift: Floats | None, matrix: Floats, offset: Floats) -> Reals:
    """(X − shift) matrix + offset, (n, k), in the type of X, which may be a CSR matrix; shift (d,) may be None."""
    if getattr(X, "format", None) != "csr":
        found: Reals = dense.affine(cast(Reals, X), shift, matrix, offset)
        return found
    begin = offset if shift is None else offset - shift @ matrix
    return np.asarray(sparse.affine(X, matrix, begin), dtype=X.dtype)
