"""Regression with Student's t errors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ...data import Chunk, Source
from ...engine import Kept, Outcome, Step, iterate
from ...errors import IllConditioned, warn
from ...estimator import Attributes, estimator
from ...holds import floats, number
from ...losses import StudentTLoss
from ...params import learned, param
from ...solvers import Coefficients
from ...solvers.systems import solved
from ...statistics import CurvedSums
from ...statistics.gradient import forth
from ...typing import Floats
from .composed import PredictorOfNumbers, attributes_of
from .iterative import LinearIterations, refuse_small_columns
from .targets import target_sums

_ROUNDING = 1e-12  # of the largest target: a scale below it is that of residuals that vanish
_BOLDEST = 1e6
_LEAST_DF, _MOST_DF = 0.05, 1e4  # between which they are estimated; above, it is a Gaussian


@estimator
class StudentTRegressor(PredictorOfNumbers, LinearIterations):
    """Regression with errors of a Student t distribution, y = x·w + b + σ t: outliers are expected, and count little.

    Minimises −Σ s log p(y | x·w + b, σ, ν) / Σ s without a penalty, by EM: each row weighs (ν + 1) / (ν + r² / σ²), by
    which least squares gives w and b, and the weighted squares σ² (divided by the weights, which is the parameter
    expansion of Liu, Rubin and Wu, 1998). The objective never rises. It is not convex:
    iterations begin at least squares, or with `warm_start` at the last fit.

    Examples
    --------
    >>> import numpy as np, suffice as sf
    >>> X, y = np.arange(8.0)[:, None], np.array([0.1, 0.9, 2.0, 3.1, 3.9, 5.1, 6.0, 70.0])
    >>> sf.StudentTRegressor(df=2).fit(X, y).coef_.round(2)
    array([1.])
    """

    proposed = False
    units = "columns"
    in_unit_of_target = True

    df: float | None = param(
        4.0,
        positional=True,
        number=True,
        above=0,
        choices=(None,),
        doc="The degrees of freedom ν; None estimates them.",
    )

    scale_: float = learned("The scale σ of the errors.", holds=number(at_least=0))
    df_: float = learned("The degrees of freedom ν.", holds=number(above=0))

    def _learn(self, source: Source) -> Outcome[Attributes]:
        p, targets = len(source.schema), source.reduce_targets(target_sums)
        least = _ROUNDING * max(abs(targets.low), abs(targets.high))
        held, last = self._held((p,)), _Remembered(source)

        def begin(run: int) -> _State:
            found = held or Coefficients(np.zeros(p), np.asarray(targets.mean if self.fit_intercept else 0.0))
            start = _State(found.slope, found.intercept, np.inf, self.df or 4.0)
            return self._moved(start, last.sums(start), held is None)

        def step(at: _State) -> Step[_State]:
            before = last.sums(at)
            if at.scale <= least:
                warn("StudentTRegressor: the residuals vanish, and the likelihood has no maximum.", IllConditioned)
                return Step(at, _objective(before), done=True)
            found = self._boldly(at, self._moved(at, before), last)
            after = _objective(last.sums(found))
            gain = _objective(before) - after
            if gain <= 0:  # nothing but rounding
                return Step(at, _objective(before), done=True)
            return Step(found, after, {"gain": gain}, done=gain <= 1e-4 * self.tol * max(1.0, abs(after)))

        outcome = iterate(begin, step, max_iter=self.max_iter, snapshot=_attributes, kept=_State.kept(p))
        refuse_small_columns(type(self).__name__, source, outcome.state.slope)
        self._warn_of_limit(outcome.history)
        return outcome.then(_attributes)

    def _boldly(self, at: _State, found: _State, last: _Remembered) -> _State:
        """The degrees of freedom, which EM moves slowly, moved farther each time that this lowers the objective."""
        if self.df is not None or found.df == at.df:
            return found
        after = _objective(last.sums(found))
        farther = float(np.clip(at.df * (found.df / at.df) ** at.times, _LEAST_DF, _MOST_DF))
        bold = replace(found, df=farther, times=min(2 * at.times, _BOLDEST))
        return bold if _objective(last.sums(bold)) < after else replace(found, times=2.0)

    def _moved(self, at: _State, sums: CurvedSums, solve: bool = True) -> _State:
        """Weighted least squares, the scale of its residuals, and the degrees of freedom."""
        first, second = sums.first, sums.second
        slope, level = np.zeros(len(at.slope)), 0.0
        if solve:
            mean = second.mean if self.fit_intercept else 0.0 * second.mean
            around = second.mean - mean
            bent = second.scatter + second.weight * np.outer(around, around)
            slope = solved(bent, first.slope[:, 0] - mean * first.offset[0])[0]
            level = float(first.offset[0] / second.weight - mean @ slope) if self.fit_intercept else 0.0
        left = float(first.offset[1] - slope @ first.slope[:, 0] - level * first.offset[0])  # Σ s u r² after the step
        scale = float(np.sqrt(max(left, 0.0) / second.weight))
        df = at.df
        if self.df is None and np.isfinite(at.scale):
            df = _freedom(at.df, float(first.offset[2] / first.weight))
        return _State(at.slope + slope, np.asarray(at.intercept + level), scale, df, at.times)


@dataclass(frozen=True)
class _State:
    """Slopes (p,), the intercept (), the scale and the degrees of freedom."""

    slope: Floats
    intercept: Floats
    scale: float
    df: float
    times: float = 2.0  # how much farther than EM the degrees of freedom are moved next

    @classmethod
    def kept(cls, p: int) -> Kept[_State]:
        """How it is written to a checkpoint."""
        above = number(above=0)
        return Kept.fields(cls, slope=floats(p), intercept=floats(), scale=number(at_least=0), df=above, times=above)


def _attributes(state: _State) -> Attributes:
    found = attributes_of(Coefficients(state.slope + 0.0, state.intercept))
    return {**found, "scale_": state.scale, "df_": state.df}


class _Remembered:
    """The sums of the rows at a state, one pass; those of the state asked for last are remembered."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._last: tuple[_State, CurvedSums] | None = None

    def sums(self, at: _State) -> CurvedSums:
        """The sums at a state."""
        if self._last is None or self._last[0] is not at:
            self._last = at, self._source.reduce(partial(_student_sums, at=at))
        return self._last[1]


