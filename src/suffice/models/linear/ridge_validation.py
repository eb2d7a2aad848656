"""Cross-validated strengths of ridge regression: by moments, by products of rows, or by iterations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...backend.weights import given_or_ones
from ...data import Chunk, Source
from ...data.rows import is_sparse
from ...errors import InvalidData
from ...losses import SquaredLoss
from ...penalties import L2
from ...solvers import LBFGS, Limits, Problem
from ...solvers.path import BySolver
from ...statistics import Moments
from ...typing import Floats, Whole
from .cross_validation import (
    SourceFolds,
    check_folds,
    fold_moments,
    fold_of,
    moments_of,
    others,
    squared_errors,
    validated,
)
from .paths import CrossValidatedPath

_PRODUCTS = 3000  # columns or rows whose products are formed for each fold
_LIMITS = Limits(1000, 1e-6)  # of iterations, where there are more of both


def ridge_validated(source: Source, fit_intercept: bool, folds: int, count: int, rule: str) -> CrossValidatedPath:
    """The errors over folds of strengths λ of ½ λ ‖w‖² beside the mean loss; those of several targets are added up.

    They lie between ten times the largest eigenvalue of the columns' covariance and a millionth of it; where there are
    many rows and many columns, they are those of a path with an L2 penalty.
    """
    if len(source.schema) <= _PRODUCTS:
        return _by_moments(source, fit_intercept, folds, count, rule)
    if source.in_memory is not None and len(source.in_memory) <= _PRODUCTS:
        return _by_rows(source.in_memory, source.needs.owner, fit_intercept, folds, count, rule)
    if source.in_memory is not None and np.ndim(source.in_memory.y) > 1:
        raise InvalidData(
            f"{source.needs.owner}: alpha='cv' of more than {_PRODUCTS:,} rows and columns chooses for one target; "
            "fit one at a time."
        )
    problem = Problem(source.needs.owner, source, SquaredLoss(), L2(1.0), fit_intercept)
    parts = SourceFolds.of(problem, folds, lambda own: BySolver(own, lambda _: LBFGS()))
    return validated(parts, count, 1e-3, _LIMITS, rule)[0]


def _strengths(top: float, count: int) -> Floats:
    return np.asarray((top if top > 0 else 1.0) * np.geomspace(10.0, 1e-6, count))


def _by_moments(source: Source, fit_intercept: bool, folds: int, count: int, rule: str) -> CrossValidatedPath:
    p = len(source.schema)
    found = fold_moments(source, folds)
    alphas = _strengths(float(_Spectrum.of(others(found.parts, None), p, fit_intercept).values.max()), count)
    errors = np.zeros((len(found.weight), count))
    for fold in range(len(errors)):
        learned, own = _Spectrum.of(others(found.parts, fold), p, fit_intercept), moments_of(found.parts[fold])
        for target in range(learned.cross.shape[1]):
            slope, intercept = learned.ridge(alphas, target)
            errors[fold] += squared_errors(own, p, target, slope, intercept)
    return CrossValidatedPath(alphas, errors, found.weight, rule)


@dataclass(frozen=True)
class _Spectrum:
    """The columns' mean products as eigenvalues (p,) and vectors (p, p), and those with targets along them (p, q)."""

    values: Floats
    vectors: Floats
    cross: Floats
    mean: Floats

    @classmethod
    def of(cls, moments: Moments, p: int, centred: bool) -> _Spectrum:
        mean = moments.mean if centred else np.zeros_like(moments.mean)
        off = moments.mean - mean
        S = moments.scatter / moments.weight + np.outer(off, off)
        values, vectors = np.linalg.eigh(S[:p, :p])
        return cls(np.maximum(values, 0.0), vectors, vectors.T @ S[:p, p:], mean)

    def ridge(self, alphas: Floats, target: int) -> tuple[Floats, Floats]:
        """Slopes (k, p) and intercepts (k,) of one target."""
        p = len(self.values)
        slope = (self.cross[:, target] / (self.values + alphas[:, None])) @ self.vectors.T
        return slope, self.mean[p + target] - slope @ self.mean[:p]


def _by_rows(rows: Chunk, owner: str, centred: bool, folds: int, count: int, rule: str) -> CrossValidatedPath:
    """By the products of rows with one another, of which there are fewer than of columns."""
    weight = given_or_ones(rows.weight, len(rows))
    some = np.flatnonzero(weight > 0)
    fold = fold_of(rows, folds)[some]
    numbers = np.unique(fold)
    own = np.array([float(weight[some][fold == number].sum()) for number in numbers])
    check_folds(own, owner)
    table = _RowProducts.of(rows, some, weight[some], centred)
    alphas = _strengths(table.largest(), count)
    errors = [table.errors(np.flatnonzero(fold != k), np.flatnonzero(fold == k), alphas) for k in numbers]
    return CrossValidatedPath(alphas, np.array(errors), own, rule)


@dataclass(frozen=True)
class _RowProducts:
    """The products of rows (n, n), their targets (n, q) and weights (n,); `centred` takes means away."""

    products: Floats
    y: Floats
    weight: Floats
    centred: bool

    @classmethod
    def of(cls, rows: Chunk, some: Whole, weight: Floats, centred: bool) -> _RowProducts:
        y = np.asarray(rows.y, dtype=np.float64).reshape(len(rows), -1)[some]
        X = rows.X[some].astype(np.float64)
        if is_sparse(X):
            products = np.asarray((X @ X.T).toarray())
        else:
            X = X - weight @ X / weight.sum() if centred else X  # which leaves more digits to the products
            products = X @ X.T
        return cls(products, y, weight, centred)

    def about(self, known: Whole, rows: Whole) -> Floats:
        """The products of some rows with those that are known, about the mean of these, (rows, known)."""
        found = self.products[np.ix_(rows, known)]
        if not self.centred:
            return found
        share = self.weight[known] / self.weight[known].sum()
        inner = self.products[np.ix_(known, known)] @ share
        return np.asarray(found - (found @ share)[:, None] - inner + float(share @ inner))

    def spectrum(self, known: Whole) -> tuple[Floats, Floats, Floats]:
        """The eigenvalues and vectors of the known rows' products, weighted so as to sum to 1, and these roots."""
        root = np.sqrt(self.weight[known] / self.weight[known].sum())
        values, vectors = np.linalg.eigh(root[:, None] * self.about(known, known) * root)
        return np.maximum(values, 0.0), vectors, root

    def largest(self) -> float:
        """The largest eigenvalue of the columns' covariance."""
        return float(self.spectrum(np.arange(len(self.y)))[0].max())

    def errors(self, known: Whole, tested: Whole, alphas: Floats) -> Floats:
        """The mean squared error (k,) of the tested rows, learned from those that are known."""
        values, vectors, root = self.spectrum(known)
        middle = root**2 @ self.y[known] if self.centred else np.zeros(self.y.shape[1])
        along = vectors.T @ (root[:, None] * (self.y[known] - middle))
        across = (self.about(known, tested) * root) @ vectors
        share = self.weight[tested] / self.weight[tested].sum()
        squares = [(self.y[tested] - middle - across @ (along / (values + a)[:, None])) ** 2 for a in alphas]
        return np.array([float(share @ square.sum(axis=1)) for square in squares])
