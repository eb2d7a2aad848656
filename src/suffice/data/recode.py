"""Category columns of one table in the codes of another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from .schema import Schema
from .source import Chunk

UNSEEN = -1.0  # the code of a category that the other table does not have; a missing value is NaN


def recoder(before: Schema, now: Schema, owner: str) -> Callable[[Chunk], Chunk] | None:
    """How the chunks of a table get the codes of the table before; None where they have them.

    >>> from suffice.data.schema import Column
    >>> was, now = (Schema((Column("c", "categorical", names),)) for names in (("a", "b"), ("b", "z")))
    >>> recoder(was, now, "Model")(Chunk(np.array([[0.0], [1.0], [np.nan]]))).X.ravel()
    array([ 1., -1., nan])
    """
    if before is now:
        return None
    tables: dict[int, NDArray[np.float64]] = {}
    for j, (old, new) in enumerate(zip(before.columns, now.columns, strict=True)):
        if (old.kind == "categorical") != (new.kind == "categorical") and (old.categories or new.categories):
            was, found = ("text", "numbers") if old.kind == "categorical" else ("numbers", "text")
            raise InvalidData(
                f"{owner}: {now.describe(j)} holds {found}, but held {was} at the fit; give the columns as they were."
            )
        if old.categories != new.categories:
            code = {name: float(i) for i, name in enumerate(old.categories)}
            tables[j] = np.array([*(code.get(name, UNSEEN) for name in new.categories), np.nan])
    return (lambda chunk: _recoded(chunk, tables)) if tables else None


def _recoded(chunk: Chunk, tables: dict[int, NDArray[np.float64]]) -> Chunk:
    X = np.array(chunk.X)
    for j, table in tables.items():
        X[:, j] = table[np.where(np.isnan(X[:, j]), len(table) - 1, X[:, j]).astype(np.intp)]
    return replace(chunk, X=X)


def extended(known: Schema, now: Schema) -> Schema:
    """The columns with the values of this table that are new after the others, where no order places them."""
    columns = []
    for old, new in zip(known.columns, now.columns, strict=True):
        seen = set(old.categories)
        more = tuple(value for value in new.categories if value not in seen)
        columns.append(replace(old, categories=old.categories + more, ordered=False) if more else old)
    return Schema(tuple(columns), known.named)
