"""Embeddings of category columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..holds import instance, optional, whole
from ..typing import Torch
from .base import Incoming, Layer, Parameter, Shape, check_whole
from .starts import Start, as_start


@dataclass(frozen=True)
class Embedding(Layer):
    """Each category of each text column as a point of `size` numbers, which are learned; numbers pass as they are.

    It is the first layer. Without it, categories are columns of 0 and 1. Without a `size`, a column of m categories
    gets ⌈m / 2⌉, at most 50. A missing value and a category that the fit has not seen have a point of their own.
    """

    size: int | None = None
    start: Start | str = "normal"
    holds: ClassVar = {"size": optional(whole(at_least=1)), "start": instance(Start)}

    def __post_init__(self) -> None:
        if self.size is not None:
            check_whole(self, "size", 1)
        object.__setattr__(self, "start", as_start(self.start, "Embedding"))

    def sizes(self, levels: tuple[int, ...]) -> tuple[int, ...]:
        """How many numbers the categories of each column become."""
        return tuple(self.size or min(50, (m + 1) // 2) for m in levels)

    def output(self, incoming: Incoming) -> Shape:
        numbers = incoming.shape[0] - len(incoming.levels)
        return (numbers + sum(self.sizes(incoming.levels)),)

    def parameters(self, incoming: Incoming) -> tuple[Parameter, ...]:
        assert isinstance(self.start, Start)
        pairs = zip(incoming.levels, self.sizes(incoming.levels), strict=True)
        return tuple(
            Parameter(f"table {j}", (levels + 1, size), levels + 1, size, self.start)
            for j, (levels, size) in enumerate(pairs)
        )

    def module(self, torch: Torch, incoming: Incoming) -> Torch:
        count, sizes = len(incoming.levels), self.sizes(incoming.levels)
        numbers = incoming.shape[0] - count

        class Embedded(torch.nn.Module):  # type: ignore[misc]
            def __init__(self) -> None:
                super().__init__()
                pairs = zip(incoming.levels, sizes, strict=True)
                self.tables = torch.nn.ModuleList(torch.nn.Embedding(m + 1, size) for m, size in pairs)

            def forward(self, X: Torch) -> Torch:
                codes = X[:, numbers:].long()
                points = [table(codes[:, j]) for j, table in enumerate(self.tables)]
                return torch.cat([X[:, :numbers], *points], dim=1)

        return Embedded()
