"""Rows shared out among the parts of a mixture, block by block."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np

from ..backend.mixture import Rule, responsibilities
from ..backend.posteriors import comparable
from ..typing import Floats, Numbers

Members = Sequence[Any]  # of one family, whose own methods read their parameters
_BLOCK_CELLS = 1 << 20  # cells of a block of rows: temporaries stay small


class Shared(NamedTuple):
    """Rows shared out among parts: the weight (k,) and the summary of each, and of all rows Σ w log p(x)."""

    weight: Floats
    statistics: tuple[Any, ...]
    log_likelihood: float

    def __add__(self, other: Shared) -> Shared:  # type: ignore[override]
        statistics = tuple(map(add, self.statistics, other.statistics))
        log_likelihood = self.log_likelihood + other.log_likelihood
        return Shared(self.weight + other.weight, statistics, log_likelihood)


def shared_out(parts: Members, log_weight: Floats, X: Numbers, weight: Floats | None, rule: Rule) -> Shared:
    """Share the rows out by their responsibilities, and sum each part's up.

    A row that no part gives a density above 0 is shared out by the weights, and its log density is −∞.
    """

    def of_block(rows: slice) -> Shared:
        block, w = X[rows], 1.0 if weight is None else weight[rows, None]
        log_joint = type(parts[0]).log_joints(parts, log_weight, block)  # (n, k)
        share, log_prob = responsibilities(comparable(log_joint, log_weight), rule.rows(rows))
        top = log_joint.max(axis=1)
        share, log_prob = share * w, np.where(np.isfinite(top), log_prob, top)
        statistics = type(parts[0]).shared_statistics(parts, block, share)
        return Shared(share.sum(axis=0), statistics, weighted_sum(log_prob, None if weight is None else weight[rows]))

    return reduce(add, map(of_block, blocks(X.shape[0], max(X.shape[1], len(parts)))))


def blocks(n: int, columns: int) -> list[slice]:
    """Slices of rows, at least one, that together are all n, each of about a million cells of `columns` columns."""
    height = max(1, _BLOCK_CELLS // max(1, columns))
    return [slice(first, min(n, first + height)) for first in range(0, max(1, n), height)]


def weighted_sum(log_prob: Floats, weight: Floats | None) -> float:
    """Σ w log p(x); a row of weight 0 counts nothing, also where its density is 0."""
    if weight is None:
        return float(np.sum(log_prob))
    if not np.isfinite(log_prob).all():
        log_prob = np.where(weight > 0, log_prob, 0.0)
    return float(np.dot(weight, log_prob))
