"""Huber's regression, with its scale."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from ...data import Chunk, Source
from ...engine import Kept, Outcome, Step, iterate
from ...estimator import Attributes, estimator
from ...holds import flags, floats, number, sometimes
from ...params import learned, param
from ...scikit_learn import Counterpart
from ...solvers import Coefficients
from ...solvers.systems import solved
from ...statistics import CurvedSums
from ...statistics.gradient import forth
from ...typing import Flags, Floats
from .composed import PredictorOfNumbers, attributes_of
from .iterative import LinearIterations, refuse_small_columns
from .targets import TargetSums, target_sums

_HALVINGS = 40
_FARTHEST = 1000.0  # times a step that parabolas above the loss give
_LEAST_CUBED = 1e-100
_ROUNDING = 8 * float(np.finfo(np.float64).eps)


@estimator
class HuberRegressor(PredictorOfNumbers, LinearIterations):
    """Huber's regression: squares of small residuals, absolute values of large ones, and their scale beside them.

    Minimises Σ s (σ + σ H((y − x·w − b) / σ)) + α ‖w‖² in w, b and σ, with H(z) = z² where |z| ≤ ε, else 2 ε |z| − ε²;
    ε is `epsilon`. The sum is convex in all three, and Newton's method finds them together, one pass an iteration. In
    terms of the mean of Huber's loss at the scale found, the strength of the penalty ½ λ ‖w‖² is λ = α σ / Σ s.

    Examples
    --------
    >>> import numpy as np, suffice as sf
    >>> X, y = np.arange(8.0)[:, None], np.array([0.1, 0.9, 2.0, 3.1, 3.9, 5.1, 6.0, 70.0])
    >>> model = sf.HuberRegressor(epsilon=1.5).fit(X, y)
    >>> model.coef_.round(2), model.outliers_.nonzero()[0]
    (array([1.02]), array([7]))
    """

    complexity = "-alpha"

    counterpart: ClassVar = Counterpart("sklearn.linear_model")

    epsilon: float = param(
        1.35, number=True, at_least=1, at_most=1e100, doc="How many scales a residual may have before it counts less."
    )
    alpha: float = param(0.0001, number=True, at_least=0, below=np.inf, doc="The strength α of the penalty.")

    scale_: float = learned("The scale σ of the residuals.", holds=number(at_least=0))
    outliers_: Flags = learned(
        "Whether a residual is above ε σ, (n,), where the rows were in memory.", holds=sometimes(flags(None))
    )

    def _learn(self, source: Source) -> Outcome[Attributes]:
        targets = source.reduce_targets(target_sums)
        search = _Search(source, self.epsilon, self.alpha, self.fit_intercept, self.tol, targets)
        outcome = iterate(
            lambda run: search.begun(self._held((len(source.schema),))),
            search.step,
            max_iter=self.max_iter,
            snapshot=_attributes,
            kept=_State.kept(len(source.schema)),
        )
        if self.alpha == 0:
            refuse_small_columns(type(self).__name__, source, outcome.state.slope)
        self._warn_of_limit(outcome.history)
        return outcome.then(lambda state: {**_attributes(state), **self._outliers(source, state)})

    def _outliers(self, source: Source, state: _State) -> Attributes:
        rows = source.in_memory
        if rows is None:
            return {}
        rest = rows.y - forth(rows.X, state.slope, state.intercept)
        return {"outliers_": np.abs(rest) > self.epsilon * state.scale}


@dataclass(frozen=True)
class _State:
    """Slopes (p,), the intercept () and the scale."""

    slope: Floats
    intercept: Floats
    scale: float

    @classmethod
    def kept(cls, p: int) -> Kept[_State]:
        """How it is written to a checkpoint."""
        return Kept.fields(cls, slope=floats(p), intercept=floats(), scale=number(at_least=0))


def _attributes(state: _State) -> Attributes:
    return {**attributes_of(Coefficients(state.slope + 0.0, state.intercept)), "scale_": state.scale}


@dataclass(frozen=True)
class _Search:
    """Newton's method for slopes, intercept and scale."""

    source: Source
    epsilon: float
    alpha: float
    fit_intercept: bool
    tol: float
    targets: TargetSums

    def begun(self, held: Coefficients | None) -> _State:
        """The held coefficients, or none but a constant, with the scale of all residuals."""
        constant = self.targets.mean if self.fit_intercept else 0.0
        found = held or Coefficients(np.zeros(len(self.source.schema)), np.asarray(constant))
        sums = self.sums(_State(found.slope, found.intercept, np.inf))
        return _State(found.slope, found.intercept, float(np.sqrt(sums.first.offset[2] / sums.first.weight)))

    def sums(self, at: _State, above: bool = False) -> CurvedSums:
        """The sums of the rows: one pass. With `above`, the curvature is that of parabolas above the loss."""
        return self.source.reduce(partial(_huber_sums, at=at, epsilon=self.epsilon, above=above))

    def value(self, at: _State, sums: CurvedSums) -> float:
        """The objective, by the sums there."""
        first, outside = sums.first, sums.first.weight - sums.second.weight
        squares = float(first.offset[2])
        fixed = at.scale * (first.weight - self.epsilon**2 * outside) + 2 * self.epsilon * first.value
        return fixed + (squares / at.scale if squares > 0 else 0.0) + self.alpha * float(at.slope @ at.slope)

    def step(self, at: _State) -> Step[_State]:
        """One step, halved until the objective falls."""
        sums = self.sums(at)
        before = self.value(at, sums)
        if at.scale <= _ROUNDING * max(abs(self.targets.low), abs(self.targets.high)):  # all residuals are rounding
            return Step(at, before, done=True)
        own = sums
        gradient, change, sums = self.change(at, own)
        gain = -0.5 * float(gradient @ change)
        if gain <= _ROUNDING * abs(before):  # nobody sees it in the objective, but in the digits of coefficients
            return Step(self.moved(at, sums, change) if own is sums else at, before, done=True)
        length = 1.0 if change[-1] > -0.9 * at.scale else -0.9 * at.scale / change[-1]
        for _ in range(_HALVINGS):
            found = self.moved(at, sums, length * change)
            after = self.value(found, self.sums(found))
            if after <= before - 1e-4 * length * gain + _ROUNDING * abs(before):
                if own is not sums and length == 1.0:
                    found, after = self.farther(at, sums, change, found, after)
                return Step(found, after, {"gain": gain}, done=gain <= self.tol * abs(after))
            length /= 2
        return Step(at, before, done=True)

    def farther(
        self, at: _State, sums: CurvedSums, change: Floats, found: _State, value: float
    ) -> tuple[_State, float]:
        """The last of the doubled steps that lower the objective: parabolas above the loss lead too short a way."""
        length = 2.0
        while length < _FARTHEST and length * change[-1] > -0.9 * at.scale:
            trial = self.moved(at, sums, length * change)
            after = self.value(trial, self.sums(trial))
            if not after < value:
                break
            found, value, length = trial, after, 2 * length
        return found, value

    def change(self, at: _State, sums: CurvedSums) -> tuple[Floats, Floats, CurvedSums]:
        """Gradient and step of the slopes about a mean of the rows, of the level there, and of σ; and whose mean it is.

        Newton's step; where the rows within ε σ are too few for it, that of parabolas above the loss.
        """
        gradient = self.gradient(at, sums)
        with suppress(np.linalg.LinAlgError):
            change, is_unique = solved(self.system(at, sums, joint=True), gradient)
            if is_unique:
                return gradient, -change, sums
        above = self.sums(at, above=True)
        outside = sums.first.weight - sums.second.weight
        gradient = self.gradient(at, above, outside)
        return gradient, -solved(self.system(at, above, joint=False), gradient)[0], above

    def gradient(self, at: _State, sums: CurvedSums, outside: float | None = None) -> Floats:
        """The gradient, (p + 2,), where the rows outside ε σ weigh so much."""
        first, second = sums.first, sums.second
        outside = first.weight - second.weight if outside is None else outside
        centre = second.mean if self.fit_intercept else 0.0 * second.mean
        pull = first.slope - np.outer(centre, first.offset)
        slope = -2 * (pull[:, 0] / at.scale + self.epsilon * pull[:, 1] - self.alpha * at.slope)
        level = -2 * (first.offset[0] / at.scale + self.epsilon * first.offset[1]) if self.fit_intercept else 0.0
        scale = first.weight - self.epsilon**2 * outside - first.offset[2] / at.scale**2
        return np.concatenate([slope, [level, scale]])

    def system(self, at: _State, sums: CurvedSums, joint: bool) -> Floats:
        """The second derivatives, (p + 2, p + 2); those of coefficients and scale only where `joint`."""
        first, second, p = sums.first, sums.second, len(at.slope)
        centre = second.mean if self.fit_intercept else 0.0 * second.mean
        around = second.mean - centre
        system = np.zeros((p + 2, p + 2))
        bent = second.scatter + second.weight * np.outer(around, around)
        system[:p, :p] = 2 * (bent / at.scale + self.alpha * np.eye(p))
        system[p, p] = 2 * second.weight / at.scale if self.fit_intercept else 1.0
        system[-1, -1] = 2 * max(_by_cube(float(first.offset[2]), at.scale), 0.0 if joint else first.weight / at.scale)
        if joint:
            pull = first.slope[:, 0] - centre * first.offset[0]
            beside = np.append(pull, first.offset[0] if self.fit_intercept else 0.0) * 2 / at.scale**2
            system[:-1, -1] = system[-1, :-1] = beside
        return system

    def moved(self, at: _State, sums: CurvedSums, change: Floats) -> _State:
        """The state after a change in these coordinates."""
        p = len(at.slope)
        slope = change[:p]
        level = change[p] - float(sums.second.mean @ slope) if self.fit_intercept else 0.0
        return _State(at.slope + slope, np.asarray(at.intercept + level), float(at.scale + change[-1]))


def _by_cube(squares: float, scale: float) -> float:
    """squares / scale³, also where that is no number."""
    return squares / scale**3 if _LEAST_CUBED < scale < 1 / _LEAST_CUBED else squares / scale**2 / scale


def _huber_sums(chunk: Chunk, at: _State, epsilon: float, above: bool) -> CurvedSums:
    """Σ s |r| of the rows outside ε σ, Σ s (r, 0, r²) and x times it of those within, Σ s (0, sign r, 0) of the others.

    The moments are those of the rows within; with `above`, of all rows with the curvature of parabolas above the loss.
    """
    rest = chunk.y - forth(chunk.X, at.slope, at.intercept)
    within = np.abs(rest) <= epsilon * at.scale
    near, far = np.where(within, rest, 0.0), np.where(within, 0.0, rest)
    columns = np.column_stack([near, np.sign(far), near * near])
    bent = within.astype(np.float64)
    if above:
        bent = np.where(within, 1.0, epsilon * at.scale / np.where(within, 1.0, np.abs(rest)))
    return CurvedSums.of(chunk.X, columns, np.abs(far), bent, chunk.weight)
