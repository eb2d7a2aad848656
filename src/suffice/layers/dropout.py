"""Dropout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..choices import check_number
from ..holds import number
from ..typing import Torch
from .base import Incoming, Layer, Shape


@dataclass(frozen=True)
class Dropout(Layer):
    """In training each number is set to 0 with probability p, and the others are divided by 1 − p.

    `p` is the probability to drop, as in PyTorch and Keras; where a text writes p for the probability to keep, give
    1 − p. Predictions use all numbers as they are: the division in training keeps their mean.
    """

    p: float = 0.5
    drawn_each_time: ClassVar = True
    holds: ClassVar = {"p": number(at_least=0, below=1)}

    def __post_init__(self) -> None:
        check_number(self, "p", 0.0, most=1.0, below=True)

    def output(self, incoming: Incoming) -> Shape:
        return incoming.shape

    def module(self, torch: Torch, incoming: Incoming) -> Torch:
        return torch.nn.Dropout(self.p)
