"""One look for every picture: colours that anyone can tell apart, thin axes, nothing that says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidParameter, needed
from ..typing import Axes, Figure, Floats, Numbers

if TYPE_CHECKING:
    from matplotlib.artist import Artist

# The colours of Okabe and Ito, told apart with any colour vision and in print; the palest is left out.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P")  # the next one when the colours are used up
INK, QUIET, FAINT = "#222222", "#8a8a8a", "#e6e6e6"
DASHED = (0, (4, 3))
TEXT, SMALL = 9.0, 8.0  # points, readable at the width of a column
PANEL = (2.9, 2.2)  # inches
COLUMNS = 3  # panels side by side, at the most
MANY = 2000  # from so many points on, a scatter is stored as a picture inside a PDF
OWN = "made by suffice.plots"  # the label of figures that may be resized


def pyplot() -> ModuleType:
    """matplotlib.pyplot, or the sentence that says how to install it."""
    return needed("matplotlib.pyplot", "plot")


def new_axes(ax: Axes | None = None, size: tuple[float, float] = (4.6, 3.2)) -> Any:
    """The axes that was given, or one in a new figure."""
    if ax is not None:
        return _checked(ax)
    figure, made = pyplot().subplots(figsize=size, layout="constrained")
    figure.set_label(OWN)
    return made


def _checked(ax: Axes) -> Axes:
    if not hasattr(ax, "figure"):
        raise InvalidParameter(f"plot: ax must be axes of Matplotlib, or None; got {ax!r:.80}.")
    return ax


def grid(rows: int, columns: int, ax: Axes | None = None, size: tuple[float, float] = PANEL) -> list[list[Axes]]:
    """Rows of axes, each of the given size: in a new figure, or within the frame of a given axes."""
    if ax is None:
        whole = (size[0] * columns, size[1] * rows)
        figure, made = pyplot().subplots(rows, columns, figsize=whole, squeeze=False, layout="constrained")
        figure.set_label(OWN)
        return [list(row) for row in made]
    _checked(ax).set_axis_off()
    width, height = 1 / columns, 1 / rows

    def inner(i: int, j: int) -> Axes:
        return ax.inset_axes(((j + 0.12) * width, 1 - (i + 1) * height + 0.12 * height, 0.8 * width, 0.62 * height))

    return [[inner(i, j) for j in range(columns)] for i in range(rows)]


def columns_of(n: int) -> int:
    """How many of n panels stand side by side."""
    return 2 if n == 4 else max(1, min(n, COLUMNS))


def panels(n: int, ax: Axes | None = None, size: tuple[float, float] = PANEL) -> list[Axes]:
    """n axes side by side: in a new figure, or within the frame of a given one."""
    columns = columns_of(n)
    every = [each for row in grid(-(-n // columns), columns, ax, size) for each in row]
    for spare in every[n:]:
        spare.remove()
    return every[:n]


def dress(ax: Axes, *, title: str = "", x: str = "", y: str = "") -> None:
    """Words and quiet axes: no frame on top and right, faint horizontal lines."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(QUIET)
        ax.spines[side].set_linewidth(0.8)
    ax.tick_params(colors=INK, labelsize=SMALL, width=0.8, length=3)
    ax.grid(axis="y", color=FAINT, linewidth=0.6)
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


