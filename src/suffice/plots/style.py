"""One look for every picture: colours that anyone can tell apart, thin axes, nothing that says nothing."""

from __future__ import annotations

from typing import Any

from ..errors import MissingExtra

# The colours of Okabe and Ito, told apart with any colour vision and in print; the palest is left out.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
INK, QUIET = "#222222", "#8a8a8a"
TEXT, SMALL = 9.0, 8.0  # points, readable at the width of a column
PANEL = (2.9, 2.2)  # inches
COLUMNS = 3  # panels side by side, at the most


def pyplot() -> Any:
    """matplotlib.pyplot, or the sentence that says how to install it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtra("matplotlib", "plot") from None
    return plt


def new_axes(ax: Any = None, size: tuple[float, float] = (4.6, 3.2)) -> Any:
    """The axes that was given, or one in a new figure."""
    return pyplot().subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def panels(n: int, ax: Any = None) -> list[Any]:
    """n axes side by side: in a new figure, or within the frame of a given one."""
    columns = min(n, COLUMNS)
    rows = -(-n // columns)
    if ax is None:
        size = (PANEL[0] * columns, PANEL[1] * rows)
        grid = pyplot().subplots(rows, columns, figsize=size, squeeze=False, layout="constrained")[1].ravel()
        for spare in grid[n:]:
            spare.remove()
        return list(grid[:n])
    ax.set_axis_off()
    width, height = 1 / columns, 1 / rows
    places = [(i % columns * width, 1 - (i // columns + 1) * height) for i in range(n)]
    return [ax.inset_axes((x + 0.12 * width, y + 0.12 * height, 0.8 * width, 0.62 * height)) for x, y in places]


def dress(ax: Any, *, title: str = "", x: str = "", y: str = "") -> None:
    """Words and quiet axes: no frame on top and right, faint horizontal lines."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(QUIET)
        ax.spines[side].set_linewidth(0.8)
    ax.tick_params(colors=INK, labelsize=SMALL, width=0.8, length=3)
    ax.grid(axis="y", color="#e6e6e6", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set_xlabel(x, fontsize=TEXT, color=INK)
    ax.set_ylabel(y, fontsize=TEXT, color=INK)
    if title:
        ax.set_title(title, fontsize=TEXT, color=INK, loc="left")


def few_digits(axis: Any) -> None:
    """Write large numbers on an axis as 250k or 3M, so that no power of ten stands apart from them."""
    from matplotlib.ticker import EngFormatter

    if max(map(abs, axis.get_view_interval())) >= 1e4:
        axis.set_major_formatter(EngFormatter(sep=""))
