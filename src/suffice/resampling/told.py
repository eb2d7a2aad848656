"""What models of any library say about rows: as many answers as rows, and a probability for each class."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..errors import InvalidData
from ..typing import Labels

BY_CLASS = ("predict_proba", "predict_log_proba")
_NUMBERS = (*BY_CLASS, "decision_function", "score_samples")
_SUMS_TO_ONE = 1e-4  # as far from 1 may probabilities be that are sums of many classes in single precision


def shaped(found: Labels, model: object, method: str, n: int) -> Labels:
    """The answers about n rows, refused where they cannot be that.

    >>> import numpy as np
    >>> shaped(np.zeros(3), "model", "predict", 4)
    Traceback (most recent call last):
    suffice.errors.InvalidData: str.predict must give an answer for each of 4 rows; got shape (3,).
    """
    name = f"{type(model).__name__}.{method}"
    if found.ndim == 0 or len(found) != n:
        raise InvalidData(f"{name} must give an answer for each of {n} rows; got shape {found.shape}.")
    k = len(getattr(model, "classes_", found.T))  # a clusterer has groups, and no classes
    if method in BY_CLASS and (found.ndim != 2 or found.shape[1] != k):
        raise InvalidData(
            f"{name} must give a probability for each row and class, shape ({n}, {k}); got shape {found.shape}."
        )
    if method in _NUMBERS and found.dtype.kind not in "fiub":
        raise InvalidData(f"{name} must give numbers; got {found.dtype} such as {found.flat[0]!r:.60}.")
    return found


def check_chances(found: Labels, model: object, number: Callable[[int], int] = int, unknown: bool = False) -> None:
    """Refuse what are no probabilities, (n, k), where `number` is that of each row; NaN is let through if `unknown`.

    >>> check_chances(np.array([[0.5, 0.5], [np.nan, np.nan]]), "model", unknown=True)
    """
    with np.errstate(invalid="ignore"):
        total = np.asarray(np.sum(found, axis=1, dtype=np.float64))
        least = np.asarray(np.min(found, axis=1))
        bad = ~(np.abs(total - 1) <= _SUMS_TO_ONE) | ~(least >= -_SUMS_TO_ONE)
    if unknown and bad.any():
        bad &= ~np.isnan(found).any(axis=1)
    if bad.any():
        row = int(np.argmax(bad))
        said = "one of row {} is {:.4g}" if least[row] < 0 else "those of row {} sum to {:.4g}"
        what = said.format(number(row), least[row] if least[row] < 0 else total[row])
        raise InvalidData(
            f"probabilities of {type(model).__name__} must be at least 0 and sum to 1; {what}. Mend its predict_proba."
        )
