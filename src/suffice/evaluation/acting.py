"""What actions cost on rows that were left out, by the probabilities that a model gave of them."""

from __future__ import annotations

import numpy as np

from ..errors import InvalidParameter
from ..params import check_argument
from ..resampling import Problem
from ..resampling.cost_results import CostResult, cost_result
from ..resampling.costs import Costs, CostsLike
from ..typing import Floats


def cost_of(
    problem: Problem, probability: Floats | None, costs: CostsLike, actions: object, doubt: float | None, level: float
) -> CostResult:
    """The cost of the actions of least expected cost by out-of-fold probabilities, (n, k); NaN where none was given."""
    owner = problem.owner
    if probability is None:
        raise InvalidParameter(f"{owner}: the model gives no probabilities, and costs need them; calibrate it.")
    check_argument(owner, "doubt", doubt, number=True, choices=(None,), at_least=0)
    table = Costs.of(costs, problem.classes, actions, owner)
    known = np.isfinite(probability).all(axis=1)
    of, paid = problem.part(np.flatnonzero(known)), table.with_doubt(doubt)
    return cost_result(table.expected(probability[known], doubt), np.asarray(of.codes), table, paid, of.weight, level)
