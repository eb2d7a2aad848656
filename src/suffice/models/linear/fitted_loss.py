"""The loss of a fit, which decides what its coefficients predict."""

from __future__ import annotations

from typing import ClassVar

from ...estimator import Estimator, declares
from ...holds import instance, sometimes
from ...losses import Loss


@declares
class KeepsLoss(Estimator):
    """Base of models that predict by the loss of their fit, whatever their parameters say since."""

    holds: ClassVar = {"_fitted_loss": sometimes(instance(Loss))}

    def _loss(self) -> Loss:
        """The loss that the parameters say."""
        raise TypeError(f"{type(self).__name__} does not define _loss")

    def _loss_of_fit(self) -> Loss:
        found: Loss = getattr(self, "_fitted_loss", None) or self._loss()  # files of earlier versions have none
        return found
