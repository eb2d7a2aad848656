"""What Gaussian processes share: a kernel whose hyperparameters are learned by a likelihood."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, TypeVar

import numpy as np

from ...engine import Outcome
from ...errors import InvalidParameter, shown
from ...estimator import Estimator, declares
from ...holds import floats, instance, require
from ...kernels import KERNELS, Kernel
from ...params import derived, learned, param
from ...randomness import generator, random_state_param
from ...typing import Floats, RandomState
from .covariance import Covariance, as_covariance, covariance_of, is_foreign
from .hyperparameters import Evaluated, Optimizer, as_given, by_function, maximised
from .kernel_of_rows import why_not_positive

C = TypeVar("C", bound=Covariance)


@declares
class GaussianProcess(Estimator):
    """Base: a subclass says how likely the rows of a fit are for a covariance."""

    maximises = True
    kernel: object = param(
        None,
        positional=True,
        choices=(None,),
        names=KERNELS.only(why_not_positive),
        accept=is_foreign,
        allowed="a kernel of sklearn.gaussian_process.kernels",
        doc="The kernel, whose hyperparameters are learned where they are given as numbers; a name is that kernel with "
        "gamma = 1 times a variance, and None the Gaussian one.",
    )
    optimizer: Optimizer | str | None = param(
        "fmin_l_bfgs_b",
        choices=("fmin_l_bfgs_b", None),
        accept=lambda value: callable(value) and not isinstance(value, type),
        allowed="a function of the objective, theta and its bounds that gives theta and the value there",
        doc="How hyperparameters are found: by a quasi-Newton method within bounds; None takes them as they are.",
    )
    n_restarts_optimizer: int = param(
        0, integer=True, at_least=0, doc="How many further starts, drawn between the bounds; the best is kept."
    )
    max_iter: int = param(200, integer=True, at_least=1, doc="At most so many iterations for each start.")
    tol: float = param(
        1e-9, number=True, at_least=0, doc="Stop when a step gains less than this part of the log likelihood."
    )
    random_state: RandomState = random_state_param()
    memory: int = param(1 << 31, integer=True, at_least=1, doc="The bytes that matrices of all pairs of rows may take.")

    kernel_: object = learned("The kernel with the hyperparameters that were found.", holds=instance(Kernel))
    X_train_: Floats = learned("The rows that predictions need, (n, d).", holds=floats("n", "d"))
    log_marginal_likelihood_value_: float = learned("The log marginal likelihood at the end.")
    holds: ClassVar = {}

    def check_loaded(self) -> None:
        super().check_loaded()
        require(self.X_train_.size, "X_train_ must have rows and columns")

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, object]:
        return super().example(rng, min(n, 150))  # the work grows with n³

    @derived
    def n_iter_(self) -> int:
        """The iterations of the start that was kept."""
        return len(self.history_)

    def _covariance(self) -> Covariance:
        """The covariance that the parameters say."""
        return as_covariance(self.kernel, type(self).__name__)

    def _evaluated(self, covariance: Covariance) -> Evaluated:
        """The negative log likelihood of the rows of the fit for another covariance, and its gradient."""
        raise TypeError(f"{type(self).__name__} does not define _evaluated")

    def _optimised(self, evaluate: Callable[[C], Evaluated], covariance: C) -> Outcome[Floats]:
        """The theta with the largest likelihood, as the parameters say."""
        owner, theta, bounds = type(self).__name__, covariance.theta, covariance.bounds

        def at(place: Floats) -> Evaluated:
            return evaluate(covariance.at(place))

        if self.optimizer is None or not len(theta):
            return as_given(at, theta)
        if not isinstance(self.optimizer, str):
            return by_function(self.optimizer, at, theta, bounds, owner)
        rng = generator(self.random_state)
        return maximised(
            at, theta, bounds, restarts=self.n_restarts_optimizer, max_iter=self.max_iter, tol=self.tol, rng=rng,
            names=covariance.names, owner=owner,
        )  # fmt: skip

    def log_marginal_likelihood(
        self, theta: Floats | None = None, eval_gradient: bool = False, clone_kernel: bool = True
    ) -> float | tuple[float, Floats]:
        """The log marginal likelihood of the rows of the fit for other hyperparameters, and its gradient if asked."""
        self._check_fitted("kernel_")
        covariance = covariance_of(self.kernel_, type(self).__name__)
        if theta is None and not eval_gradient:
            return self.log_marginal_likelihood_value_
        at = covariance.theta if theta is None else np.asarray(theta, dtype=np.float64)
        if at.shape != covariance.theta.shape or not np.isfinite(at).all():
            raise InvalidParameter(
                f"{type(self).__name__}: theta must be {len(covariance.theta)} finite numbers; got {shown(theta)}."
            )
        found = self._evaluated(covariance.at(at))
        return (-found.value, -found.gradient()) if eval_gradient else -found.value
