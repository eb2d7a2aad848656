"""Least squares with a penalty that keeps slopes at 0: for one strength, a path, or one by cross-validation."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import numpy as np
from sklearn.utils import Tags

from ...data import Needs, Source
from ...engine import History, Outcome
from ...errors import InvalidData
from ...estimator import Attributes, declares
from ...holds import either, floats, number, sometimes
from ...losses import SquaredLoss
from ...params import learned, param
from ...penalties import Penalty
from ...solvers import Coefficients, Limits, Problem
from ...solvers.path import Path
from ...typing import CSR, Floats
from .cross_validation import cross_validated, folds_of
from .iterative import finished
from .regressor import LinearRegressor
from .regularized import ChoosesStrength
from .targets import one_target


@declares
class PenalisedRegression(LinearRegressor, ChoosesStrength):
    """Base: least squares with a penalty of strength `alpha`, which a subclass gives as `_penalty`."""

    needs = Needs(target="numbers", scaled=True, one_hot=True, sparse=True)

    alpha: float | str = param(
        1.0,
        positional=True,
        number=True,
        at_least=0,
        below=np.inf,
        choices=("cv",),
        doc="The strength λ of the penalty; cv chooses it by cross-validation.",
    )
    positive: bool = param(False, choices=(True, False), doc="Whether no slope may be below 0.")
    tol: float = param(
        1e-8,
        number=True,
        at_least=0,
        doc="Stop when the dual gap is at most this part of Σ s (y − ȳ)² / Σ s.",
    )
    alpha_: float = learned("The strength of the penalty that was used.", holds=number(at_least=0))
    dual_gap_: float | Floats = learned(
        "What the objective could still gain at most, or one a target; NaN of solvers that do not know.",
        holds=sometimes(either(number(finite=False), floats("targets", finite=False))),
    )

    @property
    def sparse_coef_(self) -> CSR:
        """`coef_` as a sparse matrix, (targets, d)."""
        from scipy.sparse import csr_matrix

        self._check_fitted("coef_")
        return csr_matrix(np.atleast_2d(self.coef_))

    def _penalty(self, strength: float) -> Penalty:
        raise TypeError(f"{type(self).__name__} does not define _penalty")

    def _learn(self, source: Source) -> Outcome[Attributes]:
        targets = _targets(source)
        if isinstance(self.alpha, str):
            return self._learn_chosen(source, targets)
        if targets == ():
            return self._learn_one(source, self._held((len(source.schema),)))
        (q,) = targets
        held, found = self._held((len(source.schema), q)), []
        for k in range(q):
            start = None if held is None else Coefficients(held.slope[:, k], np.asarray(held.intercept[k]))
            found.append(self._learn_one(one_target(source, k), start))
            if found[-1].history.status in ("interrupted", "time_limit"):
                break
        return _stacked(found, q)

    def _learn_one(self, source: Source, start: Coefficients | None) -> Outcome[Attributes]:
        strength = float(self.alpha)

        def attributes(found: Coefficients) -> Attributes:
            return {"coef_": found.slope, "intercept_": float(found.intercept), "alpha_": strength}

        _, outcome = self._minimised(source, SquaredLoss(), self._penalty(strength), start, None, attributes)
        return finished(outcome, lambda found: {**attributes(found), "dual_gap_": _last_gap(outcome.history)})

    def _learn_chosen(self, source: Source, targets: tuple[int, ...]) -> Outcome[Attributes]:
        owner = type(self).__name__
        if targets:
            raise InvalidData(f"{owner}: alpha='cv' chooses for one target; y has {targets[0]}. Fit one at a time.")
        problem = self._problem(source)
        limits = Limits(self.max_iter, self.tol)
        folds = folds_of(problem, self.folds, self._strengths)
        found, outcome = cross_validated(folds, self.n_alphas, self.eps, limits, self.rule)
        self._warn_unless(outcome.state)

        def attributes(along: Path) -> Attributes:
            last = {"coef_": along.slope[-1], "intercept_": float(along.intercept[-1])}
            figures = {"alpha_": float(along.strength[-1]), "dual_gap_": float(along.gap[-1])}
            return {**last, **figures, "cv_path_": found}

        return outcome.then(attributes)

    def _problem(self, source: Source) -> Problem:
        return Problem(type(self).__name__, source, SquaredLoss(), self._penalty(1.0), self.fit_intercept)

    def _of_strength_one(self, source: Source) -> tuple[Problem, None]:
        if _targets(source):
            raise InvalidData(f"{type(self).__name__}: a path is that of one target; y has {_targets(source)[0]}.")
        return self._problem(source), None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def _targets(source: Source) -> tuple[int, ...]:
    """The shape of the target of a row: () for one, (q,) for several."""
    if source.in_memory is not None:
        return tuple(source.in_memory.y.shape[1:])
    with closing(source.chunks()) as chunks:
        return tuple(next(chunks).y.shape[1:])


def _last_gap(history: History) -> float:
    return float(history.iterations[-1].metrics.get("dual_gap", np.nan)) if len(history) else np.nan


def _stacked(found: list[Outcome[Attributes]], q: int) -> Outcome[Attributes]:
    """Fits of one target each as one, with the longest history; targets that were not reached have slopes of 0."""
    coef, intercept, gap = np.zeros((q, len(found[0].state["coef_"]))), np.zeros(q), np.full(q, np.nan)
    for k, one in enumerate(found):
        coef[k], intercept[k], gap[k] = one.state["coef_"], one.state["intercept_"], one.state["dual_gap_"]
    history = max((one.history for one in found), key=lambda one: len(one.iterations))
    for one in found:
        if one.history.status != "converged":
            history = replace(history, status=one.history.status)
    figures = {"alpha_": found[0].state["alpha_"], "dual_gap_": gap}
    return Outcome({"coef_": coef, "intercept_": intercept, **figures}, history)
