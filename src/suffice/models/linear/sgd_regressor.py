"""Linear regression by stochastic gradient descent."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from ...data import Needs, Source
from ...engine import Outcome
from ...estimator import Attributes, estimator
from ...holds import floats, require
from ...losses import LOSSES, Loss
from ...params import learned, param
from ...scikit_learn import VERBOSE, Counterpart
from ...solvers import LEARNING_RATES, Coefficients
from ...typing import Floats, TableLike, TargetLike, WeightLike
from .regressor import LinearRegressor
from .stochastic import SteppedModel


@estimator
class SGDRegressor(LinearRegressor, SteppedModel):
    """Linear regression by stochastic gradient descent: minimises Σ s ℓ(x·w + b, y) / n + α r(w).

    n is the number of rows: weights lengthen the steps, as in scikit-learn, and the strength beside the mean loss is
    λ = α n / Σ s. r is ½‖w‖², ‖w‖₁, or of the elastic net ρ‖w‖₁ + ½ (1 − ρ)‖w‖²; the squared loss is
    ½ (y − x·w − b)². An update takes the gradient at one row, or at `batch_size` of them. Columns should be on one
    scale: a step that suits one of size 1 throws one of size 10⁸ far away, and a warning says so.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> X = sf.StandardScaler().fit_transform(iris.matrix(["petal_length", "sepal_width"]))
    >>> model = sf.SGDRegressor(random_state=0).fit(X, iris["sepal_length"])
    >>> round(model.score(X, iris["sepal_length"]), 2)
    0.84
    """

    complexity = "-alpha"

    proposed = False

    needs = Needs(target="numbers", one_target=True, scaled=True, one_hot=True, sparse=True)

    counterpart: ClassVar = Counterpart("sklearn.linear_model", ignored={"verbose": VERBOSE})

    loss: object = param(
        "squared_error",
        positional=True,
        names=LOSSES.only(lambda loss: "" if loss.target == "numbers" else "it is a loss of classes"),
        doc="The loss ℓ of the predictor and the target.",
    )
    learning_rate: object = param(
        "invscaling", names=LEARNING_RATES, doc="η_t: optimal and pegasos follow from α, others begin at `eta0`."
    )
    power_t: float = param(0.25, number=True, doc="The power of invscaling, η₀ / t^power.")

    coef_: Floats = learned("The slopes, (d,).", holds=floats("d"))
    intercept_: Floats = learned("The intercept, (1,).", holds=floats(1))

    def check_loaded(self) -> None:
        super().check_loaded()
        require(len(self._slope) == 1, "_slope must have one row")

    def _loss(self, source: Source) -> Loss:
        return self._named_loss(self.loss)

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return self._descended(source, self._loss(source), None, _shown)

    def partial_fit(self, X: TableLike, y: TargetLike = None, *, sample_weight: WeightLike = None) -> Self:
        """One epoch over these rows, from where the model stands."""
        first = not hasattr(self, "coef_")

        def learn() -> Outcome[Attributes]:
            source = self._open(X, y, sample_weight, reset=first)
            return self._one_epoch(source, self._loss(source), None, _shown)

        return self._adopt(learn)


def _shown(found: Coefficients) -> Attributes:
    return {"coef_": found.slope, "intercept_": np.atleast_1d(found.intercept)}
