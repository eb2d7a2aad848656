"""Covariances of few directions beside independent noise, used without the matrix of all columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..typing import Floats, Reals

_CELLS = 1 << 15  # of a block of rows
_STRONG = 1e6  # times the noise: the variance of an axis in which differences of squares lose too many digits


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

    @property
    def precision(self) -> Floats:
        """C⁻¹, (d, d)."""
        axes = self.axes / self.scale
        found: Floats = (axes.T * (1 / self.values - 1)) @ axes
        found.flat[:: len(found) + 1] += self.scale**-2
        return found

    def squares(self, rows: Reals, mean: Floats | float = 0.0) -> Floats:
        """(r − mean)ᵀ C⁻¹ (r − mean) of every row, (n,), in blocks that stay in the cache."""
        found, height = np.empty(len(rows)), max(1, _CELLS // len(self.scale))
        with np.errstate(over="ignore", invalid="ignore"):  # squares that overflow
            for start in range(0, len(rows), height):
                block = slice(start, start + height)
                found[block] = self._squares_of(np.subtract(rows[block], mean, dtype=np.float64))
        return found

    def _squares_of(self, Z: Floats) -> Floats:
        """Of rows about the mean, which are overwritten.

        Where the axes hold most of a row, what they leave of it is squared, and not subtracted from its square.
        """
        Z *= 1 / self.scale
        if Z.shape[1] == 1:
            Z *= Z
            Z *= 1 / self.values.prod()
            return Z[:, 0]
        inside = Z @ self.axes.T  # (n, q)
        if np.max(self.values, initial=1.0) < _STRONG:
            squares: Floats = np.einsum("nd,nd->n", Z, Z) - inside**2 @ (1 - 1 / self.values)
            squares[np.isnan(squares)] = np.inf
            return squares
        Z -= inside @ self.axes
        return np.asarray(np.einsum("nd,nd->n", Z, Z) + inside**2 @ (1 / self.values))

    def log_density(self, rows: Reals, mean: Floats | float = 0.0) -> Floats:
        """log N(r; mean, C) of every row, (n,)."""
        found = self.squares(rows, mean)
        found += self.log_determinant
        found *= -0.5
        return found

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
