"""Generalized linear models by name: Poisson, gamma and Tweedie regression."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from ...data import Source
from ...engine import Outcome
from ...estimator import Attributes, declares, estimator
from ...holds import number, sometimes
from ...losses import GammaLoss, Loss, PoissonLoss, TweedieLoss
from ...params import param
from ...penalties import L2, NoPenalty, Penalty
from ...scikit_learn import VERBOSE, Counterpart
from ...solvers import Problem
from .generalized import GeneralizedModel, on_free
from .iterative import solver_param
from .regularized import ChoosesStrength

_IGNORED = {"verbose": VERBOSE}


@declares
class _PenalisedModel(GeneralizedModel, ChoosesStrength):
    """Base of those with an L2 penalty."""

    alpha: float | str = param(
        1.0,
        number=True,
        at_least=0,
        below=np.inf,
        choices=("cv",),
        doc="The strength λ of the penalty ½ λ ‖w‖²; 0 is maximum likelihood, cv chooses it by cross-validation.",
    )

    solver: object = solver_param("newton-cholesky")

    holds: ClassVar = {"alpha_": sometimes(number(at_least=0))}

    def _learn(self, source: Source) -> Outcome[Attributes]:
        if not isinstance(self.alpha, str):
            return super()._learn(source)
        path = self._validated(self._of_strength_one(source)[0])
        return self._learn_with(source, "alpha", path, path.alpha)

    def _of_strength_one(self, source: Source) -> tuple[Problem, None]:
        found, classes = super()._of_strength_one(source)
        return replace(found, penalty=on_free(L2(1.0), found.free, found.owner)), classes

    def _prior(self) -> Penalty:
        if isinstance(self.alpha, str):
            return L2(1.0)
        return L2(self.alpha) if self.alpha > 0 else NoPenalty()


@estimator
class PoissonRegressor(_PenalisedModel):
    """Poisson regression of counts: the mean is μ = exp(x·w + b), so that effects multiply it.

    Minimises Σ s (y log(y / μ) − y + μ) / Σ s + ½ λ ‖w‖², half the mean deviance and a Gaussian prior; λ is `alpha`.

    Examples
    --------
    >>> import numpy as np, suffice as sf
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1, 2, 4, 9])
    >>> model = sf.PoissonRegressor(alpha=0).fit(X, y)
    >>> model.coef_.round(4), round(model.deviance_, 4)
    (array([0.7478]), 0.0152)
    """

    complexity = "-alpha"

    proposed = False

    counterpart: ClassVar = Counterpart("sklearn.linear_model", ignored=_IGNORED)

    def _loss(self) -> Loss:
        return PoissonLoss()


@estimator
class GammaRegressor(_PenalisedModel):
    """Gamma regression of positive targets: the mean is μ = exp(x·w + b), the standard deviation a share of it.

    Minimises Σ s (log(μ / y) + y / μ − 1) / Σ s + ½ λ ‖w‖²; λ is `alpha`.

    Examples
    --------
    >>> import numpy as np, suffice as sf
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1.0, 2.0, 4.0, 9.0])
    >>> sf.GammaRegressor(alpha=0).fit(X, y).coef_.round(4)
    array([0.7287])
    """

    complexity = "-alpha"

    proposed = False
    in_unit_of_target = True

    counterpart: ClassVar = Counterpart("sklearn.linear_model", ignored=_IGNORED)

    def _loss(self) -> Loss:
        return GammaLoss()


@estimator
class TweedieRegressor(_PenalisedModel):
    """Regression with a variance that is a power of the mean, V(μ) = μᵖ: sums of claims have 1 < p < 2.

    Minimises half the mean deviance of the family of that power and ½ λ ‖w‖²; λ is `alpha`.

    Examples
    --------
    >>> import numpy as np, suffice as sf
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 2.0, 4.0, 9.0])
    >>> sf.TweedieRegressor(power=1.5, alpha=0).fit(X, y).coef_.round(4)
    array([1.1021])
    """

    complexity = "-alpha"

    proposed = False

    counterpart: ClassVar = Counterpart("sklearn.linear_model", ignored=_IGNORED)

    power: float = param(
        0.0, number=True, doc="The power p of the variance: 0 Gaussian, 1 Poisson, 2 gamma, 3 inverse Gaussian."
    )
    link: str = param(
        "auto", choices=("auto", "identity", "log"), doc="auto is identity for power 0 and below, else the log."
    )

    def _loss(self) -> Loss:
        auto = "identity" if self.power <= 0 else "log"
        return TweedieLoss(self.power, auto if self.link == "auto" else self.link)
