"""What coordinate descent works on: parabolas over some columns, from moments, from arrays or from any source."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..backend import sparse
from ..backend.coordinate import Costs
from ..backend.weights import given_or_ones
from ..data import Chunk
from ..data.rows import is_sparse
from ..losses import Loss, SquaredLoss
from ..statistics import CurvedSums, GradientSums, JointMoments, Moments
from ..statistics.gradient import back, forth
from ..typing import Floats, Whole
from .class_columns import class_columns_of
from .columns_base import Columns, growth_of
from .gram_descent import descended
from .null import without_slopes
from .parabola import PRODUCTS, Parabola
from .problem import Coefficients, Problem, curved_sums

_ROUNDING = 8 * float(np.finfo(np.float64).eps)
_TINY = 32  # columns that are not worth a selection
_FEW = 300  # columns whose products are all formed at once
_SUMMARY = 3000  # the same where the rows are read from elsewhere
_CURVED = 100  # the same for products that are weighted by a curvature, anew in each iteration
_SPARSE = 500  # columns of sparse rows from which on they are kept as columns
_SHARE = 0.2  # of all columns: a larger part of sparse ones is not copied


def columns_of(problem: Problem) -> Columns:
    """The form that suits the rows and the loss."""
    if problem.classes is not None:
        return class_columns_of(problem)
    chunk, p, squared = problem.source.in_memory, problem.columns, isinstance(problem.loss, SquaredLoss)
    if chunk is not None and is_sparse(chunk.X) and p > _SPARSE:
        return SparseColumns(problem, chunk)
    if squared and p <= (_FEW if chunk is not None else _SUMMARY):
        return MomentColumns.of(problem)
    if squared and chunk is not None and not is_sparse(chunk.X):
        return ArrayColumns(problem, chunk)
    return SourceColumns(problem)


class MomentColumns(Columns):
    """Least squares from the moments of [X | y], which are a summary: any source, and folds by sums of others."""

    whole = True

    def __init__(self, moments: Moments, fit_intercept: bool) -> None:
        p, weight = len(moments.mean) - 1, moments.weight
        mean, S = moments.mean, moments.scatter
        if not fit_intercept:
            mean, S = np.zeros(p + 1), S + weight * np.outer(mean, mean)
        noise = (_ROUNDING * moments.mean[:p]) ** 2 * weight
        constant = ~(S.diagonal()[:p] > noise)
        self.products = np.ascontiguousarray(S[:p, :p] / weight)
        self.cross = S[:p, p] / weight
        if constant.any():
            self.products[constant] = self.products[:, constant] = 0.0
            self.cross[constant] = 0.0
        self.square = max(float(S[p, p]), 0.0) / weight
        self.mean = mean
        self.spread = np.sqrt(self.products.diagonal())
        self.null = self._with_intercept(np.zeros(p))
        self.level = 0.5 * self.square
        self.last: tuple[Coefficients, Floats] | None = None

    @classmethod
    def of(cls, problem: Problem) -> MomentColumns:
        """From one pass over the rows."""
        joint = problem.source.reduce(lambda chunk: JointMoments.of(chunk.X, chunk.weight, chunk.y))
        assert isinstance(joint.moments, Moments)
        return cls(joint.moments, problem.fit_intercept)

    def _with_intercept(self, slope: Floats) -> Coefficients:
        return Coefficients(slope, np.asarray(self.mean[-1] - self.mean[:-1] @ slope))

    def _pull(self, at: Coefficients) -> Floats:
        """Minus the gradient; that of the coefficients asked for last is remembered."""
        if self.last is None or self.last[0] is not at:
            some = slice(None) if len(at.slope) <= _TINY else np.flatnonzero(at.slope)
            self.last = at, np.asarray(self.cross - self.products[:, some] @ at.slope[some])
        return self.last[1]

    def sums(self, at: Coefficients) -> GradientSums:
        pull = self._pull(at)
        value = 0.5 * max(self.square - float(at.slope @ (self.cross + pull)), 0.0)
        return GradientSums(1.0, value, -pull, np.zeros(()))

    def improved(self, at: Coefficients, places: Whole, costs: Costs, tol: float) -> Coefficients:
        slope = at.slope.copy()
        own = self.products if len(places) == len(slope) else self.products[np.ix_(places, places)]
        slope[places] = descended(own, self._pull(at)[places], slope[places], costs, tol)
        return self._with_intercept(slope)


class _Rows(Columns):
    """What forms that keep the rows share."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.centre, self.spread = problem.spread()
        self.null, self.level = without_slopes(problem)


