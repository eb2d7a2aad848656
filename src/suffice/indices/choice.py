"""Which index suits some rows, and why."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from .. import backend
from ..distances import Distance, as_distance
from ..errors import InvalidParameter
from ..typing import CSR, Numbers, Reals
from .base import Index
from .brute import Brute
from .inverted_lists import InvertedLists
from .kd_tree import KDTree
from .lsh import LSH

INDICES: dict[str, type[Index]] = {cls.name: cls for cls in (Brute, KDTree, InvertedLists, LSH)}
NAMES = ("auto", *INDICES)

# Up to so many columns a tree beats comparing all, from so many rows on.
TREE_ROWS = {1: 200, 2: 300, 3: 500, 4: 500, 5: 1000, 6: 15_000, 7: 40_000, 8: 60_000}


def as_index(value: object, owner: str = "as_index") -> Index | None:
    """The index of a name, or the index it is; None for "auto", which depends on the rows."""
    if isinstance(value, Index):
        return value
    if isinstance(value, str) and value in INDICES:
        return INDICES[value]()
    if isinstance(value, str) and value == "auto":
        return None
    raise InvalidParameter(f"{owner}: algorithm must be an index or one of {', '.join(NAMES)}; got {value!r}.")


def choose(X: Numbers, metric: object = "euclidean") -> Index:
    """The index that suits the rows X and the distance, not yet built; `reason` says why."""
    measure = as_distance(metric).fitted(X)
    return suited(measure.matrix(X), measure)


def suited(X: Reals | CSR, measure: Distance) -> Index:
    """The same for rows that have been checked, and a distance that has learned from them."""
    index, why = _suited(X, measure)
    return replace(index, reason=why)


def _suited(X: Reals | CSR, measure: Distance) -> tuple[Index, str]:
    n, d = X.shape
    if sparse.issparse(X):
        why = InvertedLists.refusal(measure, True)
        if why is None:
            return (
                InvertedLists(),
                f"inverted lists: the {n:,} rows are sparse, and few share a column with a query",
            )
        return Brute(), f"all rows are compared: {why}"
    why = KDTree.refusal(measure, False)
    if why is not None:
        return Brute(), f"all rows are compared: {why}"
    if n < TREE_ROWS.get(d, np.inf):
        return Brute(), f"all rows are compared: with {n:,} rows of {d:,} columns a tree would not pay"
    if measure.missing and backend.first_bad(X) is not None:
        return Brute(), "all rows are compared: some have missing values, and a k-d tree needs whole rows"
    return KDTree(), f"k-d tree: with {n:,} rows of {d} columns a query passes over most of them"
