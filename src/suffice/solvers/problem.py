"""What a solver is given: rows, a loss and a penalty, whose sum it minimises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from ..backend.predictors import RowLoss, loss_sums, softmax_sums
from ..backend.weights import given_or_ones
from ..data import ArraySource, Chunk, Source
from ..data.rows import is_sparse
from ..engine import Kept
from ..errors import InvalidData
from ..holds import floats
from ..losses import Loss
from ..penalties import Penalty
from ..statistics import CurvedSums, DiagonalMoments, GradientSums
from ..statistics.gradient import ClassCurvedSums, bent_moments, forth, pair_moments
from ..typing import Flags, Floats


@dataclass(frozen=True)
class Coefficients:
    """Slopes (p,) and an intercept (), or (p, k) and (k,)."""

    slope: Floats
    intercept: Floats

    @classmethod
    def zero(cls, p: int, k: int | None = None) -> Coefficients:
        """Slopes and intercepts of 0; without k there is one predictor."""
        return cls(np.zeros(p), np.zeros(())) if k is None else cls(np.zeros((p, k)), np.zeros(k))

    def moved(self, slope: Floats, intercept: Floats, step: float = 1.0) -> Coefficients:
        """These and so many times a change."""
        return Coefficients(self.slope + step * slope, np.asarray(self.intercept + step * intercept))

    def kept(self) -> Kept[Coefficients]:
        """How such coefficients are written to a checkpoint."""
        return Kept.fields(Coefficients, slope=floats(*self.slope.shape), intercept=floats(*self.intercept.shape))


@dataclass(frozen=True)
class Limits:
    """How long a solver may run, and how exact it must be."""

    max_iter: int = 100
    tol: float = 1e-10


@dataclass
class Problem:
    """F(w, b) = Σ sᵢ ℓ(xᵢᵀ w + b, yᵢ) / Σ sᵢ + penalty(w), of the rows of a source with weights s.

    The target of its chunks is what the loss takes: numbers, signs, or codes of classes. `shown` is what observers see
    of coefficients. Slopes that are not `free`, (p,), stay where they begin.
    """

    owner: str
    source: Source
    loss: Loss
    penalty: Penalty
    fit_intercept: bool = True
    classes: int | None = None
    shown: Callable[[Coefficients], Mapping[str, object]] = lambda found: {}
    free: Flags | None = None
    _curved: list[tuple[Coefficients, CurvedSums | ClassCurvedSums]] = field(default_factory=list, repr=False)
    _first: list[tuple[Coefficients, GradientSums]] = field(default_factory=list, repr=False)

    @property
    def columns(self) -> int:
        """The number of columns, p."""
        return len(self.source.schema)

    def zero(self) -> Coefficients:
        """The coefficients that every slope and intercept of 0 makes."""
        return Coefficients.zero(self.columns, self.classes)

    def sums(self, at: Coefficients) -> GradientSums:
        """The sums of loss and gradient over all rows: one pass."""
        found = self.source.reduce(partial(gradient_sums, loss=self.loss, at=at))
        return found if self.free is None else replace(found, slope=np.where(self.free, found.slope.T, 0.0).T)

    def value(self, at: Coefficients) -> float:
        """F, by one pass that sums the loss alone; infinite where it is not a number."""
        weight, value = self.source.reduce(partial(_value_sums, loss=self.loss, at=at))
        found = float(value / weight) + self.penalty.value(at.slope)
        return found if not np.isnan(found) else np.inf

    def gradients(self, at: Coefficients) -> GradientSums:
        """The same, remembered for the coefficients asked for last."""
        known = [found for one, found in self._first if one is at] + [
            all_.first for one, all_ in self._curved if one is at
        ]
        if not known:
            known = [self.sums(at)]
            self._first[:] = [(at, known[0])]
        return known[0]

    def of_rows(self, rows: Chunk) -> Problem:
        """The same problem of other rows in memory, whose weights are scaled to 1 in all."""
        weight = given_or_ones(rows.weight, len(rows))
        part = Chunk(rows.X, rows.y, weight / weight.sum())
        source = ArraySource(part, self.source.schema, self.source.needs)
        return replace(self.on(source), shown=lambda found: {})

    def on(self, source: Source) -> Problem:
        """The same problem of the rows of another source, with nothing remembered."""
        return replace(self, source=source, _curved=[], _first=[])

    def observed(self) -> Problem:
        """The same problem with the curvature of each row, not the expected one, where that is never negative."""
        loss = self.loss.observed()
        return self if loss is self.loss else replace(self, loss=loss, _curved=[], _first=[])

    def curved(self, at: Coefficients) -> CurvedSums:
        """The same with the sums of the curvature of one predictor; the last ones are remembered."""
        found = self.bent(at)
        assert isinstance(found, CurvedSums)
        return found

    def bent(self, at: Coefficients) -> CurvedSums | ClassCurvedSums:
        """The same of one predictor or of several."""
        for known, found in self._curved:
            if known is at:
                return found
        sums: CurvedSums | ClassCurvedSums
        if self.loss.target == "classes":
            sums = self.source.reduce(partial(_class_curved_sums, loss=self.loss, at=at))
        else:
            sums = self._only_free(self.source.reduce(partial(curved_sums, loss=self.loss, at=at)))
        self._curved[:] = [(at, sums)]
        return sums

    def _only_free(self, sums: CurvedSums) -> CurvedSums:
        """The sums with a system that leaves all slopes alone that are not free."""
        if self.free is None:
            return sums
        both = np.outer(self.free, self.free)
        mean = np.where(self.free, sums.second.mean, 0.0)
        scatter = np.where(both, sums.second.scatter, np.diag(np.where(self.free, 0.0, 1.0)))
        first = replace(sums.first, slope=np.where(self.free, sums.first.slope, 0.0))
        return CurvedSums(first, replace(sums.second, mean=mean, scatter=scatter))

    def objective(self, at: Coefficients, sums: GradientSums) -> float:
        """F, by the sums there; infinite where a loss is not a number."""
        value = sums.value / sums.weight + self.penalty.value(at.slope)
        return value if not np.isnan(value) else np.inf

    def frame(self) -> Frame:
        """The mean and the spread of the columns: one pass."""
        mean, spread = self.spread()
        return Frame(mean, np.where(spread > 0, spread, 1.0))

    def spread(self) -> tuple[Floats, Floats]:
        """The mean of each column, 0 without an intercept, and its root mean square about it, 0 for a constant one."""
        found = self.source.reduce(lambda chunk: DiagonalMoments.of(chunk.X, chunk.weight))
        weight = np.where(found.weight > 0, found.weight, 1.0)
        mean = found.mean if self.fit_intercept else np.zeros_like(found.mean)
        square = found.scatter / weight + (0.0 if self.fit_intercept else found.mean**2)
        if not np.isfinite(square).all():
            raise InvalidData(f"{self.owner}: the squares of X are too large for a double; scale the columns down.")
        noise = (8 * np.finfo(np.float64).eps * np.abs(found.mean)) ** 2
        return mean, np.sqrt(np.where(square > noise, square, 0.0))


def _by_kernel(chunk: Chunk, loss: Loss) -> bool:
    """Whether a kernel knows the loss, and takes the rows."""
    return bool(loss.kernel) and not is_sparse(chunk.X)


def gradient_sums(chunk: Chunk, loss: Loss, at: Coefficients) -> GradientSums:
    """The sums of a loss and its gradient over some rows."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        if _by_kernel(chunk, loss):
            totals = _class_totals if loss.target == "classes" else _totals
            return totals(chunk, loss, at, curved=False)[0]
        value, gradient = loss.value_and_gradient(forth(chunk.X, at.slope, at.intercept), chunk.y)
        return GradientSums.of(chunk.X, gradient, value, chunk.weight)


