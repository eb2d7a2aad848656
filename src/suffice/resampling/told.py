"""What models of any library say about rows: as many answers as rows, and a probability for each class."""

from __future__ import annotations

from ..errors import InvalidData
from ..typing import Labels

BY_CLASS = ("predict_proba", "predict_log_proba")


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
    k = len(getattr(model, "classes_", ()))
    if method in BY_CLASS and (found.ndim != 2 or found.shape[1] != k):
        raise InvalidData(
            f"{name} must give a probability for each row and class, shape ({n}, {k}); got shape {found.shape}."
        )
    return found
