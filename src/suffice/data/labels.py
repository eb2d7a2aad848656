"""Class labels as codes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..typing import Labels

_HEAD, _FEW = 1000, 8  # rows that show whether there are so few labels that each is looked for instead of sorting all


def encode(y: Labels) -> tuple[NDArray[np.generic], NDArray[np.int64]]:
    """The distinct labels, sorted, and for each row the position of its label among them.

    >>> classes, codes = encode(np.array([7, 3, 7]))
    >>> classes.tolist(), codes.tolist()
    ([3, 7], [1, 0, 1])
    """
    if y.dtype == np.bool_:
        classes, codes = encode(y.view(np.uint8))
        return classes.astype(np.bool_), codes
    if len(y) and y.dtype.kind in "iu" and y.dtype != np.uint64:
        low, high = int(y.min()), int(y.max())
        if high - low <= max(1024, len(y)):
            return _encode_small(y, low, high)
    if (few := _encode_few(y)) is not None:
        return few
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except (TypeError, OverflowError) as error:
        raise _unsortable(error) from None
    return classes, codes.reshape(-1).astype(np.int64, copy=False)


def united(a: NDArray[np.generic], b: NDArray[np.generic]) -> NDArray[np.generic]:
    """The distinct labels of both, sorted; text and numbers, of which 1 and "1" would become one, are refused.

    >>> united(np.array(["b", "c"]), np.array(["a", "b"])).tolist()
    ['a', 'b', 'c']
    """
    if _are_text(a) != _are_text(b):
        text, other = (a, b) if _are_text(a) else (b, a)
        raise InvalidData(f"some labels are text ('{text[0]}') and others are not ({other[0]}); give all alike.")
    try:
        return np.union1d(a, b)
    except TypeError as error:
        raise _unsortable(error) from None


def joined(a: Labels, b: Labels) -> Labels:
    """The labels of some rows, then those of others."""
    try:
        return np.concatenate([a, b])
    except TypeError as error:  # as text and dates
        raise _unsortable(error) from None


def _unsortable(error: Exception) -> InvalidData:
    return InvalidData(f"Labels of different kinds cannot be sorted ({error}); turn all of them into text.")


def _are_text(labels: NDArray[np.generic]) -> bool:
    return isinstance(labels[0], str | bytes)


def _encode_small(y: Labels, low: int, high: int) -> tuple[NDArray[np.generic], NDArray[np.int64]]:
    """Whole numbers in a narrow range need no sorting, only a table."""
    offset = y.astype(np.int64) - low
    seen = np.bincount(offset, minlength=high - low + 1) > 0
    classes = (np.flatnonzero(seen) + low).astype(y.dtype)
    if len(classes) == len(seen):
        return classes, offset
    return classes, (np.cumsum(seen) - 1)[offset]


def _encode_few(y: Labels) -> tuple[NDArray[np.generic], NDArray[np.int64]] | None:
    """Text or numbers with few labels, all among the first rows; None for others, and for those that equal nothing."""
    if len(y) <= 4 * _HEAD or y.dtype.kind not in "fUS":
        return None
    classes = np.unique(y[:_HEAD])
    if len(classes) > _FEW:
        return None
    codes, known = np.zeros(len(y), dtype=np.int64), 0
    for code, label in enumerate(classes):
        own = y == label
        known += int(np.count_nonzero(own))
        if code:
            codes += code * own
    return (classes, codes) if known == len(y) else None


class Spellings:
    """Labels by what files and people write for them: spaces around a text, 1.0 for 1, true for True do not matter.

    A text that is exactly that of a label comes before all others.

    >>> known = Spellings([False, True])
    >>> known.place("true"), known.place(" False "), known.place("maybe")
    (1, 0, None)
    >>> Spellings(["1", "01", "b "]).place("01"), Spellings([1.0, 2.0]).place("2"), Spellings(["a", "b "]).place("b")
    (1, 1, 1)
    """

    def __init__(self, labels: Sequence[object]) -> None:
        self._places: dict[str, int] = {}
        for spelled in zip(*map(_spelled, labels), strict=True):  # the exact texts of all labels first
            for place, text in enumerate(spelled):
                self._places.setdefault(text, place)

    def place(self, written: object) -> int | None:
        """The place of the label that is meant; None where there is none."""
        return next((self._places[text] for text in _spelled(written) if text in self._places), None)


def _spelled(label: object) -> tuple[str, str, str]:
    """A label as text, without spaces around, and with numbers and truth values written in one way."""
    text = str(label)
    plain = text.strip()
    try:
        number = float(plain)
    except ValueError:
        return text, plain, plain.lower() if plain.lower() in ("true", "false") else plain
    return text, plain, repr(number) if math.isfinite(number) else plain
