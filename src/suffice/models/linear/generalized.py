"""Generalized linear models: a likelihood of numbers, whose mean is a function of a linear predictor."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np
from sklearn.utils import Tags

from ...data import Chunk, Needs, Source
from ...engine import Outcome
from ...errors import InvalidData, InvalidParameter, Separated, warn
from ...estimator import Attributes, Regressor, declares, estimator
from ...holds import floats, number, require, sometimes, whole
from ...losses import LOSSES, Loss, SquaredLoss, as_loss
from ...params import learned, param
from ...penalties import L2, NoPenalty, Penalty
from ...solvers import Coefficients, Problem
from ...solvers.null import without_slopes
from ...statistics.gradient import forth
from ...typing import Flags, Floats, Numbers, Reals, TableLike, TargetLike, WeightLike
from .explained import explained_deviance
from .fit_sums import learned_sums
from .inference import Inference
from .intervals import HasIntervals
from .iterative import finished
from .regularized import AnyPenalty, HasPath
from .separation import warn_if_runaway
from .targets import TargetSums, target_sums


@declares
class GeneralizedModel(Inference, HasIntervals, Regressor, HasPath):
    """Base: a subclass gives `_loss`, the loss, and `_prior`, the penalty."""

    needs = Needs(target="numbers", one_target=True, scaled=True, one_hot=True, sparse=True)

    offset: str | int | None = param(
        None,
        integer=True,
        at_least=0,
        types=(str,),
        choices=(None,),
        doc="A column, by name or number, that is added to the predictor as it is: its slope is 1.",
    )
    exposure: str | int | None = param(
        None,
        integer=True,
        at_least=0,
        types=(str,),
        choices=(None,),
        doc="A column, by name or number, whose logarithm is added to the predictor: time, area or people at risk.",
    )

    coef_: Floats = learned("The slopes, (d,).", holds=floats("d"))
    intercept_: float = learned("The intercept.", holds=number())
    holds: ClassVar = {
        "_offset": sometimes(whole(at_least=0)),
        "_exposure": sometimes(whole(at_least=0)),
    }

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, Floats]:
        X, y = super().example(rng, n)
        if not np.isfinite(cls()._loss().least_target):
            return X, y
        return X, np.exp((y - y.mean()) / y.std()) + 0.1

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        with suppress(InvalidParameter, TypeError, ValueError):  # which the fit will say
            tags.target_tags.positive_only = bool(np.isfinite(self._loss().least_target))
        return tags

    def check_loaded(self) -> None:
        super().check_loaded()
        for place in (getattr(self, "_offset", 0), getattr(self, "_exposure", 0)):
            require(place < self.n_features_in_, "the offset must be one of the columns")

    def _needs(self) -> Needs:
        with suppress(InvalidParameter, TypeError, ValueError):  # which the fit will say
            return super()._needs().but(scaled=not isinstance(self._prior(), NoPenalty))
        return super()._needs()

    def _prior(self) -> Penalty:
        raise TypeError(f"{type(self).__name__} does not define _prior")

    def _learn(self, source: Source) -> Outcome[Attributes]:
        problem, known, targets = self._problem(source)
        constant = problem.loss.constant(targets.mean) if self.fit_intercept else 0.0

        def attributes(found: Coefficients) -> Attributes:
            slopes = {"coef_": found.slope, "intercept_": float(found.intercept)}
            return {**slopes, **known, "_fitted_loss": problem.loss}

        start = self._held((problem.columns,)) or _started(problem.columns, constant, problem.free)
        problem, outcome = self._minimised(
            problem.source, problem.loss, problem.penalty, start, None, attributes, problem.free
        )
        self._warn_of_limits(problem, targets, outcome, constant)
        return finished(outcome, lambda found: {**attributes(found), **_kept_of(problem, found, constant)})

    def _warn_of_limits(
        self, problem: Problem, targets: TargetSums, outcome: Outcome[Coefficients], constant: float
    ) -> None:
        """Says where larger coefficients are always better."""
        same = self.fit_intercept and targets.low == targets.high
        if same and not np.any(problem.loss.variance(np.array([targets.low]))):
            warn(
                f"{problem.owner}: every target is {targets.low:g}, so that no finite intercept has the largest "
                "likelihood; the one given is where the fit stopped.",
                Separated,
            )
        elif outcome.history.status == "converged":
            null = Coefficients(np.zeros(problem.columns), np.asarray(constant))
            warn_if_runaway(problem, outcome.state, null, len(outcome.history))

    def _problem(self, source: Source) -> tuple[Problem, Attributes, TargetSums]:
        """The problem of these rows, the places of offset and exposure, and the sums of the targets."""
        owner, loss = type(self).__name__, self._loss()
        places = {name: _place(source, getattr(self, name), owner, name) for name in ("offset", "exposure")}
        known = {f"_{name}": place for name, place in places.items() if place is not None}
        source = _logged(source, known.get("_exposure"), owner)
        targets = source.reduce_targets(target_sums)
        refusal = loss.refusal(np.array([targets.low, targets.high]))
        if refusal:
            raise InvalidData(f"{owner}: {refusal}. Leave such rows out, or take another model.")
        free = _free(len(source.schema), known)
        penalty = on_free(self._prior(), free, owner)
        return Problem(owner, source, loss, penalty, self.fit_intercept, free=free), known, targets

    def _of_strength_one(self, source: Source) -> tuple[Problem, None]:
        return self._problem(source)[0], None

    def predict(self, X: TableLike) -> Reals:
        """The expected target of each row, the mean that the link gives X coef + intercept."""
        self._check_fitted("coef_")

        def means(eta: Floats, chunk: Chunk) -> Reals:
            found: Reals = self._loss_of_fit().mean(eta)
            return found.astype(chunk.X.dtype, copy=False)

        return self._rows_by_scores(X, self._predictor, means)

    def _mean_of(self, eta: Floats) -> Floats:
        return np.asarray(self._loss_of_fit().mean(eta))

    def _noise_of_targets(self) -> float:
        if not isinstance(self._loss_of_fit(), SquaredLoss):
            raise InvalidParameter(
                f"{type(self).__name__}: predict_interval of targets needs normal noise, which is that of the squared "
                f"loss; got {type(self._loss_of_fit()).__name__}. Take of='mean'."
            )
        return self.dispersion_

    def _judged(self, y: TargetLike, predicted: Numbers, sample_weight: WeightLike) -> float:
        loss = self._loss_of_fit()
        if not loss.is_family:
            return super()._judged(y, predicted, sample_weight)
        return explained_deviance(loss, y, predicted, sample_weight)

    def score(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> float:
        """D² of a family, the share of the deviance that is explained: R² is the case of squares. 1 is perfect.

        Losses that are no family have R².
        """
        return super().score(X, y, sample_weight)

    def _as_targets(self, source: Source) -> Source:
        return _logged(source, getattr(self, "_exposure", None), type(self).__name__)

    def _predictor(self, chunk: Chunk) -> Floats:
        exposure = getattr(self, "_exposure", None)
        rows = chunk.X if exposure is None else _with_log(chunk, exposure, type(self).__name__).X
        return forth(rows, self.coef_, np.asarray(self.intercept_))


def _kept_of(problem: Problem, found: Coefficients, constant: float) -> Attributes:
    """What a fit keeps for inference."""
    null = Coefficients(np.zeros(problem.columns), np.asarray(constant))
    if problem.free is not None:  # the best constant beside an offset has no formula
        null = without_slopes(problem)[0]
    return learned_sums(problem, found, null)


def _place(source: Source, column: str | int | None, owner: str, name: str) -> int | None:
    """The number of a column that a parameter names."""
    if column is None:
        return None
    names = source.schema.names
    if isinstance(column, str):
        if column not in names:
            raise InvalidParameter(f"{owner}: {name} names the column {column!r}; X has {', '.join(names[:8])}.")
        return names.index(column)
    if column >= len(names):
        raise InvalidParameter(f"{owner}: {name} is column {column}; X has {len(names)} columns, from 0.")
    return int(column)


def _logged(source: Source, exposure: int | None, owner: str) -> Source:
    """The source with the logarithm of its exposure."""
    return source if exposure is None else source.mapped(partial(_with_log, exposure=exposure, owner=owner))


def _with_log(chunk: Chunk, exposure: int, owner: str) -> Chunk:
    if hasattr(chunk.X, "tocsr"):
        raise InvalidData(f"{owner}: a sparse table has no exposure; give X.toarray().")
    values = chunk.X[:, exposure]
    if np.any(values <= 0):
        row = chunk.number(int(np.argmax(values <= 0)))
        raise InvalidData(f"{owner}: the exposure must be above 0; row {row} has {float(values.min()):g}.")
    X = np.array(chunk.X)
    X[:, exposure] = np.log(values)
    return Chunk(X, chunk.y, chunk.weight, chunk.start, chunk.numbers)


def _free(p: int, known: Attributes) -> Flags | None:
    """Which slopes are to be found; None where all are."""
    if not known:
        return None
    free = np.ones(p, dtype=bool)
    free[list(known.values())] = False
    return free


def _started(p: int, constant: float, free: Flags | None) -> Coefficients:
    slope = np.zeros(p) if free is None else np.where(free, 0.0, 1.0)
    return Coefficients(slope, np.asarray(constant if free is None else 0.0))


def on_free(penalty: Penalty, free: Flags | None, owner: str) -> Penalty:
    """The penalty of those slopes alone that are to be found."""
    if free is None or isinstance(penalty, NoPenalty):
        return penalty
    if not isinstance(penalty, L2) or penalty.weights is not None:
        raise InvalidParameter(f"{owner}: {type(penalty).__name__} cannot be used with an offset; take L2, or none.")
    return L2(penalty.strength, tuple(free.astype(float).tolist()))


@estimator
class GeneralizedLinearRegressor(AnyPenalty, GeneralizedModel):
    """A generalized linear model of any loss, with any penalty: minimises Σ s ℓ(x·w + b, y) / Σ s + penalty(w).

    A loss that is a likelihood brings standard errors, deviance, AIC and BIC; `link` replaces the link of a family.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.GeneralizedLinearRegressor("gamma", link="inverse")
    >>> model = model.fit(iris.matrix(["petal_length"]), iris["sepal_length"])
    >>> model.coef_.round(5), round(model.deviance_, 4)
    (array([-0.01247]), 0.6389)
    """

    complexity = "-alpha"

    proposed = False
    units = "columns"

    loss: object = param(
        "squared",
        names=LOSSES.only(lambda loss: "" if loss.target == "numbers" else "its targets are classes"),
        positional=True,
        doc="The loss, by name or itself.",
    )
    link: str | None = param(
        None,
        choices=(None, "identity", "log", "logit", "probit", "cloglog", "inverse", "sqrt"),
        doc="The link of a loss that takes one; None is its own.",
    )

    def _loss(self) -> Loss:
        loss = as_loss(self.loss, type(self).__name__)
        if self.link is None:
            return loss
        if not hasattr(loss, "link"):
            raise InvalidParameter(f"{type(self).__name__}: {type(loss).__name__} takes no link; leave link out.")
        return replace(loss, link=self.link)  # type: ignore[type-var]
