"""Rounds of boosting made of the operations of trees and losses: the definition of what the kernel computes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...typing import Floats, Whole
from ..growth import Draws, Nodes, Targets, drawn_rows, grow_boosted
from ..growth.scores import weights_of
from .steps import group_quantiles, joined_nodes, step_values
from .values import Boosting, Grove, Standing


def boost_rounds(standing: Standing, plan: Boosting, seeds: Whole) -> Grove:
    """Rounds of boosting from some predictors on: each grows a tree for each of them, by seeds (rounds · k,).

    They end with a round that grows nothing where nothing is left to chance.
    """
    raw = standing.raw.copy()
    standing = standing._replace(raw=raw)
    trees: list[tuple[Nodes, Floats, Floats]] = []
    totals, judged = [], []
    for own in seeds.reshape(-1, len(raw)):
        grown = plan.by_chance
        for c, seed in enumerate(own):
            nodes, value, weight, leaf = _tree(standing, plan, c, seed)
            raw[c] += value[leaf]
            grown = grown or len(nodes.column) > 1
            trees.append((nodes, value, weight))
        total, standing = plan.parts(raw)
        totals.append(total)
        if plan.judged is not None:
            judged.append(raw[:, plan.judged])
        if not grown:
            break
    all_nodes, values, weights = zip(*trees, strict=True)
    return Grove(
        standing, joined_nodes(list(all_nodes)), np.concatenate(values), np.concatenate(weights), np.array(totals),
        np.array(judged) if judged else None,
    )  # fmt: skip


def _tree(
    standing: Standing, plan: Boosting, c: int, seed: np.int64
) -> tuple[Nodes, Floats, Floats, NDArray[np.int32]]:  # fmt: skip
    """A tree of predictor c, what its nodes say and weigh, and the leaf of each row."""
    constant = plan.curvature is not None
    bends: Floats | float = plan.curvature if plan.curvature is not None else np.asarray(standing.curvature)[c]
    assert constant == (standing.curvature is None)
    targets = plan.weights.targets(standing.gradient[c], bends, plan.l2, plan.bounded)
    draws = _draws(plan, seed)
    nodes, leaf = grow_boosted(plan.table, targets, plan.limits, draws, plan.monotone, plan.together)
    value = plan.rate * _leaf_values(standing.raw[c], plan, targets, nodes, leaf, draws)
    return nodes, value, weights_of(targets, nodes.sums), leaf


def _leaf_values(
    raw: Floats, plan: Boosting, targets: Targets, nodes: Nodes, leaf: NDArray[np.int32], draws: Draws
) -> Floats:  # fmt: skip
    if plan.share is None:
        return step_values(targets, nodes.sums)
    own = slice(None) if draws.times is None else draws.times[0] > 0
    weight = None if plan.weights.weight is None else plan.weights.weight[own]
    rest, group = (plan.y - raw)[own], leaf[own].astype(np.int64)
    return group_quantiles(rest, group, len(nodes.column), plan.share, weight)


def _draws(plan: Boosting, seed: np.int64) -> Draws:
    seeds = np.array([seed])
    if not plan.drawn:
        return Draws(seeds, None if plan.learned is None else plan.learned[None])
    return Draws(seeds, drawn_rows(Draws(seeds, None, plan.drawn, False, plan.mass), 0, plan.weights.n)[None])
