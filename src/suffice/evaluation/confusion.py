"""The confusion matrix, and every rate that follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.labels import encode, joined
from ..data.rows import as_values
from ..data.validate import check_weight
from ..errors import InvalidData, InvalidParameter, did_you_mean
from ..resampling.intervals import Interval, wilson
from ..resampling.rates import RATES, averaged, one_against_rest, table_of
from ..text import aligned, figure
from ..typing import Axes, Floats, TargetLike, WeightLike

if TYPE_CHECKING:
    from ..plots.confusion import ConfusionDisplay


@dataclass(frozen=True, eq=False)
class Confusion:
    """How often each class was taken for which: `table[i, j]` is the weight of rows of class i called class j."""

    classes: tuple[object, ...]
    table: Floats  # (true, predicted)

    @property
    def accuracy(self) -> Interval:
        """The share of rows that are right."""
        return wilson(float(np.trace(self.table)), float(self.table.sum()))

    def counts(self) -> tuple[Floats, Floats, Floats, Floats]:
        """TP, FP, FN and TN of each class against all others, each (c,)."""
        return one_against_rest(self.table)

    def rate(self, name: str, average: str | None = None) -> Any:
        """A rate of each class (c,), or its average: "macro" weighs classes alike, "micro" pools their counts.

        `name` is one of precision, recall, specificity, false_positive_rate, miss_rate, f1. What is 0 of 0 is NaN;
        in "macro" it counts as 0 where the class has rows, and is left out where it has none.
        """
        if name not in RATES:
            raise InvalidParameter(f"Confusion: there is no rate {name!r}.{did_you_mean(name, list(RATES))}")
        return averaged(RATES[name](*self.counts()), average, self.table.sum(axis=1) > 0)

    def interval(self, name: str, cls: object, level: float = 0.95) -> Interval:
        """A rate of one class with Wilson's interval; not for f1, which is no share of rows."""
        if name not in RATES or name == "f1":
            known = [rate for rate in RATES if rate != "f1"]
            hint = did_you_mean(name, known)
            raise InvalidParameter(f"Confusion: an interval needs one of {', '.join(known)}; got {name!r}.{hint}")
        if cls not in self.classes:
            raise InvalidParameter(f"Confusion: there is no class {cls!r}; the classes are {self.classes!r}.")
        share, of = RATES[name](*self.counts())
        at = self.classes.index(cls)
        return wilson(float(share[at]), float(of[at]), level)

    def rates(self) -> list[dict[str, object]]:
        """One row a class: its rows and every rate."""
        columns = {name: self.rate(name).tolist() for name in RATES}
        rows = self.table.sum(axis=1).tolist()
        return [
            {"class": cls, "rows": rows[i], **{name: values[i] for name, values in columns.items()}}
            for i, cls in enumerate(self.classes)
        ]

    def plot(self, ax: Axes | None = None) -> ConfusionDisplay:
        """Draw the table; gives the display."""
        from ..plots.confusion import ConfusionDisplay

        return ConfusionDisplay(self.table, [str(name) for name in self.classes]).drawn(ax)

    def __str__(self) -> str:
        header = ("true \\ called", *map(str, self.classes), "precision", "recall", "f1")
        rates = [self.rate(name) for name in header[-3:]]
        rows = [
            (str(cls), *map(figure, self.table[i]), *(figure(values[i], 3) for values in rates))
            for i, cls in enumerate(self.classes)
        ]
        return f"{aligned([header, *rows])}\n\naccuracy {self.accuracy}"


def confusion(y: TargetLike, predicted: TargetLike, sample_weight: WeightLike = None) -> Confusion:
    """Count how often each class was taken for which.

    >>> print(confusion(["ham", "ham", "ham", "spam", "spam"], ["ham", "spam", "ham", "spam", "spam"]))
    true \\ called  ham  spam  precision  recall     f1
    ham              2     1          1   0.667    0.8
    spam             0     2      0.667       1    0.8
    <BLANKLINE>
    accuracy 0.8 [0.3755, 0.9638]
    """
    truth, called = as_values(y, "confusion"), as_values(predicted, "confusion")
    if truth.shape != called.shape or "V" in (truth.dtype.kind, called.dtype.kind):
        raise InvalidData(f"confusion: y and predicted must have one class a row; got {truth.shape}, {called.shape}.")
    classes, codes = encode(joined(truth, called))
    c, n = len(classes), len(truth)
    weight = None if sample_weight is None else check_weight(sample_weight, n, "confusion")
    return Confusion(tuple(classes.tolist()), table_of(codes[:n], codes[n:], weight, c))
