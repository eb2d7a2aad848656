"""The kernels of maps by neighbours; see `portable.py` for what each computes."""

from __future__ import annotations

import numpy as np

from ...typing import Floats, Whole
from ..native import kernels
from ..threads import thread_count
from ..weights import doubles
from .values import STUDENT, Curve, Descended, Edges, Field, Sample, Sampling


def calibrated(squared: Floats, ends: Whole, mass: Floats, entropy: float) -> tuple[Floats, Floats]:
    """Shares of neighbours (pairs,) and the precision of each list (q,)."""
    share, precision = np.empty(len(squared)), np.empty(len(ends))
    kernels().embedding_calibrated(doubles(squared), ends, doubles(mass), entropy, thread_count(), share, precision)
    return share, precision


def pull(
    rows: Floats,
    points: Floats,
    ends: Whole,
    others: Whole,
    share: Floats,
    curved: bool = False,
    curve: Curve = STUDENT,
) -> Field:
    """−Σ p log ν over the list of each row."""
    out = _field(rows, curved)
    near = np.ascontiguousarray(others, dtype=np.int32)
    kernels().embedding_pull(doubles(rows), doubles(points), ends, near, doubles(share), *curve, thread_count(), *out)
    return out


def sampled(
    points: Floats, edges: Edges, sampling: Sampling, sample: Sample, steps: Floats, first: int = 0
) -> Descended:
    """Epochs of sampled attraction and repulsion of points (m, k), with steps so long, from the epoch `first` on."""
    _check(edges, sampling, sample, len(points))
    found = Descended(np.array(points, order="C"), np.empty(len(steps)), np.empty(len(steps)))
    kernels().embedding_sampled(
        found.points, *edges, *sampling.curve, sampling.push, sampling.negatives, sampling.seed,
        *(sampling.drawing or (None, None)), *sample, doubles(steps), first, thread_count(), *found[1:],
    )  # fmt: skip
    return found


def _check(edges: Edges, sampling: Sampling, sample: Sample, m: int) -> None:
    """Refuse lists that are not one after the other, and points that there are not."""
    pairs = int(edges.ends[-1]) if len(edges.ends) else 0
    if (edges.ends[1:] < edges.ends[:-1]).any() or not (edges.ends[:1] >= 0).all() or pairs >= 1 << 31:
        raise ValueError("the ends of lists must not fall, and there must be fewer than 2^31 edges")
    for numbers in (edges.others, *sample, *(sampling.drawing or ())[1:]):
        if len(numbers) and not (numbers.min() >= 0 and numbers.max() < m):
            raise ValueError(f"a point is out of range; there are {m}")


def push(rows: Floats, points: Floats, mass: Floats | None = None, curved: bool = False) -> Field:
    """Σⱼ mⱼ / (1 + d²) of each row."""
    out = _field(rows, curved)
    kernels().embedding_push(doubles(rows), doubles(points), doubles(mass), thread_count(), *out)
    return out


def push_by_tree(rows: Floats, points: Floats, mass: Floats | None = None, angle: float = 0.5) -> Field:
    """The same with cells of points that are far away."""
    out = _field(rows, False)
    kernels().embedding_tree(doubles(rows), doubles(points), doubles(mass), angle, thread_count(), *out[:2])
    return out


def spread(points: Floats, mass: Floats | None, origin: Floats, step: float, shape: tuple[int, int]) -> Floats:
    """What each knot of a grid has of the points."""
    out = np.empty(shape)
    kernels().embedding_spread(doubles(points), doubles(mass), doubles(origin), step, thread_count(), out)
    return out


def read_off(rows: Floats, field: Floats, origin: Floats, step: float, curved: bool = False) -> Field:
    """A function on a grid at places."""
    out = _field(rows, curved)
    kernels().embedding_read_off(doubles(rows), doubles(field), doubles(origin), step, thread_count(), *out)
    return out


def _field(rows: Floats, curved: bool) -> Field:
    q, k = rows.shape
    return Field(np.empty(q), np.empty((q, k)), np.empty((q, k, k)) if curved else None)
