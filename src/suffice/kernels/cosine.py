"""The cosine kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..backend.gram import Form
from ..typing import Reals
from .base import Kernel, product_matrix


@dataclass(frozen=True)
class CosineKernel(Kernel):
    """The cosine kernel, k(x, y) = x·y / (‖x‖ ‖y‖): the linear one of rows of length 1; a row of zeros stays zero.

    >>> CosineKernel()([[1.0, 0.0]], [[2.0, 0.0], [1.0, 1.0]]).round(4)
    array([[1.    , 0.7071]])
    """

    names: ClassVar = ("cosine",)

    def between(self, X: Reals, Y: Reals) -> Reals:
        A = _of_length_one(X)
        return product_matrix(A, A if Y is X else _of_length_one(Y), Form("product"))

    def diagonal(self, X: Reals) -> Reals:
        A = _of_length_one(X)
        return np.asarray(np.einsum("ij,ij->i", A, A))


def _of_length_one(X: Reals) -> Reals:
    largest = np.abs(X).max(axis=1, initial=0.0, keepdims=True)  # first, so that no square overflows
    scaled = X / np.where(largest > 0, largest, 1)
    length = np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None]
    return np.asarray(scaled / np.where(length > 0, length, 1), dtype=X.dtype)
