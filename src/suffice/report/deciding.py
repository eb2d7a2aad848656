"""What the answers of a model about new rows are worth, in sentences: how far off, how sure, where to act."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..description.text import count, number
from ..resampling.calibration import spiegelhalter
from ..text import figure
from ..typing import Floats, Labels
from .parts import Figures

SURE = 1.96  # beyond so many standard errors, miscalibration is said
THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)
Flags = NDArray[np.bool_]


def typical_errors(truth: Floats, predicted: Floats) -> str:
    """How far off predictions of numbers are, beside the median said of every row.

    >>> typical_errors(np.array([1.0, 2.0, 3.0, 8.0]), np.array([1.0, 2.5, 3.0, 7.0]))[:75]
    'Half of the predictions are off by at most 0.25, nine in ten by at most 1; '
    """
    off, blind = np.abs(truth - predicted), np.abs(truth - np.median(truth))
    half, most = _half_and_most(off)
    other_half, other_most = _half_and_most(blind)
    return (
        f"Half of the predictions are off by at most {number(half)}, nine in ten by at most {number(most)}; saying "
        f"{number(float(np.median(truth)))} of every row, by at most {number(other_half)} and {number(other_most)}."
    )


def _half_and_most(off: Floats) -> tuple[float, float]:
    return float(np.median(off)), float(np.quantile(off, 0.9, method="higher"))


def calibration(p: Floats, came_true: Flags) -> str:
    """Whether probabilities can be taken as they are: those of the class that was said, and whether it came true."""
    z = spiegelhalter(p, came_true)
    sure = (
        f"on average it is {100 * float(np.mean(p)):.3g} % sure, and right in {100 * np.mean(came_true):.3g} % of rows"
    )
    if z > SURE:
        return f"Its probabilities are too extreme: {sure}. Calibrate them before they are used as probabilities."
    if z < -SURE:
        return f"Its probabilities are too cautious: {sure}. Calibrate them before they are used as probabilities."
    return f"No sign of miscalibrated probabilities: {sure}."


def threshold_table(p: Floats, is_rare: Flags, name: object) -> Figures:
    """What acting on rows from a probability upwards finds and costs, for thresholds that some row reaches."""
    rows = []
    for t in THRESHOLDS:
        acted = p >= t
        if acted.any():
            found = int(np.sum(acted & is_rare))
            rows.append(
                (f"{t:g}", count(int(acted.sum())), f"{100 * acted.mean():.3g} %", f"{found} of {int(is_rare.sum())}",
                 figure(found / int(is_rare.sum()), 3), figure(found / int(acted.sum()), 3))
            )  # fmt: skip
    header = ("from probability", "rows", "share of all", f"{name} found", "recall", "precision")
    return Figures(header, rows, f"Acting on rows whose probability of {name} is at least so much")


def threshold_words(name: object) -> str:
    """How costs choose a threshold: an act costs 1 − p on average, and leaving it c p."""
    return (
        f"Where missing one {str(name)!r} costs c times as much as a false alarm, act from the probability "
        "1 / (1 + c): from 0.5 where both cost the same, from 0.1 where missing one costs 9 times as much."
    )


def said_and_true(probability: Floats, classes: Labels, y: Labels) -> tuple[Floats, Flags]:
    """The probability of the likeliest class of each row, and whether it is the true one."""
    likeliest = probability.argmax(axis=1)
    p = np.asarray(probability[np.arange(len(y)), likeliest], dtype=np.float64)
    return p, np.asarray(classes, dtype=object)[likeliest] == np.asarray(y, dtype=object)
