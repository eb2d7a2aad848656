"""A tree of decisions as boxes."""

from __future__ import annotations

from ...plots import TreeDisplay, TreeNode
from ...plots.tree import HEIGHT, WIDTH, stacked
from ...text import figure
from ..svg import Axes, Picture, clipped, colour, legend
from .render import picture

_ACROSS, _DOWN = 164.0, 122.0  # a leaf and a level
_LETTERS = 20  # in a line of a box


@picture.register
def tree(display: TreeDisplay) -> Picture:
    """Boxes with a question and what they say, a bar of the shares of classes in each, and lines between them."""
    wide, deep = display.extent()
    size = (_ACROSS * (wide + 1.0), _DOWN * (deep + 0.86))
    leaves = sum(node.question is None for node in display.nodes)
    made = Picture(*size, f"A tree with {len(display.nodes)} nodes shown, {leaves} of them leaves")
    made.legend = legend(display.classes)
    axes = Axes(made, (-0.5, wide + 0.5), (deep + 0.5, -0.36), (0.0, 0.0, *size))
    with axes.marks():
        for start, end, _ in display.edges():
            axes.line([start, end], "axis")
    for start, end, said in display.edges():
        made.text(axes.px((start[0] + end[0]) / 2), axes.py((start[1] + end[1]) / 2) + 4, said, "middle", "t halo")
    for node in display.nodes:
        _box(axes, node)
    return made


def _box(axes: Axes, node: TreeNode) -> None:
    made, own = axes.picture, colour(max(node.group, 0))
    x, top = (node.x - WIDTH / 2, node.x + WIDTH / 2), node.depth - HEIGHT / 2
    axes.bar(x, (top, top + HEIGHT), own, fill_opacity=f"{0.12 + 0.38 * node.strength:.2f}", rx=6)
    for k, (start, end) in enumerate(stacked(node.shares)):
        inner = (x[0] + 0.05 + start * (WIDTH - 0.1), x[0] + 0.05 + end * (WIDTH - 0.1))
        axes.bar(inner, (top + HEIGHT - 0.1, top + HEIGHT - 0.04), colour(k))
    asked = [] if node.question is None else [" ".join(node.question)]
    if asked and len(asked[0]) > _LETTERS and node.question is not None:
        asked = list(node.question)
    words = [clipped(line, _LETTERS) for line in (*asked, node.says, f"n = {figure(node.weight, 6)}")]
    room = axes.py(top + HEIGHT - (0.11 if node.shares else 0.02)) - axes.py(top)
    for i, line in enumerate(words):
        strong = i < len(asked) or (not asked and i == 0)
        y = axes.py(top) + room * (i + 0.5) / len(words) + 4
        made.text(axes.px(node.x), y, line, "middle", "t strong" if strong else "t name")
    if node.is_cut:
        made.text(axes.px(node.x), axes.py(node.depth + 0.4), "…", "middle", "t strong")
