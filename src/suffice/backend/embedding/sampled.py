"""Epochs of sampled attraction and repulsion, in plain array code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from ...typing import Flags, Floats, Whole
from ..mixing import GOLDEN, Bits, mixed
from .values import Curve, Descended, Edges, Numbers, Sample, Sampling

PARTS = 8  # of an epoch, in each of which all points move once
_LONGEST = 4.0  # of what one pair moves a point, before the step
_TURN = 1 << 31  # by which the clock of an edge goes on until it is due


class _Due(NamedTuple):
    """The edges that are due in an epoch, those of each point side by side, and in which part of it."""

    row: Whole
    edge: Whole
    odd: Whole  # whether an odd number of turns is behind it
    part: Whole


def sampled(
    points: Floats, edges: Edges, sampling: Sampling, sample: Sample, steps: Floats, first: int = 0
) -> Descended:
    """Epochs of sampled attraction and repulsion of points (m, k), with steps so long, from the epoch `first` on.

    Each time an edge is due it pulls both ends along the slope of log ν, and each end is pushed from points drawn at
    random along that of log(1 − ν), as many in all as `negatives`. All points move at once, some times an epoch.
    """
    places = np.array(points, dtype=np.float64)
    pulls, pushes = np.empty(len(steps)), np.empty(len(steps))
    for e, step in enumerate(steps):
        places = _epoch(places, edges, sampling, float(step), first + e)
        pulls[e] = _looked_at(places, sample.rows, sample.others, sampling.curve)
        pushes[e] = _looked_at(places, sample.rows, sample.against, sampling.curve.other())
    return Descended(places, pulls, pushes)


def _looked_at(places: Floats, rows: Numbers, others: Numbers, curve: Curve) -> float:
    squared = np.sum((places[rows] - places[others]) ** 2, axis=1)
    return float(np.sum(np.logaddexp(0.0, log_odds(squared, curve)))) / max(1, len(rows))


def log_odds(squared: Floats, curve: Curve) -> Floats:
    """log((1 − ν) / ν) by squared distances."""
    return np.asarray(np.log(curve.a) + curve.b * np.log(curve.room + squared))


def _epoch(places: Floats, edges: Edges, sampling: Sampling, step: float, epoch: int) -> Floats:
    due = _due(edges, epoch)
    stream = mixed(np.uint64(sampling.seed) + GOLDEN * np.array([epoch], dtype=np.uint64))
    for part in range(PARTS):
        now = due.part == part
        row, edge, odd = due.row[now], due.edge[now], due.odd[now]
        other = np.asarray(edges.others, dtype=np.int64)[edge]
        count = (sampling.negatives + (odd ^ (row < other))) // 2  # of two ends one has the odd point
        key = mixed(stream + GOLDEN * (2 * edge + odd).astype(np.uint64))
        pulls, row, other = _pairs(row, other, count, key, sampling, len(places))
        apart = places[row] - places[other]
        force = np.zeros(places.shape)
        np.add.at(force, row, _held(np.sum(apart**2, axis=1), pulls, sampling)[:, None] * apart)
        places = places + step * force
    return places


def _due(edges: Edges, epoch: int) -> _Due:
    rate = np.asarray(edges.rate, dtype=np.int64)
    before = np.asarray(edges.phase, dtype=np.int64) + rate * epoch
    turns = (before + rate) // _TURN - before // _TURN  # at most two
    edge = np.repeat(np.arange(len(rate)), turns)
    row = np.repeat(np.arange(len(edges.ends)), np.diff(edges.ends, prepend=0))[edge]
    again = np.append(False, edge[1:] == edge[:-1])[: len(edge)]
    turn = before[edge] // _TURN + 1 + again
    unit = PARTS / np.maximum(rate[edge], 1)
    when = ((turn - again) * _TURN - before[edge]) * unit + again * (_TURN * unit)
    return _Due(row, edge, turn & 1, np.minimum(when, PARTS - 1).astype(np.int64))


def _pairs(row: Whole, other: Whole, count: Whole, key: Bits, sampling: Sampling, m: int) -> tuple[Flags, Whole, Whole]:
    """What pulls and what pushes: each edge, and behind it the points that are drawn for it."""
    first = np.cumsum(count + 1) - count - 1
    place = np.arange(int(np.sum(count + 1))) - np.repeat(first, count + 1)
    drawn = _drawn(
        mixed(np.repeat(key, count + 1) + GOLDEN * (np.maximum(place, 1) - 1).astype(np.uint64)), sampling, m
    )
    pulls = place == 0
    return pulls, np.repeat(row, count + 1), np.where(pulls, np.repeat(other, count + 1), drawn)


def _drawn(bits: Bits, sampling: Sampling, m: int) -> Whole:
    """Points by random bits."""
    drawn = (bits >> np.uint64(32)) * np.uint64(m) >> np.uint64(32)
    if sampling.drawing is None:
        return drawn.astype(np.int64)
    kept = (bits & np.uint64(0xFFFFFFFF)) * 2.0**-32 < sampling.drawing.share[drawn]
    return np.where(kept, drawn, sampling.drawing.alias[drawn]).astype(np.int64)


def _held(squared: Floats, pulls: Flags, sampling: Sampling) -> Floats:
    """What the difference of two points is multiplied by."""
    curve: Curve = sampling.curve
    far = expit(log_odds(squared, curve))
    hold = 2 * curve.b * np.where(pulls, -far, sampling.push * (1 - far)) / (curve.room + squared)
    length = np.abs(hold) * np.sqrt(squared)
    return np.asarray(hold * np.minimum(1.0, _LONGEST / np.maximum(length, 1e-300)))
