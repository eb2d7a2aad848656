"""Nets with a target: outputs, their loss, and what `NeuralClassifier` and `NeuralRegressor` share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...backend.blas import blas_threads_for
from ...data import Chunk, Source
from ...engine import Outcome
from ...errors import InvalidParameter
from ...estimator import Attributes, declares
from ...holds import instance, number
from ...layers import Dense, Placed, Plan
from ...losses import Loss
from ...params import derived
from ...typing import Floats, Reals, TableLike, TargetLike, WeightLike
from .base import Built, NeuralNetwork
from .batches import Batch, Prepared
from .engine import DType, Engine, engine_of
from .inputs import Inputs
from .objective import Costs, Objective
from .shown import shown_of
from .torch_engine import TorchEngine
from .training import Move

_ROWS = 256.0  # of a product, about


@dataclass(frozen=True)
class Supervised:
    """Outputs against targets: the gradient of the loss by the outputs is passed back."""

    engine: Engine
    objective: Costs

    def learn(self, batch: Batch, move: Move) -> tuple[float, float]:
        """One step along the gradient of a batch."""
        found = self.gradient(batch)
        move()
        return found

    def terms(self) -> Mapping[str, float]:
        """None beside the loss."""
        return {}

    def gradient(self, batch: Batch, evaluating: bool = False) -> tuple[float, float]:
        """Σ w ℓ and Σ w of a batch; the gradient of Σ w ℓ / m goes into the engine's `slope`."""
        eta = self.engine.forward(batch.X, evaluating)
        lost, slope = self.objective.value_and_gradient(eta, batch.y, batch.weight)
        slope *= slope.dtype.type(1.0 / len(batch))
        self.engine.backward(slope)
        return lost, float(len(batch)) if batch.weight is None else float(batch.weight.sum(dtype=np.float64))

    def loss(self, batch: Batch) -> Floats:
        """Σ w ℓ and Σ w of a batch as predictions have them."""
        lost, _ = self.objective.value_and_gradient(self.engine.outputs(batch.X), batch.y, batch.weight)
        return np.array([lost, len(batch) if batch.weight is None else batch.weight.sum(dtype=np.float64)])


@declares
class SupervisedNetwork(NeuralNetwork):
    """Base: a subclass says what the targets are."""

    holds = {  # noqa: RUF012 (a declaration)
        "_loss": instance(Loss),
        "_smoothing": number(at_least=0, below=1),
    }

    # ---- what a subclass says ----

    def _objective(self, source: Source) -> Objective:
        """The loss of this fit, and how many outputs it has."""
        raise TypeError(f"{type(self).__name__} does not define _objective")

    # ---- what they share ----

    def _trained_on(self, source: Source, objective: Objective, max_iter: int, more: Attributes) -> Outcome[Attributes]:
        """A fit of rows whose targets are ready for the objective."""
        everything, classes = source.in_memory, objective.loss.target != "numbers"

        def built(rows: Source, inputs: Inputs, dtype: DType) -> Built:
            plan = self._plan(inputs, objective.outputs)
            engine = engine_of(plan, dtype, self.device, type(self).__name__, self._module())
            self._check_outputs(engine, Prepared(inputs, objective.targets, dtype), rows, objective.outputs)
            shown = shown_of(engine, plan, inputs, everything, objective.outputs, classes)
            work, known = Supervised(engine, objective), {**_of(objective), **more}
            return Built(plan, work, objective.targets, objective.outputs, known, shown)

        return self._trained_by(source, max_iter, built)

    def _check_outputs(self, engine: Engine, prepared: Prepared, rows: Source, outputs: int) -> None:
        """Refuse a module of the user's that gives something else than the loss needs."""
        if self._module() is None:
            return
        owner, some = type(self).__name__, next(iter(rows.batches(2)))
        try:
            got = engine.outputs(prepared(some).X).shape
        except Exception as error:  # of a user's own code
            raise InvalidParameter(
                f"{owner}: the module cannot use rows of shape {rows_shape(engine, prepared(some).X)}; "
                f"{str(error).partition(chr(10))[0]}."
            ) from error
        if got != (len(some), outputs):
            raise InvalidParameter(
                f"{owner}: the module must give {outputs} numbers a row; it gives shape {got} for {len(some)} rows."
            )

    @derived
    def coefs_(self) -> list[Reals]:
        """The weights of the dense layers, each (inputs, units), as scikit-learn has them."""
        self._check_fitted("_theta")
        return [one.of(self._theta).T for one in _dense_parts(self.plan_, "weight")]

    @derived
    def intercepts_(self) -> list[Reals]:
        """The biases of the dense layers, each (units,)."""
        self._check_fitted("_theta")
        return [one.of(self._theta) for one in _dense_parts(self.plan_, "bias")]

    def mean_loss(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> float:
        """The weighted mean of the loss of some rows, without the penalty."""
        work, prepared, source = self._against(X, y, sample_weight)
        with blas_threads_for(_ROWS * work.engine.size), np.errstate(all="ignore"):
            lost, weight = source.reduce(lambda chunk: work.loss(prepared(chunk)))
        return float(lost / weight)

    def gradients(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> dict[str, Reals]:
        """The gradient of `mean_loss` by each parameter, named as in `parameters_`: backpropagation, layer by layer.

        Dropout is off, and batch normalisation uses its running means, as in predictions.
        """
        work, prepared, source = self._against(X, y, sample_weight)

        def summed(chunk: Chunk) -> Floats:
            batch = prepared(chunk)
            with work.engine.training(0), np.errstate(all="ignore"):
                _, weight = work.gradient(batch, evaluating=True)
            slope = work.engine.off_device(work.engine.slope).astype(np.float64)
            return np.concatenate([[weight], slope * len(batch)])

        with blas_threads_for(_ROWS * work.engine.size):
            total = source.reduce(summed)
        flat = (total[1:] / total[0]).astype(self._theta.dtype)
        return {one.name: one.of(flat) for one in self.plan_.placed}

    def _against(self, X: TableLike, y: TargetLike, sample_weight: WeightLike) -> tuple[Supervised, Prepared, Source]:
        """The fitted net and checked rows with targets."""
        self._check_fitted("_theta")
        source = self._coded(self._open(X, y, sample_weight, reset=False))
        objective = self._fitted_objective()
        return (
            Supervised(self._engine(own=True), objective),
            Prepared(self._inputs, objective.targets, self._theta.dtype),
            source,
        )

    def _coded(self, source: Source) -> Source:
        """The source with targets as the objective takes them."""
        return source

    def _fitted_objective(self) -> Objective:
        """The objective of the fit."""
        return Objective(self._loss, self.n_outputs_, self._smoothing)


def rows_shape(engine: Engine, X: Reals) -> tuple[int, ...]:
    """What a module is given."""
    return tuple(engine.shaped(X).shape) if isinstance(engine, TorchEngine) else X.shape


def _of(objective: Objective) -> Attributes:
    return {"_loss": objective.loss, "_smoothing": objective.smoothing}


def _dense_parts(plan: Plan, name: str) -> list[Placed]:
    """The weights or biases of the dense layers."""
    dense = {k for k, layer, _ in plan.steps() if isinstance(layer, Dense)}
    return [one for one in plan.placed if one.layer in dense and one.parameter.name == name]
