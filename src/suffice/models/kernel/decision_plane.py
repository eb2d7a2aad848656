"""The decisions of a kernel machine over the plane of two columns, so that a trace can show them without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from ...data.rows import is_sparse
from ...kernels import Function
from ...kernels.gram import products
from ...observing import is_recorded
from ...typing import Flags, Floats, Numbers, Whole

_NODES = 41  # of the grid, in each direction
_MOST = 60  # updates whose states are kept
_ROOM = 0.06  # of the range of a column, on either side of its values


@dataclass(frozen=True, eq=False)
class DecisionPlane:
    """A grid over rows (n, 2) of two classes; f = Σⱼ cⱼ k(·, xⱼ) + b at its nodes is what a state shows."""

    rows: Floats
    codes: Whole  # (n,)
    function: Function
    nodes: tuple[Floats, Floats]

    @classmethod
    def of(cls, X: Numbers, codes: Whole, k: int, function: Function | None, order: Whole | None = None) -> Self | None:
        """That of two columns of numbers and two classes; None of others.

        `order` says the place of each row in the table, of which none may be left out.
        """
        if is_sparse(X) or X.shape[1] != 2 or k != 2 or function is None:
            return None
        rows, order = np.asarray(X, dtype=np.float64), np.arange(len(codes)) if order is None else order
        if len(order) and order.max() >= len(order):
            return None
        of_table = np.empty(len(codes), dtype=np.int64)
        of_table[order] = codes
        return cls(rows, of_table, function, (_over(rows[:, 0]), _over(rows[:, 1])))

    def at(self, coefficients: Floats, intercept: float) -> Floats:
        """f at the nodes, one row of them after the other, (up, across), for coefficients (n,)."""
        across, up = self.nodes
        used = np.flatnonzero(coefficients)
        if not len(used):
            return np.full((len(up), len(across)), intercept, dtype=np.float32)
        places = np.column_stack([np.tile(across, len(up)), np.repeat(up, len(across))])
        found = products(self.function, places, self.rows[used], coefficients[used][:, None]) + intercept
        return found.reshape(len(up), len(across)).astype(np.float32)  # as good as a screen is

    def said(self, values: Sequence[Floats], support: Sequence[Flags], rows: Sequence[int]) -> dict[str, object]:
        """What a trace has of some states: f, which rows are support vectors, and which was mistaken, −1 for none."""
        return {
            "across": self.nodes[0],
            "up": self.nodes[1],
            "codes": self.codes,
            "values": np.array(values),  # (states, up, across)
            "support": np.array(support),  # (states, n)
            "mistaken": np.array(rows, dtype=np.int64),  # (states,)
        }


@dataclass(eq=False)
class Updates:
    """The states of an epoch that learns by single rows, one an update; after `_MOST` of them only that at its end."""

    plane: DecisionPlane
    left: int = _MOST
    values: list[Floats] = field(default_factory=list)
    support: list[Flags] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, X: Numbers, codes: Whole, k: int, function: Function | None) -> Self | None:
        """Of a fit that somebody records, on two columns of numbers and with two classes; None of others."""
        plane = DecisionPlane.of(X, codes, k, function) if is_recorded() else None
        return None if plane is None else cls(plane)

    def begin(self) -> None:
        """An epoch begins."""
        self.values, self.support, self.rows = [], [], []

    def update(self, row: int, c: Floats, b: Floats) -> None:
        """A row has changed the coefficients c (n, 1) and the intercept b (1,)."""
        if self.left:
            self.left -= 1
            self._add(row, c[:, 0], float(b[0]))

    def said(self, c: Floats, b: float) -> dict[str, object]:
        """What a trace has of the epoch, at whose end c (n,) and b are; that state is there even without an update."""
        if not self.rows or (not self.left and self.rows[-1] >= 0):
            self._add(-1, c, b)
        return {"plane": self.plane.said(self.values, self.support, self.rows)}

    def _add(self, row: int, c: Floats, b: float) -> None:
        self.values.append(self.plane.at(c, b))
        self.support.append(c != 0)
        self.rows.append(row)


def unseen(owner: str) -> dict[str, object]:
    """What a trace has where there is no such plane."""
    return {
        "plane": {
            "unseen": f"The player shows {owner} among its rows where it learns two classes from two dense columns, "
            "each row with a weight above 0, by a kernel that is not precomputed."
        }
    }


def _over(column: Floats) -> Floats:
    """Nodes at equal steps from below the least value to above the largest."""
    low, high = float(column.min()), float(column.max())
    room = _ROOM * (high - low) or 0.5
    return np.linspace(low - room, high + room, _NODES)
