"""Labels as answers: what can be one, and the journal that keeps them."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable

import numpy as np

from ..data.labels import Spellings
from ..data.rows import as_array
from ..errors import InvalidData, did_you_mean, shown
from ..evaluation.fingerprint import fingerprint
from ..evaluation.sealed_lines import SealedLines
from ..typing import Numbers, TargetLike
from .query import OWNER

Label = bool | int | float | str


class LabelJournal(SealedLines):
    """Answers in the order in which they were given, each on the disk before the next question.

    A line is {"row": i, "label": …}, {"row": i, "skip": true} or {"row": i, "undo": true}.
    """

    format, version = "suffice labels", 1

    def __init__(self, path: str | os.PathLike[str], X: Numbers, task: str) -> None:
        self.documents: list[dict[str, object]] = []
        super().__init__(path, {"the rows": fingerprint(X), "the kind of label": fingerprint(task)}, OWNER)

    def take(self, document: dict[str, object]) -> None:
        """Keep an answer."""
        self.documents.append(document)


def is_missing(value: object) -> bool:
    """Whether a cell holds no label: None, NaN, NA, an empty text."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas.NA
        return True


def plain(value: object) -> object:
    """A label as a plain value of Python."""
    return value.item() if isinstance(value, np.generic) else value


def checked(value: object, task: str, known: Iterable[Label], declared: tuple[Label, ...], who: str) -> Label:
    """A label that is one: a finite number, or one of the declared classes, or a class like those that are known."""
    label = plain(value)
    if task == "numbers":
        if isinstance(label, bool) or not isinstance(label, int | float) or not math.isfinite(label):
            raise InvalidData(f"{OWNER}: {who} must be a finite number; got {shown(value)}.")
        return label
    if not isinstance(label, bool | int | float | str) or is_missing(label):
        raise InvalidData(f"{OWNER}: {who} must be a class, a text or a number; got {shown(value)}.")
    if isinstance(label, float):
        if not label.is_integer():
            raise InvalidData(f"{OWNER}: {who} must be a class, and {label!r} is no whole number; got {shown(value)}.")
        label = int(label)
    same = next(
        (one for one in (*declared, *known) if one == label and isinstance(one, str) == isinstance(label, str)), None
    )
    if same is not None:
        return same
    place = Spellings(declared).place(label) if declared else None
    if place is not None:  # "1" where 1 was declared
        return declared[place]
    if declared:
        named = ", ".join(map(repr, declared))
        hint = did_you_mean(str(label), [str(name) for name in declared])
        raise InvalidData(f"{OWNER}: {who} must be one of {named}; got {shown(label)}.{hint}")
    other = next((one for one in known if isinstance(one, str) != isinstance(label, str)), None)
    if other is not None:
        raise InvalidData(f"{OWNER}: {who} must be of the kind of the other labels, such as {other!r}; got {label!r}.")
    return label


def column_of(y: TargetLike, n: int) -> list[object]:
    """A column of labels, with None where there is none."""
    values = as_array(y, OWNER, f"y must have one entry a row, shape ({n},), missing where there is no label")
    if values.shape != (n,):
        raise InvalidData(f"{OWNER}: y must have one entry a row, shape ({n},); got shape {values.shape}.")
    return [None if is_missing(value) else plain(value) for value in values.astype(object).tolist()]
