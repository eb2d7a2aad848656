"""Rows of small classes made up between neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...choices import check_number
from ...errors import InvalidData
from ...indices import Brute
from ...typing import Codes, Floats, Reals
from .oversample import Oversample
from .sampler import Rows


@dataclass(frozen=True)
class Smote(Oversample):
    """New rows of small classes lie between a row and one of its k nearest of the same class (Chawla et al., 2002).

    x + u (x′ − x), u uniform in [0, 1], in columns of numbers; a category is the most frequent one among the k
    neighbours, that of the row itself where it is among these. Rows are compared in columns of numbers divided by
    their standard deviations, and every category that differs counts as much as a distance of 1. A class with
    fewer than k + 1 rows uses those there are; a class with one row cannot be made up, and is refused.

    >>> X, y, _ = Smote(k=1).resample([[0.0], [1.0], [2.0], [3.0], [8.0], [9.0]], [0, 0, 0, 0, 1, 1], random_state=0)
    >>> bool(((X[6:] >= 8) & (X[6:] <= 9)).all()), y.tolist()
    (True, [0, 0, 0, 0, 1, 1, 1, 1])
    """

    perturbation: float = 0.0
    k: int = 5
    names = ("smote",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self, "k", 1.0, most=1e6)

    def _made(self, rows: Rows, own: Codes, drawn: Codes, rng: np.random.Generator) -> Reals:
        if len(own) < 2:
            raise InvalidData(
                "Smote: a class with 1 row has no neighbours of its own; leave it out, or use Oversample()."
            )
        near = min(int(self.k), len(own) - 1)
        if not np.isfinite(rows.X[own]).all():
            raise InvalidData("Smote: rows between neighbours need all cells; fill missing ones first.")
        table, at = _comparable(rows, own), np.searchsorted(own, drawn)
        asked, place = np.unique(at, return_inverse=True)
        found = Brute().built(table).kneighbors(table[asked], near + 1).rows  # (m, near + 1)
        others = _without_itself(found, asked)[place]  # (count, near)
        other = own[others[np.arange(len(drawn)), rng.integers(near, size=len(drawn))]]
        u = rng.random((len(drawn), 1)).astype(rows.X.dtype)
        X, start = rows.X[other], rows.X[drawn]
        X -= start
        X *= u
        X += start
        for j in rows.categories:
            X[:, j] = _most_frequent(rows.X[own[others], j], rows.X[drawn, j])
        return X


def _comparable(rows: Rows, own: Codes) -> Floats:
    """The rows of a class in the units of all rows, categories as columns of 0 and √½."""
    X = np.asarray(rows.X, dtype=np.float64)
    numeric = np.setdiff1d(np.arange(X.shape[1]), rows.categories)
    spread = np.nanstd(X[:, numeric], axis=0)
    parts = [X[np.ix_(own, numeric)] / np.where(spread > 0, spread, 1.0)]
    parts += [(X[own, j, None] == np.unique(X[own, j])) * np.sqrt(0.5) for j in rows.categories]
    return np.column_stack(parts)


def _without_itself(found: Codes, asked: Codes) -> Codes:
    """The neighbours of each row but for itself, (m, near); of equal rows the last is left out instead."""
    is_own = found == asked[:, None]
    is_own[~is_own.any(axis=1), -1] = True
    return np.asarray(found[~is_own].reshape(len(found), -1))


def _most_frequent(votes: Floats, own: Floats) -> Floats:
    """The category that most neighbours have, votes (n, near); of equals that of the row, else the least code."""
    values = np.unique(votes)
    counts = np.stack([np.sum(votes == value, axis=1) for value in values], axis=1)  # (n, values)
    best = counts.max(axis=1)
    held = np.searchsorted(values, own)
    at = np.minimum(held, len(values) - 1)
    keeps = (values[at] == own) & (counts[np.arange(len(own)), at] == best)
    return np.asarray(np.where(keeps, own, values[counts.argmax(axis=1)]))
