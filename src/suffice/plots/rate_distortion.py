"""What bits buy: the quality of a compressed picture over its rate, one line a block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ..typing import Axes, Figure, SubFigure
from . import style
from .display import Columns, Display


@dataclass(frozen=True)
class RateCurve:
    """One line: its name, and for each point the rate, the PSNR (infinite where nothing is lost) and the codes."""

    name: str
    bits_per_pixel: Sequence[float]
    psnr: Sequence[float]
    codes: Sequence[int]


@dataclass(repr=False)
class RateDistortionDisplay(Display):
    """PSNR over bits per pixel; each line is named where it begins, points that lose nothing stand at the top.

    >>> RateDistortionDisplay((RateCurve("1 × 1", (1.0, 2.0), (20.0, 26.0), (2, 4)),)).curves[0].name
    '1 × 1'
    """

    curves: Sequence[RateCurve]
    ax_: Any = field(init=False, repr=False)
    figure_: Figure | SubFigure | None = field(init=False, repr=False)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = style.new_axes(ax)
        self.figure_ = self.ax_.figure
        for i, curve in enumerate(self.curves):
            self._draw(curve, style.COLOURS[i % len(style.COLOURS)])
        self._scale()
        return self

    def table(self) -> Columns:
        """One row a point."""
        fields = ("codes", "bits_per_pixel", "psnr")
        columns = {
            field: np.concatenate([np.asarray(getattr(each, field)) for each in self.curves]) for field in fields
        }
        return {
            "name": np.repeat([each.name for each in self.curves], [len(each.codes) for each in self.curves]),
            **columns,
        }

    def _draw(self, curve: RateCurve, colour: str) -> None:
        rate, quality = np.asarray(curve.bits_per_pixel, dtype=float), np.asarray(curve.psnr, dtype=float)
        finite = np.isfinite(quality)
        self.ax_.plot(
            rate[finite], quality[finite], color=colour, linewidth=1.4, marker="o", markersize=3.5, label=curve.name
        )
        top = self.ax_.get_xaxis_transform()  # x in bits, y in parts of the height
        self.ax_.plot(rate[~finite], np.ones(np.sum(~finite)), "^", color=colour, transform=top, clip_on=False)
        if finite.any():
            low = int(np.argmin(np.where(finite, rate, np.inf)))  # below the lowest rate no other line passes
            place = {"xytext": (0, -6), "textcoords": "offset points", "ha": "center", "va": "top"}
            self.ax_.annotate(curve.name, (rate[low], quality[low]), fontsize=style.SMALL, color=colour, **place)

    def _scale(self) -> None:
        from matplotlib.ticker import FuncFormatter, NullLocator

        lossless = any(np.isinf(curve.psnr).any() for curve in self.curves)
        self.ax_.set_xscale("log", base=2)
        self.ax_.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        self.ax_.xaxis.set_minor_locator(NullLocator())
        self.ax_.margins(x=0.1, y=0.12)
        title = "▲ nothing lost" if lossless else ""
        style.dress(self.ax_, title=title, x="bits per pixel, codebook included", y="PSNR in dB")
