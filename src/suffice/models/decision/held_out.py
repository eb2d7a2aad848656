"""What a model says of rows that it has not learned from, part after part."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, cast

import numpy as np
from sklearn.base import clone

from ...data import ArraySource, Chunk, Source
from ...engine import unless_early
from ...errors import InvalidData
from ...estimator import Estimator
from ...observing import part_done
from ...statistics import row_uniforms
from ...typing import Codes, EstimatorLike, Floats, Labels, Whole
from ..inner import fitted_foreign


def all_rows(source: Source, memory: int) -> Chunk:
    """The rows of a source in memory."""
    return source.in_memory if source.in_memory is not None else source.gather(memory)


def rows_that_count(source: Source, memory: int) -> Chunk:
    """The same, but for those of weight 0."""
    rows = all_rows(source, memory)
    return rows if rows.weight is None else rows.at(np.flatnonzero(rows.weight > 0))


def folds_by_content(X: Floats, folds: int, owner: str, codes: Codes | None = None) -> Whole:
    """A fold for each row, (n,), by its cells alone, each with its share of every class.

    Equal rows are in one fold, so that a weight of 2 is the same as the row twice, and the order does not matter. Rows
    of a class that has no others are never left out: their fold is −1.
    """
    uniforms = row_uniforms(X, 0)
    found = np.zeros(len(uniforms), dtype=np.intp)
    for own in [np.arange(len(uniforms))] if codes is None else [np.flatnonzero(codes == c) for c in np.unique(codes)]:
        distinct, place = np.unique(uniforms[own], return_inverse=True)
        found[own] = place % folds if len(distinct) > 1 else -1
    if found.max() < 1:
        raise InvalidData(f"{owner}: at least 2 rows that differ are needed, to leave some out; got one sample.")
    return found


def fitted_to(model: EstimatorLike, rows: Chunk, source: Source) -> Estimator:
    """A copy of the model, fitted to these rows of a source; of many such fits none may be ended early."""
    copy, own = clone(model), ArraySource(rows, source.schema, source.needs)
    if isinstance(copy, Estimator):
        return unless_early(copy.fit_source(own))
    fitted_foreign(copy, own, source.needs.owner)
    return cast(Estimator, copy)


def are_splits(value: object) -> bool:
    """Whether a value is a splitter of scikit-learn, or a list of pairs of row numbers."""
    pairs = isinstance(value, list | tuple) and len(value) and all(isinstance(p, tuple) and len(p) == 2 for p in value)
    return bool(pairs) or (callable(getattr(value, "split", None)) and not isinstance(value, str | bytes | type))


def splits_of(cv: Any, rows: Chunk, kept: Whole, codes: Codes, owner: str) -> list[tuple[Whole, Whole]]:
    """Which of the kept rows to learn from and which to ask about, by their contents where `cv` is a number.

    Splits of a user are about all rows, also those of weight 0, of which nothing is kept.
    """
    if isinstance(cv, Integral):
        return splits_by_fold(folds_by_content(rows.X[kept], int(cv), owner, codes))
    made = list(cv.split(rows.X, rows.y) if hasattr(cv, "split") else cv)
    found = [(np.asarray(train, dtype=np.int64), np.asarray(test, dtype=np.int64)) for train, test in made]
    for numbers in (numbers for pair in found for numbers in pair):
        if not len(numbers) or numbers.min() < 0 or numbers.max() >= len(rows):
            raise InvalidData(f"{owner}: cv must split rows 0 to {len(rows) - 1}, with some on either side.")
    tested = np.concatenate([test for _, test in found])
    if len(np.unique(tested)) < len(tested):
        raise InvalidData(f"{owner}: cv must ask about no row twice; give splits that do not overlap.")
    place = np.full(len(rows), -1, dtype=np.int64)
    place[kept] = np.arange(len(kept))
    own = [(place[train][place[train] >= 0], place[test][place[test] >= 0]) for train, test in found]
    return [(train, test) for train, test in own if len(train) and len(test)]


def splits_by_fold(fold: Whole) -> list[tuple[Whole, Whole]]:
    """Splits by the fold of each row; those of fold −1 are always learned from, and told by a model of all rows."""
    numbers = np.unique(fold)
    return [(np.flatnonzero((fold != own) | (fold < 0)), np.flatnonzero(fold == own)) for own in numbers]


def held_out(
    model: EstimatorLike,
    rows: Chunk,
    source: Source,
    splits: list[tuple[Whole, Whole]],
    asked: Callable[[Estimator, Chunk], Labels],
) -> Floats:
    """What a model says of the rows that it has not learned from, (n,) or (n, k); NaN of rows in no split."""
    found: Floats | None = None
    for number, (learned, told) in enumerate(splits):
        part_done(number, len(splits))
        said = asked(fitted_to(model, rows.at(learned), source), rows.at(told))
        if found is None:
            found = np.full((len(rows), *said.shape[1:]), np.nan)
        found[told] = said
    return cast(Floats, found)
