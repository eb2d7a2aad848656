"""The perceptron."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from ...engine import Outcome
from ...errors import NotConverged, warn
from ...estimator import Attributes, estimator
from ...losses import Loss, PerceptronLoss
from ...params import learned, param
from ...randomness import random_state_param
from ...scikit_learn import JOBS, VERBOSE, Counterpart
from ...solvers import Coefficients, LearningRate
from ...solvers.rates import ConstantRate
from ...solvers.sgd import Epochs, State
from .sgd_classifier import StochasticClassifier


@estimator
class Perceptron(StochasticClassifier):
    """The perceptron (Rosenblatt, 1958): for each row on the wrong side, w ← w + η y x and b ← b + η y.

    That is stochastic gradient descent on the loss max(0, −y (x·w + b)) with a constant rate. Where a plane separates
    the classes, it ends at one that does, after at most (R / γ)² mistakes, with the largest row R and the margin γ
    (Novikoff, 1962): an epoch without a mistake ends the fit. Where none does, it would go on for ever: it stops when
    `n_iter_no_change` epochs have not lowered the loss, and a warning says how many mistakes there were. `tol=None`
    looks for a plane up to `max_iter` epochs.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.Perceptron().fit(iris.matrix(), iris["species"] == "setosa")
    >>> model.score(iris.matrix(), iris["species"] == "setosa"), model.mistakes_ < 20
    (1.0, True)
    """

    proposed = False

    counterpart: ClassVar = Counterpart("sklearn.linear_model", ignored={"n_jobs": JOBS, "verbose": VERBOSE})

    penalty: str | None = param(
        None, choices=("l2", "l1", "elasticnet", None), doc="What slopes cost; the perceptron itself has no penalty."
    )
    eta0: float = param(1.0, number=True, above=0, doc="The rate η, which only scales the coefficients.")
    random_state: object = random_state_param(0)

    mistakes_: int = learned("How many updates there were: rows on the wrong side when it was their turn.")

    def _loss(self) -> Loss:
        return PerceptronLoss()

    def _rate(self) -> LearningRate:
        return ConstantRate(self.eta0)

    def _ends_when_clean(self) -> bool:
        return True

    def _found(self, state: State, work: Epochs, shown: Callable[[Coefficients], Attributes]) -> Attributes:
        return {**super()._found(state, work, shown), "mistakes_": state.mistakes}

    def _warn(self, outcome: Outcome[State]) -> None:
        state = outcome.state
        if outcome.history.status in ("converged", "max_iter") and not state.clean:
            warn(
                f"{type(self).__name__}: no plane that separates the classes was found after {state.mistakes} mistakes "
                f"in {len(outcome.history)} epochs, {int(state.descent.hits.sum())} of them in the last. There may be "
                "none: take LinearSVC or LogisticRegression, or look longer with tol=None.",
                NotConverged,
            )
        elif outcome.history.status == "diverged":
            super()._warn(outcome)
