"""Fitted nets: their layers, parameters and answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ... import params
from ...data import Chunk
from ...holds import require
from ...layers import Layer, Plan
from ...optimizers import Optimizer
from ...params import derived
from ...typing import Reals, TableLike, Torch
from .blocks import in_blocks
from .engine import Engine, engine_of
from .rows import TakesImages

if TYPE_CHECKING:
    from .joined import JoinedPlan


class FittedNet(TakesImages):
    """Base: what a net can tell once it has been fitted."""

    device: str
    n_outputs_: int
    _theta: Reals
    _running: Reals
    _slots: Reals
    _layers: tuple[Layer, ...]
    _optimizer: Optimizer
    _trained: Torch  # the user's own module, if there is one

    @derived
    def plan_(self) -> Plan:
        """The layers with their shapes and parameter counts; printed as a table."""
        return self._stack()

    def _stack(self) -> Plan:
        if self._trained is not None:
            return Plan((), (self._inputs.shape,))
        return Plan.of(self._layers, self._inputs.shape, self._inputs.embedded_levels, type(self).__name__)

    @derived
    def parameters_(self) -> dict[str, Reals]:
        """The parameters by layer and name, such as "1.weight", (units, inputs)."""
        return {one.name: one.of(self._theta) for one in self.plan_.placed}

    @derived
    def loss_curve_(self) -> list[float]:
        """The objective after each epoch."""
        return [float(value) for value in self.history_.objective]

    @derived
    def n_iter_(self) -> int:
        """The number of epochs of the fit."""
        return len(self.history_.iterations)

    def __getstate__(self) -> dict[str, Any]:
        """Without views of the parameters, which would be copies of their own elsewhere."""
        state: dict[str, Any] = super().__getstate__()
        return {
            name: value for name, value in state.items() if not isinstance(getattr(type(self), name, None), derived)
        }

    def _engine(self) -> Engine:
        """The fitted net, ready to compute on the device."""
        return self._engine_of(self.plan_, self._theta, self._running, None if self._layers else self._trained)

    def _engine_of(self, plan: Plan, theta: Reals, running: Reals, module: Torch = None) -> Engine:
        """A part of it."""
        engine = engine_of(plan, theta.dtype, self.device, type(self).__name__, module, theta)
        if engine.theta is not theta:
            engine.load(theta, running)
        return engine

    def _outputs(self, X: TableLike, then: Callable[[Reals], Reals]) -> Reals:
        """What the last layer gives for rows, (n, outputs), after a function."""
        self._check_fitted("_theta")
        params.check(self)
        inputs, engine = self._inputs, self._engine()

        def passed(chunk: Chunk) -> Reals:
            return in_blocks(chunk.X, engine, inputs, lambda rows, eta: then(eta).astype(rows.dtype, copy=False))

        return self._rows(X, passed, lean=True)

    def check_loaded(self) -> None:
        super().check_loaded()
        if not hasattr(self, "_theta"):
            return
        plan: Plan | JoinedPlan = self._stack()
        params_ok = plan.size == len(self._theta) and plan.running_size == len(self._running)
        require(params_ok, "_theta and _running must have as many numbers as the layers have parameters")
        require(plan.outputs == self.n_outputs_, "n_outputs_ must be what the last layer gives")
        require(len(self._slots) == self._optimizer.slots, "_slots must be those of the optimiser")
