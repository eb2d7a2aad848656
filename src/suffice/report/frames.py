"""A recorded fit as frames of a film: what the estimator showed in each iteration, seen in a plane."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..distances import DISTANCES, as_distance
from ..engine import History
from ..engine.trace import FitTrace
from ..typing import Numbers
from .boosting_scene import boosting_film, is_boosting
from .kernel_scene import is_kernel_machine, kernel_film, why_unseen
from .neural_scene import is_net, neural_film
from .scenes import MOST_FRAMES, CentresScene, MixtureScene, Scene, View, frames_of, number, rounded, thinned

MOST_LEAVES = 300


def film(fit: FitTrace, view: View | None = None, maximises: bool | None = None) -> dict[str, object]:
    """Everything the player shows of a fit, in JSON's terms; of several runs the one that was kept."""
    runs, chosen = kept_run(fit, maximises)
    first, end = runs[chosen] if runs else (0, 0)
    iterations, snapshots = fit.iterations[first:end], fit.snapshots[first:end]
    keys = set(snapshots[0]) if snapshots else set()
    halves = History(tuple(iterations), "converged").half_steps
    made: dict[str, object] = {
        "name": fit.name,
        "status": fit.status,
        "iterations": [{"number": r.number, "objective": number(r.objective)} for r in iterations],
        "kind": "curve",
    }
    if {"children_", "distances_"} <= keys:
        return {**made, **_tree(snapshots[-1], view)}
    start = fit.starts[chosen] if len(fit.starts) == len(runs) else None
    if view is not None:
        made |= _points(view)
        if snapshots and is_boosting(fit, view):
            return {**made, **boosting_film(view, start, iterations, snapshots)}
        if snapshots and is_kernel_machine(fit, view):
            return {**made, **kernel_film(view, iterations, snapshots)}
        if "cluster_centers_" in keys and _fits(snapshots[0]["cluster_centers_"], view):
            scene: Scene = CentresScene(view, *_metric_of(fit))
            return {**made, "kind": "centres", "frames": frames_of(scene, start, snapshots, halves)}
        if "mixture_" in keys and _is_gaussian(snapshots[0]["mixture_"], view):
            return {**made, "kind": "mixture", "frames": frames_of(MixtureScene(view), start, snapshots, halves)}
    if snapshots and is_net(fit):
        return {**made, **neural_film(view, iterations, snapshots)}
    if why := why_unseen(fit):
        made["note"] = why
    return {**made, "frames": [{"iteration": i} for i in thinned(len(iterations), MOST_FRAMES)]}


def _metric_of(fit: FitTrace) -> tuple[str | None, float | None]:
    """How rows find their centre where that can be seen from their coordinates, and how softly."""
    metric = "manhattan" if fit.name == "KMedians" else fit.params.get("metric", "euclidean")
    seen = metric == "manhattan" or (metric in DISTANCES and as_distance(metric).is_plain)
    softness = fit.params.get("beta") if fit.name == "SoftKMeans" else None
    return (str(metric) if seen else None), (float(softness) if isinstance(softness, int | float) else None)


def _is_gaussian(mixture: dict[str, Any], view: View) -> bool:
    """Whether the parts of a mixture have means and covariances of their own, in the columns of the rows."""
    has_spread = "covariance" in mixture or "variance" in mixture
    return has_spread and "mean" in mixture and _fits(mixture["mean"], view)


def kept_run(fit: FitTrace, maximises: bool | None = None) -> tuple[list[tuple[int, int]], int]:
    """Where the iterations of each run begin and end, and which is the best; without `maximises` the way is theirs."""
    starts = [i for i, done in enumerate(fit.iterations) if done.number == 1]
    runs = list(zip(starts, [*starts[1:], len(fit.iterations)], strict=True))
    if not runs:
        return [], 0
    if maximises is None:
        gained = sum(fit.iterations[end - 1].objective - fit.iterations[start].objective for start, end in runs)
        maximises = gained > 0
    sign = -1.0 if maximises else 1.0
    return runs, min(range(len(runs)), key=lambda i: sign * fit.iterations[runs[i][1] - 1].objective)


def _fits(centres: Numbers, view: View) -> bool:
    return np.ndim(centres) == 2 and bool(np.shape(centres)[1] == view.rows.shape[1])


def _points(view: View) -> dict[str, object]:
    places = view.places(view.rows)
    named = {"names": list(view.called)} if view.called else {}
    return {"points": rounded(places), "axes": list(view.names), "total": view.total, **named}


def _tree(snapshot: Mapping[str, object], view: View | None) -> dict[str, object]:
    children, heights = np.asarray(snapshot["children_"]), np.asarray(snapshot["distances_"])
    if len(heights) >= MOST_LEAVES or not len(heights):
        return {"frames": [{"iteration": 0}]}
    made: dict[str, object] = {"kind": "tree", "children": children.tolist(), "heights": heights.tolist()}
    if view is not None and len(view.rows) == len(children) + 1:
        made |= _points(view)
    return made
