"""How sure the coefficients of several classes are, as differences from those of a reference class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ...backend.weights import given_or_ones
from ...data import Chunk
from ...data.rows import is_sparse
from ...estimator import Attributes
from ...holds import floats, require
from ...losses import Loss
from ...penalties import NoPenalty
from ...registry import registered
from ...solvers import Coefficients, Frame, Problem
from ...solvers.hessian import class_curvature, framed_products
from ...solvers.null import without_slopes
from ...statistics.gradient import bent_moments, forth
from ...typing import Floats, Whole
from .estimable import Estimable
from .fit_sums import MOST, MOST_OF_CLASSES, FitSums, warn_of_rank
from .inverse import EPS, Inverse, inverted

_LARGEST = 1e300
_CELLS = 1 << 20  # of rows beside all classes that are formed at once


@registered("result/ClassInformation")
@dataclass(frozen=True, eq=False)
class ClassInformation:
    """Σ s (diag(P) − P Pᵀ) ⊗ z zᵀ of rows z = ((x − centre) / unit, 1), (k q, k q), one class after the other.

    A constant added to the coefficients of all classes changes nothing, so that it has no inverse. Without the rows and
    columns of a reference class it is the information of the differences from that class.
    """

    matrix: Floats
    centre: Floats
    unit: Floats

    holds: ClassVar = {
        "matrix": floats("m", "m"),
        "centre": floats("p"),
        "unit": floats("p", above=0),
    }

    def check_loaded(self) -> None:
        p, m = len(self.unit), len(self.matrix)
        require(m % (p + 1) == 0 or m % max(p, 1) == 0, "the information must be that of whole classes")

    def inverse(self, classes: int, reference: int, ridge: float) -> Inverse:
        """Of the differences from a class, each with slopes and intercept in the rows' own units, (k − 1) q.

        With a penalty ½ ridge ‖w‖² of all classes, whose coefficients then sum to 0: of the differences θ it is
        ½ ridge θᵀ (I − 1 1ᵀ / k) θ.
        """
        others, q = np.delete(np.arange(classes), reference), len(self.matrix) // classes
        places = (others[:, None] * q + np.arange(q)).ravel()
        squares = np.zeros(q)
        with np.errstate(over="ignore", divide="ignore"):
            squares[: len(self.unit)] = np.minimum(ridge / self.unit**2, _LARGEST) if ridge > 0 else 0.0
        between = np.eye(classes - 1) - 1 / classes
        found = _inverted(self.matrix[np.ix_(places, places)], np.asarray(np.kron(between, np.diag(squares))))
        back = np.kron(np.eye(classes - 1), self._out(q))
        inverse, spread = (back @ one @ back.T for one in (found.inverse, found.spread))
        known = found.estimable
        estimable = None if known is None else Estimable(known.directions, back * known.into)
        return Inverse(inverse, spread, found.used, found.rank, found.condition, estimable)

    def _out(self, q: int) -> Floats:
        """What turns slopes and intercept of z into those of x, (q, q)."""
        p = len(self.unit)
        out = np.eye(q)
        out[range(p), range(p)] = 1 / self.unit
        out[p:, :p] = -self.centre / self.unit
        return out

    @property
    def frame(self) -> Frame:
        """What made z of x."""
        return Frame(self.centre, self.unit)


def _inverted(information: Floats, ridge: Floats) -> Inverse:
    """(I + R)⁻¹ and what follows from it."""
    system = information + ridge
    if not ridge.any():
        squares = np.diagonal(system)
        return inverted(system, 0.0, np.sqrt(np.where(squares > 0, squares, 1.0)))
    root = np.sqrt(np.diagonal(system))  # columns may differ by hundreds of orders of magnitude
    root = np.where(root > 0, root, 1.0)
    values, vectors = np.linalg.eigh(system / root / root[:, None])
    kept = values > 10 * len(values) * EPS * values[-1]
    inverse = (vectors[:, kept] / values[kept]) @ vectors[:, kept].T / root / root[:, None]
    spread, used = inverse @ information @ inverse, float(np.sum(inverse * information))
    condition = float(np.sqrt(values[-1] / max(values[0], EPS)))
    estimable = None if kept.all() else Estimable(vectors[:, kept].T, 1 / root)
    return Inverse(inverse, spread, used, int(kept.sum()), condition, estimable)


def learned_of_classes(problem: Problem, found: Coefficients) -> Attributes:
    """What a fit of several classes keeps for inference: its information, and its sums, by two passes over the rows."""
    k, free = problem.classes or 1, isinstance(problem.penalty, NoPenalty)
    size = k * (problem.columns + problem.fit_intercept)
    if not problem.penalty.is_smooth or size > (MOST if free else MOST_OF_CLASSES):
        return {}
    frame = problem.frame()
    matrix = class_curvature(problem, found, frame)
    if not np.isfinite(matrix).all():  # it ran away
        return {}
    if free:
        _warn_if_dependent(problem, frame)
    fit, (_, level) = problem.sums(found), without_slopes(problem)
    sums = FitSums(fit.weight, fit.value, fit.weight * level, 0.0, -fit.value)
    ridge = float(problem.penalty.curvature(problem.columns).max(initial=0.0)) * fit.weight
    information = ClassInformation(matrix, frame.centre, frame.unit)
    return {"_class_information": information, "_sums": sums, "_ridge": ridge, "_centred": problem.fit_intercept}


def _warn_if_dependent(problem: Problem, frame: Frame) -> None:
    rows = problem.source.reduce(lambda chunk: bent_moments(chunk.X, given_or_ones(chunk.weight, len(chunk))))
    products = framed_products(rows, frame, problem.fit_intercept)
    rank = int(np.linalg.matrix_rank(products, hermitian=True))
    if rank < len(products):
        warn_of_rank(problem, problem.columns, rank - problem.fit_intercept)


def _rows_with_ones(chunk: Chunk, rows: slice, fit_intercept: bool) -> Floats:
    """Some rows, with a 1 behind them where there is an intercept."""
    X = chunk.X[rows]
    Z = np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)
    return np.column_stack([Z, np.ones(len(Z))]) if fit_intercept else Z


def _blocks(chunk: Chunk, width: int) -> list[slice]:
    """The rows of a chunk, so many at a time that `width` numbers for each are not too many."""
    step = max(1, _CELLS // max(width, 1))
    return [slice(begin, begin + step) for begin in range(0, len(chunk), step)]


def gradient_products(chunk: Chunk, loss: Loss, at: Coefficients, kept: Whole, fit_intercept: bool) -> Floats:
    """Σ s (g ⊗ z)(g ⊗ z)ᵀ of the gradients g of some classes and rows z = (x, 1), (classes q, classes q)."""
    weight, p = given_or_ones(chunk.weight, len(chunk)), len(at.slope)
    size = len(kept) * (p + fit_intercept)
    found = np.zeros((size, size))
    for rows in _blocks(chunk, size):
        Z = _rows_with_ones(chunk, rows, fit_intercept)
        g = loss.gradient(forth(chunk.X[rows], at.slope, at.intercept), chunk.y[rows])[:, kept]
        beside = ((g * np.sqrt(weight[rows])[:, None])[:, :, None] * Z[:, None, :]).reshape(len(Z), -1)
        found += beside.T @ beside
    return found


def odds_of_classes(chunk: Chunk, at: Coefficients, inverse: Inverse, fit_intercept: bool) -> tuple[Floats, Floats]:
    """log P / (1 − P) of each class, (n, k), and its variance by the delta method; NaN where rows are not determined.

    `inverse` is that of the differences of slopes and intercept from the first class.
    """
    (p, k), n = at.slope.shape, len(chunk)
    q = p + fit_intercept
    odds, variance = np.zeros((n, k)), np.zeros((n, k))
    each = inverse.spread.reshape(k - 1, q, k - 1, q)
    for rows in _blocks(chunk, k * (q + k)):
        Z = _rows_with_ones(chunk, rows, fit_intercept)
        eta = forth(chunk.X[rows], at.slope, at.intercept)
        own = np.zeros((len(Z), k, k))
        own[:, 1:, 1:] = np.einsum("np,apbq,nq->nab", Z, each, Z, optimize=True)
        for c in range(k):
            others = np.delete(eta, c, axis=1)
            top = others.max(axis=1, keepdims=True)
            share = np.exp(others - top)
            total = share.sum(axis=1, keepdims=True)
            odds[rows, c] = eta[:, c] - (top + np.log(total))[:, 0]
            slope = np.insert(-share / total, c, 1.0, axis=1)
            variance[rows, c] = np.einsum("na,nab,nb->n", slope, own, slope)
        if inverse.estimable is not None:  # the rows determine the predictors of all classes, or of none
            of_one = np.pad(Z, ((0, 0), (0, (k - 2) * q)))
            variance[rows][~inverse.estimable.contains(of_one)] = np.nan
    return odds, np.maximum(variance, 0.0)
