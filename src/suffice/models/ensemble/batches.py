"""Trees of a forest, some at a time: Ctrl-C and a time limit keep those that are done."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from ...backend.growth import Draws, Limits, Targets
from ...backend.threads import thread_count
from ...engine import Step, closed_form, end_outer, in_turn
from ...growth import Trees

_AT_ONCE = 1.25e8  # rows times columns times levels that a thread looks at in about a second
_JOINED = 1 << 25  # bytes of the longest array of a batch, of which there are two for a moment


def trees_at_once(rows: int, limits: Limits, targets: Targets) -> int:
    """How many trees of so many rows take about a second and have small arrays, at least one for each thread."""
    work = rows * max(1.0, limits.tried) * math.log2(rows + 2)
    each = min(_AT_ONCE / work, _JOINED / (thread_count() * _most_bytes(rows, limits, targets)))
    return thread_count() * max(1, int(each))


def _most_bytes(rows: int, limits: Limits, targets: Targets) -> float:
    """At most what nodes of a tree say, or their thresholds, take, where rows weigh 1."""
    deepest = math.exp2(min(limits.most_depth, 62))
    leaves = max(1.0, min(rows / max(1.0, limits.least_leaf), deepest, limits.most_leaves))
    says = targets.k if targets.classes or targets.criterion in ("gini", "entropy", "error") else targets.k - 1
    return 16.0 * leaves * max(1, says)  # two nodes a leaf, of numbers of eight bytes


def in_batches(grown: Callable[[Draws], Trees], draws: Draws, count: int) -> list[Trees]:
    """All trees, so many at once, or those that are done when a fit is ended; the trees do not depend on the number."""
    if len(draws.seeds) <= count:
        return [grown(draws)] if len(draws.seeds) else []

    def batch(first: int) -> Trees:
        own = replace(draws, seeds=np.ascontiguousarray(draws.seeds[first : first + count]))
        outcome = closed_form(lambda: Step(grown(own), 0.0))
        end_outer(outcome.history.status)
        return outcome.state

    return list(in_turn(partial(batch, first) for first in range(0, len(draws.seeds), count)))
