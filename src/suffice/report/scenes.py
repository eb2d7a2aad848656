"""What a film shows of one state: centres or ellipses in a plane, and whose the rows are.

An iteration of k-means or EM has two halves: rows find their cluster, then clusters follow their rows. Both are frames.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np

from ..distributions import DiagonalGaussian, Gaussian, Mixture
from ..plots.plane import Plane
from ..typing import Floats, Labels, Numbers, Whole

MOST_POINTS = 400
MOST_FRAMES = 80
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"  # the cluster of a row, one letter each
Shown = dict[str, Any]


@dataclass(frozen=True, eq=False)
class View(Plane):
    """Some rows, and the plane they are seen in."""

    rows: Floats  # (n, d)
    total: int
    numbers: Whole  # (n,), of the rows among all
    called: tuple[str, ...] = ()  # what the rows are called, (n,); nothing where they have no names

    @classmethod
    def of(
        cls,
        rows: Numbers,
        names: Sequence[str] | None = None,
        most: int = MOST_POINTS,
        row_names: Sequence[str] | None = None,
    ) -> Self:
        """The plane of all rows, and at most so many of them; infinite cells are taken as missing."""
        rows = np.asarray(rows, dtype=np.float64)
        rows = np.where(np.isfinite(rows), rows, np.nan)
        plane, total, numbers = Plane.of(rows, names), len(rows), np.arange(len(rows))
        if total > most:
            numbers = np.sort(np.random.default_rng(0).choice(total, most, replace=False))
        called = tuple(str(row_names[i]) for i in numbers.tolist()) if row_names is not None else ()
        return cls(plane.origin, plane.axes, plane.names, rows[numbers], total, numbers, called)


class Scene(Protocol):
    """What a snapshot looks like, and how its clusters share out the rows."""

    words: tuple[str, str]  # of the two halves of an iteration

    def drawn(self, snapshot: Shown) -> Shown: ...

    def coloured(self, snapshot: Shown) -> Shown: ...


def frames_of(scene: Scene, start: Shown | None, snapshots: Sequence[Shown], halves: Floats) -> list[Shown]:
    """The frames of a run: its start, both halves of each iteration where it has halves, and the end."""
    has_halves = start is not None and bool(np.isfinite(halves).all())
    frames: list[Shown] = []
    if start is not None:
        frames.append({"iteration": 0, "phase": "start", **scene.drawn(start), **scene.coloured(start)})
    if not has_halves:
        shown = [(i, snapshots[i]) for i in thinned(len(snapshots), MOST_FRAMES - 1)]
        return frames + [{"iteration": i, **scene.drawn(one), **scene.coloured(one)} for i, one in shown]
    for i in thinned(len(snapshots), (MOST_FRAMES - 2) // 2):
        before = (snapshots[i - 1] if i else start) or {}
        found = scene.coloured(before)
        for after, words, value in zip((before, snapshots[i]), scene.words, halves[i].tolist(), strict=True):
            frames.append({"iteration": i, "phase": words, "value": number(value), **scene.drawn(after), **found})
    last = snapshots[-1]
    frames.append({"iteration": len(snapshots) - 1, "phase": "end", **scene.drawn(last), **scene.coloured(last)})
    return frames


@dataclass(frozen=True, eq=False)
class CentresScene:
    """Centres, and each row in the colour of its nearest one; the softer, the fainter."""

    view: View
    metric: str | None  # None where it cannot be seen from coordinates
    softness: float | None = None  # the β of soft k-means
    words = ("rows find their centres", "centres move to their rows")

    def drawn(self, snapshot: Shown) -> Shown:
        return {"centres": rounded(self.view.places(snapshot["cluster_centers_"]))}

    def coloured(self, snapshot: Shown) -> Shown:
        if self.metric is None:
            return {}
        gap = np.where(np.isnan(self.view.rows), 0.0, self.view.rows)
        there = ~np.isnan(self.view.rows)
        centres = np.nan_to_num(np.asarray(snapshot["cluster_centers_"], dtype=np.float64))
        power = 1 if self.metric == "manhattan" else 2
        far = np.stack([np.sum(np.where(there, np.abs(gap - c) ** power, 0.0), axis=1) for c in centres], axis=1)
        made = {"labels": letters(np.argmin(far, axis=1))}
        if self.softness:
            share = 1 / np.exp((far.min(axis=1, keepdims=True) - far) / self.softness).sum(axis=1)  # of the nearest
            made["sure"] = letters(np.floor(share * 9.999).astype(int))
        return made


@dataclass(frozen=True, eq=False)
class MixtureScene:
    """Ellipses of Gaussians, and each row in the colour of the likeliest; the less sure, the fainter."""

    view: View
    words = ("E-step: components share out the rows", "M-step: components fit their shares")

    def drawn(self, snapshot: Shown) -> Shown:
        mixture, view = snapshot["mixture_"], self.view
        weights, means = np.asarray(mixture["weights"]), np.asarray(mixture["mean"])
        spreads = _covariances(mixture, means.shape[1])
        return {
            "ellipses": [
                {"at": rounded(view.places(mean[None])[0]), "spread": rounded(view.spread(spread)), "weight": number(w)}
                for mean, spread, w in zip(means, spreads, weights.tolist(), strict=True)
            ]
        }

    def coloured(self, snapshot: Shown) -> Shown:
        responsibilities = _responsibilities(snapshot["mixture_"], self.view.rows)
        if responsibilities is None:
            return {}
        sure = np.floor(responsibilities.max(axis=1) * 9.999).astype(int)
        return {"labels": letters(responsibilities.argmax(axis=1)), "sure": letters(sure)}


def _covariances(mixture: Mapping[str, object], d: int) -> Floats:
    if "covariance" in mixture:
        return np.asarray(mixture["covariance"])
    variance = np.asarray(mixture["variance"])
    return np.asarray([np.eye(d) * row for row in variance])


def _responsibilities(mixture: Shown, rows: Floats) -> Floats | None:
    """The responsibility of each component for each row, (n, k)."""
    weights, means = np.asarray(mixture["weights"]), np.asarray(mixture["mean"])
    if "covariance" in mixture:
        parts: list[Any] = [Gaussian(m, c) for m, c in zip(means, mixture["covariance"], strict=True)]
    else:
        wide = np.broadcast_to(mixture["variance"], means.shape)
        parts = [DiagonalGaussian(m, np.array(v)) for m, v in zip(means, wide, strict=True)]
    try:
        return np.asarray(Mixture.of(weights, parts).posterior_of(rows))
    except (ValueError, ArithmeticError, np.linalg.LinAlgError):  # a component that has just collapsed
        return None


def thinned(n: int, most: int) -> list[int]:
    """All iterations, or of many those at equal steps with the first and the last."""
    return sorted(set(np.linspace(0, n - 1, min(n, most)).round().astype(int).tolist())) if n else []


def letters(codes: Labels) -> str:
    return "".join(DIGITS[int(code) % len(DIGITS)] for code in codes)


def number(x: float) -> float | None:
    return float(x) if np.isfinite(x) else None


def rounded(values: Floats, digits: int = 4) -> object:
    """Nested lists with so many significant digits; what is not finite is null."""
    if np.ndim(values) == 0:
        return float(f"{float(values):.{digits}g}") if np.isfinite(values) else None
    return [rounded(value, digits) for value in values]
