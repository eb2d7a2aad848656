"""Calibration: of rows that were given a probability, how many came true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, InvalidParameter
from ..typing import Axes, AxesLike, Floats, Predictor, TableLike, TargetLike
from . import style, tables
from .display import Columns, Display


@dataclass(frozen=True, eq=False)
class Reliability:
    """For bins of probability: the mean said, the share that came true with Wilson's 95 % interval, and the rows."""

    name: str
    said: Floats  # (b,)
    came_true: Floats  # (b,)
    low: Floats  # (b,)
    high: Floats  # (b,)
    rows: NDArray[np.int64]  # (b,)
    brier: float  # mean squared distance of probability and outcome
    weights: Floats | None = None  # (b,): what the rows weigh, where that is not 1

    @property
    def error(self) -> float:
        """The expected calibration error: the mean distance of what was said and what came true, over rows."""
        return float(np.average(np.abs(self.said - self.came_true), weights=self.weight))

    @property
    def weight(self) -> Floats:
        """How many rows each bin stands for, (b,)."""
        return np.asarray(self.rows if self.weights is None else self.weights, dtype=np.float64)

    @classmethod
    def of(
        cls,
        name: str,
        yes: NDArray[np.bool_],
        probability: Floats,
        bins: int,
        strategy: str,
        sample_weight: Floats | None = None,
    ) -> Reliability:
        """Bins with equally many rows ("quantile") or of equal width ("uniform"); empty ones are left out."""
        from ..resampling.intervals import wilson

        place = bins_of(probability, bins, strategy)
        weight = np.ones(len(yes)) if sample_weight is None else sample_weight
        total = np.bincount(place, weight)
        full, n = total > 0, total[total > 0]
        said = np.bincount(place, weight * probability)[full] / n
        true = np.bincount(place, weight * yes)[full] / n
        ends = [wilson(share * size, size) for share, size in zip(true.tolist(), n.tolist(), strict=True)]
        low, high = (np.array([getattr(each, end) for each in ends]) for end in ("low", "high"))
        rows = np.bincount(place, weight > 0)[full].astype(np.int64)
        brier = float(np.average((probability - yes) ** 2, weights=weight))
        return cls(
            name, said, true, low, high, rows, brier, None if sample_weight is None else np.asarray(n, dtype=np.float64)
        )


