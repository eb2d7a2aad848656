"""Convergence: the objective of a fit, iteration by iteration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..errors import InvalidData, InvalidParameter
from ..typing import Axes, AxesLike, Floats
from . import style
from .display import Columns, Display

_CURVES = ("loss_curve_", "lower_bounds_", "train_score_", "scores_")  # of other libraries' estimators


@dataclass(frozen=True, eq=False)
class Course:
    """The objective after each iteration, the seconds by then where they are known, and how the fit ended."""

    name: str
    objective: Floats
    seconds: Floats | None = None
    status: str = ""

    @property
    def ending(self) -> str:
        """Such as "12 iterations, converged"."""
        n = len(self.objective)
        iterations = f"{n} {'iteration' if n == 1 else 'iterations'}"
        return iterations + (f", {self.status.replace('_', ' ')}" if self.status else "")

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
        return cls(
            name, objective, None if seconds is None else np.asarray(seconds, float), getattr(history, "status", "")
        )


@dataclass(eq=False, repr=False)
class ConvergenceDisplay(Display):
    """The objective over iterations or seconds; as `gap` its distance from the best of all, on a logarithmic scale.

    >>> ConvergenceDisplay([Course.of([3.0, 2.0, 1.5])]).table()["gap"]
    array([1.5, 0.5, 0. ])
    """

    courses: Sequence[Course]
    over: str = "iterations"
    gap: bool = False

    def __post_init__(self) -> None:
        if self.over not in ("iterations", "seconds"):
            raise InvalidParameter(f"ConvergenceDisplay: over={self.over!r} must be 'iterations' or 'seconds'.")
        if self.over == "seconds" and any(course.seconds is None for course in self.courses):
            raise InvalidData("ConvergenceDisplay: a course has no seconds; use over='iterations'.")

    @classmethod
    def from_estimator(
        cls, estimator: object, *, over: str = "iterations", gap: bool = False, ax: AxesLike = None
    ) -> Self:
        """A fitted estimator, or several by name: those with a `history_`, or another library's curve of losses."""
        fits = estimator if isinstance(estimator, Mapping) else {"": estimator}
        return cls([Course.of(fit, str(name)) for name, fit in fits.items()], over, gap).drawn(ax)

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
        if only is None:
            style.legend(ax, most=48)
        return self

    def table(self) -> Columns:
        """One row an iteration."""
        iterations = [len(course.objective) for course in self.courses]
        seconds = [
            np.full(n, np.nan) if c.seconds is None else c.seconds
            for c, n in zip(self.courses, iterations, strict=True)
        ]
        return {
            "name": np.repeat([course.name for course in self.courses], iterations),
            "iteration": np.concatenate([np.arange(1, n + 1) for n in iterations]),
            "seconds": np.concatenate(seconds),
            "objective": np.concatenate([course.objective for course in self.courses]),
            "gap": np.concatenate(self._gaps()),
        }

    def lines(self) -> list[tuple[Floats, Floats]]:
        """For each course the iterations or seconds, and the objective or its gap; NaN where nothing can be drawn."""
        found = []
        for course, gaps in zip(self.courses, self._gaps(), strict=True):
            iterations = np.arange(1.0, len(course.objective) + 1)
            x = iterations if self.over == "iterations" or course.seconds is None else course.seconds
            y = gaps if self.gap else course.objective
            drawable = np.isfinite(y) & ~np.isclose(y, 0) if self.gap else np.isfinite(y)
            found.append((x, np.where(drawable, y, np.nan)))
        return found

    @property
    def logarithmic(self) -> bool:
        """Whether heights are drawn on a logarithmic scale: gaps are, where there are any."""
        return self.gap and any((gap > 0).any() for gap in self._gaps())

    def _gaps(self) -> list[Floats]:
        """How far from the best; the objective falls where it ends below where it began."""
        every = np.concatenate([course.objective for course in self.courses])
        finite = every[np.isfinite(every)]
        falls = sum(np.sign(course.objective[-1] - course.objective[0]) for course in self.courses) <= 0
        best = (finite.min() if falls else finite.max()) if len(finite) else 0.0
        return [np.abs(course.objective - best) for course in self.courses]

    def _draw(self, course: Course, k: int, x: Floats, y: Floats) -> None:
        colour, marker = style.look(k)
        dots = {"marker": marker, "markersize": 3.5} if len(x) <= 50 else {}
        name = style.short(course.name) + (f": {course.ending}" if course.status else "")
        self.ax_.plot(x, y, color=colour, linewidth=1.4, label=name, **dots)
