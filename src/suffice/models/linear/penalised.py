"""Least squares with a penalty that keeps slopes at 0: for one strength, a path, or one by cross-validation."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags

from ...data import Chunk, Needs, Source
from ...engine import History, Outcome
from ...errors import InvalidData, InvalidParameter, NotConverged, warn
from ...estimator import Attributes, declares
from ...estimator.base import blas_threads_for_rows
from ...holds import either, floats, instance, number, sometimes
from ...losses import SquaredLoss
from ...params import check, learned, numbers, param
from ...penalties import Penalty
from ...solvers import Coefficients, Limits, Problem
from ...solvers.columns import columns_of
from ...solvers.path import Path, path, strengths
from ...typing import CSR, ArrayLike, Floats, TableLike, TargetLike, WeightLike
from .cross_validation import cross_validated, folds_of
from .iterative import IterativeLinearModel, finished
from .paths import CrossValidatedPath, RegularizationPath
from .regressor import LinearRegressor


@declares
class PenalisedRegression(LinearRegressor, IterativeLinearModel):
    """Base: least squares with a penalty of strength `alpha`, which a subclass gives as `_penalty`."""

    needs = Needs(target="numbers", scaled=True, one_hot=True, sparse=True)

    alpha: float | str = param(
        1.0,
        positional=True,
        number=True,
        at_least=0,
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
    folds: int = param(5, integer=True, at_least=2, doc="The number of folds of cross-validation.")
    rule: str = param(
        "min",
        choices=("min", "1se"),
        doc="What cross-validation chooses: the least error, or the largest λ within one standard error of it.",
    )
    n_alphas: int = param(100, integer=True, at_least=2, at_most=100_000, doc="How many strengths a path has.")
    eps: float = param(
        1e-3, number=True, above=0, below=1, doc="The least strength of a path, as a part of the largest one."
    )

    alpha_: float = learned("The strength of the penalty that was used.", holds=number(at_least=0))
    dual_gap_: float | Floats = learned(
        "What the objective could still gain at most, or one a target; NaN of solvers that do not know.",
        holds=sometimes(either(number(finite=False), floats("targets", finite=False))),
    )
    holds: ClassVar = {"cv_path_": sometimes(instance(CrossValidatedPath))}

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
            found.append(self._learn_one(source.mapped(partial(_one_target, k=k)), start))
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
        found, outcome = cross_validated(
            problem, folds_of(problem, self.folds), self.n_alphas, self.eps, limits, self.rule
        )
        self._warn_unless(outcome.state)

        def attributes(along: Path) -> Attributes:
            last = {"coef_": along.slope[-1], "intercept_": float(along.intercept[-1])}
            figures = {"alpha_": float(along.strength[-1]), "dual_gap_": float(along.gap[-1])}
            return {**last, **figures, "cv_path_": found}

        return outcome.then(attributes)

    def _problem(self, source: Source) -> Problem:
        return Problem(type(self).__name__, source, SquaredLoss(), self._penalty(1.0), self.fit_intercept)

    def _warn_unless(self, found: Path) -> None:
        if not found.finished:
            owner = type(self).__name__
            warn(f"{owner}: not converged after max_iter={self.max_iter} iterations for some strengths.", NotConverged)

    def path(
        self,
        X: TableLike,
        y: TargetLike = None,
        *,
        alphas: ArrayLike | None = None,
        n_alphas: int | None = None,
        eps: float | None = None,
        sample_weight: WeightLike = None,
    ) -> RegularizationPath:
        """The coefficients for falling strengths λ, each found from the last; the model itself is not fitted.

        Without `alphas` they are `n_alphas`, in equal ratios, from the least that keeps all slopes at 0 down to the
        part `eps` of it.

        >>> import suffice as sf
        >>> iris = sf.datasets.load("iris")
        >>> X = iris.matrix(["petal_length", "petal_width", "sepal_width"])
        >>> print(sf.Lasso().path(X, iris["sepal_length"], n_alphas=4, eps=0.01))
          alpha  nonzero  explained
          1.266        0          0
         0.2727        1     0.7247
        0.05875        2     0.7983
        0.01266        3     0.8432
        """
        given = {"n_alphas": self.n_alphas if n_alphas is None else n_alphas, "eps": self.eps if eps is None else eps}
        own = clone(self).set_params(**given)
        check(own)
        source = own._open(X, y, sample_weight, reset=True)
        if _targets(source):
            raise InvalidData(f"{type(self).__name__}: a path is that of one target; y has {_targets(source)[0]}.")
        with blas_threads_for_rows(source):
            problem = own._problem(source)
            columns = columns_of(problem)
            if alphas is None:
                strength = strengths(columns, problem.penalty, own.n_alphas, own.eps)
            else:
                strength = _falling(alphas, type(self).__name__)
            found = path(problem, columns, strength, Limits(own.max_iter, own.tol)).state
        own._warn_unless(found)
        level = columns.level if columns.level > 0 else 1.0
        explained = 1 - found.loss / level
        return RegularizationPath(
            source.schema.names, found.strength, found.slope, found.intercept, explained, found.gap
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def _falling(alphas: ArrayLike, owner: str) -> Floats:
    """Strengths that a user gave, the largest first."""
    found = numbers(owner, "alphas", alphas, (np.size(np.asarray(alphas, dtype=object)),), "numbers of at least 0")
    if not len(found) or np.any(found < 0):
        raise InvalidParameter(f"{owner}: alphas must be numbers of at least 0; got {alphas!r}.")
    return np.sort(found)[::-1]


def _targets(source: Source) -> tuple[int, ...]:
    """The shape of the target of a row: () for one, (q,) for several."""
    if source.in_memory is not None:
        return tuple(source.in_memory.y.shape[1:])
    with closing(source.chunks()) as chunks:
        return tuple(next(chunks).y.shape[1:])


def _last_gap(history: History) -> float:
    return float(history.metric("dual_gap")[-1]) if len(history) else np.nan


def _one_target(chunk: Chunk, k: int) -> Chunk:
    return replace(chunk, y=chunk.y[:, k])


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
