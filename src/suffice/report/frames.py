"""A recorded fit as frames of a film: what the estimator showed in each iteration, seen in a plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..distances import DISTANCES, as_distance
from ..distributions import DiagonalGaussian, Gaussian, Mixture
from ..engine.trace import FitTrace
from ..plots.plane import Plane
from ..typing import Floats, Labels, Numbers

MOST_POINTS = 400
MOST_FRAMES = 80
MOST_LEAVES = 300
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"  # the cluster of a row, one letter each


@dataclass(frozen=True, eq=False)
class View(Plane):
    """Some rows, and the plane they are seen in."""

    rows: Floats  # (n, d)
    total: int

    @classmethod
    def of(cls, rows: Numbers, names: Sequence[str] | None = None, most: int = MOST_POINTS) -> Self:
        """The plane of all rows, and at most so many of them; infinite cells are taken as missing."""
        rows = np.asarray(rows, dtype=np.float64)
        rows = np.where(np.isfinite(rows), rows, np.nan)
        plane, total = Plane.of(rows, names), len(rows)
        if total > most:
            rows = rows[np.sort(np.random.default_rng(0).choice(total, most, replace=False))]
        return cls(plane.origin, plane.axes, plane.names, rows, total)


def film(fit: FitTrace, view: View | None = None, maximises: bool | None = None) -> dict[str, object]:
    """Everything the player shows of a fit, in JSON's terms; of several runs the one that was kept."""
    first, end = kept_run(fit, maximises)
    iterations, snapshots = fit.iterations[first:end], fit.snapshots[first:end]
    shown = _thinned(len(iterations))
    keys = set(snapshots[0]) if snapshots else set()
    made: dict[str, Any] = {
        "name": fit.name,
        "status": fit.status,
        "iterations": [{"number": r.number, "objective": _number(r.objective)} for r in iterations],
        "kind": "curve",
    }
    if {"children_", "distances_"} <= keys:
        return {**made, **_tree(snapshots[-1], view)}
    if view is not None:
        made |= _points(view)
        if "cluster_centers_" in keys and _fits(snapshots[0]["cluster_centers_"], view):
            metric = fit.params.get("metric", "euclidean")
            labelled = metric in DISTANCES and as_distance(metric).is_plain
            frames = [_centres_frame(i, snapshots[i]["cluster_centers_"], view, labelled) for i in shown]
            return {**made, "kind": "centres", "frames": frames}
        if "mixture_" in keys and _is_gaussian(snapshots[0]["mixture_"], view):
            frames = [_mixture_frame(i, snapshots[i]["mixture_"], view) for i in shown]
            return {**made, "kind": "mixture", "frames": frames}
    return {**made, "frames": [{"iteration": i} for i in shown]}


def _is_gaussian(mixture: dict[str, Any], view: View) -> bool:
    """Whether the parts of a mixture have means and covariances of their own, in the columns of the rows."""
    has_spread = "covariance" in mixture or "variance" in mixture
    return has_spread and "mean" in mixture and _fits(mixture["mean"], view)


def kept_run(fit: FitTrace, maximises: bool | None = None) -> tuple[int, int]:
    """Where the iterations of the best run begin and end; without `maximises` the direction is theirs."""
    starts = [i for i, done in enumerate(fit.iterations) if done.number == 1]
    runs = list(zip(starts, [*starts[1:], len(fit.iterations)], strict=True))
    if not runs:
        return 0, 0
    if maximises is None:
        gained = sum(fit.iterations[end - 1].objective - fit.iterations[start].objective for start, end in runs)
        maximises = gained > 0
    sign = -1.0 if maximises else 1.0
    return min(runs, key=lambda run: sign * fit.iterations[run[1] - 1].objective)


def _thinned(n: int) -> list[int]:
    """All iterations, or of many those at equal steps with the first and the last."""
    return sorted(set(np.linspace(0, n - 1, min(n, MOST_FRAMES)).round().astype(int).tolist())) if n else []


def _fits(centres: Numbers, view: View) -> bool:
    return np.ndim(centres) == 2 and bool(np.shape(centres)[1] == view.rows.shape[1])


def _points(view: View) -> dict[str, object]:
    places = view.places(view.rows)
    return {"points": _rounded(places), "axes": list(view.names), "total": view.total}


def _centres_frame(i: int, centres: Numbers, view: View, labelled: bool) -> dict[str, object]:
    made: dict[str, object] = {"iteration": i, "centres": _rounded(view.places(centres))}
    if labelled:
        missing = np.isnan(view.rows)
        filled = np.where(missing, 0.0, view.rows)
        squares = [np.sum(np.where(missing, 0.0, filled - centre) ** 2, axis=1) for centre in np.asarray(centres)]
        made["labels"] = _letters(np.argmin(squares, axis=0))
    return made


def _mixture_frame(i: int, mixture: dict[str, object], view: View) -> dict[str, object]:
    weights, means = np.asarray(mixture["weights"]), np.asarray(mixture["mean"])
    spreads = _covariances(mixture, means.shape[1])
    ellipses = [
        {"at": _rounded(view.places(mean[None])[0]), "spread": _rounded(view.spread(spread)), "weight": _number(weight)}
        for mean, spread, weight in zip(means, spreads, weights.tolist(), strict=True)
    ]
    made: dict[str, object] = {"iteration": i, "ellipses": ellipses}
    responsibilities = _responsibilities(weights, means, mixture, view.rows)
    if responsibilities is not None:
        made["labels"] = _letters(responsibilities.argmax(axis=1))
        made["sure"] = _letters(np.floor(responsibilities.max(axis=1) * 9.999).astype(int))
    return made


def _covariances(mixture: Mapping[str, object], d: int) -> Floats:
    if "covariance" in mixture:
        return np.asarray(mixture["covariance"])
    variance = np.asarray(mixture["variance"])
    return np.asarray([np.eye(d) * row for row in variance])


def _responsibilities(weights: Floats, means: Floats, mixture: dict[str, Any], rows: Floats) -> Floats | None:
    """The responsibility of each component for each row, (n, k)."""
    if "covariance" in mixture:
        parts: list[Any] = [Gaussian(m, c) for m, c in zip(means, mixture["covariance"], strict=True)]
    else:
        wide = np.broadcast_to(mixture["variance"], means.shape)
        parts = [DiagonalGaussian(m, np.array(v)) for m, v in zip(means, wide, strict=True)]
    try:
        return np.asarray(Mixture.of(weights, parts).posterior_of(rows))
    except (ValueError, ArithmeticError, np.linalg.LinAlgError):  # a component that has just collapsed
        return None


def _tree(snapshot: Mapping[str, object], view: View | None) -> dict[str, object]:
    children, heights = np.asarray(snapshot["children_"]), np.asarray(snapshot["distances_"])
    if len(heights) >= MOST_LEAVES or not len(heights):
        return {"frames": [{"iteration": 0}]}
    made: dict[str, object] = {"kind": "tree", "children": children.tolist(), "heights": heights.tolist()}
    if view is not None and len(view.rows) == len(children) + 1:
        made |= _points(view)
    return made


def _letters(codes: Labels) -> str:
    return "".join(DIGITS[int(code) % len(DIGITS)] for code in codes)


def _number(x: float) -> float | None:
    return float(x) if np.isfinite(x) else None


def _rounded(values: Floats, digits: int = 4) -> object:
    """Nested lists with so many significant digits; what is not finite is null."""
    if np.ndim(values) == 0:
        return float(f"{float(values):.{digits}g}") if np.isfinite(values) else None
    return [_rounded(value, digits) for value in values]