def look(k: int) -> tuple[str, str]:
    """The colour and the marker of group k; below 0 is noise. 42 groups differ."""
    if k < 0:
        return QUIET, "x"
    return COLOURS[k % len(COLOURS)], MARKERS[k // len(COLOURS) % len(MARKERS)]


def mixed(shares: Floats) -> Floats:
    """The colours of groups mixed by the shares (n, k) of each row, (n, 3)."""
    from matplotlib.colors import to_rgb

    colours = np.array([to_rgb(look(k)[0]) for k in range(shares.shape[1])])  # (k, 3)
    return np.asarray(np.clip(shares @ colours, 0.0, 1.0))


def short(name: object, most: int = 24) -> str:
    """A name as matplotlib may show it: on one line, its middle left out where it is long, no formula in it.

    >>> short("the width of the carapace in millimetres"), short("price in $ and $")
    ('the width of…millimetres', 'price in \\\\$ and \\\\$')
    """
    text = " ".join(str(name).split())
    if len(text) > most:
        text = f"{text[: most // 2].rstrip()}…{text[len(text) - (most - most // 2 - 1) :].lstrip()}"
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text  # a legend leaves out what begins with an underscore


def points(ax: Any, x: object, y: Numbers | None, group: int, n: int, **more: object) -> Any:
    """A scatter in the look of a group: smaller and paler the more points, n, there are in all groups."""
    colour, marker = look(group)
    size = 14.0 if n <= 300 else 8.0 if n <= MANY else 4.0
    edges = {} if marker == "x" else {"edgecolors": "white", "linewidths": 0.3 if n <= 300 else 0.0}
    defaults = {"s": size, "c": colour, "marker": marker, "alpha": 0.85 if n <= MANY else 0.5, "zorder": 2.0}
    return ax.scatter(x, y, **{**defaults, **edges, "rasterized": n > MANY, **more})


def shorts(names: Sequence[object], most: int = 24) -> list[str]:
    """Names made short, and longer again where two would look the same.

    >>> shorts(["the first of two long names", "the other of two long names"], 12)
    ['the fi…names', 'the ot…names']
    >>> shorts(["class 1 of the older kind", "class 2 of the older kind"], 12)
    ['class 1 of the older kind', 'class 2 of the older kind']
    """
    for length in (most, 32, 48, 80):
        made = [short(name, length) for name in names]
        if length >= most and len(set(made)) == len(set(map(str, names))):
            break
    return made


def whole_figure(ax: Axes) -> Figure:
    """The figure of axes, also of those of a part of it."""
    return ax.figure.canvas.figure


def legend(ax: Any, handles: Sequence[Artist] | None = None, names: Sequence[str] | None = None, title: str = "",
           most: int = 24) -> Any:  # fmt: skip
    """The names on the right of the axes, or of all axes of a figure of ours, which grows by as much."""
    if handles is None:
        handles, names = ax.get_legend_handles_labels()
    if not handles:
        return None
    figure = whole_figure(ax)
    own = figure.get_label() == OWN
    width, height = figure.get_size_inches()
    place = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.02), "borderaxespad": 0}
    where = figure if own and len(figure.axes) > 1 else ax
    made = where.legend(
        handles, shorts(names or (), most), **(place if where is ax else {"loc": "outside right upper"}), frameon=False,
        fontsize=SMALL, title=title or None, title_fontsize=SMALL, ncols=-(-len(handles) // max(1, int(5 * height))),
        handletextpad=0.5, columnspacing=1.0, alignment="left",
    )  # fmt: skip
    if own:
        made.set_in_layout(False)  # it may be wider than the figure is yet
        figure.draw_without_rendering()
        made.set_in_layout(True)
        figure.set_size_inches(width + made.get_window_extent().width / figure.dpi, height)
    return made


def group_legend(ax: Axes, names: Sequence[str], codes: Sequence[int] | None = None, title: str = "") -> Any:
    """A marker and a name for each group; nothing where there is one group without a name."""
    if list(names) in ([], [""]):
        return None
    from matplotlib.lines import Line2D

    looks = [look(k) for k in (codes if codes is not None else range(len(names)))]
    handles = [Line2D([], [], color=colour, marker=marker, linestyle="", markersize=5) for colour, marker in looks]
    return legend(ax, handles, names, title)


def note(ax: Axes, text: str) -> None:
    """A quiet remark above the right end of the axes, such as "5,000 of 20,000 rows"."""
    if text:
        ax.set_title(text, fontsize=SMALL, color=QUIET, loc="right")


def names_below(ax: Any, names: Sequence[str], most: int = 24) -> None:
    """Names under positions 0, 1, …, upright where they would touch one another."""
    ax.set_xticks(range(len(names)), shorts(names, most), fontsize=tick_size(len(names)))
    whole_figure(ax).draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.get_xticklabels()]
    if any(left.x1 + 3 > right.x0 for left, right in pairwise(boxes)):
        ax.tick_params(axis="x", labelrotation=90)


