"""Who computes a net: NumPy where it is a stack of dense layers on the CPU, else PyTorch; in one memory layout."""

from __future__ import annotations

import math
import os
from contextlib import AbstractContextManager
from math import prod
from typing import Protocol

import numpy as np

from ...backend.arrays import Array
from ...errors import MemoryNeeded
from ...layers import Dense, Plan
from ...typing import Reals, Torch

_COPIES = 6  # of the parameters in training: their gradient, the optimiser's memory, those before the epoch
DType = np.dtype[np.float32] | np.dtype[np.float64]


class Trained(Protocol):
    """What training works on: parameters one after another in `theta`, their gradient in `slope`, means in `running`.

    They are arrays of NumPy, or tensors on another device; `load` fills them and `taken` copies them out.
    """

    theta: Array
    slope: Array
    running: Array
    least: int  # rows that a batch must have

    def load(self, theta: Reals, running: Reals) -> None:
        """Take over parameters and running numbers."""

    def taken(self) -> tuple[Reals, Reals]:
        """Copies of both."""

    def on_device(self, values: Reals) -> Array:
        """A copy of some numbers where the parameters are."""

    def off_device(self, values: Array) -> Reals:
        """A copy of such numbers in memory."""

    def spreads(self) -> list[float]:
        """The variance of what each layer gave in the last `forward`."""

    def training(self, seed: int) -> AbstractContextManager[None]:
        """In force while it is trained: its random numbers, its threads."""


class Engine(Trained, Protocol):
    """One net."""

    passes_on: bool  # whether `backward` gives the gradient of the rows as well
    dtype: DType
    size: int  # how many parameters there are
    height: int  # how many rows `outputs` takes at a time
    shares: bool  # whether several threads may ask for `outputs`, each of other rows

    def forward(self, X: Reals, evaluating: bool = False) -> Reals:
        """The outputs of some rows in training, or as predictions have them, (m, k); what `backward` needs is kept."""

    def backward(self, gradient: Reals) -> Reals | None:
        """The gradient of the parameters into `slope`, from that of the outputs; if it `passes_on`, of the rows too."""

    def room(self, rows: int) -> Reals | None:
        """Memory of this thread's own for the input of so many rows, where it need not be new for each block."""

    def outputs(self, X: Reals) -> Reals:
        """The outputs of some rows as predictions have them."""

    def hidden(self, X: Reals) -> list[Reals]:
        """What each layer gives for some rows, as predictions have it, (m, numbers)."""


def check_memory(plan: Plan, dtype: DType, owner: str, rows: int = 0) -> None:
    """Refuse layers whose parameters, or whose outputs for a batch of so many rows, are more than memory can hold."""
    parameters = _COPIES * plan.size * dtype.itemsize
    between = 2 * rows * sum(prod(shape) for shape in plan.shapes) * dtype.itemsize
    if max(parameters, between) <= _memory():
        return
    if parameters > between:
        what, way = f"the layers have {plan.size:,} parameters, which", "fewer units or filters"
    else:
        what, way = f"what the layers give for a batch of {rows:,} rows", "a smaller batch_size, or fewer filters"
    needed = max(parameters, between) / 2**30
    raise MemoryNeeded(f"{owner}: {what} would take {needed:,.0f} GiB of memory, more than there is; take {way}.")


def _memory() -> float:
    """The bytes of this machine's memory; endless where nobody says how many."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return math.inf


def found_device(name: str) -> str:
    """The device of a name: "auto" is a GPU where there is one."""
    if name == "auto":
        from .torch_engine import gpu_if_there

        return gpu_if_there()
    return "cpu" if name == "cpu:0" else name


def engine_of(
    plan: Plan, dtype: DType, device: str, owner: str, module: Torch = None, theta: Reals | None = None
) -> Engine:
    """The engine of a plan, or of a user's own module.

    With `theta` it begins with these parameters; where they need not be copied, they are the engine's own.
    """
    device = found_device(device)
    check_memory(plan, dtype, owner)
    if module is None and device == "cpu" and all(isinstance(layer, Dense) for layer in plan.layers):
        from .fused import FusedEngine

        return FusedEngine(plan, dtype, theta)
    from .torch_engine import TorchEngine

    return TorchEngine(plan, dtype, device, owner, module)
