"""Rates of classes: the confusion matrix as counts, and every ratio of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidParameter
from ..typing import Floats

Ratio = tuple[Floats, Floats]  # a numerator and a denominator, of one class or of all, (c,)


def f_ratio(beta: float) -> Callable[[Floats, Floats, Floats, Floats], Ratio]:
    """(1 + β²) TP of (1 + β²) TP + β² FN + FP: the harmonic mean of precision and recall, recall counting β² times."""
    b = beta**2
    return lambda tp, fp, fn, tn: ((1 + b) * tp, (1 + b) * tp + b * fn + fp)


# Each a numerator and a denominator, so that rates can be averaged over classes either way.
RATES: dict[str, Callable[[Floats, Floats, Floats, Floats], Ratio]] = {
    "precision": lambda tp, fp, fn, tn: (tp, tp + fp),
    "recall": lambda tp, fp, fn, tn: (tp, tp + fn),
    "specificity": lambda tp, fp, fn, tn: (tn, tn + fp),
    "false_positive_rate": lambda tp, fp, fn, tn: (fp, tn + fp),
    "miss_rate": lambda tp, fp, fn, tn: (fn, tp + fn),
    "f1": f_ratio(1.0),
}


def table_of(truth: NDArray[np.generic], called: NDArray[Any], weight: Floats | None, c: int) -> Floats:
    """The weights of rows by class and called class, both codes below c; (c, c)."""
    return np.bincount(truth * c + called, weight, c * c).reshape(c, c).astype(np.float64)


def one_against_rest(table: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """TP, FP, FN and TN of each class, from a confusion matrix."""
    tp = np.diagonal(table)
    fp, fn = table.sum(axis=0) - tp, table.sum(axis=1) - tp
    return tp, fp, fn, table.sum() - tp - fp - fn


def averaged(ratio: Ratio, average: str | None, present: NDArray[np.bool_]) -> Any:
    """A ratio of each class, or the mean of the ratios ("macro"), or the ratio of the sums ("micro")."""
    if average not in (None, "macro", "micro"):
        raise InvalidParameter(f"average must be 'macro', 'micro' or None; got {average!r}.")
    if average == "micro":
        over, under = (float(np.sum(part)) for part in ratio)
        return over / under if under > 0 else float("nan")
    rates = np.divide(*ratio, out=np.full(len(present), np.nan), where=ratio[1] > 0)
    if average is None:
        return rates
    rates = np.where(present & np.isnan(rates), 0.0, rates)
    known = rates[~np.isnan(rates)]
    return float(known.mean()) if known.size else float("nan")