def _value_sums(chunk: Chunk, loss: Loss, at: Coefficients) -> Floats:
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        value = loss.value(forth(chunk.X, at.slope, at.intercept), chunk.y)
    if chunk.weight is None:
        return np.array([len(chunk), value.sum()])
    return np.array([chunk.weight.sum(), chunk.weight @ value])


def curved_sums(chunk: Chunk, loss: Loss, at: Coefficients) -> CurvedSums:
    """The sums of a loss, its gradient and its curvature over some rows."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        if _by_kernel(chunk, loss):
            first, curvature = _totals(chunk, loss, at, curved=True)
            assert curvature is not None
            bent = curvature if chunk.weight is None else curvature * chunk.weight
            return CurvedSums(first, bent_moments(chunk.X, bent))
        value, gradient, curvature = loss.parts(forth(chunk.X, at.slope, at.intercept), chunk.y)
        return CurvedSums.of(chunk.X, gradient, value, curvature, chunk.weight)


def row_loss(loss: Loss) -> RowLoss:
    """A loss as kernels take it."""
    return RowLoss(loss.kernel, loss.parts, loss.kernel_numbers)


def _class_curved_sums(chunk: Chunk, loss: Loss, at: Coefficients) -> ClassCurvedSums:
    if not _by_kernel(chunk, loss):
        value, gradient, share = loss.parts(forth(chunk.X, at.slope, at.intercept), chunk.y)
        return ClassCurvedSums.of(chunk.X, gradient, value, share, chunk.weight)
    first, known = _class_totals(chunk, loss, at, curved=True)
    assert known is not None
    return ClassCurvedSums(first, pair_moments(chunk.X, known, chunk.weight))


def _class_totals(chunk: Chunk, loss: Loss, at: Coefficients, curved: bool) -> tuple[GradientSums, Floats | None]:
    weight, value, offset, slope, share = softmax_sums(chunk.X, at.slope, at.intercept, chunk.y, chunk.weight, curved)
    return GradientSums(weight, value, slope, offset), share


def _totals(chunk: Chunk, loss: Loss, at: Coefficients, curved: bool) -> tuple[GradientSums, Floats | None]:
    weight, value, offset, slope, curvature = loss_sums(
        chunk.X, at.slope, float(at.intercept), chunk.y, chunk.weight, row_loss(loss), curved
    )
    return GradientSums(weight, value, slope, np.asarray(offset)), curvature


@dataclass(frozen=True)
class Frame:
    """Columns about their mean in units of their spread: w = v / unit and b = c − mean·w, with comparable slopes v."""

    centre: Floats
    unit: Floats

    def _beside(self, values: Floats, like: Floats) -> Floats:
        return values if like.ndim == 1 else values[:, None]

    def into(self, found: Coefficients) -> Coefficients:
        """(v, c) of (w, b)."""
        slope = found.slope * self._beside(self.unit, found.slope)
        return Coefficients(slope, np.asarray(found.intercept + self.centre @ found.slope))

    def out(self, found: Coefficients) -> Coefficients:
        """(w, b) of (v, c)."""
        slope = found.slope / self._beside(self.unit, found.slope)
        return Coefficients(slope, np.asarray(found.intercept - self.centre @ slope))

    def gradient(self, slope: Floats, intercept: Floats) -> Coefficients:
        """The gradient in (v, c) of that in (w, b)."""
        own = slope - (self.centre * intercept if slope.ndim == 1 else np.outer(self.centre, intercept))
        return Coefficients(own / self._beside(self.unit, slope), intercept)
