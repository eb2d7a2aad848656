"""Confusion matrix: how often each class is taken for each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..text import figure
from ..typing import Axes, AxesLike, Floats, Predictor, TableLike, TargetLike, WeightLike
from . import style, tables
from .display import Columns, Display


@dataclass(eq=False, repr=False)
class ConfusionDisplay(Display):
    """Rows are the true classes, columns the predicted; shades are shares of a row, blue where right.

    >>> ConfusionDisplay(np.array([[3, 1], [0, 4]]), ("cat", "dog")).table()["share"]
    array([0.75, 0.25, 0.  , 1.  ])
    """

    counts: NDArray[np.number]  # (true, predicted)
    classes: Sequence[str]
    note: str = ""

    @classmethod
    def from_estimator(
        cls,
        estimator: Predictor,
        X: TableLike,
        y: TargetLike,
        *,
        sample_weight: Floats | None = None,
        ax: AxesLike = None,
    ) -> Self:
        """A fitted classifier, rows and their true classes."""
        return cls.from_predictions(y, estimator.predict(X), sample_weight=sample_weight, ax=ax)

    @classmethod
    def from_evaluation(cls, evaluation: Any, *, ax: AxesLike = None) -> Self:
        """What `evaluate` found, over all rows while they were left out."""
        found = evaluation.confusion
        return cls(found.table, [tables.name_of(name) for name in found.classes]).drawn(ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: TargetLike,
        y_pred: TargetLike,
        *,
        classes: TargetLike = None,
        sample_weight: WeightLike = None,
        ax: AxesLike = None,
    ) -> Self:
        """True and predicted classes; `classes` gives their order, and must name all of them."""
        from ..resampling.rates import table_of

        who = cls.__name__
        truth, said = np.asarray(y_true), np.asarray(y_pred)
        if truth.shape != said.shape or truth.ndim != 1 or not len(truth):
            raise InvalidData(
                f"{who}: true and predicted classes have shapes {truth.shape} and {said.shape}; give one of each a row."
            )
        both = tables.groups(np.concatenate([truth, said]).astype(object), 2 * len(truth), who, most=10**9)
        known = list(both.names) if classes is None else [tables.name_of(name) for name in np.asarray(classes).tolist()]
        strange = [name for name in both.names if name not in known]
        if strange:
            raise InvalidData(f"{who}: classes leaves out {strange[0]!r}, which is among the rows.")
        weight = None if sample_weight is None else tables.numbers(sample_weight, who, "sample_weight", len(truth))
        codes = np.array([known.index(name) for name in both.names])[both.codes].reshape(2, -1)
        counts = table_of(codes[0], codes[1], weight, len(known))
        return cls(counts if weight is not None else counts.astype(np.int64), known).drawn(ax)

    @property
    def accuracy(self) -> float:
        """The share of rows on the diagonal."""
        return float(np.trace(self.counts) / max(float(np.sum(self.counts)), 1e-300))

    def shares(self) -> Floats:
        """Each cell as a share of its row, (true, predicted); 0 in a row without counts."""
        total = np.sum(self.counts, axis=1, keepdims=True)
        return np.asarray(self.counts / np.where(total > 0, total, 1))

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on a new figure or on `ax`; `ax_` and `figure_` hold them."""
        k = len(self.classes)
        letters = max(map(len, style.shorts(self.classes)))
        side = float(np.clip(0.55 * k, 1.2, 8.0))
        self.ax_ = ax = style.new_axes(ax, (side + 0.5 + 0.07 * letters, side + 0.7 + 0.07 * letters * (k > 4)))
        self.figure_ = ax.figure
        shares = self.shares()
        right, wrong = np.eye(k, dtype=bool), ~np.eye(k, dtype=bool)
        for cells, colour in ((right, style.COLOURS[0]), (wrong, style.COLOURS[1])):
            shade = {"cmap": style.shades(colour), "vmin": 0, "vmax": 1, "interpolation": "nearest", "aspect": "auto"}
            ax.imshow(np.ma.masked_where(~cells, shares), **shade)
        style.dress(ax, title=f"accuracy {style.number(self.accuracy, 3)}", x="predicted", y="true")
        style.matrix_axes(ax)
        for at in np.arange(k + 1) - 0.5:
            ax.axhline(at, color=style.FAINT, linewidth=0.6)
            ax.axvline(at, color=style.FAINT, linewidth=0.6)
        self._figures(shares)
        style.names_beside(ax, self.classes)
        style.names_below(ax, self.classes)
        style.note(ax, self.note)
        return self

    def table(self) -> Columns:
        """One row a cell."""
        k = len(self.classes)
        names = np.array(self.classes)
        return {
            "true": np.repeat(names, k),
            "predicted": np.tile(names, k),
            "count": np.ravel(self.counts),
            "share": self.shares().ravel(),
        }

    def _figures(self, shares: Floats) -> None:
        k = len(self.classes)
        if k > 40:
            return
        size = min(style.SMALL, 130 / k)
        for (i, j), count in np.ndenumerate(self.counts):
            if count > 0:
                words = {"ha": "center", "va": "center", "color": style.ink_on(float(shares[i, j])), "fontsize": size}
                percent = f"\n{100 * shares[i, j]:.0f}%" if k <= 8 else ""
                self.ax_.text(j, i, figure(float(count), 5 if k <= 8 else 3) + percent, **words)
