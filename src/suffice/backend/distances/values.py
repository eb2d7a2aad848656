"""What makes up a distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...typing import Floats

Kind = Literal[
    "squared", "absolute", "largest", "power", "different", "mixed", "jaccard", "product", "jensen", "smaller", "chi"
]  # fmt: skip


@dataclass(frozen=True)
class Term:
    """What a column adds to the distance of two rows, and what becomes of the sum.

    `weight` (d,) says that cells may be NaN: then the columns where both rows have one count, by weight, and the sum
    over them is divided by their weight and multiplied by `scale`. "mixed" has `numbers` columns of numbers, the
    others hold codes of categories.
    """

    kind: Kind
    finish: Literal["none", "root", "power"] = "none"
    p: float = 2.0
    numbers: int = 0
    weight: Floats | None = None
    scale: float = 1.0
