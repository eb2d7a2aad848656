"""Lists of neighbours, as arrays and as graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

from ...backend.neighbors import Nearest, Within
from ...errors import InvalidData, InvalidParameter
from ...estimator import Estimator, declares
from ...holds import instance, whole
from ...indices import Index
from ...params import as_float, learned
from ...typing import Numbers, TableLike


@declares
class NeighborLists(Estimator):
    """Base: what can be asked of the index of the rows of a fit."""

    index_: Index = learned("The rows of the fit, to be asked for neighbours.", holds=instance(Index, d="d"))
    n_samples_fit_: int = learned(
        "The number of rows of the fit that have a weight; others are left out.", holds=whole("n", at_least=1)
    )

    def kneighbors(
        self, X: TableLike | None = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Distances (m, k), ascending, and rows (m, k) of the nearest rows of the fit; of equals the first.

        Without X, the neighbours of the rows of the fit, themselves left out.
        """
        self._check_fitted()
        k = vars(self).get("n_neighbors", 5) if n_neighbors is None else n_neighbors
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise InvalidParameter(f"{type(self).__name__}: n_neighbors must be an integer, at least 1; got {k!r}.")
        k = int(k)
        own = X is None
        self._check_count(k + own)
        if X is None:
            found = without_self(self.index_.kneighbors(self._own_rows(), k + 1))
            pair: Numbers = np.concatenate([found.distances, found.rows], axis=1)
            dtype = self._rows_fit.X.dtype
        else:
            pair = self._rows(X, lambda chunk: np.concatenate(self.index_.kneighbors(chunk.X, k), axis=1))
            dtype = getattr(X, "dtype", np.float64)
        rows = pair[:, k:].astype(np.int64)
        single = np.float32 if dtype == np.float32 else np.float64
        return (pair[:, :k].astype(single), rows) if return_distance else rows

    def radius_neighbors(
        self,
        X: TableLike | None = None,
        radius: float | None = None,
        return_distance: bool = True,
        sort_results: bool = True,
    ) -> Any:
        """For each row of X distances and numbers of the rows at most `radius` away, arrays of arrays, nearest first.

        Without X, the neighbours of the rows of the fit, themselves left out.
        """
        lists = self._within(X, radius)
        distances = lists[:, 0].copy()
        rows = lists[:, 1].copy()
        return (distances, rows) if return_distance else rows

    def _within(self, X: TableLike | None, radius: float | None) -> Any:
        """(m, 2) of arrays."""
        self._check_fitted()
        r = vars(self).get("radius", 1.0) if radius is None else radius
        if isinstance(r, bool) or not isinstance(r, int | float | np.number) or not r >= 0:
            raise InvalidParameter(f"{type(self).__name__}: radius must be a number, at least 0; got {r!r}.")
        r = as_float(r)
        if X is not None:
            return self._rows(X, lambda chunk: as_lists(self.index_.radius_neighbors(chunk.X, r), chunk.X.dtype))
        found = self.index_.radius_neighbors(self._own_rows(), r)
        query = found.queries()
        others = query != found.rows
        ends = np.cumsum(np.bincount(query[others], minlength=len(found.ends)))
        return as_lists(Within(ends, found.distances[others], found.rows[others]), self._rows_fit.X.dtype)

    def kneighbors_graph(
        self, X: TableLike | None = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> sparse.csr_matrix:
        """The nearest rows as a CSR matrix (m, n): 1 for each, or its distance with mode="distance"."""
        self._check_mode(mode)
        distances, rows = (np.asarray(part) for part in self.kneighbors(X, n_neighbors))
        values = distances.ravel() if mode == "distance" else np.ones(rows.size)
        starts = np.arange(0, rows.size + 1, rows.shape[1])
        return sparse.csr_matrix((values, rows.ravel(), starts), shape=(len(rows), self.n_samples_fit_))

    def radius_neighbors_graph(
        self,
        X: TableLike | None = None,
        radius: float | None = None,
        mode: str = "connectivity",
        sort_results: bool = True,
    ) -> sparse.csr_matrix:
        """The rows within the radius as a CSR matrix (m, n): 1 for each, or its distance with mode="distance"."""
        self._check_mode(mode)
        lists = np.asarray(self._within(X, radius))
        rows = np.concatenate(list(lists[:, 1]))
        values = np.concatenate(list(lists[:, 0])) if mode == "distance" else np.ones(len(rows))
        starts = np.concatenate([[0], np.cumsum([len(one) for one in lists[:, 1]])])
        return sparse.csr_matrix((values, rows, starts), shape=(len(lists), self.n_samples_fit_))

    def _check_mode(self, mode: str) -> None:
        if mode not in ("connectivity", "distance"):
            raise InvalidParameter(f"{type(self).__name__}: mode must be 'connectivity' or 'distance'; got {mode!r}.")

    def _own_rows(self) -> object:
        if self._rows_fit.X is None:
            raise InvalidParameter(f"{type(self).__name__}: the rows of the fit are not in memory; give X.")
        return self._rows_fit.X

    def _check_count(self, k: int) -> None:
        if k > self.n_samples_fit_:
            raise InvalidData(
                f"{type(self).__name__}: {k} neighbours are asked for, expected n_neighbors <= n_samples_fit, but "
                f"there are n_samples_fit={self.n_samples_fit_} rows; lower n_neighbors, or give more rows."
            )


def without_self(found: Nearest) -> Nearest:
    """Lists of k + 1 rows without the row itself, or, where equal rows have crowded it out, without the last."""
    m, width = found.rows.shape
    own = found.rows == np.arange(m)[:, None]
    own[~own.any(axis=1), -1] = True
    return Nearest(found.distances[~own].reshape(m, width - 1), found.rows[~own].reshape(m, width - 1))


def as_lists(found: Within, dtype: DTypeLike) -> NDArray[np.generic]:
    """(m, 2) of arrays: distances and rows."""
    distances = found.distances.astype(np.float32 if dtype == np.float32 else np.float64, copy=False)
    ends = found.ends.tolist()
    out = np.empty((len(ends), 2), dtype=object)
    for i, own in enumerate(map(slice, [0, *ends[:-1]], ends)):
        out[i, 0], out[i, 1] = distances[own], found.rows[own]
    return out
