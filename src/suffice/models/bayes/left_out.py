"""Gaussian classifiers without each row in turn: what one row takes from the moments of its class.

Of a class of weight W with mean x̄ and scatter S, a row of weight w takes c z zᵀ from S, with z = x − x̄ and
c = wW / (W − w), and lies z W / (W − w) from the mean of the others. With q = zᵀ S⁻¹ z, by Sherman and Morrison and the
determinant lemma,

    aᵀ (S − c z zᵀ)⁻¹ a = aᵀ S⁻¹ a + c (aᵀ S⁻¹ z)² / (1 − c q),    log det (S − c z zᵀ) = log det S + log(1 − c q).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ... import backend
from ...backend.blas import blas_threads_for
from ...backend.posteriors import likeliest, posterior, rounded
from ...backend.weights import given_or_ones
from ...data import Chunk
from ...distributions import Beta, Dirichlet
from ...resampling.left_out_rows import TOLERANCE, LeftOutRows
from ...typing import Flags, Floats, Labels, Whole

_EPS = float(np.finfo(np.float64).eps)
_SMALL = 1e-12  # differences of variances, relative, that do not matter
_FACTORS = 32  # numbers of at least `_LEFT` that are multiplied
_LEFT = 1e-6  # of a variance: below that the rest has lost digits
_ROWS = 1 << 13  # at once, so that temporaries stay in a processor's own cache


@dataclass(frozen=True, eq=False)
class OwnClass:
    """Some rows and their classes: the code and the weight of each row, (n,), and the weight of its class, (n,)."""

    X: Floats
    code: Whole
    weight: Floats
    total: Floats

    @property
    def rest(self) -> Floats:
        """The weight of the others of the class, (n,)."""
        return self.total - self.weight

    def of(self, table: Floats) -> Floats:
        """The own column of each row of (n, k)."""
        found: Floats = table[np.arange(len(self.code)), self.code]
        return found


Scores = tuple[Floats, Flags]  # log P(class) + log p(x | class) up to what all classes share, and where that is sure


def is_plain(priors: object) -> bool:
    """Whether class probabilities are given or the shares of the classes: no prior of them is learned with."""
    return not isinstance(priors, Beta | Dirichlet)


def given_prior(priors: object) -> Floats | None:
    """Class probabilities that are given, (k,)."""
    return None if priors is None else np.asarray(priors, dtype=np.float64)


def left_out(
    rows: Chunk, classes: Labels, count: Floats, prior: Floats | None, scores: Callable[[OwnClass], Scores]
) -> LeftOutRows | None:
    """Classes and probabilities of each row by all others; None where a class has no row that counts.

    `scores` gives the log densities of some rows after a fit without each. `prior` (k,) is given, or None: then it
    follows from the weights of the classes, `count` (k,).
    """
    y = np.asarray(rows.y)
    code = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
    if not np.array_equal(classes[code], y):
        return None
    weight = given_or_ones(rows.weight, len(y))
    probability, sure = np.empty((len(y), len(classes))), np.empty(len(y), dtype=bool)
    called = np.empty(len(y), dtype=np.int64)
    shares = count / count.sum() if prior is None else prior
    small = blas_threads_for(_ROWS * rows.X.shape[1] ** 2)
    with small, np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for start in range(0, len(y), _ROWS):
            own = slice(start, start + _ROWS)
            X = np.ascontiguousarray(rows.X[own], dtype=np.float64)
            part = OwnClass(X, code[own], weight[own], count[code[own]])
            found, sure[own] = scores(part)
            found = found + (_log_shares(part, count) if prior is None else np.log(prior))
            sure[own] &= np.isfinite(found).all(axis=1) & (part.rest > 0)
            probability[own] = posterior(found, np.log(shares))
            called[own] = likeliest(found, np.log(shares))
    columns = {"predicted": np.take(classes, called), "probability": rounded(probability, rows.X.dtype)}
    return LeftOutRows(columns, sure)


def _log_shares(own: OwnClass, count: Floats) -> Floats:
    """log P(class) without each row, (n, k), up to what all classes share."""
    found = np.tile(np.log(count), (len(own.code), 1))
    found[np.arange(len(own.code)), own.code] = np.log(own.rest)
    return found


@dataclass(frozen=True, eq=False)
class Whitened:
    """A Gaussian in each class whose covariances are scatters divided by `divisors`, without floor or shrinkage.

    `whiten` (d, d) of each class, or of all, turn rows into coordinates in which the covariance is the identity;
    `log_det` (k,) are the logarithms of the determinants, `least` (k,) the smallest variances in units of the floor,
    and `condition` (k,) the condition numbers.
    """

    means: Floats  # (k, d)
    whiten: tuple[Floats, ...]
    divisors: Floats
    log_det: Floats
    least: Floats
    condition: Floats

    def scores(self, own: OwnClass) -> Scores:
        """Log densities, up to what all classes share."""
        tied = len(self.whiten) == 1 < len(self.means)
        return self._tied(own) if tied else self._full(own)

    def _distances(self, X: Floats) -> Floats:
        """The squared distance to each class in its covariance, (n, k)."""
        if len(self.whiten) == len(self.means):
            each = [(X - mean) @ turn for mean, turn in zip(self.means, self.whiten, strict=True)]
            return np.stack([np.einsum("nd,nd->n", Z, Z) for Z in each], axis=1)
        centre = self.means.mean(axis=0)
        Z, middles = (X - centre) @ self.whiten[0], (self.means - centre) @ self.whiten[0]
        squares = np.einsum("nd,nd->n", Z, Z)[:, None] + np.einsum("kd,kd->k", middles, middles)
        return np.asarray(np.maximum(squares - 2 * (Z @ middles.T), 0.0))

    def _full(self, own: OwnClass) -> Scores:
        d, distance = self.means.shape[1], self._distances(own.X)
        found = -0.5 * (distance + self.log_det)
        mine, D = own.of(distance), self.divisors[own.code]
        rest = D - own.weight
        left, step = self._left(own, mine / D)
        after = rest / D * step**2 * mine / left
        log_det = self.log_det[own.code] + np.log(left) + d * np.log(D / rest)
        found[np.arange(len(mine)), own.code] = -0.5 * (after + log_det)
        return found, self._is_sure(own, left)

    def _tied(self, own: OwnClass) -> Scores:
        distance, D = self._distances(own.X), float(self.divisors[0])
        mine = own.of(distance)
        turned = (self.means - self.means.mean(axis=0)) @ self.whiten[0]
        apart = np.sum((turned[:, None] - turned) ** 2, axis=2)  # (k, k)
        along = (distance + mine[:, None] - apart[own.code]) / 2  # aᵀ Σ⁻¹ z
        left, step = self._left(own, mine / D)
        c = own.weight * step
        after = distance + (c / D / left)[:, None] * along**2
        after[np.arange(len(mine)), own.code] = step**2 * mine / left
        return -0.5 * ((D - own.weight) / D)[:, None] * after, self._is_sure(own, left)

    def _left(self, own: OwnClass, q: Floats) -> tuple[Floats, Floats]:
        """1 − c q, and W / (W − w)."""
        step = own.total / own.rest
        return 1 - own.weight * step * q, step

    def _is_sure(self, own: OwnClass, left: Floats) -> Flags:
        """Whether digits are left, and no variance falls to the floor."""
        at = own.code if len(self.least) > 1 else np.zeros(len(left), dtype=np.int64)
        above = self.least[at] * left * (own.rest / own.total) > 2
        return np.asarray(above & (_EPS * self.condition[at] <= TOLERANCE * left))


def whitened(means: Floats, covariances: Floats, divisors: Floats, scale: Floats, floor: float) -> Whitened | None:
    """The Gaussians of covariances (k, d, d), or one for all; None where one is singular."""
    unit = covariances / (scale[:, None] * scale)
    values, vectors = np.linalg.eigh(unit)
    if not np.all(values[:, 0] > 0):
        return None
    turns = tuple(axes / np.sqrt(own) / scale[:, None] for own, axes in zip(values, vectors, strict=True))
    log_det = np.log(values).sum(axis=1) + 2 * np.log(scale).sum()
    condition = values[:, -1] / values[:, 0]
    return Whitened(means, turns, divisors, log_det, values[:, 0] / floor, condition)


@dataclass(frozen=True, eq=False)
class Columns:
    """A Gaussian in each column and class: means, scatters (k, d), and what is added to every variance by all rows."""

    means: Floats
    scatter: Floats
    count: Floats  # (k,)
    mean: Floats  # (d,), of all rows
    spread: Floats  # (d,), the scatter of all rows
    share: float  # of the largest variance, added to all

    @cached_property
    def _plain(self) -> float:
        """What is added with all rows."""
        return self.share * (float(self.spread.max() / self.count.sum()) or 1.0)

    @cached_property
    def _variance(self) -> Floats:
        """The variances with all rows, (k, d)."""
        return self.scatter / self.count[:, None] + self._plain

    def scores(self, own: OwnClass) -> Scores:
        """Log densities, up to what all classes share."""
        added = self._added(own)  # (n,)
        if np.abs(added - self._plain).max() <= _SMALL * self._variance.min():
            added = np.array([self._plain])
            zeros = np.zeros(len(self.count))
            found = np.array(backend.diagonal_log_density(own.X, self.means, self._variance, zeros))
        else:
            found = np.stack([self._density(own.X, c, added[:, None]) for c in range(len(self.count))], axis=1)
        sure = np.ones(len(own.code), dtype=bool)
        turned = np.ascontiguousarray(own.X.T)
        for c in range(len(self.count)):
            rows = np.flatnonzero(own.code == c)
            each = added if len(added) == 1 else added[rows]
            found[rows, c], sure[rows] = self._own(turned.take(rows, axis=1), own.weight[rows], c, each)
        return found, sure

    def _density(self, X: Floats, c: int, added: Floats) -> Floats:
        """The log density of rows in a class of which they are not, (n,)."""
        variance = self.scatter[c] / self.count[c] + added
        return np.asarray(-0.5 * ((X - self.means[c]) ** 2 / variance + np.log(2 * np.pi * variance)).sum(axis=1))

    def _own(self, X: Floats, weight: Floats, c: int, added: Floats) -> Scores:
        """The density of the rows of a class, each without itself; X is (d, m)."""
        if len(weight) and np.all(weight == weight[0]):
            weight = weight[:1]
        variance, rest = self._variance[c][:, None], self.count[c] - weight
        step = self.count[c] / rest
        Z = (X - self.means[c][:, None]) * np.sqrt(1 / variance)
        Z *= Z
        ratio = (self.scatter[c][:, None] / rest + added) / variance - Z * (weight * step / rest)
        sure = ratio.min(axis=0, initial=1.0) > _LEFT
        Z /= ratio
        log_det = float(np.log(2 * np.pi * variance).sum()) + _log_of_products(ratio)
        return -0.5 * (step**2 * Z.sum(axis=0) + log_det), sure

    def _added(self, own: OwnClass) -> Floats:
        """What is added to every variance without each row, (n,): a share of the largest variance of a column."""
        total = float(self.count.sum())
        rest = total - own.weight
        step = own.weight * total / rest
        widest = int(np.argmax(self.spread))
        left = self.spread[widest] - step * (own.X[:, widest] - self.mean[widest]) ** 2
        others = np.flatnonzero(self.spread > left.min())  # those that may be the largest for some row
        if len(others) > 1:
            left = (self.spread[others] - step[:, None] * (own.X[:, others] - self.mean[others]) ** 2).max(axis=1)
        largest = left / rest
        return np.asarray(self.share * np.where(largest > 0, largest, 1.0))


def _log_of_products(table: Floats) -> Floats:
    """Σ log of each column of (d, m): the logarithms of products of a few rows, which neither over- nor underflow."""
    parts = np.array([table[start : start + _FACTORS].prod(axis=0) for start in range(0, len(table), _FACTORS)])
    return np.asarray(np.log(parts).sum(axis=0))
