"""Maps from dissimilarities: of rows with a distance, or given ones."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils import Tags

from ...data import Chunk, Needs, Source
from ...errors import InvalidData, SparseNotSupported
from ...estimator import declares
from ...typing import Floats, Numbers, Whole
from ..dissimilarity import (
    NO_COMMON_COLUMN,
    Dissimilarity,
    Metric,
    check_precomputed,
    is_precomputed,
    measured,
    metric_param,
)
from .compared import Compared, check_pairs
from .embedding import Embedding
from .objects import Objects


@declares
class Measured(Embedding):
    """Base of maps of objects from dissimilarities, computed or given."""

    exemptions: ClassVar = {"check_estimators_pickle": NO_COMMON_COLUMN}

    metric: Metric = metric_param()

    def _is_precomputed(self) -> bool:
        return is_precomputed(self.metric)

    def _allows_gaps(self) -> bool:
        """Whether some of the dissimilarities that are given may be missing."""
        return False

    def _allows_lists(self) -> bool:
        """Whether dissimilarities may be given as a sparse matrix, of those that each row lists."""
        return False

    def _needs(self) -> Needs:
        needs, measure = super()._needs(), measured(self.metric)
        if measure is None:
            given = self._is_precomputed()
            return needs.but(missing=given and self._allows_gaps(), sparse=given)
        units = measure.by_units
        return needs.but(
            missing=measure.missing,
            categories=measure.categories,
            sparse=measure.sparse,
            scaled=units,
            one_hot=units,
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        return tags

    def _objects(self, rows: Chunk) -> Objects:
        owner = type(self).__name__
        if not self._is_precomputed():
            return Objects.of(rows, owner)
        if sparse.issparse(rows.X):
            if not self._allows_lists():
                raise SparseNotSupported(
                    f"{owner}: metric='precomputed' needs the dissimilarities of all pairs, and X is a sparse matrix, "
                    "in which those without a cell are not known. Give an array; Isomap and TSNE take what rows list."
                )
            return as_listed(rows, owner)
        return as_measured(rows, owner)

    def _comparison(self, objects: Objects, source: Source) -> Compared:
        """How rows are compared with the objects, from which a distance takes what it has to know of all rows."""
        owner = type(self).__name__
        return Compared.of(Dissimilarity.of(owner, self.metric, objects.rows, objects.weight, source.schema), objects)

    def _pairs(self, compared: Compared, copies: int) -> Floats:
        """The dissimilarities of all pairs of objects, where so many matrices of them fit into memory."""
        check_pairs(type(self).__name__, len(compared), copies, self.memory, self._without_pairs())
        D = compared.among()
        if not np.isfinite(np.nanmax(D, initial=0.0) ** 2):
            raise InvalidData(
                f"{type(self).__name__}: dissimilarities are so large that their squares overflow; scale them down."
            )
        return D

    def _without_pairs(self) -> str:
        """What to do where all pairs take too much memory, as a sentence."""
        return "Raise memory, or fit a sample of the rows, and transform the others."


_GIVEN = "metric='precomputed'"


def as_measured(rows: Chunk, owner: str, said: str = _GIVEN) -> Objects:
    """The rows of a matrix of all dissimilarities, identical ones as one object; `said` is how X was said to be one."""
    _check_square(rows.X, owner, said)
    rows = measured_both_ways(rows, owner)
    return Objects.of(rows, owner, _identical(rows))


def measured_both_ways(rows: Chunk, owner: str) -> Chunk:
    """Given dissimilarities that make sense; one that is known in one direction only is taken for both."""
    D = np.asarray(rows.X, dtype=np.float64)
    gaps = np.isnan(D)
    if gaps.any() and D.shape[0] == D.shape[1]:
        D = np.where(gaps, D.T, D)
        np.fill_diagonal(D, np.where(np.diagonal(gaps), 0.0, np.diagonal(D)))
    check_precomputed(owner, np.nan_to_num(D) if gaps.any() else D)
    return Chunk(D, None, rows.weight, rows.start, rows.numbers)


def _check_square(D: Numbers, owner: str, said: str) -> None:
    if D.shape[0] != D.shape[1]:
        raise InvalidData(
            f"{owner}: {said} needs a square matrix, one row and one column for each object; X has shape {D.shape}. "
            f"Give all pairs, or rows with another {said.partition('=')[0]}."
        )


def as_listed(rows: Chunk, owner: str, said: str = _GIVEN) -> Objects:
    """The rows of a sparse matrix of dissimilarities, each of which is an object."""
    D = rows.X
    _check_square(D, owner, said)
    if D.nnz and D.data.min() < 0:
        at = int(np.argmin(D.data))
        i = int(np.searchsorted(D.indptr, at, side="right")) - 1
        raise InvalidData(
            f"{owner}: X[{i}, {D.indices[at]}] is {float(D.data[at])}; precomputed dissimilarities must be finite and "
            "not negative. Turn similarities s into dissimilarities, such as max(s) - s."
        )
    n = len(rows) if rows.weight is None else int(np.count_nonzero(rows.weight))
    return Objects.of(rows, owner, (np.arange(n), np.arange(n)))


def _identical(rows: Chunk) -> tuple[Whole, Whole]:
    """Objects that are at no distance and as far from all others are one: the first of each, and which each is."""
    some = np.arange(len(rows)) if rows.weight is None else np.flatnonzero(rows.weight > 0)
    D = rows.X[np.ix_(some, some)]
    near = D == 0
    np.fill_diagonal(near, False)
    which = np.full(len(some), -1, dtype=np.int64)
    first: list[int] = []
    for i in range(len(some)):
        if which[i] >= 0:
            continue
        others = np.flatnonzero(near[i])
        others = others[which[others] < 0]
        same = others[(np.nan_to_num(D[others], nan=-1.0) == np.nan_to_num(D[i], nan=-1.0)).all(axis=1)]
        which[i] = which[same] = len(first)
        first.append(i)
    return np.array(first, dtype=np.int64), which
