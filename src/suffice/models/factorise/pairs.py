"""What a factorisation predicts for pairs of a row and a column of the fit, by their labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...backend.factors import cell_products
from ...errors import InvalidData, SufficeWarning, warn
from ...typing import Codes, Floats, Labels, TargetLike, Whole
from .cells import Cells
from .ratings import label_array

_BLOCK_BYTES = 1 << 24  # of predictions that are made at once


@dataclass(frozen=True)
class Side:
    """The rows, or the columns, of a fit: their labels, factors and biases."""

    what: Literal["rows", "columns"]
    labels: Labels  # (m,)
    factors: Floats  # (m, k)
    bias: Floats  # (m,)

    def places(self, given: TargetLike, owner: str) -> Whole:
        """Where labels stand among those of the fit; −1, with a warning: nowhere."""
        values = label_array(given, owner, self.what)
        order = np.argsort(self.labels, kind="stable")
        known = self.labels[order]
        try:
            at = np.minimum(np.searchsorted(known, values), len(known) - 1)
            found = known[at] == values
        except TypeError:
            raise InvalidData(
                f"{owner}: {self.what} must hold labels like those of the fit, such as {self.labels[0]!r}; "
                f"got {values[0]!r}."
            ) from None
        at = np.where(found, order[at], -1).astype(np.int64)
        self._say_unseen(at, owner)
        return at

    def biases(self, at: Whole) -> Floats:
        """The biases at these places, 0 where the fit saw nothing."""
        return np.where(at >= 0, self.bias[at], 0.0)

    def _say_unseen(self, at: Whole, owner: str) -> None:
        count = int(np.count_nonzero(at < 0))
        if count:
            warn(
                f"{owner}: {count} of {len(at)} {self.what} were not in the fit; they are predicted without factors "
                "and bias of their own, by the mean and the other's bias. A new row with known cells is predicted "
                "from a table.",
                SufficeWarning,
            )


@dataclass(frozen=True)
class Pairs:
    """Both sides of a fit, and the mean that their biases are added to."""

    owner: str
    mean: float
    rows: Side
    columns: Side

    def predicted(self, rows: TargetLike, columns: TargetLike) -> Floats:
        """What is expected of each pair of labels, (m,)."""
        i, j = self.rows.places(rows, self.owner), self.columns.places(columns, self.owner)
        if len(i) != len(j):
            raise InvalidData(f"{self.owner}: predict needs as many rows as columns; got {len(i)} and {len(j)}.")
        known = (i >= 0) & (j >= 0)
        starts = np.append(0, np.cumsum(known)).astype(np.int64)
        out = self.mean + self.rows.biases(i) + self.columns.biases(j)
        out[known] += cell_products(self.rows.factors[np.maximum(i, 0)], self.columns.factors, starts, j[known])
        return out

    def best(self, rows: TargetLike, n: int, left_out: tuple[Whole, Codes] | None) -> Floats:
        """The n best columns of rows (None: of all) and what is expected there, (m, 2, n), a block at a time.

        `left_out` are cells by row that are not wanted: where each row begins, and their columns.
        """
        at = np.arange(len(self.rows.bias)) if rows is None else self.rows.places(rows, self.owner)
        d, found = len(self.columns.bias), []
        height = max(1, _BLOCK_BYTES // (8 * d))
        for first in range(0, len(at), height):
            own = at[first : first + height]
            cells = None if left_out is None else cells_at(*left_out, own, d)
            found.append(best_of(self._scores(own), n, cells))
        return np.concatenate(found)

    def _scores(self, at: Whole) -> Floats:
        """What is expected of every column in these rows, (m, d)."""
        scores = self.rows.biases(at)[:, None] + (self.mean + self.columns.bias)
        some = at >= 0
        scores[some] += self.rows.factors[at[some]] @ self.columns.factors.T
        return scores


def cells_at(starts: Whole, columns: Codes, at: Whole, d: int) -> Cells:
    """The cells of chosen rows, of known cells by rows; those of a row at −1 are none."""
    begin = starts[:-1][at]
    count = np.where(at >= 0, starts[1:][at] - begin, 0)
    own = np.append(0, np.cumsum(count))
    place = np.arange(own[-1]) + np.repeat(begin - own[:-1], count)
    return Cells(own, columns[place].astype(np.int64), np.empty(len(place)), d)


def best_of(scores: Floats, n: int, left_out: Cells | None) -> Floats:
    """The n columns with the largest scores in each row, and these, (m, 2, n); those left out have −∞, in place."""
    if left_out is not None:
        scores[left_out.rows, left_out.columns] = -np.inf
    first = largest_first(scores, n)
    return np.stack([first, np.take_along_axis(scores, first, axis=1)], axis=1)


def largest_first(scores: Floats, n: int) -> Whole:
    """The columns of the n largest numbers of each row, (m, n), the largest first; of equal ones the first column."""
    d = scores.shape[1]
    if n >= d:
        return np.argsort(-scores, axis=1, kind="stable")
    best = np.argpartition(scores, d - n, axis=1)[:, d - n :]
    least = np.take_along_axis(scores, best, axis=1).min(axis=1, keepdims=True)
    tied = np.flatnonzero(np.count_nonzero(scores >= least, axis=1) > n)
    best[tied] = np.argsort(-scores[tied], axis=1, kind="stable")[:, :n]
    best.sort(axis=1)
    order = np.argsort(-np.take_along_axis(scores, best, axis=1), axis=1, kind="stable")
    return np.take_along_axis(best, order, axis=1)
