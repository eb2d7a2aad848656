"""Boosting round by round on two columns: the cut of the weak learner, the weights of rows, and what all vote for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..engine.trace import FitTrace
from ..observing import Iteration
from ..text import figure
from ..typing import Floats, Whole
from .scenes import MOST_FRAMES, Shown, View, letters, number, rounded, thinned

_CURVES = {"training_error": "training error", "tight_bound": "tight bound", "bound": "bound"}
_SMALLEST, _MEAN, _LARGEST = 1.2, 3.2, 16.0  # radii of points: of no weight, of the mean weight, and at the most


def is_boosting(fit: FitTrace, view: View | None) -> bool:
    """Whether the rounds of a fit can be seen among the rows."""
    last = fit.snapshots[-1]
    weights = np.asarray(last.get("sample_weights_", ()))
    return view is not None and "region" in last.get("plane", ()) and len(weights) == view.total


def boosting_film(
    view: View, start: Shown | None, iterations: Sequence[Iteration], snapshots: Sequence[Shown]
) -> dict[str, object]:
    """The cuts of the grid, the classes of rows, two frames a round, and the error below its bounds."""
    plane = snapshots[-1]["plane"]
    frames: list[Shown] = []
    for i in thinned(len(snapshots), (MOST_FRAMES - 1) // 2):
        before = snapshots[i - 1] if i else start
        said = _figures(iterations[i].metrics)
        after = _state(snapshots[i], view)
        if before is not None:
            seen = {**_state(before, view), "learner": after["learner"]}
            everywhere = "" if len(set("".join(after["learner"]))) > 1 else ", and says one class everywhere"
            frames.append({"iteration": i, "said": f"a learner sees the weights{everywhere}: {said[0]}", **seen})
        frames.append({"iteration": i, "said": f"it votes, and rows it got wrong gain weight: {said[1]}", **after})
    return {
        "kind": "boosting",
        "cuts": [rounded(np.asarray(plane[name], dtype=np.float64), 6) for name in ("across", "up")],
        "labels": letters(np.asarray(plane["codes"])[view.numbers]),
        "curves": _curves(iterations),
        "frames": frames,
    }


def _state(snapshot: Shown, view: View) -> Shown:
    """The sizes of points by weight, and the classes of cells where there is a learner."""
    plane, weights = snapshot["plane"], np.asarray(snapshot["sample_weights_"], dtype=np.float64)
    cells = {name: _rows(plane[name]) for name in ("learner", "region") if name in plane}
    return {"sizes": rounded(_radii(weights)[view.numbers], 3), **cells}


def _radii(weights: Floats) -> Floats:
    """Radii of points whose areas grow with the weights."""
    share = weights * len(weights) / max(float(weights.sum()), np.finfo(float).tiny)  # 1 of the mean
    return np.clip(_MEAN * np.sqrt(share), _SMALLEST, _LARGEST)


def _rows(cells: Whole) -> list[str]:
    return [letters(row) for row in np.asarray(cells)]


def _figures(metrics: Mapping[str, float]) -> tuple[str, str]:
    """What is told of a learner, and of all after its round."""
    learner = f"ε = {figure(metrics['weighted_error'], 3)}, α = {figure(metrics['alpha'], 3)}"
    named = [f"{words} {figure(metrics[key], 3)}" for key, words in _CURVES.items() if key in metrics]
    return learner, ", ".join(named)


def _curves(iterations: Sequence[Iteration]) -> list[dict[str, object]]:
    """The error and its bounds after each round, as far as they are known."""
    there = [key for key in _CURVES if all(key in done.metrics for done in iterations)]
    return [{"name": _CURVES[key], "values": [number(done.metrics[key]) for done in iterations]} for key in there]
