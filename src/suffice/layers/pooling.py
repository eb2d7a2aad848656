"""Pooling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from ..errors import InvalidParameter
from ..holds import choice, optional, whole
from ..typing import Torch
from .base import Incoming, Layer, Shape, check_whole, needs_image, windowed


@dataclass(frozen=True)
class Pooling(Layer):
    """The maximum, or the average, of each window of an image; windows lie side by side unless `stride` says otherwise.

    >>> from suffice.layers import Plan, Pooling
    >>> Plan.of([Pooling(2)], (7, 8, 3)).shapes[-1]
    (3, 4, 3)
    """

    kernel: int = 2
    kind: Literal["max", "average"] = "max"
    stride: int | None = None
    holds: ClassVar = {
        "kernel": whole(at_least=1),
        "kind": choice("max", "average"),
        "stride": optional(whole(at_least=1)),
    }

    def __post_init__(self) -> None:
        check_whole(self, "kernel", 1)
        if self.stride is not None:
            check_whole(self, "stride", 1)
        if self.kind not in ("max", "average"):
            raise InvalidParameter(f"Pooling: kind must be 'max' or 'average'; got {self.kind!r}.")

    @property
    def step(self) -> int:
        """How far the window moves."""
        return self.kernel if self.stride is None else self.stride

    def output(self, incoming: Incoming) -> Shape:
        needs_image(self, incoming.shape)
        return *windowed(self, incoming.shape, self.kernel, self.step, 0), incoming.shape[2]

    def module(self, torch: Torch, incoming: Incoming) -> Torch:
        kind = torch.nn.MaxPool2d if self.kind == "max" else torch.nn.AvgPool2d
        return kind(self.kernel, self.step)
