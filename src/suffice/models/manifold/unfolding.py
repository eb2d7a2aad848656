"""The largest variance of points whose distances along edges are kept: a semidefinite programme in factors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import minimize

from ...backend.blas import blas_threads_for
from ...engine import Step
from ...typing import CSR, Floats, Whole
from .smallest import smallest_beside

_INNER = 200  # steps of the inner search of one iteration
_HISTORY = 20  # of which so many are remembered
_STEEP = 1e-7  # slope at which it ends
_FIRST = 10.0  # times the first multipliers: the first stiffness
_STIFFER, _SLOWLY = 2.0, 0.25  # where the violation falls by less than that, edges become stiffer
_NOISE = 0.01  # of the typical length: the start in every coordinate


class Unfolded(NamedTuple):
    """Factors (p, r), the multipliers and the stiffness of the edges, the variance and the violation."""

    factors: Floats
    multiplier: Floats  # (e,)
    stiffness: float
    variance: float
    violation: float


@dataclass(frozen=True)
class Unfolding:
    """Maximise Σ m ‖y − ȳ‖² over Y = Q Z (m, r) with ‖yᵢ − yⱼ‖² = d² along the edges, or at most that.

    K = Y Yᵀ is the matrix of a semidefinite programme (Weinberger and Saul, 2006), of rank r (Burer and Monteiro,
    2003). An iteration minimises the augmented Lagrangian by L-BFGS and moves the multipliers. Lengths are in a
    typical unit.
    """

    pairs: Whole  # (e, 2)
    squared: Floats  # (e,), squares of lengths
    mass: Floats  # (m,), of mean 1
    spread: Floats | None  # Q (m, p); None: every point is a factor
    at_most: bool

    @cached_property
    def ends(self) -> CSR:
        """What makes differences along edges, (e, m), or of factors (e, p)."""
        e, m = len(self.pairs), len(self.mass)
        cells = np.concatenate([np.ones(e), -np.ones(e)])
        row = np.concatenate([np.arange(e), np.arange(e)])
        return sparse.csr_array((cells, (row, self.pairs.T.ravel())), shape=(e, m))

    @cached_property
    def _back(self) -> CSR:
        return sparse.csr_array(self.ends.T)

    @cached_property
    def _loosest(self) -> float:
        """The smallest eigenvalue of the Laplacian of the edges after 0: how long a way is from end to end."""
        m = len(self.mass)
        values, _ = smallest_beside(sparse.csr_array(self._back @ self.ends), np.full(m, m**-0.5), 1)
        return max(float(values[0]), 1e-12)

    def points(self, factors: Floats) -> Floats:
        """The points of factors, about their mean."""
        Y = factors if self.spread is None else self.spread @ factors
        return np.asarray(Y - self.mass @ Y / self.mass.sum())

    def start(self, factors: Floats, rng: np.random.Generator) -> Unfolded:
        """Where factors stand, moved a little in every coordinate, with all multipliers alike."""
        noise = _NOISE if self.squared.any() else 0.0  # points that are all in one place stay there
        moved = factors + noise * rng.normal(size=factors.shape)
        first = np.full(len(self.pairs), 1 / self._loosest)
        return self.at(moved, first, _FIRST / self._loosest)

    def at(self, factors: Floats, multiplier: Floats, stiffness: float) -> Unfolded:
        """The same with its variance, for each unit of mass, and its violation."""
        Y = self.points(factors)
        off = self.off(Y)
        size = float(np.sqrt(np.sum(self.squared**2)))
        variance = float(self.mass @ np.sum(Y * Y, axis=1)) / float(self.mass.sum())
        return Unfolded(
            factors, multiplier, stiffness, variance, float(np.linalg.norm(off)) / size if size > 0 else 0.0
        )

    def off(self, points: Floats) -> Floats:
        """By how much the squares of lengths are wrong, (e,)."""
        off = np.sum((self.ends @ points) ** 2, axis=1) - self.squared
        return np.asarray(np.maximum(off, 0.0) if self.at_most else off)

    def step(self, now: Unfolded, tol: float) -> Step[Unfolded]:
        """One iteration; the last one where the violation is at most `tol`."""
        if not self.squared.any():
            return Step(now, now.variance, {"violation": now.violation}, done=True)
        shape = now.factors.shape
        options = {"maxiter": _INNER, "maxcor": _HISTORY, "gtol": _STEEP, "ftol": 1e-13}
        with blas_threads_for(now.factors.size):
            found = minimize(
                lambda z: self._lagrangian(z.reshape(shape), now), now.factors.ravel(), jac=True, method="L-BFGS-B",
                options=options,
            )  # fmt: skip
        factors = found.x.reshape(shape)
        after = self.at(factors, self._pulls(factors, now), now.stiffness)
        if after.violation > _SLOWLY * now.violation:
            after = after._replace(stiffness=_STIFFER * after.stiffness)
        return Step(after, after.variance, {"violation": after.violation}, done=after.violation <= tol)

    def _pulls(self, factors: Floats, now: Unfolded) -> Floats:
        Y = factors if self.spread is None else self.spread @ factors
        pulls = now.multiplier + now.stiffness * (np.sum((self.ends @ Y) ** 2, axis=1) - self.squared)
        return np.asarray(np.maximum(pulls, 0.0) if self.at_most else pulls)

    def _lagrangian(self, factors: Floats, now: Unfolded) -> tuple[float, Floats]:
        """−variance + Σ (w² − λ²) / 2σ with the pulls w, and its slope; scaled so that both are about 1."""
        Y = self.points(factors)
        apart = self.ends @ Y
        pulls = now.multiplier + now.stiffness * (np.sum(apart * apart, axis=1) - self.squared)
        if self.at_most:
            pulls = np.maximum(pulls, 0.0)
        scale = self._loosest / len(self.mass)
        weighed = self.mass[:, None] * Y
        value = -float(np.sum(weighed * Y)) + float(pulls @ pulls - now.multiplier @ now.multiplier) / (
            2 * now.stiffness
        )
        slope = 2 * (self._back @ (pulls[:, None] * apart) - weighed)
        if self.spread is not None:
            slope = self.spread.T @ slope
        return scale * value, scale * slope.ravel()

    def bound(self, multiplier: Floats) -> float:
        """A variance that no points with these edges exceed, by the multipliers (the dual); it may be infinite."""
        m = len(self.mass)
        L = (self._back @ sparse.diags_array(multiplier) @ self.ends).toarray()
        root = np.sqrt(self.mass)
        apart = np.eye(m) - np.outer(root, root) / self.mass.sum()
        inner = apart @ (L / np.outer(root, root)) @ apart
        least = float(np.sort(np.linalg.eigvalsh((inner + inner.T) / 2))[1]) if m > 1 else 0.0
        if np.linalg.eigvalsh(L)[0] < -1e-9 * np.abs(L).max(initial=0.0) or least <= 0:
            return float("inf")
        return float(multiplier @ self.squared) / least / float(self.mass.sum())
