"""Convergence: the objective of a fit, iteration by iteration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..errors import InvalidData, InvalidParameter
from ..text import counted
from ..typing import Axes, AxesLike, Floats
from . import style
from .display import Columns, Display

HALVES = ("rows shared out (E)", "clusters updated (M)")
_CURVES = ("loss_curve_", "lower_bounds_", "train_score_", "scores_")  # of other libraries' estimators


@dataclass(frozen=True, eq=False)
class Course:
    """The objective after each iteration, the seconds by then where they are known, and how the fit ended."""

    name: str
    objective: Floats
    seconds: Floats | None = None
    status: str = ""
    halves: Floats | None = None  # (n, 2): after each half of each iteration, where it has halves

    @property
    def ending(self) -> str:
        """Such as "12 iterations, converged"."""
        return counted(len(self.objective), "iteration") + (f", {self.status.replace('_', ' ')}" if self.status else "")

    @classmethod
    def of(cls, fit: Any, name: str = "") -> Course:
        """From a history, an estimator that has one, or plain numbers.

        >>> Course.of([3.0, 2.0, 1.5]).objective
        array([3. , 2. , 1.5])
        """
        history = getattr(fit, "history_", fit)
        curve = getattr(history, "objective", None)
        if curve is None:
            found = [getattr(fit, attribute) for attribute in _CURVES if hasattr(fit, attribute)]
            curve = found[0] if found else fit
        try:
            objective = np.asarray(curve, dtype=float)
        except (TypeError, ValueError):
            objective = np.zeros(())
        if objective.ndim != 1 or not len(objective):
            raise InvalidData(
                f"ConvergenceDisplay: {type(fit).__name__} has no iterations; fit it first, or give numbers."
            )
        seconds = getattr(history, "seconds", None)
        halves = getattr(history, "half_steps", None)
        return cls(
            name,
            objective,
            None if seconds is None else np.asarray(seconds, float),
            getattr(history, "status", ""),
            None if halves is None or not np.isfinite(halves).all() else np.asarray(halves, float),
        )


@dataclass(eq=False, repr=False)
class ConvergenceDisplay(Display):
    """The objective over iterations or seconds; as `gap` its distance from the best of all, on a logarithmic scale.

    With `halves` it stands after both halves of each iteration: assignment and update of k-means, E-step and M-step of
    EM.

    >>> ConvergenceDisplay([Course.of([3.0, 2.0, 1.5])]).table()["gap"]
    array([1.5, 0.5, 0. ])
    """

    courses: Sequence[Course]
    over: str = "iterations"
    gap: bool = False
    halves: bool = False

    def __post_init__(self) -> None:
        if self.halves and (self.over != "iterations" or any(course.halves is None for course in self.courses)):
            raise InvalidData(
                "ConvergenceDisplay: halves=True needs iterations of k-means or EM with a finite objective after both "
                "halves of each, and over='iterations'; leave it out."
            )
        if self.over not in ("iterations", "seconds"):
            raise InvalidParameter(f"ConvergenceDisplay: over={self.over!r} must be 'iterations' or 'seconds'.")
        if self.over == "seconds" and any(course.seconds is None for course in self.courses):
            raise InvalidData("ConvergenceDisplay: a course has no seconds; use over='iterations'.")

    @classmethod
    def from_estimator(
        cls,
        estimator: object,
        *,
        over: str = "iterations",
        gap: bool = False,
        halves: bool = False,
        ax: AxesLike = None,
    ) -> Self:
        """A fitted estimator, or several by name: those with a `history_`, or another library's curve of losses."""
        fits = estimator if isinstance(estimator, Mapping) else {"": estimator}
        return cls([Course.of(fit, str(name)) for name, fit in fits.items()], over, gap, halves).drawn(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = ax = style.new_axes(ax, (4.6, 2.8))
        self.figure_ = ax.figure
        for k, (course, (x, y)) in enumerate(zip(self.courses, self.lines(), strict=True)):
            self._draw(course, k, x, y)
        only = self.courses[0] if len(self.courses) == 1 else None
        title = "" if only is None else only.ending
        style.dress(ax, title=title, x=self.over, y="objective − best" if self.gap else "objective")
        if self.logarithmic:
            ax.set_yscale("log")
        else:
            style.few_digits(ax.yaxis)
        if self.over == "iterations":
            ax.locator_params(axis="x", integer=True, min_n_ticks=1)
        if only is None or self.halves:
            style.legend(ax, most=64)
        return self

    def table(self) -> Columns:
        """One row an iteration, or a half of one; seconds are those after the whole of it."""
        parts = 2 if self.halves else 1
        iterations = [len(course.objective) for course in self.courses]
        seconds = [
            np.full(n, np.nan) if c.seconds is None else c.seconds
            for c, n in zip(self.courses, iterations, strict=True)
        ]
        return {
            "name": np.repeat([course.name for course in self.courses], [parts * n for n in iterations]),
            "iteration": np.concatenate([np.repeat(np.arange(1, n + 1), parts) for n in iterations]),
            "seconds": np.repeat(np.concatenate(seconds), parts),
            "objective": np.concatenate([self._heights(course) for course in self.courses]),
            "gap": np.concatenate(self._gaps()),
        }

    def lines(self) -> list[tuple[Floats, Floats]]:
        """For each course the iterations or seconds, and the objective or its gap; NaN where nothing can be drawn."""
        found = []
        for course, gaps in zip(self.courses, self._gaps(), strict=True):
            n = len(course.objective)
            iterations = np.arange(1.0, n + 1) if not self.halves else np.arange(1, 2 * n + 1) / 2
            x = iterations if self.over == "iterations" or course.seconds is None else course.seconds
            y = gaps if self.gap else self._heights(course)
            drawable = np.isfinite(y) & ~np.isclose(y, 0) if self.gap else np.isfinite(y)
            found.append((x, np.where(drawable, y, np.nan)))
        return found

    @property
    def logarithmic(self) -> bool:
        """Whether heights are drawn on a logarithmic scale: gaps are, where there are any."""
        return self.gap and any((gap > 0).any() for gap in self._gaps())

    def _gaps(self) -> list[Floats]:
        """How far from the best; the objective falls where it ends below where it began."""
        every = np.concatenate([self._heights(course) for course in self.courses])
        finite = every[np.isfinite(every)]
        falls = sum(np.sign(course.objective[-1] - course.objective[0]) for course in self.courses) <= 0
        best = (finite.min() if falls else finite.max()) if len(finite) else 0.0
        return [np.abs(self._heights(course) - best) for course in self.courses]

    def _heights(self, course: Course) -> Floats:
        """The objective after each iteration, or after each half of one."""
        return course.halves.ravel() if self.halves and course.halves is not None else course.objective

    def _draw(self, course: Course, k: int, x: Floats, y: Floats) -> None:
        colour, marker = style.look(k)
        dots = {"marker": marker, "markersize": 3.5} if len(x) <= 50 and not self.halves else {}
        name = style.short(course.name) + (f": {course.ending}" if course.status else "")
        self.ax_.plot(x, y, color=colour, linewidth=1.4, label=name if not self.halves else None, **dots)
        for first, fill in ((0, "white"), (1, colour)) if self.halves else ():
            words = f"{name}, {HALVES[first]}" if course.name else HALVES[first]
            self.ax_.scatter(x[first::2], y[first::2], s=18, color=fill, edgecolor=colour, zorder=3, label=words)
