"""Covariances of few directions beside independent noise, used without the matrix of all columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..typing import Floats, Reals


@dataclass(frozen=True)
class FewFactors:
    """C = S (Vᵀ diag(values) V + I − Vᵀ V) S: in columns divided by S, variance 1 but along the axes V (q, d)."""

    scale: Floats
    axes: Floats
    values: Floats

    @classmethod
    def of(cls, loadings: Floats, noise: Floats) -> FewFactors:
        """That of W Wᵀ + diag(ψ), W (d, q) and ψ (d,)."""
        scale = np.sqrt(noise)
        left, singular, _ = np.linalg.svd(loadings / scale[:, None], full_matrices=False)
        return cls(scale, left.T, 1 + singular**2)

    @property
    def loadings(self) -> Floats:
        """W (d, q) with C = W Wᵀ + diag(S²); of a column of zeros where there are no axes."""
        if not len(self.axes):
            return np.zeros((len(self.scale), 1))
        return np.ascontiguousarray((self.scale * self.axes).T * np.sqrt(self.values - 1))

    @property
    def log_determinant(self) -> float:
        """log det(2π C)."""
        d = len(self.scale)
        return float(d * np.log(2 * np.pi) + 2 * np.sum(np.log(self.scale)) + np.sum(np.log(self.values)))

    def squares(self, rows: Reals) -> Floats:
        """rᵀ C⁻¹ r of every row, (n,): what the axes leave of a row is squared, not subtracted from its square."""
        Z = rows / self.scale
        inside = Z @ self.axes.T  # (n, q)
        Z -= inside @ self.axes
        found: Floats = np.einsum("nd,nd->n", Z, Z) + np.sum(inside**2 / self.values, axis=1)
        return found

    def log_density(self, rows: Reals) -> Floats:
        """log N(r; 0, C) of every row, (n,)."""
        return -0.5 * (self.log_determinant + self.squares(rows))

    def whitened(self, rows: Floats) -> Floats:
        """Rows times A, where A Aᵀ = C⁻¹."""
        return self._rooted(rows / self.scale)

    def unwhitened(self, rows: Floats) -> Floats:
        """Rows times Aᵀ."""
        return self._rooted(rows) / self.scale

    def _rooted(self, Z: Floats) -> Floats:
        inside = Z @ self.axes.T
        found: Floats = Z + (inside * (1 / np.sqrt(self.values) - 1)) @ self.axes
        return found
