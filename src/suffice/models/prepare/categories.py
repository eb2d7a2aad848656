"""The categories of columns with their weights, and which of them get a column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...backend import columns, features
from ...errors import InvalidData, InvalidParameter
from ...holds import Kind, floats, tuples
from ...statistics.sorted_values import ColumnValues, SortedValues
from ...typing import Flags, Floats, Reals, Whole

INFREQUENT, UNKNOWN = "infrequent", "unknown"  # what such columns are called
DROPPED, NO_COLUMN = -1, -2
_FEW_CODES = 4096


@dataclass(frozen=True)
class CategoryWeights:
    """The values of columns with their weights, and the weight of the missing cells of each, (d,)."""

    values: ColumnValues
    missing: Floats

    @classmethod
    def of(cls, X: Reals, weight: Floats | None) -> CategoryWeights:
        """The categories of the rows of X."""
        return cls(_values(X, weight), missing_weight(X, weight))

    def __add__(self, other: CategoryWeights) -> CategoryWeights:
        return CategoryWeights(self.values + other.values, self.missing + other.missing)

    @property
    def rows(self) -> float:
        """The weight of all rows."""
        return self.values.rows

    def columns(self) -> Iterator[tuple[SortedValues, float]]:
        """The values of each column, and the weight of its missing cells."""
        return zip(self.values.columns, self.missing.tolist(), strict=True)


def _values(X: Reals, weight: Floats | None) -> ColumnValues:
    """The values of the columns: where all are small codes they are counted, which is faster than sorting them."""
    largest = columns.largest_codes(X)
    if not np.all(largest < min(_FEW_CODES, len(X) / 8)):  # one is no code, or they are many
        return ColumnValues.of(X, weight)
    offsets = np.concatenate([[0], np.cumsum(largest + 1)]).astype(np.int64)
    counts = columns.category_counts(X, np.zeros(len(X), dtype=np.int64), 1, offsets, weight)[0]
    parts = [counts[a:b] for a, b in pairwise(offsets.tolist())]
    found = (np.flatnonzero(own) for own in parts)
    levels = [np.column_stack([at.astype(np.float64), own[at]]) for own, at in zip(parts, found, strict=True)]
    rows = float(len(X) if weight is None else np.sum(weight))
    return ColumnValues(rows, tuple(SortedValues((level,)) for level in levels))


def missing_weight(X: Reals, weight: Floats | None) -> Floats:
    """The weight of the missing cells of each column, (d,)."""
    if weight is None:
        return features.column_ranges(X)[2]
    return np.asarray(weight @ np.isnan(X))


def levels_kind() -> Kind:
    """Numbers of categories, of each column."""
    return tuples(floats(None, finite=False), "m")


def numbered(values: SortedValues, missing: float, names: Sequence[str], place: str) -> tuple[Floats, Floats]:
    """The categories of a column and their weights: sorted, by their names where they have some; NaN is the last."""
    if not values.exact:
        raise InvalidData(
            f"{place} has too many different values to be categories; leave it out, or cut it into bins with "
            "KBinsDiscretizer."
        )
    codes, weights = values.in_order()
    if names:
        order = np.argsort(np.array(names, dtype=object)[codes.astype(np.intp)], kind="stable")
        codes, weights = codes[order], weights[order]
    if missing:
        codes, weights = np.append(codes, np.nan), np.append(weights, missing)
    return codes, weights


def weighted(
    given: Floats, codes: Floats, weights: Floats, names: Sequence[str] | None, place: str
) -> tuple[Floats, Floats]:
    """Given categories and their weights, 0 where one was not found; others are refused, unless `names` is None."""
    of_code = dict(zip(map(_key, codes.tolist()), weights.tolist(), strict=True))
    listed = [_key(code) for code in given.tolist()]
    other = next((code for code in codes.tolist() if _key(code) not in listed), None)
    if other is not None and names is not None:
        raise InvalidData(
            f"{place} holds {names_of(other, names)!r}, which is not among its categories; add it, or say "
            "handle_unknown='ignore', 'infrequent_if_exist' or 'own_column'."
        )
    return given, np.array([of_code.get(key, 0.0) for key in listed])


def _key(code: float) -> float | None:
    return None if np.isnan(code) else code


def regrouped(rare: Flags, gone: str | int | None, handle_unknown: str) -> tuple[Whole, int, int, int]:
    """In which column each category of one column stands, how many there are, and those of infrequent and unknown.

    `gone` says which has none: "first", "if_binary", its number, or None.
    """
    places = np.cumsum(~rare) - 1
    width = int(np.count_nonzero(~rare))
    infrequent = NO_COLUMN
    if rare.any():
        places[rare], infrequent, width = width, width, width + 1
    if gone == "first" or (gone == "if_binary" and width == 2):
        out: int | None = 0
    else:
        out = int(places[gone]) if isinstance(gone, int) else None
    if out is not None:
        places = np.where(places == out, DROPPED, places - (places > out))
        width = max(width - 1, 0)
        infrequent = DROPPED if infrequent == out else infrequent - (infrequent > out)
    unknown = NO_COLUMN
    if handle_unknown == "own_column":
        unknown, width = width, width + 1
    return places.astype(np.int64), width, infrequent, unknown


def are_infrequent(weights: Floats, rows: float, least: float | None, most: int | None) -> Flags:
    """Which categories are infrequent: by a least weight or share of the rows, and by how many columns may be made."""
    rare: Flags = np.zeros(len(weights), dtype=bool)
    if least is not None:
        rare = weights < (least if isinstance(least, int) else least * rows)
    if most is not None and most < np.count_nonzero(~rare) + 1:  # as scikit-learn counts: one more for infrequent ones
        rare[np.argsort(weights, kind="stable")[: len(weights) - (most - 1)]] = True
    return rare


def drops(given: object, count: int, owner: str) -> list[str | tuple[object] | None]:
    """What is left out of each of so many columns: a word, a category alone in a tuple, or nothing."""
    if given is None or isinstance(given, str):
        return [given] * count
    listed = np.asarray(given, dtype=object).tolist()
    if len(listed) != count:
        raise InvalidParameter(
            f"{owner}: drop must name one category for each of the {count} encoded columns; got {len(listed)}."
        )
    return [None if label is None else (label,) for label in listed]


def names_of(code: float, names: Sequence[str]) -> str | float:
    """What a category is called; a missing value is NaN."""
    return names[int(code)] if names and code == code else code


def out_of(
    gone: str | tuple[object] | None, known: Sequence[str | float], rare: Flags, owner: str, column: str
) -> str | int | None:
    """What is left out of a column: a word or nothing as they are, or the number of a category, not infrequent."""
    if not isinstance(gone, tuple):
        return gone
    (label,) = gone
    missing = isinstance(label, float) and np.isnan(label)
    same = (one == label or (missing and isinstance(one, float) and np.isnan(one)) for one in known)
    at = next((i for i, found in enumerate(same) if found), None)
    if at is None or rare[at]:
        why = "is not one of its categories" if at is None else "is infrequent"
        others = ", ".join(repr(one) for one, none in zip(known, rare, strict=True) if not none)
        raise InvalidParameter(f"{owner} names {label!r:.80} for {column}, which {why}; it has {others:.200}.")
    return at
