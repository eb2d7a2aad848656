"""Trees as text in Newick's format."""

from __future__ import annotations

from ...typing import Floats, Whole

_SPECIAL = set("()[]{}:;,'\" \t\n")


def newick(children: Whole, heights: Floats, names: list[str]) -> str:
    """The tree with the length of every branch, which is negative where heights fall.

    >>> newick([[0, 1]], [2.0], ["left", "it's"])
    "(left:2,'it''s':2);"
    """
    n = len(names)
    texts: list[str] = [_quoted(name) for name in names]
    level = [0.0] * n
    for pair, height in zip(children, heights, strict=True):
        parts = ",".join(f"{texts[c]}:{height - level[c]:.12g}" for c in pair)
        for c in pair:
            texts[c] = ""  # it is part of the new text
        texts.append(f"({parts})")
        level.append(float(height))
    return f"{texts[-1]};"


def _quoted(name: str) -> str:
    """A name with characters that mean something is quoted."""
    return "'" + name.replace("'", "''") + "'" if set(name) & _SPECIAL or not name else name
