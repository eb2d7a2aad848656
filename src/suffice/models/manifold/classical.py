"""Classical scaling: the eigenvectors of the inner products that given distances would have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, get_args

import numpy as np

from ...backend.units import power_of_two
from ...distances import Distance
from ...holds import choice, floats, instance
from ...kernels.centred_matrix import CentredMatrix
from ...statistics.moments import Moments, RootMoments
from ...statistics.spectrum import divisor, of_root, spectrum
from ...typing import Floats, Numbers, Whole
from .compared import Compared
from .corrections import Correction, constant, corrected
from .map import Map
from .objects import has_gaps
from .turned import signs

_NOISE = 1e-3  # of the size of the map, where classical scaling says nothing of a coordinate
_ZERO = 1e-12  # of the largest eigenvalue: smaller ones are rounding


@dataclass(frozen=True)
class Scaled:
    """A map, the eigenvalues of its coordinates, what was added to the dissimilarities, and the strain that is left."""

    map: Map
    eigenvalues: Floats
    added: float
    strain: float


def scaled(compared: Compared, weight: Floats, k: int, correction: Correction, pairs: Callable[[], Floats]) -> Scaled:
    """The map of objects in k coordinates; those of an eigenvalue that is not above 0 are 0.

    `pairs` gives the dissimilarities of all pairs, which are not asked for where rows are apart as points of a space.
    """
    found = None if correction != "none" else by_columns(compared, weight, k)
    return _by_pairs(compared, weight, k, correction, pairs()) if found is None else found


def spread_out(points: Floats) -> Floats:
    """A start that uses every coordinate: none would ever grow from nothing."""
    size = float(np.abs(points).max(initial=0.0)) or 1.0
    noise = np.random.default_rng(0).normal(size=points.shape) * _NOISE * size
    return np.where(np.ptp(points, axis=0) > 0, points, noise)


# ---- rows that are points themselves ----


@dataclass(frozen=True)
class EuclideanMap(Map):
    """Principal components of rows made ready: new rows are projected."""

    compared: Compared
    mean: Floats
    axes: Floats

    holds: ClassVar = {
        "compared": instance(Compared, m="m", d="d"),
        "mean": floats("r"),
        "axes": floats("r", "k"),
    }

    def places(self, X: Numbers) -> Floats:
        return (_points(self.compared, X) - self.mean) @ self.axes

    def dissimilarities(self, some: Whole) -> Floats:
        return self.compared.among(some)

    def eigenvalues(self, weight: Floats) -> Floats:
        """All eigenvalues, as many as objects, falling."""
        assert self.compared.rows is not None
        R = _points(self.compared, self.compared.rows)
        variance = spectrum(_moments(R, weight), None).variance
        values, some = np.zeros(len(R)), min(len(R), len(variance))
        values[:some] = variance[:some] * divisor(float(weight.sum()))
        return values


def _points(compared: Compared, X: Numbers) -> Floats:
    distance: Distance | None = compared.measure.distance
    assert distance is not None
    return np.asarray(distance.rows(np.asarray(X, dtype=np.float64)), dtype=np.float64)


def _moments(R: Floats, weight: Floats | None) -> Moments | RootMoments:
    """The scatter of rows, by their products where there are no more rows than columns."""
    return RootMoments.of(R, weight) if len(R) <= R.shape[1] else Moments.of(R, weight)


def by_columns(compared: Compared, weight: Floats, k: int) -> Scaled | None:
    """By the scatter of the rows, where distances are those of points; None where they are not."""
    distance = compared.measure.distance
    if distance is None or distance.kind != "squared" or not distance.takes_root or not distance.has_kernel:
        return None
    rows = compared.rows
    if not isinstance(rows, np.ndarray) or has_gaps(rows):
        return None
    R, even = _points(compared, rows), bool(np.all(weight == 1))
    summary = _moments(R, None if even else weight)
    scale, some = divisor(float(weight.sum())), min(k, R.shape[1], len(R))
    if isinstance(summary, Moments):
        square, found = summary.scatter, spectrum(summary, None, some)
    else:
        square = summary.root @ summary.root.T
        found = of_root(summary.root, scale, some, square)
    values = _counted(found.variance * scale, k)
    axes = np.zeros((R.shape[1], k))
    axes[:, : len(found.axes)] = found.axes.T
    points = (summary.root if even and isinstance(summary, RootMoments) else R - summary.mean) @ axes
    turn = signs(points) * (values > 0)
    made = EuclideanMap(points * turn, compared, summary.mean, axes * turn)
    return Scaled(made, values, 0.0, _strain(square, values))


def _strain(square: Floats, values: Floats) -> float:
    """Σ b² − Σ λ², in a unit in which it does not overflow sooner than it must."""
    unit = float(np.abs(values).max(initial=0.0)) or 1.0
    part = float(np.sum((square / unit) ** 2)) - float(np.sum((values / unit) ** 2))
    return max(part, 0.0) * unit * unit


# ---- any dissimilarities ----


@dataclass(frozen=True)
class ScaledMap(Map):
    """The map of given dissimilarities: new rows are placed by those to all objects (Gower, 1968)."""

    compared: Compared
    projection: Floats
    offset: Floats
    added: float
    correction: Correction

    holds: ClassVar = {
        "compared": instance(Compared, m="m", d="d"),
        "projection": floats("m", "k"),
        "offset": floats("k"),
        "correction": choice(*get_args(Correction)),
    }

    def places(self, X: Numbers) -> Floats:
        return self.compared.by_blocks(X, self.points.shape[1], self._placed)

    def _placed(self, X: Numbers) -> Floats:
        D = corrected(self.compared.between(X), self.added, self.correction)
        return by_squares(np.array(D), self.points, self.projection, self.offset)

    def dissimilarities(self, some: Whole) -> Floats:
        return corrected(self.compared.among(some), self.added, self.correction)

    def eigenvalues(self, weight: Floats) -> Floats:
        """All eigenvalues, as many as objects, falling."""
        D = corrected(self.compared.among(), self.added, self.correction)
        unit = power_of_two(D)
        D = D / unit
        return CentredMatrix.of(-0.5 * D * D, weight).eigenvalues() * unit * unit


def _by_pairs(compared: Compared, weight: Floats, k: int, correction: Correction, D: Floats) -> Scaled:
    added = constant(D, correction)
    found = of_pairs(corrected(D, added, correction), weight, k)
    made = ScaledMap(found.points, compared, found.projection, found.offset, added, correction)
    return Scaled(made, found.values, added, found.strain)


@dataclass(frozen=True)
class OfPairs:
    """The classical map of dissimilarities, its eigenvalues, and by what others are placed: −½ δ² P + offset."""

    points: Floats  # (m, k)
    values: Floats  # (k,)
    projection: Floats  # (m, k)
    offset: Floats  # (k,)
    strain: float
    total: float  # the sum of all eigenvalues


def by_squares(D: Floats, points: Floats, projection: Floats, offset: Floats) -> Floats:
    """Where dissimilarities (q, m), which are overwritten, put new rows beside the points (m, k) (Gower, 1968)."""
    unit = power_of_two(points)
    D /= unit
    D *= D
    D *= -0.5
    return np.asarray((D @ (projection * unit)) * unit + offset)


def of_pairs(D: Floats, weight: Floats, k: int) -> OfPairs:
    """Of a matrix of dissimilarities (m, m), which is overwritten."""
    unit = power_of_two(D)
    D /= unit
    D *= D
    D *= -0.5
    centred = CentredMatrix.of(D, weight)
    values, vectors = centred.leading(min(k, len(D)))
    kept = _counted(np.where(values > centred.rounding, values, 0.0), k)
    some = kept > 0
    root, points, factors = centred.root[:, None], np.zeros((len(D), k)), np.zeros((len(D), k))
    own = vectors[:, some[: vectors.shape[1]]]
    points[:, some] = own / root * np.sqrt(kept[some])
    factors[:, some] = own * root / np.sqrt(kept[some])
    sign = signs(points)
    points, factors = points * sign, factors * sign
    sums = factors.sum(axis=0)
    all_values = np.zeros(k)
    all_values[: len(values)] = values
    return OfPairs(
        points * unit,
        np.where(some, kept, np.minimum(all_values, 0.0)) * unit * unit,
        (factors - np.outer(centred.share, sums)) / unit,
        (centred.grand * sums - centred.means @ factors) * unit,
        max(centred.squares - float(kept @ kept), 0.0) * unit * unit * unit * unit,
        centred.total * unit * unit,
    )


def _counted(values: Floats, k: int) -> Floats:
    """k eigenvalues of which those that are rounding, and those that are not there, are 0."""
    out = np.zeros(k)
    some = values[:k]
    out[: len(some)] = np.where(some > _ZERO * max(float(some[0]), 0.0), some, 0.0) if len(some) else some
    return out
