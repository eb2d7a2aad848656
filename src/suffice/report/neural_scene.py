"""Nets as they learn: regions of classes on two columns, lines and pictures of hidden units, filters, and losses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..engine.trace import FitTrace
from ..observing import Iteration
from ..text import figure
from ..typing import Floats
from .scenes import Shown, View, letters, number, rounded, thinned

_MOST = 60  # frames
_CURVES = {"loss": "loss of the rows", "held_out": "loss of rows held out"}


def is_net(fit: FitTrace) -> bool:
    """Whether a fit shows a net."""
    return bool(fit.snapshots) and bool(_net(fit.snapshots[-1]))


def neural_film(view: View | None, iterations: Sequence[Iteration], snapshots: Sequence[Shown]) -> dict[str, object]:
    """The regions of each epoch where they can be seen among the rows, hidden units or filters, and the losses."""
    last = _net(snapshots[-1])
    in_plane = view is not None and _is_seen(last, view)
    made: dict[str, object] = {"turn": "epoch", "curves": _curves(iterations), "kind": "curve"}
    if "filters" in last:
        made["tiled"] = "filters of the first layer"
    elif in_plane and "units" in last:
        made["tiled"] = f"what the units of layer {int(last['layer'])} see"
    if in_plane and view is not None:
        made |= {
            "kind": "net",
            "cuts": [rounded(np.asarray(last[name], dtype=np.float64), 6) for name in ("across", "up")],
            "labels": letters(np.asarray(last["codes"])[view.numbers]),
        }
    made["frames"] = [
        {"iteration": i, "said": _said(iterations[i]), **_frame(_net(snapshots[i]), in_plane)}
        for i in thinned(len(snapshots), _MOST)
    ]
    return made


def _net(snapshot: Shown) -> Shown:
    found = snapshot.get("net", {})
    return found if isinstance(found, dict) else {}


def _is_seen(net: Shown, view: View) -> bool:
    """Whether the regions are of these rows, in their columns as they are."""
    if "region" not in net or len(net["codes"]) != view.total or view.rows.shape[1] != 2:
        return False
    low, high = np.nanmin(view.rows, axis=0), np.nanmax(view.rows, axis=0)
    step = [float(np.diff(np.asarray(net[name])[:2])[0]) for name in ("across", "up")]
    ends = [(np.asarray(net[name])[0], np.asarray(net[name])[-1]) for name in ("across", "up")]
    return all(a - 2 * s <= lo and hi <= b + 2 * s for (a, b), s, lo, hi in zip(ends, step, low, high, strict=True))


def _frame(net: Shown, in_plane: bool) -> Shown:
    made: Shown = {}
    if "filters" in net:
        made["tiles"] = [_shades(np.asarray(one, dtype=np.float64)) for one in net["filters"]]
    if in_plane:
        made["region"] = [letters(row) for row in np.asarray(net["region"])]
        if "units" in net:
            made["tiles"] = [_shades(np.asarray(one, dtype=np.float64)[::-1]) for one in net["units"]]
        if "lines" in net:
            made["lines"] = rounded(np.asarray(net["lines"], dtype=np.float64), 5)
    return made


def _shades(cells: Floats) -> list[str]:
    """Cells from their least, 0, to their largest, 9."""
    low, high = float(cells.min()), float(cells.max())
    share = (cells - low) / (high - low) if high > low else np.zeros_like(cells)
    return [letters(row) for row in np.floor(share * 9.999).astype(int)]


def _said(done: Iteration) -> str:
    named = [f"{words} {figure(done.metrics[key], 3)}" for key, words in _CURVES.items() if key in done.metrics]
    return ", ".join(named)


def _curves(iterations: Sequence[Iteration]) -> list[dict[str, object]]:
    there = [key for key in _CURVES if all(done.metrics.get(key) is not None for done in iterations)]
    return [{"name": _CURVES[key], "values": [number(done.metrics[key]) for done in iterations]} for key in there]
