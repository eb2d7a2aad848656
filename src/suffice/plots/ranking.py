"""Curves over all thresholds of a score: one a class, or the mean of folds with a band."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..data.rows import as_numbers
from ..errors import InvalidData
from ..typing import Axes, AxesLike, Floats, NumberLike, TableLike, TargetLike, WeightLike
from . import style, tables
from .display import Columns, Display

STEPS = np.linspace(0.0, 1.0, 201)  # where the curves of folds are compared


@dataclass(frozen=True, eq=False)
class Ranking:
    """One curve: its points, its area and that of chance; over folds also the band and how the areas spread."""

    name: str
    x: Floats
    y: Floats
    area: float
    chance: float
    low: Floats | None = None
    high: Floats | None = None
    areas: Floats | None = None  # of each fold

    def area_text(self, name: str) -> str:
        """The area after a name, with how it spreads over folds."""
        text = f"{name} {style.number(self.area, 3)}"
        if self.areas is None or len(self.areas) < 2:
            return text
        return f"{text} ± {self.areas.std(ddof=1):.3f}, {len(self.areas)} folds"


@dataclass(eq=False, repr=False)
class RankingDisplay(Display):
    """Curves of scores against the truth; what ROC and precision–recall have in common."""

    curves: Sequence[Ranking]

    x_name: ClassVar[str]
    y_name: ClassVar[str]
    area_name: ClassVar[str]

    @classmethod
    @abstractmethod
    def curve(cls, yes: NDArray[np.bool_], score: Floats, weight: Floats | None) -> tuple[Floats, Floats, float, float]:
        """The points, x rising, the area, and the area by chance."""

    @classmethod
    @abstractmethod
    def at_steps(cls, x: Floats, y: Floats) -> Floats:
        """The curve at `STEPS`."""

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: TableLike, y: TargetLike, *, positive: object = None, **more: Any
    ) -> Self:
        """A fitted classifier with `predict_proba` or `decision_function`, rows and their true classes."""
        score = estimator.predict_proba if hasattr(estimator, "predict_proba") else estimator.decision_function
        classes = tables.fitted(estimator, "classes_", cls.__name__)
        return cls.from_predictions(y, score(X), classes=classes, positive=positive, **more)

    @classmethod
    def from_evaluation(cls, evaluation: Any, *, positive: object = None, ax: AxesLike = None) -> Self:
        """What `evaluate` found: the mean over its folds with a band; one fold is one curve."""
        answers, classes = evaluation.answers, evaluation.classes
        score = answers.probability if answers.probability is not None else answers.decision
        if score is None:
            raise InvalidData(f"{cls.__name__}: {evaluation.name} gives neither probabilities nor scores of classes.")
        sizes = [len(fold.test) for fold in evaluation.done]
        folds = np.repeat(np.arange(len(sizes)), sizes) if len(sizes) > 1 else None
        return cls.from_predictions(
            tables.decoded(answers.truth, classes), score, classes=classes, positive=positive, folds=folds,
            sample_weight=answers.weight, ax=ax,
        )  # fmt: skip

    @classmethod
    def from_predictions(
        cls,
        y_true: TargetLike,
        score: NumberLike,
        *,
        classes: TargetLike = None,
        positive: object = None,
        folds: object = None,
        sample_weight: WeightLike = None,
        ax: AxesLike = None,
    ) -> Self:
        """True classes and scores: (n,) for the second of two classes, or one column a class, (n, k).

        `positive` chooses one class; without it more than two classes are each held against the rest. `folds` is the
        number of the fold of each row: then a curve is the mean of the folds, with a band of ± 1 standard deviation.
        """
        who = cls.__name__
        truth, values = tables.one_a_row(y_true, who), np.asarray(as_numbers(score, who), dtype=float)
        if truth.ndim != 1 or len(values) != len(truth) or values.ndim > 2 or not len(truth):
            raise InvalidData(
                f"{who}: classes and scores have shapes {truth.shape} and {values.shape}; give one of each a row."
            )
        if not np.isfinite(values).all():
            row = int(np.argmax(~np.isfinite(values.reshape(len(values), -1)).all(axis=1)))
            raise InvalidData(f"{who}: the score of row {row} is missing or infinite; leave such rows out.")
        weight = None if sample_weight is None else tables.numbers(sample_weight, who, "sample_weight", len(truth))
        parts = None if folds is None else np.asarray(folds)
        if parts is not None and parts.shape != truth.shape:
            raise InvalidData(f"{who}: there are {len(truth)} rows but folds of shape {parts.shape}; give one a row.")
        against = tables.against_rest(truth, values, classes, positive, who)
        return cls([cls._of(name, yes, own, weight, parts) for name, yes, own in against]).drawn(ax)

    @classmethod
    def _of(cls, name: str, yes: Any, score: Floats, weight: Floats | None, folds: Any) -> Ranking:
        if weight is not None:  # a row that weighs nothing is not there
            there = weight > 0
            yes, score, weight = yes[there], score[there], weight[there]
            folds = None if folds is None else folds[there]
        if yes.all() or not yes.any():
            rest = "other" if yes.all() else f"{name!r}"
            raise InvalidData(f"{cls.__name__}: no row is of the class {rest}; a curve needs rows of both kinds.")
        if folds is None:
            return Ranking(name, *cls.curve(yes, score, weight))
        found = []
        for fold in np.unique(folds):
            here = folds == fold
            if yes[here].any() and not yes[here].all():
                found.append(cls.curve(yes[here], score[here], None if weight is None else weight[here]))
        if not found:
            raise InvalidData(f"{cls.__name__}: no fold has rows of {name!r} and of the rest; use larger folds.")
        return cls.mean_of(name, found)

    @classmethod
    def mean_of(cls, name: str, found: Sequence[tuple[Floats, Floats, float, float]]) -> Ranking:
        """The mean of the curves of folds, and a band of one standard deviation."""
        heights = np.array([cls.at_steps(x, y) for x, y, _, _ in found])  # (folds, steps)
        mean, spread = heights.mean(axis=0), heights.std(axis=0, ddof=1 if len(found) > 1 else 0)
        areas = np.array([area for *_, area, _ in found])
        chance = float(np.mean([by_chance for *_, by_chance in found]))
        low, high = np.clip(mean - spread, 0, 1), np.clip(mean + spread, 0, 1)
        return Ranking(name, STEPS, mean, float(areas.mean()), chance, low, high, areas)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = axes = style.new_axes(ax, (3.8, 3.6))
        self.figure_ = axes.figure
        for k, curve in enumerate(self.curves):
            look = style.line(k)
            if curve.low is not None and len(self.curves) <= 7:
                axes.fill_between(curve.x, curve.low, curve.high, color=look["color"], alpha=0.15, linewidth=0)
            axes.plot(*self.path(curve).T, label=curve.name, **look)
        self._draw_chances()
        style.dress(axes, x=self.x_name, y=self.y_name)
        axes.grid(axis="x", color=style.FAINT, linewidth=0.6)
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        if len(self.curves) == 1:
            axes.set_title(self.curves[0].area_text(self.area_name), fontsize=style.TEXT, color=style.INK, loc="left")
        else:
            shown = style.shorts([curve.name for curve in self.curves], 20)
            names = [curve.area_text(name) for name, curve in zip(shown, self.curves, strict=True)]
            style.legend(axes, axes.lines[: len(names)], names, self.area_name, most=64)
        return self

    def table(self) -> Columns:
        """One row a point."""
        sizes = [len(curve.x) for curve in self.curves]
        columns = {
            "name": np.repeat([curve.name for curve in self.curves], sizes),
            "x": np.concatenate([curve.x for curve in self.curves]),
            "y": np.concatenate([curve.y for curve in self.curves]),
        }
        if all(curve.low is not None for curve in self.curves):
            columns["low"] = np.concatenate([curve.low for curve in self.curves if curve.low is not None])
            columns["high"] = np.concatenate([curve.high for curve in self.curves if curve.high is not None])
        return columns

    def areas(self) -> dict[str, float]:
        """The area under each curve, by name; the mean over folds where there are folds."""
        return {curve.name: curve.area for curve in self.curves}

    def path(self, curve: Ranking) -> Floats:
        """The corners of the line of a curve, (m, 2); of very many points some."""
        kept = some_points(len(curve.x))
        return np.column_stack([curve.x[kept], curve.y[kept]])

    def chances(self) -> list[Floats]:
        """What a score that knows nothing would give: two points for each curve, or for all of them."""
        return []

    def _draw_chances(self) -> None:
        chances = self.chances()
        for k, line in enumerate(chances):
            colour = style.QUIET if len(chances) == 1 else style.COLOURS[k % len(style.COLOURS)]
            look: dict[str, object] = {"linewidth": 0.9, "linestyle": style.DASHED, "zorder": 1, "alpha": 0.6}
            self.ax_.plot(*line.T, color=colour, **look)


def some_points(n: int, most: int = 4000) -> NDArray[np.int64]:
    """The points of a curve to draw: all, or so many evenly among them, with both ends."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.int64))