@dataclass(eq=False, repr=False)
class CalibrationDisplay(Display):
    """The share that came true over the probability said, with 95 % intervals; the dashes are where both are equal.

    >>> yes, said = np.array([False, False, True, True]), np.array([0.1, 0.1, 0.9, 0.9])
    >>> CalibrationDisplay([Reliability.of("rain", yes, said, 2, "uniform")]).table()["came_true"]
    array([0., 1.])
    """

    curves: Sequence[Reliability]

    @classmethod
    def from_estimator(
        cls, estimator: Predictor, X: TableLike, y: TargetLike, *, positive: object = None, **more: Any
    ) -> Self:
        """A fitted classifier with `predict_proba`, rows that it has not seen, and their classes."""
        classes = tables.fitted(estimator, "classes_", cls.__name__)
        if not hasattr(estimator, "predict_proba"):
            raise InvalidData(
                f"{cls.__name__}: {type(estimator).__name__} gives no probabilities; it needs predict_proba."
            )
        return cls.from_predictions(y, estimator.predict_proba(X), classes=classes, positive=positive, **more)

    @classmethod
    def from_evaluation(cls, evaluation: Any, **more: Any) -> Self:
        """What `evaluate` found: the probabilities of all rows while they were left out."""
        answers, classes = evaluation.answers, evaluation.classes
        if answers.probability is None:
            raise InvalidData(f"{cls.__name__}: {evaluation.name} gives no probabilities.")
        return cls.from_predictions(
            tables.decoded(answers.truth, classes), answers.probability, classes=classes, **more
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: TargetLike,
        probability: object,
        *,
        classes: TargetLike = None,
        positive: object = None,
        bins: int = 10,
        strategy: str = "quantile",
        ax: AxesLike = None,
    ) -> Self:
        """True classes and probabilities: (n,) of the second of two classes, or one column a class, (n, k)."""
        found = reliabilities(y_true, probability, classes, positive, bins, strategy, None, cls.__name__)
        return cls([curve for curve, _, _ in found]).drawn(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        self.ax_ = axes = style.new_axes(ax, (3.8, 3.6))
        self.figure_ = axes.figure
        axes.plot([0, 1], [0, 1], color=style.QUIET, linewidth=0.9, linestyle=style.DASHED, zorder=1)
        lines = []
        for k, curve in enumerate(self.curves):
            look = style.line(k)
            lines += axes.plot(curve.said, curve.came_true, marker=style.look(k)[1], markersize=4, **look)
            if len(self.curves) <= 3:
                axes.vlines(curve.said, curve.low, curve.high, color=look["color"], linewidth=1.0, alpha=0.6)
        style.dress(axes, x="probability said", y="share that came true")
        axes.grid(axis="x", color=style.FAINT, linewidth=0.6)
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        if len(self.curves) == 1:
            only = self.curves[0]
            title = f"Brier score {only.brier:.3f}, error {only.error:.3f}"
            axes.set_title(title, fontsize=style.TEXT, color=style.INK, loc="left")
        else:
            shown = style.shorts([curve.name for curve in self.curves], 20)
            names = [f"{name} {curve.brier:.3f}" for name, curve in zip(shown, self.curves, strict=True)]
            style.legend(axes, lines, names, "Brier score", 64)
        return self

    def table(self) -> Columns:
        """One row a bin."""
        sizes = [len(curve.said) for curve in self.curves]
        fields = ("said", "came_true", "low", "high", "rows")
        columns = {field: np.concatenate([getattr(curve, field) for curve in self.curves]) for field in fields}
        return {"name": np.repeat([curve.name for curve in self.curves], sizes), **columns}


def reliabilities(
    y_true: TargetLike,
    probability: object,
    classes: TargetLike,
    positive: object,
    bins: int,
    strategy: str,
    sample_weight: Floats | None,
    who: str,
) -> list[tuple[Reliability, NDArray[np.bool_], Floats]]:
    """For each class: the curve, whether rows are of it, and the probabilities that were said."""
    if strategy not in ("quantile", "uniform"):
        raise InvalidParameter(f"{who}: strategy={strategy!r} must be 'quantile' or 'uniform'.")
    if not 1 <= bins <= 1000:
        raise InvalidParameter(f"{who}: bins={bins!r} must be from 1 to 1000.")
    truth = tables.one_a_row(y_true, who)
    try:
        values = np.asarray(probability, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise InvalidData(f"{who}: probabilities must be numbers; give those of predict_proba.") from None
    if values.ndim not in (1, 2):
        raise InvalidData(f"{who}: probability must be (n,), or one column a class, (n, k); got shape {values.shape}.")
    if values.size and not (np.isfinite(values).all() and values.min() >= -1e-9 and values.max() <= 1 + 1e-9):
        raise InvalidData(f"{who}: probabilities must lie from 0 to 1; give those of predict_proba.")
    if len(values) != len(truth):
        raise InvalidData(f"{who}: y has {len(truth)} entries and probability {len(values)}; give one of each a row.")
    if values.ndim == 1:
        values = np.column_stack([1 - values, values])
    against = tables.against_rest(truth, np.clip(values, 0, 1), classes, positive, who)
    return [(Reliability.of(name, yes, own, bins, strategy, sample_weight), yes, own) for name, yes, own in against]


def bins_of(probability: Floats, bins: int, strategy: str) -> NDArray[np.intp]:
    """The bin of each row, (n,): of equally many rows ("quantile") or of equal width ("uniform").

    >>> bins_of(np.array([0.1, 0.2, 0.9, 1.0]), 2, "uniform")
    array([0, 0, 1, 1])
    """
    if strategy == "quantile":
        edges = np.unique(np.quantile(probability, np.linspace(0, 1, bins + 1)))
    else:
        edges = np.linspace(0, 1, bins + 1)
    return np.clip(np.searchsorted(edges, probability, side="right") - 1, 0, max(len(edges) - 2, 0))
