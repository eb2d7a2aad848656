"""Leave-one-out of kernel ridge regression, from one decomposition of the kernel matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...backend.blas import blas_threads_for
from ...kernels.centred_matrix import spectrum
from ...typing import Floats
from .dual_system import check_positive


@dataclass(frozen=True)
class LeaveOneOut:
    """Errors of rows left out, for any α: of S = W^½ K W^½ the eigenvalues (n,) and vectors (n, n).

    With P = (S + αI)⁻¹, less its part along √w where there is an intercept, the coefficients are c = W^½ P W^½ y, the
    residuals α c / w, and the leverage of one copy of row i is (1 − α Pᵢᵢ) / wᵢ: a row of weight 3 is three rows, of
    which one is left out.
    """

    values: Floats
    vectors: Floats
    root: Floats  # √w, (n,)
    y: Floats  # (n, q)
    centred: bool

    @classmethod
    def of(cls, K: Floats, weight: Floats, y: Floats, centred: bool, owner: str) -> LeaveOneOut:
        """The decomposition of a kernel matrix, which is overwritten."""
        root = np.sqrt(weight)
        K *= root
        K *= root[:, None]
        values, vectors = spectrum(K)
        check_positive(values, owner)
        return cls(np.maximum(values, 0.0), vectors, root, y, centred)

    def strengths(self, count: int) -> Floats:
        """Values of α to compare, falling: from the largest eigenvalue down to a billionth of it."""
        top = float(self.values[-1])
        return np.asarray((top if top > 0 else 1.0) * np.geomspace(1.0, 1e-9, count))

    def residuals(self, alpha: float) -> Floats:
        """y less what a fit without the row predicts, (n, q)."""
        inverse = 1 / (self.values + alpha)
        with blas_threads_for(self.vectors.size * (self.y.shape[1] + 1)):
            solved = self.vectors @ (inverse[:, None] * (self.vectors.T @ (self.root[:, None] * self.y)))
            diagonal = (self.vectors**2) @ inverse
            if self.centred:
                along = self.vectors @ (inverse * (self.vectors.T @ self.root))
                size = float(self.root @ along)
                solved -= np.outer(along, self.root @ solved / size)
                diagonal -= along**2 / size
        weight = self.root[:, None] ** 2
        leverage = (1 - alpha * diagonal[:, None]) / np.maximum(weight, 1.0)
        return np.asarray(alpha * solved / self.root[:, None] / np.maximum(1 - leverage, np.finfo(np.float64).eps))

    def error(self, alpha: float) -> float:
        """The mean squared error of rows left out, summed over targets."""
        share = self.root**2 / float(np.sum(self.root**2))
        return float(share @ np.sum(self.residuals(alpha) ** 2, axis=1))
