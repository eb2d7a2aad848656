"""The Hessian of an objective, of one predictor or of several classes, and its inverse times a gradient."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..statistics import CurvedSums, GradientSums, Moments
from ..statistics.gradient import ClassCurvedSums
from ..typing import Flags, Floats
from .problem import Coefficients, Frame, Problem
from .systems import solved

_CONSTANT = 32 * float(np.finfo(np.float64).eps)


def moved(at: Coefficients, change: Floats, length: float = 1.0) -> Coefficients:
    """Coefficients and so many times a change, in the order of `gradient_of`."""
    size = at.slope.size
    return at.moved(change[:size].reshape(at.slope.shape), change[size:].reshape(at.intercept.shape), length)


def gradient_of(problem: Problem, at: Coefficients, sums: GradientSums) -> Floats:
    """The gradient of the objective: of the slopes, then of the intercept, (p + 1,), or (p k + k,) of k classes."""
    slope = sums.slope / sums.weight + problem.penalty.gradient(at.slope)
    return np.append(slope, sums.offset / sums.weight if problem.fit_intercept else np.zeros_like(sums.offset))


@dataclass(frozen=True)
class CurvedSystem:
    """The Hessian of the objective: of the slopes about the curved mean, the mean itself, and of the intercept."""

    slopes: Floats
    mean: Floats
    level: float  # 0 without an intercept

    @classmethod
    def of(cls, problem: Problem, second: Moments, weight: float) -> CurvedSystem:
        """By the moments of rows that weigh so much."""
        bent, level = problem.penalty.curvature(problem.columns), second.weight / weight
        varying = _varying(np.diagonal(second.scatter), second.mean, second.weight)
        scatter = second.scatter if varying.all() else second.scatter * np.outer(varying, varying)
        system = scatter / weight + (np.diag(bent) if bent.ndim == 1 else bent)
        if problem.fit_intercept:
            return cls(system, second.mean, level)
        return cls(system + level * np.outer(second.mean, second.mean), np.zeros_like(second.mean), 0.0)

    def times_inverse(self, gradient: Floats) -> Floats:
        """Its inverse times a gradient (p + 1,)."""
        offset = float(gradient[-1])
        slope = solved(self.slopes, gradient[:-1] - self.mean * offset)[0]
        return np.append(slope, (offset / self.level if self.level > 0 else 0.0) - float(self.mean @ slope))

    def times(self, change: Floats) -> Floats:
        """It times a change (p + 1,)."""
        level = self.level * (float(change[-1]) + float(self.mean @ change[:-1]))
        return np.append(self.slopes @ change[:-1] + self.mean * level, level)


@dataclass(frozen=True)
class ClassSystem:
    """The Hessian of the objective of k classes, (k m, k m), each with slopes about a centre and an intercept."""

    system: Floats
    centre: Floats
    classes: int

    @classmethod
    def of(cls, problem: Problem, second: tuple[Moments, ...], weight: float) -> ClassSystem:
        """By the moments of pairs of classes, of rows that weigh so much.

        What is added to all classes alike changes no loss: the null space of the Hessian gets a curvature of its own,
        where no penalty gives it one, which leaves steps from gradients without such a part as they are.
        """
        p, k, level = problem.columns, problem.zero().slope.shape[1], sum(pair.weight for pair in second)
        centre = sum((pair.weight * pair.mean for pair in second), np.zeros(p)) / max(level, np.finfo(float).tiny)
        centre = centre if problem.fit_intercept else np.zeros(p)
        blocks = _between_classes(second, k, Frame(centre, np.ones(p)), problem.fit_intercept) / weight
        total = np.einsum("ccij->ij", blocks) / 2  # every pair is in two of them
        if problem.fit_intercept:
            varying = np.append(_varying(np.diagonal(total)[:p] * weight, centre, level), True)
            blocks, total = blocks * np.outer(varying, varying), total * varying
        bent = problem.penalty.curvature(p)
        full = np.diag(bent) if bent.ndim == 1 else bent
        blocks[np.arange(k), np.arange(k), :p, :p] += full
        loose = np.append(np.diagonal(full) == 0, np.ones(len(total) - p, dtype=bool))
        blocks += np.diag(np.where(loose, np.diagonal(total), 0.0)) / k
        return cls(_as_matrix(blocks), centre, k)

    def times_inverse(self, gradient: Floats) -> Floats:
        """Its inverse times a gradient (p k + k,)."""
        p, k = len(self.centre), self.classes
        slope, offset = gradient[: p * k].reshape(p, k), gradient[p * k :]
        m = len(self.system) // k
        right = np.vstack([slope - np.outer(self.centre, offset), offset])[:m]
        found = solved(self.system, right.T.ravel())[0].reshape(k, m).T
        change = found[p] - self.centre @ found[:p] if m > p else np.zeros(k)
        return np.append(found[:p], change)


def _varying(squares: Floats, mean: Floats, weight: float) -> Flags:
    """Which columns have squares about their mean that are more than the rounding of a constant."""
    return np.asarray(squares > weight * (_CONSTANT * mean) ** 2)


def class_curvature(problem: Problem, at: Coefficients, frame: Frame) -> Floats:
    """Σ s (diag(P) − P Pᵀ) ⊗ z zᵀ, (k m, k m), of rows z = ((x − centre) / unit, 1), one class after the other.

    Without an intercept there is no 1. One pass, unless the sums there are known.
    """
    sums, k = problem.bent(at), problem.zero().slope.shape[1]
    assert isinstance(sums, ClassCurvedSums)
    return _as_matrix(_between_classes(sums.second, k, frame, problem.fit_intercept))


def framed_products(rows: Moments, frame: Frame, intercept: bool) -> Floats:
    """Σ w z zᵀ of rows z = ((x − centre) / unit, 1), (m, m), by their moments."""
    aside = np.append((rows.mean - frame.centre) / frame.unit, np.ones(int(intercept)))
    products = rows.weight * np.outer(aside, aside)
    p = len(frame.unit)
    products[:p, :p] += rows.scatter / frame.unit / frame.unit[:, None]
    return products


def _between_classes(second: tuple[Moments, ...], k: int, frame: Frame, intercept: bool) -> Floats:
    """The blocks (k, k, m, m) of the curvature of k classes by the moments of their pairs."""
    m = len(frame.unit) + intercept
    blocks = np.zeros((k, k, m, m))
    pairs = ((c, e) for c in range(k) for e in range(c + 1, k))
    for (c, e), pair in zip(pairs, second, strict=True):
        own = framed_products(pair, frame, intercept)
        blocks[c, c] += own
        blocks[e, e] += own
        blocks[c, e] -= own
        blocks[e, c] -= own
    return blocks


def _as_matrix(blocks: Floats) -> Floats:
    k, _, m, _ = blocks.shape
    return blocks.transpose(0, 2, 1, 3).reshape(k * m, k * m)


def hessian(problem: Problem, sums: CurvedSums | ClassCurvedSums, weight: float) -> CurvedSystem | ClassSystem:
    """The Hessian by the sums of rows that weigh so much."""
    if isinstance(sums, ClassCurvedSums):
        return ClassSystem.of(problem, sums.second, weight)
    return CurvedSystem.of(problem, sums.second, weight)