def names_beside(ax: Axes, names: Sequence[str], most: int = 24) -> None:
    """Names to the left of positions 0, 1, …, from the top down."""
    ax.set_yticks(range(len(names)), shorts(names, most), fontsize=tick_size(len(names)))


def tick_size(n: int) -> float:
    """The size of n names in a row: smaller where there are many."""
    return SMALL if n <= 30 else max(4.0, SMALL * 30 / n)


def matrix_axes(ax: Axes) -> None:
    """Axes of a matrix: no frame, no ticks, no lines."""
    for side in ax.spines.values():
        side.set_visible(False)
    ax.tick_params(length=0, colors=INK)
    ax.grid(False)


def shades(colour: str = COLOURS[0], pale: str = "#ffffff") -> Any:
    """A colour map from white, or another pale colour, to a colour."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("suffice", [pale, colour])


def few_ticks(most: int = 5, integer: bool = False) -> Any:
    """Where to put so many ticks at the most, only at whole numbers where these alone can be."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(most, integer=integer, steps=[1, 2, 5, 10])


def diverging() -> object:
    """A colour map for signs: vermilion below, white at 0, blue above."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("suffice_signs", [COLOURS[1], "#ffffff", COLOURS[0]])


def ink_on(share: float) -> str:
    """White letters on dark cells, dark ones on pale cells; `share` is how dark, from 0 to 1."""
    return "#ffffff" if share > 0.6 else INK


def separate(ax: Any, texts: Sequence[Any], iterations: int = 60) -> None:
    """Move texts up and down until none covers another."""
    whole_figure(ax).draw_without_rendering()
    boxes = [text.get_window_extent() for text in texts]
    middle = [(box.y0 + box.y1) / 2 for box in boxes]
    moved = list(middle)
    for _ in range(iterations):
        clash = False
        order = sorted(range(len(texts)), key=lambda i: moved[i])
        for at, i in enumerate(order):
            for j in order[at + 1 :]:
                needed = (boxes[i].height + boxes[j].height) / 2 + 1
                beside = boxes[i].x1 + 1 < boxes[j].x0 or boxes[j].x1 + 1 < boxes[i].x0
                overlap = needed - (moved[j] - moved[i])
                if not beside and overlap > 0.5:
                    moved[i], moved[j], clash = moved[i] - overlap / 2, moved[j] + overlap / 2, True
        if not clash:
            break
    for text, before, after in zip(texts, middle, moved, strict=True):
        x, y = text.get_transform().transform(text.get_unitless_position())
        text.set_position(text.get_transform().inverted().transform((x, y + after - before)))


def square_limits(ax: Axes, xy: Any) -> None:
    """Equal units on both axes, and room around all the points."""
    ax.update_datalim(xy)
    ax.margins(0.06)
    ax.set_aspect("equal", adjustable="datalim")
    ax.autoscale_view()


def limits(ax: Axes, xy: Floats) -> None:
    """Room around all the points, each axis in its own unit."""
    low, high = xy.min(axis=0), xy.max(axis=0)
    room = 0.05 * (high - low) + 0.5 * (high == low)
    ax.set_xlim(low[0] - room[0], high[0] + room[0])
    ax.set_ylim(low[1] - room[1], high[1] + room[1])


def without_overlap(ax: Any, texts: Sequence[Any]) -> None:
    """Hide texts that would cover one that stands before them."""
    whole_figure(ax).draw_without_rendering()
    kept: list[Any] = []
    for text in texts:
        box = text.get_window_extent()
        if any(box.overlaps(other) for other in kept):
            text.set_visible(False)
        else:
            kept.append(box)


def line(k: int) -> dict[str, object]:
    """The colour of curve k, and another kind of line when the colours are used up."""
    kinds = ("-", (0, (5, 2)), (0, (1, 1.2)), (0, (5, 1, 1, 1)))
    return {"color": COLOURS[k % len(COLOURS)], "linestyle": kinds[k // len(COLOURS) % len(kinds)], "linewidth": 1.4}


def number(value: float, digits: int = 2) -> str:
    """A number with so many decimals, a true minus, and no minus before a zero.

    >>> number(-0.001), number(-0.5)
    ('0.00', '−0.50')
    """
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")
