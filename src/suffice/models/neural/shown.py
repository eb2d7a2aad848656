"""What a trace has of a net: the regions of its classes on two columns, those of its hidden units, and its filters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ...data import Chunk
from ...layers import Convolution, Dense, Plan
from ...observing import is_recorded
from ...typing import Floats, Reals, Whole
from .engine import Engine
from .inputs import Inputs

_CELLS, _SMALL, _MOST = 40, 14, 16  # of the grid, and of a unit's own picture, in each direction; pictures
_ROOM, _ROWS = 0.06, 20_000  # of the range of a column, on either side; rows whose classes are kept
Shown = Callable[[Reals, Reals], Mapping[str, object]]


def nothing(theta: Reals, running: Reals) -> Mapping[str, object]:
    """What is shown to nobody."""
    return {}


@dataclass(frozen=True)
class NetView:
    """What is seen of each epoch: the plane of two numeric columns, (n, 2), with the classes of rows, or filters."""

    engine: Engine
    plan: Plan
    inputs: Inputs
    rows: Floats | None = None
    codes: Whole | None = None
    outputs: int = 1

    def __call__(self, theta: Reals, running: Reals) -> Mapping[str, object]:
        """What a trace keeps of one epoch."""
        before = self.engine.taken()
        self.engine.load(theta, running)
        try:
            return {"net": {**self._plane(), **self._filters()}}
        finally:
            self.engine.load(*before)

    def _plane(self) -> dict[str, object]:
        if self.rows is None or self.codes is None:
            return {}
        across, up = (_borders(column, _CELLS) for column in self.rows.T)
        eta = self._hidden(_centres(across), _centres(up))[-1]
        region = (eta[:, 0] > 0).astype(np.int64) if self.outputs == 1 else np.argmax(eta, axis=1)
        found: dict[str, object] = {
            "across": across[1:-1], "up": up[1:-1], "region": region.reshape(_CELLS, _CELLS), "codes": self.codes,
        }  # fmt: skip
        dense = [k for k, layer in enumerate(self.plan.layers) if isinstance(layer, Dense)][:-1]
        if dense:
            small = (_centres(_borders(column, _SMALL)) for column in self.rows.T)
            hidden = self._hidden(*small)[dense[-1]][:, :_MOST]
            found["units"] = hidden.T.reshape(-1, _SMALL, _SMALL).astype(np.float32)
            found["layer"] = dense[-1] + 1
        if dense and dense[0] == 0:
            found["lines"] = self._lines()
        return found

    def _lines(self) -> Floats:
        """Where a unit of the first layer is 0: a·x + b, (units, 3), in the units of the columns."""
        weight, bias = (one.of(self.engine.taken()[0]).astype(np.float64) for one in self.plan.placed[:2])
        slope = weight[:_MOST] / self.inputs.scale
        return np.column_stack([slope, bias[:_MOST] - slope @ self.inputs.mean])

    def _hidden(self, across: Floats, up: Floats) -> list[Reals]:
        places = np.column_stack([np.tile(across, len(up)), np.repeat(up, len(across))])
        dtype = self.engine.taken()[0].dtype
        return self.engine.hidden(self.inputs(places).astype(dtype))

    def _filters(self) -> dict[str, object]:
        if not self.plan.layers or not isinstance(self.plan.layers[0], Convolution):
            return {}
        weight = self.plan.placed[0].of(self.engine.taken()[0])  # (filters, channels, f, f)
        return {"filters": weight[:_MOST].mean(axis=1).astype(np.float32)}


def shown_of(engine: Engine, plan: Plan, inputs: Inputs, whole: Chunk | None, outputs: int, classes: bool) -> Shown:
    """What to show of the epochs of a fit, where somebody keeps it."""
    if not is_recorded() or not plan.layers:
        return nothing
    plain = not inputs.image and len(inputs.mean) == 2 and not inputs.levels.any() and not inputs.gaps.any()
    if not (classes and plain and whole is not None and len(whole) <= _ROWS):
        return NetView(engine, plan, inputs)
    codes = np.asarray(whole.y)
    codes = (codes > 0).astype(np.int64) if outputs == 1 else codes.astype(np.int64)
    return NetView(engine, plan, inputs, np.asarray(whole.X, dtype=np.float64), codes, outputs)


def _borders(column: Floats, cells: int) -> Floats:
    low, high = float(column.min()), float(column.max())
    room = _ROOM * (high - low) or 1.0
    return np.linspace(low - room, high + room, cells + 1)


def _centres(borders: Floats) -> Floats:
    centres: Floats = (borders[1:] + borders[:-1]) / 2
    return centres