class ArrayColumns(_Rows):
    """Least squares on an array in memory; the products of the columns that were in a working set are kept."""

    def __init__(self, problem: Problem, chunk: Chunk) -> None:
        super().__init__(problem)
        self.X, n = chunk.X, len(chunk)
        weight = given_or_ones(chunk.weight, n)
        self.total = float(weight.sum())
        self.root = np.sqrt(weight / self.total)
        self.target = self.root * (np.asarray(chunk.y, dtype=np.float64) - float(self.null.intercept))
        self.slot = np.full(problem.columns, -1, dtype=np.int64)
        self.count = 0
        self.held, self.products = np.zeros((0, n)), np.zeros((0, 0))

    def _hold(self, places: Whole) -> Whole:
        """The slots of these columns, those included that are new."""
        if self.count + len(places) > 2 * PRODUCTS:
            self.slot[:], self.count = -1, 0
        new = places[self.slot[places] < 0]
        if len(new):
            begin, end = self.count, self.count + len(new)
            self._grow(end)
            own = (self.X[:, new].astype(np.float64) - self.centre[new]).T
            self.held[begin:end] = own * self.root
            self.products[:end, begin:end] = self.held[:end] @ self.held[begin:end].T
            self.products[begin:end, :begin] = self.products[:begin, begin:end].T
            self.slot[new] = np.arange(begin, end)
            self.count = end
        return self.slot[places]

    def _grow(self, size: int) -> None:
        if size > len(self.held):
            room = max(size, min(2 * len(self.held), self.X.shape[1]))
            held, products = np.zeros((room, self.held.shape[1])), np.zeros((room, room))
            held[: self.count], products[: self.count, : self.count] = (
                self.held[: self.count],
                self.products[: self.count, : self.count],
            )
            self.held, self.products = held, products

    def _residual(self, slope: Floats) -> Floats:
        """Of the rows about their mean, each times the root of its weight."""
        support = np.flatnonzero(slope)
        if len(support) > PRODUCTS:
            return self.target - self.root * forth(self.X, slope, np.asarray(-self.centre @ slope))
        slots = self._hold(support)
        inside = np.zeros(self.count)
        inside[slots] = slope[support]
        return np.asarray(self.target - inside @ self.held[: self.count])

    def sums(self, at: Coefficients) -> GradientSums:
        residual = self._residual(at.slope)
        own = self.root * residual
        slope = self.centre * own.sum() - back(self.X, own)
        return GradientSums(1.0, 0.5 * float(residual @ residual), slope, np.zeros(()))

    def improved(self, at: Coefficients, places: Whole, costs: Costs, tol: float) -> Coefficients:
        residual, slope = self._residual(at.slope), at.slope.copy()
        if len(places) > PRODUCTS:
            X = np.asfortranarray(self.X[:, places].astype(np.float64))
            own = Parabola(X, self.root**2, self.root * residual, 1.0, self.centre[places])
            slope[places] = own.least(slope[places], costs, tol)
        else:
            slots = self._hold(places)
            G = self.products[np.ix_(slots, slots)]
            slope[places] = descended(G, self.held[slots] @ residual, slope[places], costs, tol)
        return Coefficients(slope, np.asarray(self.null.intercept - self.centre @ slope))


