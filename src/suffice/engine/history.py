"""What a fit did, round by round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..holds import choice, instance, number, tuples
from ..observing import Round
from ..registry import registered

Status = Literal["converged", "max_iter", "time_limit", "interrupted"]


@registered("history/History")
@dataclass(frozen=True)
class History:
    """The rounds of the run that was kept, why it ended, and the last objective of every run."""

    rounds: tuple[Round, ...]
    status: Status
    finals: tuple[float, ...] = ()

    holds: ClassVar = {
        "rounds": tuples(instance(Round)),
        "status": choice("converged", "max_iter", "time_limit", "interrupted"),
        "finals": tuples(number(finite=False)),
    }

    @property
    def objective(self) -> NDArray[np.float64]:
        """The objective after each round."""
        return np.array([done.objective for done in self.rounds])

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Seconds since the run began, after each round."""
        return np.array([done.seconds for done in self.rounds])

    def metric(self, name: str) -> NDArray[np.float64]:
        """One of the figures that the model reported with each round; NaN where it did not."""
        return np.array([done.metrics.get(name, np.nan) for done in self.rounds])

    def __len__(self) -> int:
        return len(self.rounds)

    def __repr__(self) -> str:
        if not self.rounds:
            return f"History(no rounds, {self.status})"
        last = self.rounds[-1]
        rounds = "1 round" if len(self) == 1 else f"{len(self)} rounds"
        return f"History({rounds}, objective {last.objective:.6g}, {last.seconds:.3g} s, {self.status})"
