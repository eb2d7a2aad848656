"""How alike the objects of a map are: by a graph of neighbours, by a kernel, or as given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from ...data.distinct import distinct_rows
from ...data.rows import in_double, stacked
from ...errors import InvalidData
from ...holds import instance, integers, number, optional, row_array, whole
from ...kernels import Kernel
from ...kernels.base import check_memory
from ...kernels.gram import checked
from ...registry import register_member
from ...solvers.similarity import sparse_kernel
from ...typing import Floats, Numbers, Whole
from .affinity_function import Affinity
from .compared import Compared, as_array
from .neighbourhood import Neighbourhood, Pieces, in_pieces
from .walk import Matrix


@dataclass(frozen=True)
class Alike:
    """Base: similarities of m objects, none below 0, and of new rows to them."""

    holds: ClassVar[dict[str, object]] = {}

    def __init_subclass__(cls) -> None:
        register_member(cls, "alike")

    def in_form(self, X: Numbers) -> Numbers:
        """New rows in the form of the objects, dense or sparse."""
        raise TypeError(f"{type(self).__name__} does not define in_form")

    def between(self, X: Numbers) -> Matrix:
        """Of rows to the objects, (q, m)."""
        raise TypeError(f"{type(self).__name__} does not define between")

    def dissimilarities(self, some: Whole) -> Floats:
        """How far some objects are apart, (s, s)."""
        raise TypeError(f"{type(self).__name__} does not define dissimilarities")

    def rows(self) -> Numbers | None:
        """The objects as rows, (m, d), where they are."""
        return None

    def nearest(self, X: Numbers) -> Whole:
        """The nearest object of each row."""
        raise TypeError(f"{type(self).__name__} does not define nearest")

    def same(self, X: Numbers) -> Whole:
        """Which object each row equals, -1 for none."""
        return np.full(X.shape[0], -1, dtype=np.int64)


def _same(X: Numbers, objects: Numbers) -> Whole:
    m, n = objects.shape[0], objects.shape[0] + X.shape[0]
    first, which = distinct_rows(stacked([objects, in_double(X)]))
    lowest = np.full(len(first), n, dtype=np.int64)
    np.minimum.at(lowest, which, np.arange(n))
    found = lowest[which[m:]]
    return np.where(found < m, found, -1)


@dataclass(frozen=True)
class AlikeByKernel(Alike):
    """A kernel of rows that is nowhere below 0, or a function of a user's, which no file holds."""

    compared: Compared
    kernel: Kernel | Affinity

    holds: ClassVar = {"compared": instance(Compared, m="m", d="d"), "kernel": instance(Kernel)}

    def matrix(self, owner: str, memory: int) -> Floats:
        """Of all objects, (m, m)."""
        X = self.compared.rows
        assert X is not None
        check_memory(X.shape[0], X.shape[0], 8 * 3, memory, owner)
        found = self._of(X, X, owner)
        if found.size and found.min() < 0:
            raise InvalidData(f"{owner}: {self.kernel!r} is below 0 for some rows; take one that is not, as 'rbf'.")
        if isinstance(self.kernel, Affinity):
            check_symmetric(found, owner, "affinity(X)")
        return found

    def _of(self, X: Numbers, Y: Numbers, owner: str) -> Floats:
        if not isinstance(self.kernel, Kernel):
            return self.kernel.between(X, Y, owner)
        if not sparse.issparse(X):
            return checked(self.kernel, X, Y, owner)
        form = self.kernel.form(X.shape[1])
        if form is None:
            raise InvalidData(f"{owner}: rows must be dense for {self.kernel!r}; use X.toarray().")
        return checked(lambda X, Y: sparse_kernel(X, Y, form), X, Y, owner)

    def in_form(self, X: Numbers) -> Numbers:
        return self.compared.in_form(X)

    def between(self, X: Numbers) -> Floats:
        assert self.compared.rows is not None
        return np.maximum(self._of(in_double(X), self.compared.rows, type(self).__name__), 0.0)

    def dissimilarities(self, some: Whole) -> Floats:
        return self.compared.among(some)

    def rows(self) -> Numbers | None:
        return self.compared.rows

    def nearest(self, X: Numbers) -> Whole:
        return np.asarray(np.argmin(self.compared.between(X), axis=1))

    def same(self, X: Numbers) -> Whole:
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

    def in_form(self, X: Numbers) -> Numbers:
        return self.near.compared.in_form(X)

    def between(self, X: Numbers) -> Matrix:
        lists = self.near.lists(X)
        values = np.ones(len(lists.rows)) if self.gamma is None else np.exp(-self.gamma * lists.distances**2)
        starts = np.concatenate([[0], lists.ends])
        return sparse.csr_array((values, lists.rows, starts), shape=(X.shape[0], len(self.near.compared)))

    def dissimilarities(self, some: Whole) -> Floats:
        return self.near.compared.among(some)

    def rows(self) -> Numbers | None:
        return self.near.compared.rows

    def nearest(self, X: Numbers) -> Whole:
        lists = self.near.lists(X)
        return lists.rows[lists.starts()]

    def same(self, X: Numbers) -> Whole:
        rows = self.near.compared.rows
        if rows is not None:
            return _same(X, rows)
        return self.near.compared.at_zero(self.near.compared.between(X))


