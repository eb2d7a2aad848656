"""Several nets that are trained as one: their parameters lie one after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

import numpy as np

from ...backend.arrays import Array
from ...layers import Layer, Placed, Plan
from ...typing import Floats, Reals
from .engine import DType, Engine


@dataclass(frozen=True)
class JoinedPlan:
    """The plans of some nets, by name; `more` running numbers of its own come after theirs."""

    names: tuple[str, ...]
    parts: tuple[Plan, ...]
    more: int = 0

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers of all parts."""
        return tuple(layer for part in self.parts for layer in part.layers)

    @property
    def placed(self) -> tuple[Placed, ...]:
        """The parameters of all parts; the numbers of layers go on from part to part."""
        found: list[Placed] = []
        layers = first = 0
        for part in self.parts:
            found += [
                replace(one, layer=one.layer + layers, first=one.first + first, end=one.end + first)
                for one in part.placed
            ]
            layers, first = layers + len(part.layers), first + part.size
        return tuple(found)

    @property
    def size(self) -> int:
        """How many parameters there are."""
        return sum(part.size for part in self.parts)

    @property
    def running_size(self) -> int:
        """How many running numbers there are."""
        return sum(part.running_size for part in self.parts) + self.more

    @property
    def outputs(self) -> int:
        """How many numbers come out of the last."""
        return self.parts[-1].outputs

    def parameters(self, k: int) -> slice:
        """Where the parameters of a part lie."""
        first = sum(part.size for part in self.parts[:k])
        return slice(first, first + self.parts[k].size)

    def means(self, k: int) -> slice:
        """Where its running numbers lie."""
        first = sum(part.running_size for part in self.parts[:k])
        return slice(first, first + self.parts[k].running_size)

    def begun(self, rng: np.random.Generator) -> Floats:
        """The first values of all parameters, (size,)."""
        return np.concatenate([part.begun(rng) for part in self.parts])

    def begun_running(self, rng: np.random.Generator) -> Floats:
        """The first running numbers; those of its own are 1."""
        return np.concatenate([*(part.begun_running(rng) for part in self.parts), np.ones(self.more)])

    def decaying(self) -> Floats:
        """1 for each parameter that weight decay shrinks, else 0, (size,)."""
        return np.concatenate([part.decaying() for part in self.parts])

    def __str__(self) -> str:
        return "\n\n".join(f"{name}\n{part}" for name, part in zip(self.names, self.parts, strict=True))


class JoinedEngine:
    """Engines whose parameters and gradients are taken from, and put into, one stretch of memory."""

    def __init__(self, plan: JoinedPlan, parts: Sequence[Engine], dtype: DType) -> None:
        self.plan, self.parts = plan, tuple(parts)
        self.least = max(part.least for part in parts)
        self.theta: Array = parts[0].on_device(np.zeros(plan.size, dtype))
        self.slope: Array = parts[0].on_device(np.zeros(plan.size, dtype))
        self.running: Array = parts[0].on_device(np.zeros(plan.running_size, dtype))
        self.rng = np.random.default_rng(0)  # of the epoch

    def load(self, theta: Reals, running: Reals) -> None:
        """Take over parameters and running numbers."""
        self.theta, self.running = self.parts[0].on_device(theta), self.parts[0].on_device(running)
        self.spread()
        for k, part in enumerate(self.parts):
            part.running[...] = self.running[self.plan.means(k)]

    def spread(self) -> None:
        """Give each part its parameters as they are now."""
        for k, part in enumerate(self.parts):
            part.theta[...] = self.theta[self.plan.parameters(k)]

    def collect(self, k: int) -> None:
        """Take over the gradient of a part."""
        self.slope[self.plan.parameters(k)] = self.parts[k].slope

    def taken(self) -> tuple[Reals, Reals]:
        """Copies of parameters and running numbers."""
        for k, part in enumerate(self.parts):
            self.running[self.plan.means(k)] = part.running
        return self.off_device(self.theta), self.off_device(self.running)

    def on_device(self, values: Reals) -> Array:
        """A copy of some numbers where the parameters are."""
        return self.parts[0].on_device(values)

    def off_device(self, values: Array) -> Reals:
        """A copy of such numbers in memory."""
        return self.parts[0].off_device(values)

    def spreads(self) -> list[float]:
        """The variance of what each layer gave last."""
        return [value for part in self.parts for value in part.spreads()]

    @contextmanager
    def training(self, seed: int) -> Iterator[None]:
        """In force while it is trained: its random numbers, its threads."""
        self.rng = np.random.default_rng(seed)
        with ExitStack() as stack:
            for part in self.parts:
                stack.enter_context(part.training(seed))
            yield
