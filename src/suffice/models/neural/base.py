"""What all nets share as estimators: layers, optimiser, batches, and how rows become what the net sees."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Self

import numpy as np

from ... import params
from ...backend.blas import blas_threads_for
from ...data import Chunk, Source
from ...engine import Outcome
from ...errors import Diverged, InvalidData, InvalidParameter, NotConverged, warn
from ...estimator import Attributes, ByChance, declares
from ...holds import either, floats, instance, sometimes, tuples, whole
from ...layers import BatchNorm, Change, Dense, Embedding, Layer, Plan
from ...optimizers import OPTIMIZERS, SCHEDULES, Optimizer, as_optimizer
from ...params import learned, param
from ...randomness import random_state_param, seed_of
from ...solvers.held_out import is_held_out, some_rows
from ...typing import Reals, TableLike, TargetLike, Torch, WeightLike
from .batches import Batches, Prepared
from .engine import DType, Trained, check_memory
from .fitted import FittedNet
from .images import changed
from .inputs import Inputs, Measured
from .joined import JoinedPlan
from .rows import is_image_shape
from .training import Rules, State, Training, Work

_further: ContextVar[bool] = ContextVar("suffice_one_more_epoch", default=False)


def is_module(value: object) -> bool:
    """Whether it is a module of PyTorch, which is not imported for this."""
    return any(f"{cls.__module__}.{cls.__name__}" == "torch.nn.modules.module.Module" for cls in type(value).__mro__)


def are_layers(value: object) -> bool:
    return is_module(value) or (isinstance(value, list | tuple) and all(isinstance(one, Layer) for one in value))


@dataclass(frozen=True)
class Built:
    """What a fit trains: the net or nets, how a batch is learned from, and what is known of the fit already."""

    plan: Plan | JoinedPlan
    work: Work
    targets: Callable[..., Reals]
    outputs: int
    known: Attributes
    shown: Callable[[Reals, Reals], Mapping[str, object]] = lambda theta, running: {}


@declares
class NeuralNetwork(FittedNet):
    """Base: a subclass says which `Work` its batches are, and what the last layer gives."""

    layers: Sequence[Layer] | Torch = param(
        (Dense(100),),
        positional=True,
        accept=are_layers,
        allowed="a list of layers, or a torch.nn.Module",
        doc="The hidden layers, after which the output layer is added; or a module of PyTorch that gives the outputs.",
    )
    optimizer: object = param("adam", names=OPTIMIZERS, doc="How parameters follow the gradients.")
    learning_rate: float | None = param(
        None, number=True, above=0, choices=(None,), doc="The learning rate η; None is that of the optimiser."
    )
    schedule: object = param("constant", names=SCHEDULES, doc="How the learning rate changes from epoch to epoch.")
    batch_size: int = param(200, integer=True, at_least=1, doc="The rows of an update.")
    max_iter: int = param(200, integer=True, at_least=1, doc="The most epochs: passes over all rows.")
    weight_decay: float = param(
        0.0, number=True, at_least=0, doc="λ of ½ λ ‖W‖² beside the mean loss; biases are left alone."
    )
    standardize: bool = param(
        True, choices=(True, False), doc="Whether numbers are brought to mean 0 and variance 1, images by channel."
    )
    shuffle: bool = param(True, choices=(True, False), doc="Whether rows are shuffled before each epoch.")
    early_stopping: bool = param(
        False, choices=(True, False), doc="Whether the best epoch on rows that are not learned from is kept."
    )
    validation_fraction: float = param(
        0.1, number=True, above=0, below=1, doc="The share of rows that `early_stopping` keeps back."
    )
    tol: float | None = param(
        None, number=True, at_least=0, choices=(None,),
        doc="By how much the loss must fall within `n_iter_no_change` epochs; None goes on to `max_iter`.",
    )  # fmt: skip
    n_iter_no_change: int = param(10, integer=True, at_least=1, doc="Epochs without a lower loss that end the fit.")
    augment: tuple[Change, ...] = param(
        (),
        accept=lambda value: isinstance(value, list | tuple) and all(isinstance(one, Change) for one in value),
        allowed="a list of changes such as Shift(1)",
        doc="Random changes of images in training.",
    )
    image_shape: tuple[int, ...] | None = param(
        None,
        choices=(None,),
        accept=is_image_shape,
        allowed="(height, width) or (height, width, channels)",
        doc="The shape of images whose cells are the columns of a table; arrays (n, h, w[, c]) say it themselves.",
    )  # fmt: skip
    device: str = param("cpu", types=(str,), doc="Where to compute: cpu, cuda, cuda:1, mps; auto: a CUDA GPU if there.")
    warm_start: bool = param(False, choices=(True, False), doc="Whether to begin at the parameters of the last fit.")
    random_state: object = random_state_param()

    n_outputs_: int = learned("How many numbers the last layer gives.", holds=whole("outputs", at_least=1))
    holds: ClassVar = {
        "_layers": tuples(instance(Layer)),
        "_trained": sometimes(instance(type(None))),  # a module of the user's, which no file holds
        "_image": either(tuples(whole(at_least=1), 0), tuples(whole(at_least=1), 3)),
        "_inputs": instance(Inputs, d="d"),
        "_theta": floats("p", dtypes=(np.float64, np.float32)),
        "_running": floats("b", dtypes=(np.float64, np.float32)),
        "_slots": floats("s", "p", dtypes=(np.float64, np.float32)),
        "_updates": whole(),
        "_epochs": whole(),
        "_optimizer": instance(Optimizer),
    }
    squares: ClassVar = False  # what overflows is seen, and said
    proposed: ClassVar = False
    traced: ClassVar = ("net",)
    small: ClassVar[Mapping[str, object]] = {
        "max_iter": 25, "layers": (Dense(16),), "learning_rate": 0.05,
    }  # fmt: skip
    many_rows: ClassVar[Mapping[str, object]] = {"max_iter": 2, "batch_size": 30_000}
    exemptions: ClassVar = {
        "goes_on_from_its_own_result": ByChance("the optimiser's memory begins anew, and may lead away at first"),
        "history": ByChance("the objective is that of rows before their updates, which need not fall"),
    }

    # ---- the net ----

    def _module(self) -> Torch:
        """The user's own module; None where the net is made of layers."""
        return self.layers if is_module(self.layers) else None

    def _plan(self, inputs: Inputs, outputs: int, last: Layer | None = None) -> Plan:
        """The layers and the output layer, over rows of these inputs."""
        owner = type(self).__name__
        if self._module() is not None:
            return Plan.of_module(self._module(), inputs.shape, inputs.embedded_levels, owner)
        layers = (*self.layers, last or Dense(outputs, "identity", "glorot_uniform"))
        if not inputs.embedded_levels and layers and isinstance(layers[0], Embedding) and not inputs.levels.any():
            layers = layers[1:]  # there is nothing to embed
        return Plan.of(layers, inputs.shape, inputs.embedded_levels, owner)

    def _measured(self, source: Source) -> tuple[Inputs, Measured]:
        """How rows become inputs: one pass; what a fit that goes on knows already."""
        measured = source.reduce(Measured.of)
        if self._goes_on() and len(self._inputs.mean) == len(source.schema):
            return self._inputs, measured
        image = getattr(self, "_image", ())
        embeds = not is_module(self.layers) and bool(self.layers) and isinstance(self.layers[0], Embedding)
        inputs = Inputs.of(source, measured, self.standardize, embeds, image)
        if image and inputs.gaps.any():
            raise InvalidData(f"{type(self).__name__}: images must be complete; X holds NaN. Fill the missing cells.")
        return inputs, measured

    def _goes_on(self) -> bool:
        return (self.warm_start or _further.get()) and hasattr(self, "_theta")

    @contextmanager
    def _going_on(self) -> Iterator[None]:
        """The fit within the block is one more epoch."""
        token = _further.set(True)
        try:
            yield
        finally:
            _further.reset(token)

    def _rules(self, max_iter: int) -> Rules:
        owner = type(self).__name__
        optimizer = as_optimizer(self.optimizer, owner)
        rate = optimizer.rate if self.learning_rate is None else float(self.learning_rate)
        schedule = SCHEDULES.member(self.schedule, owner, "schedule")
        return Rules(
            optimizer, rate, schedule, self.weight_decay, max_iter, self.max_iter, self.tol, self.n_iter_no_change
        )

    def _check_batches(self, plan: Plan | JoinedPlan, least: int, rows: int) -> None:
        """Refuse batches that are too small for a layer, or too large for memory."""
        owner, most = type(self).__name__, min(rows, self.batch_size)
        if most < least:
            at = next((k for k, layer in enumerate(plan.layers, 1) if isinstance(layer, BatchNorm)), None)
            what = "the module's batch normalisation" if at is None else f"layer {at}, BatchNorm,"
            raise InvalidData(
                f"{owner}: {what} needs at least {least} rows in a batch; got {most}. Raise batch_size, give more "
                "rows, or leave the layer out."
            )
        for part in plan.parts if isinstance(plan, JoinedPlan) else (plan,):
            check_memory(part, np.dtype(np.float64), owner, most)

    def _trained_by(
        self, source: Source, max_iter: int, built: Callable[[Source, Inputs, DType], Built]
    ) -> Outcome[Attributes]:
        """A fit: what is `built` for the rows as the net sees them is trained."""
        seed = seed_of(self.random_state)  # type: ignore[arg-type]
        source, kept_back = self._split(source, seed)
        inputs, measured = self._measured(source)
        self._check_weights(measured, kept_back)
        dtype = self._dtype(source)
        rules, made = self._rules(max_iter), built(source, inputs, dtype)
        least = made.work.engine.least
        self._check_batches(made.plan, least, measured.rows)
        prepared = Prepared(inputs, made.targets, dtype, measured.weight / max(1, measured.rows))
        rows = Batches(source, prepared, self.batch_size, self.shuffle, seed, least, self._change(inputs))
        judge = None if kept_back is None else partial(_mean_loss, kept_back, made.work, prepared)
        training = Training(made.plan, made.work, rows, rules, seed, judge, made.shown)
        with blas_threads_for(float(min(self.batch_size, measured.rows)) * made.plan.size):
            outcome = training.run(lambda: self._state(training, made.plan, seed))
        self._warn(outcome)
        return outcome.then(lambda state: {**self._found(state, made.plan, inputs, rules, made.outputs), **made.known})

    def _check_weights(self, measured: Measured, kept_back: Source | None) -> None:
        """Refuse weights whose sum overflows, and rows held out, or left, none of which weighs anything."""
        owner = type(self).__name__
        if not np.isfinite(measured.weight):
            raise InvalidData(f"{owner}: the sum of the weights overflows; divide them by the largest.")
        if kept_back is not None and not (measured.rows and kept_back.reduce(Measured.of).rows):
            raise InvalidData(
                f"{owner}: early_stopping needs rows that weigh something among those it learns from, and among those "
                "it keeps back; use another validation_fraction, or early_stopping=False."
            )

    def _change(self, inputs: Inputs) -> Callable[[Chunk, np.random.Generator], Chunk] | None:
        if not self.augment:
            return None
        if not inputs.image:
            raise InvalidParameter(
                f"{type(self).__name__}: augment changes images; give X as (n, height, width[, channels]), or say "
                "image_shape."
            )
        return lambda chunk, rng: replace(chunk, X=changed(chunk.X, inputs.image, self.augment, rng))

    def _one_epoch(
        self,
        X: TableLike,
        y: TargetLike,
        sample_weight: WeightLike,
        fitted: Callable[[Source, int], Outcome[Attributes]],
    ) -> Self:
        """One epoch over some rows, from where the net stands."""
        params.check(self)
        if self.early_stopping:
            raise InvalidParameter(
                f"{type(self).__name__}: early_stopping=True needs all rows, which partial_fit has not; use fit."
            )
        first = not hasattr(self, "_theta")

        def learn() -> Outcome[Attributes]:
            source = self._open(X, y, sample_weight, reset=first)
            with self._going_on():
                return fitted(source, 1)

        return self._adopt(learn)

    def _split(self, source: Source, seed: int) -> tuple[Source, Source | None]:
        """Rows to learn from, and rows to judge by where some are kept back."""
        if not self.early_stopping:
            return source, None
        keep = partial(is_held_out, seed=seed, share=self.validation_fraction)
        owner = type(self).__name__
        return some_rows(source, lambda chunk: ~keep(chunk), owner), some_rows(source, keep, owner)

    def _dtype(self, source: Source) -> DType:
        """The precision in which the net computes: that of rows in memory, else double, where the device has it."""
        whole = source.in_memory
        single = self.device.startswith("mps") or (whole is not None and whole.X.dtype == np.float32)
        return np.dtype(np.float32) if single else np.dtype(np.float64)

    def _begun(self, plan: Plan | JoinedPlan, engine: Trained, seed: int) -> tuple[Reals, Reals]:
        """First parameters: drawn, those of the user's module, or of the last fit."""
        dtype = engine.theta.dtype if isinstance(engine.theta, np.ndarray) else engine.taken()[0].dtype
        if _further.get() and hasattr(self, "_theta") and len(self._theta) != len(engine.theta):
            raise InvalidParameter(
                f"{type(self).__name__}: layers have {len(engine.theta)} parameters, and the net so far has "
                f"{len(self._theta)}; partial_fit goes on with the layers it began with."
            )
        if self._goes_on() and len(self._theta) == len(engine.theta):
            return self._theta.astype(dtype), self._running.astype(dtype)
        if not plan.layers:
            return engine.taken()
        rng = np.random.default_rng((seed, 0))
        return plan.begun(rng).astype(dtype), plan.begun_running(rng).astype(dtype)

    def _state(self, training: Training, plan: Plan | JoinedPlan, seed: int) -> State:
        """Where training begins; the optimiser's memory goes on where the parameters do."""
        begun = training.begun(*self._begun(plan, training.work.engine, seed))
        if not self._goes_on() or self._slots.shape != begun.slots.shape or self._optimizer != training.rules.optimizer:
            return begun
        slots = self._slots.astype(begun.slots.dtype)
        return replace(begun, slots=slots, updates=self._updates, epochs=self._epochs)

    def _found(self, state: State, plan: Plan | JoinedPlan, inputs: Inputs, rules: Rules, outputs: int) -> Attributes:
        theta, running = state.chosen
        return {
            "_theta": theta, "_running": running, "_slots": state.slots, "_updates": state.updates,
            "_epochs": state.epochs, "_inputs": inputs, "_layers": plan.layers, "_optimizer": rules.optimizer,
            "n_outputs_": outputs, "_image": inputs.image, "_trained": self._module(),
        }  # fmt: skip

    def _warn(self, outcome: Outcome[State]) -> None:
        owner, status = type(self).__name__, outcome.history.status
        if status == "diverged":
            warn(
                f"{owner}: the loss is no finite number in epoch {len(outcome.history)}; the last good parameters "
                "are kept. Try a lower learning_rate, standardize=True, weight_decay, or another start.",
                Diverged,
            )
        elif status == "max_iter" and self.tol is not None:
            warn(f"{owner}: not converged after max_iter={self.max_iter} epochs; raise max_iter, or tol.", NotConverged)


def _mean_loss(source: Source, work: Work, prepared: Prepared) -> float:
    """The mean loss of rows as predictions have them."""
    lost, weight = source.reduce(lambda chunk: work.loss(prepared(chunk)))
    return float(lost / weight)
