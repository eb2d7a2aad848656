"""Images as vectors."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ..typing import Torch
from .base import Incoming, Layer, Shape, checked_size


@dataclass(frozen=True)
class Flatten(Layer):
    """All numbers of an image side by side, channel after channel."""

    def output(self, incoming: Incoming) -> Shape:
        return (checked_size(prod(incoming.shape)),)

    def module(self, torch: Torch, incoming: Incoming) -> Torch:
        return torch.nn.Flatten()
