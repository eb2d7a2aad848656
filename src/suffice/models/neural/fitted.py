"""Fitted nets: their layers, parameters and answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from ...data import Chunk
from ...holds import require
from ...layers import Layer, Plan
from ...optimizers import Optimizer
from ...params import derived
from ...typing import Reals, TableLike, Torch
from .blocks import in_blocks
from .engine import Engine, engine_of
from .fused import FusedEngine
from .rows import TakesImages

if TYPE_CHECKING:
    from .joined import JoinedPlan

_READY: WeakKeyDictionary[FittedNet, _Ready] = WeakKeyDictionary()  # not among their attributes: it is no state


@dataclass
class _Ready:
    """What predictions so far have made of a fitted net."""

    theta: Reals
    parts: tuple[Plan, ...]
    engines: dict[tuple[int, str], Engine] = field(default_factory=dict)

    def engine(self, k: int, net: FittedNet, own: bool) -> Engine:
        """That of a part, on the device that the net asks for; `own`: one that nobody else has."""
        plan, before = self.parts[k], self.parts[:k]
        at, mean = sum(one.size for one in before), sum(one.running_size for one in before)
        theta = self.theta[at : at + plan.size] if plan.layers else self.theta
        engine = None if own else self.engines.get((k, net.device))
        if engine is None:
            module = None if plan.layers else net._trained
            engine = engine_of(plan, self.theta.dtype, net.device, type(net).__name__, module, theta)
        if not own:  # one for each part: another device's memory is given back
            self.engines = {place: kept for place, kept in self.engines.items() if place[0] != k}
            self.engines[k, net.device] = engine
        if not isinstance(engine, FusedEngine):  # which computes with them
            engine.load(theta, net._running[mean : mean + plan.running_size] if plan.layers else net._running)
        return engine


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
        self._check_fitted("_theta")
        return self._stack()

    def _stack(self) -> Plan:
        if self._trained is not None:
            return Plan.of_module(self._trained, self._inputs.shape, (), type(self).__name__)
        return Plan.of(self._layers, self._inputs.shape, self._inputs.embedded_levels, type(self).__name__)

    @derived
    def parameters_(self) -> dict[str, Reals]:
        """The parameters by layer and name, such as "1.weight", (units, inputs)."""
        return {one.name: one.of(self._theta) for one in self.plan_.placed}

    @derived
    def loss_curve_(self) -> list[float]:
        """The objective after each epoch."""
        self._check_fitted("_theta")
        return [float(value) for value in self.history_.objective]

    @derived
    def n_iter_(self) -> int:
        """The number of epochs of the fit."""
        self._check_fitted("_theta")
        return len(self.history_.iterations)

    def __getstate__(self) -> dict[str, object]:
        """Without views of the parameters, which would be copies of their own elsewhere."""
        state: dict[str, object] = super().__getstate__()
        return {
            name: value for name, value in state.items() if not isinstance(getattr(type(self), name, None), derived)
        }

    def _parts(self) -> tuple[Plan, ...]:
        """The plans of the nets that it is made of."""
        return (self._stack(),)

    def _engine(self, k: int = 0, own: bool = False) -> Engine:
        """One of these nets, ready to compute with the parameters as they are now: users may change them."""
        ready = _READY.get(self)
        if ready is None or ready.theta is not self._theta:
            ready = _READY[self] = _Ready(self._theta, self._parts())
        return ready.engine(k, self, own)

    def _outputs(self, X: TableLike, then: Callable[[Reals], Reals]) -> Reals:
        """What the last layer gives for rows, (n, outputs), after a function."""
        self._check_fitted("_theta")

        def passed(chunk: Chunk) -> Reals:
            answers = lambda rows, eta: then(eta).astype(rows.dtype, copy=False)  # noqa: E731
            return in_blocks(chunk.X, self._engine(), self._inputs, answers)

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
