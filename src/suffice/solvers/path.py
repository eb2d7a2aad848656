"""Solutions for many strengths of a penalty, from the largest down, each begun at the last."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..engine import Outcome, Step, iterate
from ..penalties import Penalty
from ..typing import Floats
from .columns import Columns
from .coordinate import Rounds
from .problem import Limits, Problem

_RIDGE = 1e-3  # the share of L1 that the largest strength is given for, where there is none


@dataclass(frozen=True)
class Path:
    """Strengths (k,), slopes (k, p) and intercepts (k,), objectives, dual gaps and mean losses (k,) each.

    `finished` says whether the iterations for each strength ended by the dual gap.
    """

    strength: Floats
    slope: Floats
    intercept: Floats
    objective: Floats
    gap: Floats
    loss: Floats
    finished: bool = True


def strengths(columns: Columns, penalty: Penalty, count: int, least: float) -> Floats:
    """So many strengths in equal ratios, from that which leaves no slope down to the part `least` of it."""
    sums = columns.sums(columns.null)
    gradient = sums.slope / sums.weight
    top = penalty.largest(gradient)
    if not np.isfinite(top):  # slopes are never all 0: as if there were a little of L1
        top = float(np.abs(gradient).max(initial=0.0)) / _RIDGE
    return np.geomspace(top, top * least, count) if top > 0 else np.geomspace(1.0, least, count)


def path(problem: Problem, columns: Columns, strength: Floats, limits: Limits) -> Outcome[Path]:
    """The solutions for falling strengths; one iteration is one strength."""
    count, p = len(strength), len(columns.spread)
    slope, intercept, figures = np.zeros((count, p)), np.zeros(count), np.zeros((count, 3))
    at, last, finished = columns.null, None, True

    def step(k: int) -> Step[int]:
        nonlocal at, last, finished
        own = float(strength[k])
        slack = float(strength[max(k - 1, 0)]) / own - 1 if own > 0 else 1.0
        rounds = Rounds(problem, columns, problem.penalty.of_strength(own), limits.tol, slack)
        rounds.last, ended = last, False
        for _ in range(limits.max_iter):
            found = rounds.step(at)
            at, ended = found.state, found.done
            if ended:
                break
        last, finished = rounds.last, finished and ended
        slope[k], intercept[k] = at.slope, at.intercept
        figures[k] = rounds.objective(at), rounds.gap(at), rounds.sums(at).value
        return Step(k + 1, figures[k, 0], {"strength": own, "dual_gap": figures[k, 1]}, done=k + 1 == count)

    def made(k: int) -> Path:
        objective, gap, loss = figures[:k].T
        return Path(strength[:k], slope[:k] + 0.0, intercept[:k], objective, gap, loss, finished)

    return iterate(lambda run: 0, step, max_iter=count).then(made)