def _objective(sums: CurvedSums) -> float:
    return float(sums.first.offset[3] / sums.first.weight)


def _student_sums(chunk: Chunk, at: _State) -> CurvedSums:
    """Σ s of u r, u r², log u − u and −log p, and the moments of the rows by weights u."""
    rest = chunk.y - forth(chunk.X, at.slope, at.intercept)
    if 0 < at.scale < np.inf:
        u = (at.df + 1) / (at.df + (rest / at.scale) ** 2)
        cost = -StudentTLoss(at.df, at.scale).log_density(0.0 * rest, rest)
    else:  # least squares
        u, cost = np.ones_like(rest), 0.0 * rest
    columns = np.column_stack([u * rest, u * rest**2, np.log(u) - u, cost])
    return CurvedSums.of(chunk.X, columns, 0.0 * rest, u, chunk.weight)


def _freedom(df: float, logs: float) -> float:
    """The degrees of freedom that the mean of log u − u under the earlier ones suggests."""
    from scipy.optimize import brentq
    from scipy.special import digamma

    known = 1 + logs + digamma((df + 1) / 2) - np.log((df + 1) / 2)

    def slope(value: float) -> float:
        return float(np.log(value / 2) - digamma(value / 2) + known)

    if slope(_MOST_DF) >= 0:
        return _MOST_DF
    return float(brentq(slope, _LEAST_DF, _MOST_DF, xtol=1e-12)) if slope(_LEAST_DF) > 0 else _LEAST_DF
