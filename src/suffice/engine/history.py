"""What a fit did, iteration by iteration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import Renamed, warn
from ..holds import choice, instance, number, tuples
from ..observing import Iteration
from ..registry import registered
from ..text import counted

Status = Literal["converged", "max_iter", "diverged", "time_limit", "interrupted"]


@registered("history/History")
@dataclass(frozen=True)
class History:
    """The iterations of the run that was kept, why it ended, and the last objective of every run."""

    iterations: tuple[Iteration, ...]
    status: Status
    finals: tuple[float, ...] = ()

    formerly: ClassVar = {"rounds": "iterations"}
    holds: ClassVar = {
        "iterations": tuples(instance(Iteration)),
        "status": choice("converged", "max_iter", "diverged", "time_limit", "interrupted"),
        "finals": tuples(number(finite=False)),
    }

    @property
    def objective(self) -> NDArray[np.float64]:
        """The objective after each round."""
        return np.array([done.objective for done in self.iterations])

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Seconds since the run began, after each round."""
        return np.array([done.seconds for done in self.iterations])

    @property
    def rounds(self) -> tuple[Iteration, ...]:
        """The former name of `iterations`."""
        warn("History.rounds is called iterations now; the former name will go.", Renamed)
        return self.iterations

    def metric(self, name: str) -> NDArray[np.float64]:
        """One of the figures that the model reported with each iteration; NaN where it did not."""
        return np.array([done.metrics.get(name, np.nan) for done in self.iterations])

    @property
    def half_steps(self) -> NDArray[np.float64]:
        """The objective after each half of each iteration, (n, 2), NaN in fits that have none.

        Of k-means after the assignment and after the update; of EM after the E-step (where the bound is the objective
        itself) and after the M-step (where it is the free energy).
        """
        assigned, energy = self.metric("assigned"), self.metric("free_energy")
        if np.isfinite(assigned).any():
            return np.column_stack([assigned, self.objective])
        known = np.where(np.isfinite(energy), self.objective, np.nan)
        return np.column_stack([known, energy])

    def __len__(self) -> int:
        return len(self.iterations)

    def __repr__(self) -> str:
        if not self.iterations:
            return f"History(no iterations, {self.status})"
        last, done = self.iterations[-1], counted(len(self), "iteration")
        return f"History({done}, objective {last.objective:.6g}, {last.seconds:.3g} s, {self.status})"
