"""Layers one after another: their shapes, where their parameters lie, and how many there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import prod
from typing import Self

import numpy as np

from ..errors import InvalidParameter
from ..text import aligned
from ..typing import Floats, Reals, Torch
from .base import Incoming, Layer, Parameter, Shape, shape_words
from .embedding import Embedding

_FROZEN = "has no parameters that are learned: none of them has requires_grad"


@dataclass(frozen=True)
class Placed:
    """A parameter, the number of its layer, from 1, and where it lies among all of them.

    Those of a module of PyTorch have no number, 0, and are called by their names there.
    """

    layer: int
    parameter: Parameter
    first: int
    end: int

    @property
    def name(self) -> str:
        """What results call it."""
        return f"{self.layer}.{self.parameter.name}" if self.layer else self.parameter.name

    @property
    def place(self) -> str:
        """What it belongs to: the number of its layer, or that part of a module."""
        return str(self.layer) if self.layer else self.parameter.name.rpartition(".")[0] or "module"

    def of(self, flat: Reals) -> Reals:
        """Its values among those of all, not copied."""
        return flat[self.first : self.end].reshape(self.parameter.shape)


@dataclass(frozen=True)
class Plan:
    """A stack of layers over rows of one shape.

    >>> from suffice.layers import Dense, Plan
    >>> print(Plan.of([Dense(16), Dense(3, "identity")], (4,)))
    layer      shape  parameters
    input          4
    1 Dense       16          80
    2 Dense        3          51
    total                    131
    """

    layers: tuple[Layer, ...]
    shapes: tuple[Shape, ...]  # of the input, and after each layer
    levels: tuple[int, ...] = ()
    placed: tuple[Placed, ...] = field(default=(), repr=False)
    running: tuple[Placed, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, layers: Sequence[Layer], shape: Shape, levels: tuple[int, ...] = (), owner: str = "Plan") -> Self:
        """The plan of some layers; `levels` are the categories of the last columns where the first is an Embedding."""
        shapes = [shape]
        for number, layer in enumerate(layers, 1):
            if isinstance(layer, Embedding) and number > 1:
                raise InvalidParameter(f"{owner}: layer {number}, Embedding, must be the first: it takes categories.")
            try:
                shapes.append(layer.output(Incoming(shapes[-1], levels if number == 1 else ())))
            except InvalidParameter as error:
                raise InvalidParameter(f"{owner}: layer {number}, {error}") from None
        bare = cls(tuple(layers), tuple(shapes), levels)
        parameters = [(k, one) for k, layer, at in bare.steps() for one in layer.parameters(at)]
        buffers = [(k, one) for k, layer, at in bare.steps() for one in layer.buffers(at)]
        return cls(bare.layers, bare.shapes, levels, _laid_out(parameters), _laid_out(buffers))

    @classmethod
    def of_module(cls, module: Torch, shape: Shape, levels: tuple[int, ...] = (), owner: str = "Plan") -> Self:
        """That of a module of PyTorch, of which only the parameters are known."""
        named = [(name, p) for name, p in module.named_parameters() if p.requires_grad]
        unknown = [name for name, p in named if type(p).__name__.startswith("Uninitialized")]
        if unknown or not named:
            why = f"does not know the shape of {unknown[0]} yet; call it on some rows" if unknown else _FROZEN
            raise InvalidParameter(f"{owner}: the module {why}.")
        parameters = [(0, Parameter(name, tuple(p.shape))) for name, p in named]
        return cls((), (shape,), levels, _laid_out(parameters))

    def steps(self) -> Iterator[tuple[int, Layer, Incoming]]:
        """The number of each layer, from 1, the layer, and what it is given."""
        for k, (layer, (before, _)) in enumerate(zip(self.layers, pairwise(self.shapes), strict=True), 1):
            yield k, layer, Incoming(before, self.levels if k == 1 else ())

    @property
    def size(self) -> int:
        """How many parameters there are."""
        return self.placed[-1].end if self.placed else 0

    @property
    def running_size(self) -> int:
        """How many running numbers there are."""
        return self.running[-1].end if self.running else 0

    @property
    def outputs(self) -> int:
        """How many numbers come out."""
        return prod(self.shapes[-1])

    def begun(self, rng: np.random.Generator) -> Floats:
        """The first values of all parameters, (size,)."""
        return _joined([one.parameter.begun(rng) for one in self.placed])

    def begun_running(self, rng: np.random.Generator) -> Floats:
        """The first running numbers."""
        return _joined([one.parameter.begun(rng) for one in self.running])

    def decaying(self) -> Floats:
        """1 for each parameter that weight decay shrinks, else 0, (size,)."""
        return _joined([np.full(one.parameter.shape, float(one.parameter.decays)) for one in self.placed])

    def __str__(self) -> str:
        rows = [("layer", "shape", "parameters"), ("input", shape_words(self.shapes[0]), "")]
        counts = dict.fromkeys(range(len(self.layers) + 1), 0)
        for one in self.placed:
            counts[one.layer] += one.parameter.size
        if not self.layers:
            rows += [(one.name, shape_words(one.parameter.shape), f"{one.parameter.size:,}") for one in self.placed]
        for k, layer in enumerate(self.layers, 1):
            rows.append((f"{k} {type(layer).__name__}", shape_words(self.shapes[k]), f"{counts[k]:,}"))
        rows.append(("total", "", f"{self.size:,}"))
        return aligned(rows)


def _joined(parts: list[Floats]) -> Floats:
    return np.concatenate([part.ravel() for part in parts]) if parts else np.zeros(0)


def _laid_out(parameters: list[tuple[int, Parameter]]) -> tuple[Placed, ...]:
    placed, first = [], 0
    for layer, one in parameters:
        placed.append(Placed(layer, one, first, first + one.size))
        first += one.size
    return tuple(placed)
