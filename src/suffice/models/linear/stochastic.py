"""The estimator behind every linear model that is learned by stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np

from ...backend.sgd import Descent
from ...data import Needs, Source
from ...engine import Outcome
from ...errors import Diverged, InvalidParameter, NotConverged, warn
from ...estimator import Attributes, ByChance, Estimator, declares
from ...holds import floats, number
from ...losses import LOSSES, Loss
from ...params import derived, learned, param
from ...penalties import L1, L2, ElasticNetPenalty, NoPenalty, Penalty
from ...randomness import random_state_param, seed_of
from ...solvers import LEARNING_RATES, SGD, Coefficients, LearningRate, Limits, Problem
from ...solvers.held_out import held_out_loss, is_held_out, some_rows
from ...solvers.sgd import Epochs, State
from .iterative import diverged

_ORDER = "rows are drawn by position, in memory from all of them, else chunk by chunk"


@declares
class StochasticLinearModel(Estimator):
    """Base: a subclass gives the loss, and what coefficients are to its users."""

    penalty: str | None = param(
        "l2", choices=("l2", "l1", "elasticnet", None), doc="What slopes cost: ½‖w‖², ‖w‖₁, a mixture, or nothing."
    )
    alpha: float = param(
        1e-4, number=True, at_least=0, below=np.inf, doc="The strength λ of the penalty beside the mean loss."
    )
    l1_ratio: float = param(
        0.15, number=True, at_least=0, at_most=1, choices=(None,), doc="The share of L1 in the elastic net."
    )
    fit_intercept: bool = param(
        True, choices=(True, False), doc="Whether to fit an intercept, which no penalty touches."
    )
    max_iter: int = param(1000, integer=True, at_least=1, doc="The most epochs: passes over all rows.")
    tol: float | None = param(
        1e-3,
        number=True,
        at_least=0,
        choices=(None,),
        doc="By how much the objective must fall within `n_iter_no_change` epochs; None goes on to `max_iter`.",
    )
    shuffle: bool = param(True, choices=(True, False), doc="Whether rows are shuffled before each epoch.")
    batch_size: int = param(1, integer=True, at_least=1, doc="The rows of an update, whose gradients are averaged.")
    random_state: object = random_state_param()
    early_stopping: bool = param(
        False, choices=(True, False), doc="Whether the fit is judged by the loss of rows that it does not learn from."
    )
    validation_fraction: float = param(
        0.1, number=True, above=0, below=1, doc="The share of rows that `early_stopping` keeps back."
    )
    n_iter_no_change: int = param(5, integer=True, at_least=1, doc="Epochs without a lower loss that end the fit.")
    warm_start: bool = param(False, choices=(True, False), doc="Whether to begin at the coefficients of the last fit.")

    t_: int = learned("How many updates there were.")
    holds: ClassVar = {
        "_slope": floats("each", "d"),
        "_intercept": floats("each"),
        "_slope_sum": floats("each", "d"),
        "_intercept_sum": floats("each"),
        "_paid": floats("each", "d"),
        "_owed": number(at_least=0),
    }
    exemptions: ClassVar = {
        "check_sample_weight_equivalence_on_dense_data": "rows are drawn by position: equal in distribution",
        "check_sample_weight_equivalence_on_sparse_data": "rows are drawn by position: equal in distribution",
        "weights_equal_repetition": "rows are drawn by position: equal in distribution",
        "goes_on_from_its_own_result": ByChance("the objective of an epoch is an estimate, which may rise and fall"),
        "history": "the objective is that of rows before their updates, which need not fall",
        "order_of_rows_does_not_matter": "rows are drawn by position",
        "parquet_files": _ORDER,
        "dask_arrays": _ORDER,
        "dask_frames": _ORDER,
    }

    def _fit_needs(self) -> Needs:
        return super()._fit_needs().but(squares=False)  # steps that overflow are seen, and said

    @derived
    def n_iter_(self) -> int:
        """The number of epochs of the fit."""
        return len(self.history_.iterations)

    # ---- what a subclass says ----

    def _rate(self) -> LearningRate:
        """The learning rate."""
        raise TypeError(f"{type(self).__name__} does not define _rate")

    def _averaged_from(self) -> int:
        """The update from which on coefficients are averaged; 0 is never."""
        return 0

    # ---- what they share ----

    def _penalty(self) -> Penalty:
        if self.penalty is None or self.alpha == 0:
            return NoPenalty()
        if self.penalty == "elasticnet":
            if self.l1_ratio is None:
                raise InvalidParameter(f"{type(self).__name__}: penalty='elasticnet' needs l1_ratio; got None.")
            return ElasticNetPenalty(self.alpha, self.l1_ratio)
        return L1(self.alpha) if self.penalty == "l1" else L2(self.alpha)

    def _settings(self, seed: int) -> SGD:
        return SGD(self._rate(), self.batch_size, self._averaged_from(), self.shuffle, self.n_iter_no_change, seed)

    def _epochs(
        self, source: Source, loss: Loss, classes: int | None, shown: Callable[[Coefficients], Attributes]
    ) -> Epochs:
        """Epochs over a source, some rows of which may be kept back."""
        seed = seed_of(self.random_state)  # type: ignore[arg-type]
        judge = None
        if self.early_stopping:
            keep = partial(is_held_out, seed=seed, share=self.validation_fraction)
            judge = held_out_loss(some_rows(source, keep, type(self).__name__), loss, classes)
            source = some_rows(source, lambda chunk: ~keep(chunk), type(self).__name__)
        problem = Problem(type(self).__name__, source, loss, self._penalty(), self.fit_intercept, classes, shown)
        return Epochs(problem, self._settings(seed), judge, self._ends_when_clean())

    def _ends_when_clean(self) -> bool:
        return False

    def _descended(
        self, source: Source, loss: Loss, classes: int | None, shown: Callable[[Coefficients], Attributes]
    ) -> Outcome[Attributes]:
        """A fit: epochs until the objective no longer falls."""
        work = self._epochs(source, loss, classes, shown)
        start = self._held(classes, len(source.schema), self.warm_start)
        outcome = work.run(start, Limits(self.max_iter, -np.inf if self.tol is None else self.tol))
        self._warn(outcome)
        return outcome.then(lambda state: self._found(state, work, shown))

    def _found(self, state: State, work: Epochs, shown: Callable[[Coefficients], Attributes]) -> Attributes:
        """The attributes that a state gives: what users see, and what a further epoch goes on from."""
        names = ("slope", "intercept", "slope_sum", "intercept_sum", "paid", "owed")
        held = {f"_{name}": getattr(state.descent, name) for name in names}
        return {**shown(work.coefficients(state.descent)), **held, "t_": state.descent.t}

    def _one_epoch(
        self, source: Source, loss: Loss, classes: int | None, shown: Callable[[Coefficients], Attributes]
    ) -> Outcome[Attributes]:
        """One epoch from where the model stands."""
        if self.early_stopping:
            raise InvalidParameter(
                f"{type(self).__name__}: partial_fit is one epoch of the rows it is given, of which "
                "early_stopping=True would keep some back; use early_stopping=False, or fit."
            )
        work = self._epochs(source, loss, classes, shown)
        outcome = work.run(self._held(classes, len(source.schema), True), Limits(1, -np.inf))
        if outcome.history.status == "diverged":
            warn(diverged(type(self).__name__, outcome.history), Diverged)
        return outcome.then(lambda state: self._found(state, work, shown))

    def _held(self, classes: int | None, d: int, wanted: bool) -> Descent:
        """Where the last fit ended, or slopes of 0."""
        shape = (classes or 1, d)
        if not wanted or not hasattr(self, "_slope") or self._slope.shape != shape:
            return Descent.at(np.zeros(shape), np.zeros(shape[0]))
        begun = Descent.at(self._slope, self._intercept)
        sums = {"slope_sum": self._slope_sum, "intercept_sum": self._intercept_sum, "paid": self._paid}
        return replace(begun, **sums, owed=float(self._owed), t=int(self.t_))

    def _warn(self, outcome: Outcome[State]) -> None:
        owner, status = type(self).__name__, outcome.history.status
        if status == "diverged":
            warn(diverged(owner, outcome.history), Diverged)
        elif status == "max_iter" and self.tol is not None:
            warn(f"{owner}: not converged after max_iter={self.max_iter} epochs; raise max_iter, or tol.", NotConverged)


@declares
class SteppedModel(StochasticLinearModel):
    """Base of those whose loss, learning rate and average users choose by name."""

    epsilon: float = param(0.1, number=True, at_least=0, doc="The δ of huber, and the ε of the insensitive losses.")
    learning_rate: object = param(
        "optimal", names=LEARNING_RATES, doc="η_t: optimal and pegasos follow from α, others begin at `eta0`."
    )
    eta0: float = param(0.01, number=True, at_least=0, doc="The first learning rate, where it does not follow from α.")
    power_t: float = param(0.5, number=True, doc="The power of invscaling, η₀ / t^power.")
    average: bool | int = param(
        False,
        choices=(True, False),
        integer=True,
        at_least=0,
        doc="Whether coefficients are averaged over updates, or the update from which on they are.",
    )

    def _rate(self) -> LearningRate:
        return named_rate(self.learning_rate, self.eta0, self.power_t, type(self).__name__)

    def _averaged_from(self) -> int:
        return int(self.average)

    def _named_loss(self, loss: object) -> Loss:
        """The loss of a name, with the number that it takes."""
        parameter = {"huber": "delta", "epsilon_insensitive": "epsilon", "squared_epsilon_insensitive": "epsilon"}
        if isinstance(loss, str) and loss in parameter:
            return LOSSES.make(loss, **{parameter[loss]: self.epsilon})
        return LOSSES.member(loss, type(self).__name__, "loss")


def named_rate(learning_rate: object, eta0: float, power: float, owner: str) -> LearningRate:
    """The learning rate of a name with the numbers it takes, or the one that it is already."""
    given = {"constant": {"eta0": eta0}, "adaptive": {"eta0": eta0}, "invscaling": {"eta0": eta0, "power": power}}
    if isinstance(learning_rate, str) and learning_rate in ("1/t", "1/sqrt(t)"):
        given |= {learning_rate: {"eta0": eta0}}
    if isinstance(learning_rate, str) and learning_rate in given:
        if not eta0 > 0:
            raise InvalidParameter(f"{owner}: learning_rate={learning_rate!r} needs eta0 above 0; got {eta0!r}.")
        return LEARNING_RATES.make(learning_rate, **given[learning_rate])
    return LEARNING_RATES.member(learning_rate, owner, "learning_rate")
