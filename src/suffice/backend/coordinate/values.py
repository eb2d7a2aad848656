"""What coordinate descent is given and what it gives."""

from __future__ import annotations

from dataclasses import dataclass

from ...typing import Floats


@dataclass(frozen=True)
class Costs:
    """What slopes cost: Σⱼ (absoluteⱼ |wⱼ| + ½ squaredⱼ wⱼ²), (m,) each, and where `positive` none is below 0."""

    absolute: Floats
    squared: Floats
    positive: bool = False


@dataclass(frozen=True)
class Descent:
    """Slopes (m,) after some epochs, what is left to explain, and by how much the last epoch lowered the objective.

    What is left are the pulls on the slopes (m,), or the weighted residuals of the rows (n,).
    """

    w: Floats
    left: Floats
    gain: float

    def comparable(self) -> dict[str, object]:
        """What rounding does not decide."""
        return {"w": self.w, "left": self.left}