class SourceColumns(_Rows):
    """Every loss, from every source: a pass gives the products of a working set, weighted by the curvature."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.whole = problem.columns <= _CURVED

    def sums(self, at: Coefficients) -> GradientSums:
        return self.problem.curved(at).first if self.whole else self.problem.sums(at)

    def improved(self, at: Coefficients, places: Whole, costs: Costs, tol: float) -> Coefficients:
        own = Coefficients(at.slope[places], at.intercept)
        if len(places) == len(at.slope):
            sums = self.problem.curved(at)
        else:
            sums = self.problem.source.reduce(partial(_curved_at, places=places, loss=self.problem.loss, at=own))
        first, second, weight = sums.first, sums.second, sums.first.weight
        G, pull, level = second.scatter / weight, -first.slope / weight, 0.0
        if self.problem.fit_intercept:
            pull = pull + second.mean * float(first.offset) / weight
            level = -float(first.offset) / second.weight if second.weight > 0 else 0.0
        else:
            G = G + second.weight / weight * np.outer(second.mean, second.mean)
        found = descended(np.ascontiguousarray(G), pull, own.slope, costs, tol)
        slope = at.slope.copy()
        slope[places] = found
        shift = level - float(second.mean @ (found - own.slope)) if self.problem.fit_intercept else 0.0
        return Coefficients(slope, np.asarray(at.intercept + shift))


def _curved_at(chunk: Chunk, places: Whole, loss: Loss, at: Coefficients) -> CurvedSums:
    return curved_sums(replace(chunk, X=chunk.X[:, places]), loss, at)


@dataclass(frozen=True)
class _Bent:
    """The loss of sparse rows at some coefficients: Σ, gradient and curvature (n,), and sums over the rows (p, 3)."""

    at: Coefficients
    value: float
    gradient: Floats
    curvature: Floats
    sums: Floats  # gradient · x, curvature · x and curvature · x²


class SparseColumns(_Rows):
    """Every loss, on sparse rows in memory, kept by columns and never filled in."""

    def __init__(self, problem: Problem, chunk: Chunk) -> None:
        super().__init__(problem)
        from scipy.sparse import csc_array

        self.X, self.rows = csc_array(chunk.X), chunk.X
        self.known: _Bent | None = None
        self.y, self.weight = chunk.y, given_or_ones(chunk.weight, len(chunk))
        self.total = float(self.weight.sum())
        self.growth = growth_of(self.X)

    def _predictor(self, at: Coefficients) -> Floats:
        some = np.flatnonzero(at.slope)
        if len(some) > _SHARE * len(at.slope):
            return np.asarray(sparse.affine(self.rows, at.slope[:, None], np.atleast_1d(at.intercept))[:, 0])
        return np.asarray(self.X[:, some] @ at.slope[some] + at.intercept)

    def _bent(self, at: Coefficients) -> _Bent:
        """The loss at these coefficients; that of those asked for last is remembered."""
        before, turned = self.known, self.X.T
        if before is not None and before.at is at:
            return before
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            value, gradient, curvature = self.problem.loss.parts(self._predictor(at), self.y)
        left, total = self.weight * gradient, float((self.weight * value).sum())  # no product of BLAS, whose threads
        if before is not None and isinstance(self.problem.loss, SquaredLoss):  # would wait for so little work
            bent, sums = before.curvature, before.sums.copy()
            sums[:, 0] = sparse.affine(turned, left[:, None], np.zeros(1))[:, 0]
        else:
            bent = self.weight * curvature
            sums = sparse.curved(turned, left, bent)
        self.known = _Bent(at, total, left, bent, sums)
        return self.known

    def sums(self, at: Coefficients) -> GradientSums:
        here = self._bent(at)
        return GradientSums(self.total, here.value, here.sums[:, 0], np.asarray(here.gradient.sum()))

    def improved(self, at: Coefficients, places: Whole, costs: Costs, tol: float) -> Coefficients:
        here = self._bent(at)
        bent, left, level = here.curvature, -here.gradient, 0.0
        mean, many = np.zeros(len(places)), len(places) > _SHARE * len(at.slope)
        if self.problem.fit_intercept and bent.sum() > 0:
            level = float(left.sum() / bent.sum())
            mean, left = here.sums[places, 1] / bent.sum(), left - level * bent
        own = Parabola(self.X, bent, left, self.total, mean, places, here.sums[places, 2])
        if not many:
            own = replace(own, X=self.X[:, places], places=None)
        slope = at.slope.copy()
        slope[places] = own.least(slope[places], costs, tol)
        shift = level - float(mean @ (slope - at.slope)[places])
        return Coefficients(slope, np.asarray(at.intercept + shift))
