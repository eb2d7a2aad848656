"""The lasso and the elastic net."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np
from sklearn.utils import Tags

from ...data import Chunk, Needs, Source
from ...engine import Outcome
from ...estimator import Attributes, declares, estimator
from ...losses import SquaredLoss
from ...params import param
from ...penalties import L1, ElasticNetPenalty, Penalty
from ...scikit_learn import COPY, Counterpart
from ...solvers import Coefficients
from .iterative import IterativeLinearModel, finished
from .regressor import LinearRegressor

_COUNTERPART = Counterpart(
    "sklearn.linear_model",
    ignored={
        "copy_X": COPY,
        "precompute": "products of columns are formed where that is faster",
        "random_state": "nothing is drawn",
        "selection": "coordinates are taken in turn",
    },
)


@declares
class PenalisedRegression(LinearRegressor, IterativeLinearModel):
    """Base: least squares with a penalty of strength `alpha`, which a subclass gives as `_penalty`."""

    needs = Needs(target="numbers", scaled=True, one_hot=True, sparse=True)

    alpha: float = param(1.0, positional=True, number=True, at_least=0, doc="The strength λ of the penalty.")
    positive: bool = param(False, choices=(True, False), doc="Whether no slope may be below 0.")
    tol: float = param(
        1e-8,
        number=True,
        at_least=0,
        doc="Stop when the dual gap is at most this part of Σ s (y − ȳ)² / Σ s.",
    )

    def _penalty(self, strength: float) -> Penalty:
        raise TypeError(f"{type(self).__name__} does not define _penalty")

    def _learn(self, source: Source) -> Outcome[Attributes]:
        targets = _targets(source)
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
        def attributes(found: Coefficients) -> Attributes:
            return {"coef_": found.slope, "intercept_": float(found.intercept)}

        _, outcome = self._minimised(source, SquaredLoss(), self._penalty(self.alpha), start, None, attributes)
        return finished(outcome, attributes)

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


def _one_target(chunk: Chunk, k: int) -> Chunk:
    return replace(chunk, y=chunk.y[:, k])


def _stacked(found: list[Outcome[Attributes]], q: int) -> Outcome[Attributes]:
    """Fits of one target each as one, with the longest history; targets that were not reached have slopes of 0."""
    coef, intercept = np.zeros((q, len(found[0].state["coef_"]))), np.zeros(q)
    for k, one in enumerate(found):
        coef[k], intercept[k] = one.state["coef_"], one.state["intercept_"]
    history = max((one.history for one in found), key=lambda one: len(one.iterations))
    for one in found:
        if one.history.status != "converged":
            history = replace(history, status=one.history.status)
    return Outcome({"coef_": coef, "intercept_": intercept}, history)


@estimator
class Lasso(PenalisedRegression):
    """Least squares with an L1 penalty, which leaves most slopes at exactly 0.

    Minimises Σ s (y − x·w − b)² / 2 Σ s + λ ‖w‖₁, with λ = `alpha`, by coordinate descent over working sets. It ends
    when the dual gap, an upper bound of what could still be gained, is at most `tol` · Σ s (y − ȳ)² / Σ s. A Laplace
    prior on the slopes gives the same. Several targets are fitted one by one.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> X = iris.matrix(["petal_length", "petal_width", "sepal_width"])
    >>> sf.Lasso(alpha=0.1).fit(X, iris["sepal_length"]).coef_.round(4)
    array([0.3798, 0.    , 0.054 ])
    """

    counterpart: ClassVar = _COUNTERPART

    def _penalty(self, strength: float) -> Penalty:
        return L1(strength, positive=self.positive)


@estimator
class ElasticNet(PenalisedRegression):
    """Least squares with L1 and L2 penalties: slopes of exactly 0, and alike for columns that go together.

    Minimises Σ s (y − x·w − b)² / 2 Σ s + λ (ρ ‖w‖₁ + ½ (1 − ρ) ‖w‖²), with λ = `alpha` and ρ = `l1_ratio`, by
    coordinate descent over working sets, as `Lasso` does.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> X = iris.matrix(["petal_length", "petal_width", "sepal_width"])
    >>> sf.ElasticNet(alpha=0.1, l1_ratio=0.5).fit(X, iris["sepal_length"]).coef_.round(4)
    array([0.3798, 0.    , 0.054 ])
    """

    counterpart: ClassVar = _COUNTERPART

    l1_ratio: float = param(
        0.5, number=True, at_least=0, at_most=1, doc="The share ρ of the L1 penalty; 0 is L2 alone, 1 is the lasso."
    )

    def _penalty(self, strength: float) -> Penalty:
        return ElasticNetPenalty(strength, self.l1_ratio, positive=self.positive)
