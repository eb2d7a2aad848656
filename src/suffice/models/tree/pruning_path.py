"""The trees that pruning gives, one for each cost of a leaf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...text import aligned, figure
from ...typing import AxesLike, Floats, Labels, Whole

if TYPE_CHECKING:
    from ...plots import PruningDisplay


@dataclass(frozen=True, eq=False)
class PruningPath:
    """Trees by rising cost α of a leaf: print it, plot it, or take the figures.

    From `alphas[i]` on, up to the next, the tree with `leaves[i]` leaves has the least risk + α · leaves. `risk` is the
    mean impurity of its leaves, or the share of wrong classes, `error` its error for the rows of the fit and
    `test_error` that for other rows, where they were given; all are (k,).
    """

    alphas: Floats
    leaves: Whole
    risk: Floats
    error: Floats
    test_error: Floats | None = None

    @property
    def cp(self) -> Floats:
        """The costs as R's rpart gives them, α over the risk of the root, (k,)."""
        root = self.risk[-1]
        return np.asarray(self.alphas / root) if root > 0 else np.zeros(len(self.alphas))

    @property
    def relative(self) -> Floats:
        """The risks as shares of that of the root, (k,)."""
        root = self.risk[-1]
        return np.asarray(self.risk / root) if root > 0 else np.ones(len(self.risk))

    @property
    def table(self) -> dict[str, Labels]:
        """Columns by name."""
        found: dict[str, Labels] = {
            "alpha": self.alphas, "leaves": self.leaves, "risk": self.risk, "relative": self.relative,
            "error": self.error,
        }  # fmt: skip
        return found if self.test_error is None else {**found, "test_error": self.test_error}

    def __str__(self) -> str:
        rows = [tuple(figure(float(values[i])) for values in self.table.values()) for i in range(len(self.alphas))]
        return aligned([tuple(self.table), *rows], words=0)

    def plot(self, ax: AxesLike = None) -> PruningDisplay:
        """Draw the errors against the number of leaves; gives the display."""
        from ...plots import PruningDisplay

        return PruningDisplay.from_path(self, ax=ax)