@dataclass(frozen=True)
class AlikeAsGiven(Alike):
    """Similarities that were given, (m, m); `at` says in which columns a row has those to the objects."""

    given: Numbers
    at: Whole
    width: int  # of such a row

    holds: ClassVar = {
        "given": row_array("m", "m", complete=True),
        "at": integers("m", at_least=0, below="d"),
        "width": whole("d"),
    }

    def in_form(self, X: Numbers) -> Numbers:
        if sparse.issparse(X) == sparse.issparse(self.given):
            return X
        return as_array(X) if sparse.issparse(X) else sparse.csr_array(X)

    def between(self, X: Numbers) -> Matrix:
        found = in_double(X)[:, self.at]
        return found.maximum(0.0) if sparse.issparse(found) else np.maximum(found, 0.0)

    def dissimilarities(self, some: Whole) -> Floats:
        own = as_array(self.given[some][:, some])
        found = float(self.given.max()) - own
        np.fill_diagonal(found, 0.0)
        return found

    def nearest(self, X: Numbers) -> Whole:
        return np.asarray(self.between(X).argmax(axis=1)).ravel()

    def same(self, X: Numbers) -> Whole:
        return _same(in_double(X)[:, self.at], self.given)


def check_given(S: Numbers, owner: str) -> None:
    """Refuse what are no similarities of all pairs of rows."""
    if S.shape[0] != S.shape[1]:
        raise InvalidData(
            f"{owner}: affinity='precomputed' needs a square matrix, one row and one column for each object; X has "
            f"shape {S.shape}. Give all pairs, or rows with another affinity."
        )
    if S.size and S.min() < 0:
        i, j = _place(S < 0)
        raise InvalidData(
            f"{owner}: X[{i}, {j}] is {float(S[i, j])}; similarities must not be negative. Turn distances d into "
            "similarities, such as exp(-gamma * d**2)."
        )
    check_symmetric(S, owner, "X")


def check_symmetric(S: Numbers, owner: str, name: str) -> None:
    """Refuse similarities (n, n) that are not the same in both directions, to rounding."""
    apart = abs(S - S.T)
    if S.size and apart.max() > 1e-8 * S.max():
        i, j = _place(apart > 0.5 * apart.max())
        raise InvalidData(
            f"{owner}: {name}[{i}, {j}] is {float(S[i, j])} but {name}[{j}, {i}] is {float(S[j, i])}; similarities "
            f"must be symmetric. Use ({name} + {name}.T) / 2."
        )


def _place(flags: Numbers) -> tuple[int, int]:
    """The first cell of a matrix, dense or sparse, that is set."""
    rows, columns, _ = sparse.find(flags)
    return int(rows[0]), int(columns[0])
