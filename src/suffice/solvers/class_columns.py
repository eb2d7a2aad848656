"""Coordinate descent for several classes: parabolas over the slopes of all, which their probabilities couple."""

from __future__ import annotations

import numpy as np

from ..backend import sparse
from ..backend.coordinate import Costs
from ..backend.weights import given_or_ones
from ..data import Chunk
from ..data.rows import is_sparse
from ..statistics import GradientSums
from ..typing import Floats, Numbers, Whole
from .columns_base import Columns, growth_of
from .gram_descent import descended
from .hessian import class_curvature
from .null import without_slopes
from .parabola import PRODUCTS, Parabola
from .problem import Coefficients, Frame, Problem

_FEW, _MOST = (
    100,
    600,
)  # slopes of all classes whose products are formed in each iteration: of rows in memory, of others
_SWEEPS = 30  # over the classes, in an iteration
_SETTLED = 1e-3  # of the first sweep's moves: what is left to the next iteration


def classes_fit(problem: Problem) -> bool:
    """Whether the rows are in memory, or the slopes so few that a summary of their products is small."""
    return problem.source.in_memory is not None or problem.columns * (problem.classes or 1) <= _MOST


def class_columns_of(problem: Problem) -> Columns:
    """The form that suits the rows."""
    chunk = problem.source.in_memory
    if chunk is None or problem.columns * (problem.classes or 1) <= _FEW:
        return SummedClasses(problem)
    return ArrayClasses(problem, chunk)


class _Classes(Columns):
    """What both forms share; slopes are numbered column by column, (p k,)."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.k = problem, problem.classes or 1
        self.centre, spread = problem.spread()
        self.spread = np.repeat(spread, self.k)
        self.null, self.level = without_slopes(problem)


class SummedClasses(_Classes):
    """From any source: a pass gives the products of all slopes, weighted by the curvature between classes."""

    whole = True

    def sums(self, at: Coefficients) -> GradientSums:
        return self.problem.gradients(at)

    def improved(self, at: Coefficients, places: Whole, costs: Costs, tol: float) -> Coefficients:
        p, k, frame = self.problem.columns, self.k, Frame(self.centre, np.ones(self.problem.columns))
        curved = class_curvature(self.problem, at, frame)
        sums = self.sums(at)  # known by now
        curved /= sums.weight
        first = frame.gradient(sums.slope / sums.weight, np.asarray(sums.offset / sums.weight))
        between = curved.reshape(k, -1, k, len(curved) // k)
        G = between[:, :p, :, :p].transpose(1, 0, 3, 2).reshape(p * k, p * k)[np.ix_(places, places)]
        pull, own = -first.slope.ravel()[places], at.slope.ravel()[places]
        shift = np.zeros(k)
        if self.problem.fit_intercept:  # which follows the slopes: a constant beside all of them changes nothing
            beside = between[:, :p, :, p].transpose(1, 0, 2).reshape(p * k, k)[places]
            back = np.linalg.pinv(between[:, p, :, p], hermitian=True)
            G, pull = G - beside @ back @ beside.T, pull + beside @ back @ first.intercept
        found = descended(np.ascontiguousarray(G), pull, own, costs, tol)
        if self.problem.fit_intercept:
            shift = -back @ (first.intercept + beside.T @ (found - own))
        slope = at.slope.copy()
        slope.ravel()[places] = found
        return Coefficients(slope, at.intercept + shift - self.centre @ (slope - at.slope))


class ArrayClasses(_Classes):
    """Rows in memory, dense or sparse: the slopes of one class after the other, given those of the others."""

    def __init__(self, problem: Problem, chunk: Chunk) -> None:
        super().__init__(problem)
        from scipy.sparse import csc_array

        self.X: Numbers = csc_array(chunk.X) if is_sparse(chunk.X) else chunk.X
        self.y, self.weight = chunk.y, given_or_ones(chunk.weight, len(chunk))
        self.total = float(self.weight.sum())
        self.growth = growth_of(self.X)

    def _predictor(self, at: Coefficients) -> Floats:
        some = np.flatnonzero(at.slope.any(axis=1))
        return np.asarray(self.X[:, some] @ at.slope[some] + at.intercept)

    def sums(self, at: Coefficients) -> GradientSums:
        value, gradient = self.problem.loss.value_and_gradient(self._predictor(at), self.y)
        own = self.weight[:, None] * gradient
        slope = sparse.affine(self.X.T, own, np.zeros(self.k)) if is_sparse(self.X) else self.X.T @ own
        return GradientSums(self.total, float(self.weight @ value), np.asarray(slope), own.sum(axis=0))

    def improved(self, at: Coefficients, places: Whole, costs: Costs, tol: float) -> Coefficients:
        _, gradient, share = self.problem.loss.parts(self._predictor(at), self.y)
        column, label = np.divmod(places, self.k)
        parts = [_OneClass(self, np.flatnonzero(label == c), column, share[:, c], costs) for c in range(self.k)]
        slope, intercept, mean = at.slope.copy(), np.array(at.intercept), np.zeros(len(self.y))
        moved, first = np.zeros((self.k, len(self.y))), 0.0
        for sweep in range(_SWEEPS):
            size = 0.0
            for c, part in enumerate(parts):
                left = -self.weight * (gradient[:, c] + share[:, c] * (moved[c] - mean))
                found, shift, move = part.least(slope[part.columns, c], left, tol / self.k)
                slope[part.columns, c], intercept[c] = found, intercept[c] + shift
                moved[c] += move
                mean += share[:, c] * move
                size += float(part.bent @ move**2) / self.total
            first = first if sweep else size
            if size <= max(tol, _SETTLED * first):
                break
        return Coefficients(slope, intercept)


class _OneClass:
    """The parabola over some slopes of one class, whose probabilities are `share` (n,)."""

    def __init__(self, of: ArrayClasses, own: Whole, column: Whole, share: Floats, costs: Costs) -> None:
        self.columns, self.total = column[own], of.total
        self.costs = Costs(costs.absolute[own], costs.squared[own], costs.positive)
        self.bent = of.weight * share * (1 - share)
        X = of.X[:, self.columns]
        self.X = X if is_sparse(X) else np.asarray(X, dtype=np.float64)
        self.mass = float(self.bent.sum()) if of.problem.fit_intercept else 0.0
        self.mean = np.asarray(self.X.T @ self.bent) / self.mass if self.mass > 0 else np.zeros(len(self.columns))
        self.products: Floats | None = None

    def least(self, w: Floats, left: Floats, tol: float) -> tuple[Floats, float, Floats]:
        """The slopes that are best from w, the change of the intercept, and that of the predictor, (n,)."""
        level = float(left.sum()) / self.mass if self.mass > 0 else 0.0
        parabola = Parabola(self.X, self.bent, left - level * self.bent, self.total, self.mean)
        if not len(w):
            found = w
        elif is_sparse(self.X) or len(w) > PRODUCTS:
            found = parabola.least(w, self.costs, tol)
        else:
            self.products = parabola.products() if self.products is None else self.products
            found = descended(self.products, parabola.pull(parabola.left), w, self.costs, tol)
        shift = level - float(self.mean @ (found - w))
        return found, shift, np.asarray(self.X @ (found - w) + shift)
