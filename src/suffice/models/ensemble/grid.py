"""What classifiers say in the plane of two columns, so that a trace can show it without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ...data import ArraySource, Chunk, Schema
from ...data.rows import is_sparse
from ...typing import EstimatorLike, Floats, Labels, Reals, Whole
from .members import predicted

_CUTS = 47  # of a column at the most


@dataclass(eq=False)
class Grid:
    """Cells between cuts of two columns; the cuts lie in the middle between values, as those of trees do."""

    cuts: tuple[Floats, Floats]
    cells: Chunk  # their middles, one row of cells after the other
    schema: Schema
    codes: Whole  # (n,): the class of each row that is learned from
    classes: Labels
    done: int = 0  # learners whose votes are added up
    votes: Floats | None = None  # (cells, k)
    last: Whole | None = None  # what the last learner says of the cells

    @classmethod
    def of(cls, source: ArraySource, codes: Whole, classes: Labels) -> Self | None:
        """The grid of rows with two columns of numbers; None of others."""
        X, schema = source.chunk.X, source.schema
        if is_sparse(X) or X.shape[1] != 2 or any(column.kind == "categorical" for column in schema.columns):
            return None
        (first, across), (second, up) = (_between(np.asarray(X)[:, j]) for j in (0, 1))
        places = np.column_stack([np.tile(across, len(up)), np.repeat(up, len(across))])
        return cls((first, second), Chunk(places.astype(X.dtype)), schema, codes, classes)

    def said(self, members: Sequence[EstimatorLike], alphas: Sequence[float]) -> dict[str, object]:
        """The cuts, the classes of rows, and of each cell the class by the last learner and by the votes of all."""
        found: dict[str, object] = {"across": self.cuts[0], "up": self.cuts[1], "codes": self.codes}
        if len(members) < self.done:
            self.done = 0
        for model, alpha in zip(members[self.done :], alphas[self.done :], strict=True):
            self._add(model, alpha)
        if self.votes is None or self.last is None or not members:
            return found
        shape = (len(self.cuts[1]) + 1, len(self.cuts[0]) + 1)
        return found | {"learner": self.last.reshape(shape), "region": self.votes.argmax(axis=1).reshape(shape)}

    def _add(self, model: EstimatorLike, alpha: float) -> None:
        self.last = predicted(model, self.cells, self.schema, self.classes)
        if self.done == 0 or self.votes is None:
            self.votes = np.zeros((len(self.last), len(self.classes)))
        self.votes[np.arange(len(self.last)), self.last] += alpha
        self.done += 1


def _between(column: Reals) -> tuple[Floats, Floats]:
    """Cuts between the values of a column, of many some at equal steps, and a place on each side of them."""
    values = np.unique(column[np.isfinite(column)].astype(np.float64))
    if len(values) < 2:
        return np.zeros(0), values[:1] if len(values) else np.zeros(1)
    cuts = values[:-1] + np.diff(values) / 2
    if len(cuts) > _CUTS:
        cuts = cuts[np.linspace(0, len(cuts) - 1, _CUTS).round().astype(int)]
    middles = cuts[:-1] + np.diff(cuts) / 2
    return cuts, np.concatenate([values[:1], middles, values[-1:]])
