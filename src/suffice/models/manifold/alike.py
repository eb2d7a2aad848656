"""How alike the objects of a map are: by a graph of neighbours, by a kernel, or as given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from ...data.distinct import distinct_rows
from ...errors import InvalidData
from ...holds import floats, instance, integers, number, optional
from ...kernels import Kernel
from ...kernels.base import check_memory
from ...kernels.gram import checked
from ...registry import register_member
from ...typing import Floats, Reals, Whole
from .compared import Compared
from .neighbourhood import Neighbourhood, Pieces, in_pieces
from .walk import Matrix


@dataclass(frozen=True)
class Alike:
    """Base: similarities of m objects, none below 0, and of new rows to them."""

    holds: ClassVar[dict[str, object]] = {}

    def __init_subclass__(cls) -> None:
        register_member(cls, "alike")

    def between(self, X: Reals) -> Matrix:
        """Of rows to the objects, (q, m)."""
        raise TypeError(f"{type(self).__name__} does not define between")

    def dissimilarities(self, some: Whole) -> Floats:
        """How far some objects are apart, (s, s)."""
        raise TypeError(f"{type(self).__name__} does not define dissimilarities")

    def rows(self) -> Floats | None:
        """The objects as rows, (m, d), where they are."""
        return None

    def nearest(self, X: Reals) -> Whole:
        """The nearest object of each row."""
        raise TypeError(f"{type(self).__name__} does not define nearest")

    def same(self, X: Reals) -> Whole:
        """Which object each row equals, -1 for none."""
        return np.full(len(X), -1, dtype=np.int64)


def _same(X: Reals, objects: Floats) -> Whole:
    rows = np.concatenate([objects, np.asarray(X, dtype=np.float64)])
    first, which = distinct_rows(rows)
    lowest = np.full(len(first), len(rows), dtype=np.int64)
    np.minimum.at(lowest, which, np.arange(len(rows)))
    found = lowest[which[len(objects) :]]
    return np.where(found < len(objects), found, -1)


@dataclass(frozen=True)
class AlikeByKernel(Alike):
    """A kernel of rows that is nowhere below 0."""

    compared: Compared
    kernel: Kernel

    holds: ClassVar = {"compared": instance(Compared, m="m", d="d"), "kernel": instance(Kernel)}

    def matrix(self, owner: str, memory: int) -> Floats:
        """Of all objects, (m, m)."""
        X = self.compared.rows
        assert X is not None
        check_memory(len(X), len(X), 8 * 3, memory, owner)
        found = checked(self.kernel, X, X, owner)
        if found.size and found.min() < 0:
            raise InvalidData(f"{owner}: {self.kernel!r} is below 0 for some rows; take one that is not, as 'rbf'.")
        return found

    def between(self, X: Reals) -> Floats:
        assert self.compared.rows is not None
        found = checked(self.kernel, np.asarray(X, dtype=np.float64), self.compared.rows, type(self).__name__)
        return np.maximum(found, 0.0)

    def dissimilarities(self, some: Whole) -> Floats:
        return self.compared.among(some)

    def rows(self) -> Floats | None:
        return self.compared.rows

    def nearest(self, X: Reals) -> Whole:
        return np.asarray(np.argmin(self.compared.between(X), axis=1))

    def same(self, X: Reals) -> Whole:
        assert self.compared.rows is not None
        return _same(X, self.compared.rows)


@dataclass(frozen=True)
class AlikeByNeighbours(Alike):
    """Neighbours in a graph: 1, half where one of two lists the other, or exp(−γ d²) with `gamma`."""

    near: Neighbourhood
    gamma: float | None

    holds: ClassVar = {
        "near": instance(Neighbourhood, m="m", d="d"),
        "gamma": optional(number(at_least=0)),
    }

    def matrix(self, owner: str, pieces: Pieces) -> tuple[Matrix, Whole, int]:
        """Of the objects in the graph, which these are, and in how many pieces it was."""
        whole = self.near.graph()
        graph, some = in_pieces(owner, whole, pieces, self.near)
        if self.gamma is None:
            return graph.matrix("binary", keep="mean"), some, whole.n_components
        return graph.matrix("heat", gamma=self.gamma), some, whole.n_components

    def between(self, X: Reals) -> Matrix:
        lists = self.near.lists(X)
        values = np.ones(len(lists.rows)) if self.gamma is None else np.exp(-self.gamma * lists.distances**2)
        starts = np.concatenate([[0], lists.ends])
        return sparse.csr_array((values, lists.rows, starts), shape=(len(X), len(self.near.compared)))

    def dissimilarities(self, some: Whole) -> Floats:
        return self.near.compared.among(some)

    def rows(self) -> Floats | None:
        return self.near.compared.rows

    def nearest(self, X: Reals) -> Whole:
        lists = self.near.lists(X)
        return lists.rows[np.concatenate([[0], lists.ends[:-1]]).astype(np.int64)]

    def same(self, X: Reals) -> Whole:
        rows = self.near.compared.rows
        return super().same(X) if rows is None else _same(X, rows)


@dataclass(frozen=True)
class AlikeAsGiven(Alike):
    """Similarities that were given, (m, m); `at` says in which columns a row has those to the objects."""

    given: Floats
    at: Whole

    holds: ClassVar = {"given": floats("m", "m", at_least=0), "at": integers("m", at_least=0, below="d")}

    def between(self, X: Reals) -> Floats:
        return np.maximum(np.asarray(X, dtype=np.float64)[:, self.at], 0.0)

    def dissimilarities(self, some: Whole) -> Floats:
        found = float(self.given.max(initial=0.0)) - self.given[np.ix_(some, some)]
        np.fill_diagonal(found, 0.0)
        return found

    def nearest(self, X: Reals) -> Whole:
        return np.asarray(np.argmax(np.asarray(self.between(X)), axis=1))

    def same(self, X: Reals) -> Whole:
        return _same(np.asarray(X, dtype=np.float64)[:, self.at], self.given)


def check_given(S: Reals, owner: str) -> None:
    """Refuse what are no similarities of all pairs of rows."""
    if S.shape[0] != S.shape[1]:
        raise InvalidData(
            f"{owner}: affinity='precomputed' needs a square matrix, one row and one column for each object; X has "
            f"shape {S.shape}. Give all pairs, or rows with another affinity."
        )
    if S.size and S.min() < 0:
        i, j = (int(at) for at in np.argwhere(S < 0)[0])
        raise InvalidData(
            f"{owner}: X[{i}, {j}] is {float(S[i, j])}; similarities must not be negative. Turn distances d into "
            "similarities, such as exp(-gamma * d**2)."
        )
    apart = np.abs(S - S.T)
    if apart.max(initial=0.0) > 1e-8 * S.max(initial=0.0):
        i, j = (int(at) for at in np.argwhere(apart == apart.max())[0])
        raise InvalidData(
            f"{owner}: X[{i}, {j}] is {float(S[i, j])} but X[{j}, {i}] is {float(S[j, i])}; similarities must be "
            "symmetric. Use (X + X.T) / 2."
        )
