"""The autoencoder: few numbers from which a row can be made again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...estimator import estimator
from ...layers import Plan
from ...typing import Reals, TableLike, TargetLike, WeightLike
from .base import Built
from .cells import Cells
from .engine import DType, engine_of
from .inputs import Inputs
from .rebuilding import RebuildingNetwork
from .supervised import Supervised


@dataclass(frozen=True)
class Rebuilt:
    """An objective: the rows are their own targets, and a row costs what its cells cost."""

    cells: Cells
    inputs: Inputs

    def targets(self, y: Reals, dtype: np.dtype[np.floating]) -> Reals:
        """What is to be made of the rows."""
        return self.cells.targets(y, self.inputs).astype(dtype, copy=False)

    def value_and_gradient(self, eta: Reals, y: Reals, weight: Reals | None) -> tuple[float, Reals]:
        """Σ w ℓ, and its gradient by η, (m, d)."""
        value, gradient = self.cells.cost(eta, y)
        if weight is None:
            return float(value.sum()), gradient
        return float(np.dot(weight.astype(np.float64), value)), gradient * weight[:, None]


@estimator
class Autoencoder(RebuildingNetwork):
    """A net that makes rows again from k numbers: minimises Σ w ℓ(x, g(f(x))) / Σ w over encoder f and decoder g.

    With Gaussian cells ℓ = ½ ‖x − g(f(x))‖², in standard deviations of the columns; with Bernoulli cells, which lie
    between 0 and 1, ℓ is the cross-entropy. Without hidden layers f and g are linear, and codes span the plane of the
    first k principal axes. Missing cells cost nothing, so that `reconstruct` fills them. `Dropout` among the layers, or
    `augment`, makes it a denoising one.

    Examples
    --------
    >>> import suffice as sf
    >>> from suffice.layers import Dense
    >>> crabs = sf.datasets.load("crabs").matrix()
    >>> model = sf.Autoencoder([Dense(16, "tanh")], n_components=2, learning_rate=0.01, random_state=0).fit(crabs)
    >>> model.transform(crabs).shape, model.reconstruct(crabs).shape
    ((200, 2), (200, 5))
    >>> model.score(crabs) > -0.1
    True
    """

    def _built(self, inputs: Inputs, dtype: DType, encoder: Plan, decoder: Plan, cells: Cells) -> Built:
        plan = Plan.of((*encoder.layers, *decoder.layers), inputs.shape, (), type(self).__name__)
        objective = Rebuilt(cells, inputs)
        work = Supervised(engine_of(plan, dtype, self.device, type(self).__name__), objective)
        return Built(plan, work, objective.targets, plan.outputs, {})

    def score(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> float:
        """Minus the mean cost of the rows; the higher the better, and at most 0 for Gaussian cells."""
        return -self._mean(X, sample_weight, self._missed)
