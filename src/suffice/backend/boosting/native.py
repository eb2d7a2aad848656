"""The kernel of boosting; see `portable.py` for what it computes."""

from __future__ import annotations

import numpy as np

from ...typing import Whole
from ..growth.native import nodes_of
from ..native import kernels
from ..predictors import KINDS
from ..threads import thread_count
from . import portable
from .values import SOFTMAX, Boosting, Grove, Standing


def boost_rounds(standing: Standing, plan: Boosting, seeds: Whole) -> Grove:
    """Rounds of a loss that the kernel knows; of others, only their trees grow in kernels."""
    kind = plan.loss.kind
    if kind not in KINDS and kind != SOFTMAX:
        return portable.boost_rounds(standing, plan, seeds)
    table, weights, k = plan.table, plan.weights, len(standing.raw)
    times, unit = weights.whole
    raw, gradient = standing.raw.copy(), standing.gradient.copy()
    curvature = None if standing.curvature is None else standing.curvature.copy()
    judged = None if plan.judged is None else np.empty((len(seeds) // k, k, len(plan.judged)))
    numbers = [
        *plan.loss.numbers, plan.rate, plan.l2, np.nan if plan.curvature is None else plan.curvature,
        np.nan if plan.share is None else plan.share, unit, weights.bits(plan.curvature is not None, plan.bounded),
    ]  # fmt: skip
    found, value, totals = kernels().boost_rounds(
        np.ascontiguousarray(table.codes), table.by_row, table.categorical.view(np.uint8), table.values,
        plan.limits.numbers, plan.monotone, None if plan.together is None else plan.together.view(np.uint8),
        -1 if kind == SOFTMAX else KINDS.index(kind), np.array(numbers, dtype=np.float64), plan.y, weights.weight,
        plan.counted, weights.factor, times, plan.learned, plan.drawn, plan.mass, plan.judged, seeds, raw, gradient,
        curvature, judged, thread_count(),
    )  # fmt: skip
    nodes = nodes_of(found, 3)
    weight = nodes.sums[:, 2].astype(np.float64) * unit
    return Grove(
        Standing(raw, gradient, curvature), nodes, value, weight, totals,
        None if judged is None else judged[: len(totals)],
    )  # fmt: skip
