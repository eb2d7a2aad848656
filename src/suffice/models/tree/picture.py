"""A tree as a picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...growth.conditions import Split
from ...growth.multiway_rules import MultiwayRules
from ...growth.rules import Line, Rules, check_depth
from ...plots import TreeDisplay, TreeNode
from ...text import figure
from ...typing import Floats


def tree_display(rules: Rules, max_depth: int | None) -> TreeDisplay:
    """The boxes of the first tree of rules down to a depth, not drawn."""
    lines, classes = rules.lines(0, max_depth), tuple(map(str, rules.labels or ()))
    above = _above(lines)
    values, place = np.array([line.says[0] for line in lines]), _places(above)
    low, high = float(values.min()), float(values.max())
    levels = (values - low) / (high - low) if high > low else np.zeros(len(values))
    nodes = []
    for i, line in enumerate(lines):
        split = lines[above[i]].split if above[i] >= 0 else None
        edge = "" if split is None else _edge(split, is_left=above.index(above[i]) == i)
        nodes.append(
            TreeNode(float(place[i]), line.depth, _question(line.split), _said(rules, line), line.weight,
                     line.says[: len(classes)], float(levels[i]), above[i], edge, line.is_cut)
        )  # fmt: skip
    return TreeDisplay(tuple(nodes), classes)


def multiway_display(rules: MultiwayRules, max_depth: int | None) -> TreeDisplay:
    """The boxes of a tree with many branches down to a depth, not drawn."""
    check_depth(max_depth, "plot")
    tree, classes = rules.tree, tuple(map(str, rules.classes))
    order, open_ = [], [(0, -1, "")]
    while open_:
        node, above, told = open_.pop()
        is_cut = max_depth is not None and tree.depths[node] >= max_depth and not tree.is_leaf[node]
        name = rules.schema.columns[int(tree.column[node])].name
        question = None if tree.is_leaf[node] or is_cut else (name, "")
        order.append((node, above, told, question, is_cut))
        if question is not None:
            open_ += [(child, len(order) - 1, rules.relation(node, k)) for k, child in rules.branches(node)][::-1]
    place, shares = _places([above for _, above, *_ in order]), tree.shares
    nodes = [
        TreeNode(float(place[i]), int(tree.depths[node]), question, classes[int(np.argmax(shares[node]))],
                 float(tree.counts[node].sum()), tuple(shares[node].tolist()), 0.0, above, told, is_cut)
        for i, (node, above, told, question, is_cut) in enumerate(order)
    ]  # fmt: skip
    return TreeDisplay(tuple(nodes), classes)


def _said(rules: Rules, line: Line) -> str:
    return rules.prediction(line.says) if rules.labels is not None else ", ".join(figure(x) for x in line.says)


def _question(split: Split | None) -> tuple[str, str] | None:
    return None if split is None else (split.column.name, split.relation(True, 4))


def _edge(split: Split, is_left: bool) -> str:
    return ("yes" if is_left else "no") + (", missing" if split.missing_left == is_left else "")


def _above(lines: Sequence[Line]) -> list[int]:
    """The line of the node above each, −1 for the root."""
    last: list[int] = []  # of each depth
    found = []
    for i, line in enumerate(lines):
        last[line.depth :] = [i]
        found.append(last[line.depth - 1] if line.depth else -1)
    return found


def _places(above: Sequence[int]) -> Floats:
    """Where boxes stand across: those without boxes below side by side, the others above the middle of theirs."""
    below: list[list[int]] = [[] for _ in above]
    for i, parent in enumerate(above):
        if parent >= 0:
            below[parent].append(i)
    ends = [i for i, own in enumerate(below) if not own]
    place = np.zeros(len(above))
    place[ends] = np.arange(len(ends))
    for i in reversed(range(len(above))):
        if below[i]:
            place[i] = place[below[i]].mean()
    return place
