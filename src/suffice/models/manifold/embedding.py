"""What all embeddings share: places of the rows of a fit, new rows, and how well the map shows what it is of."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from ...backend.blas import blas_threads_for
from ...data import Chunk, Source
from ...engine import Outcome
from ...errors import InvalidData, NotEstimated
from ...estimator import Attributes, Transformer, declares
from ...holds import instance, row_array
from ...params import check_argument, derived, learned, param
from ...typing import Floats, Reals, TableLike, TargetLike, WeightLike
from .map import Map
from .objects import Objects
from .way_back import WayBack

_EXAMPLE_ROWS = 200
_FEW = 500


def _one_thread_of_blas(n: int) -> AbstractContextManager[None]:
    """One thread for all products of pairs of few rows, however narrow these are: others would wait, not work."""
    return blas_threads_for(float(n) ** 3) if n <= _FEW else nullcontext()


class Shepard(NamedTuple):
    """Pairs of rows: how dissimilar they are, how far apart in the map, and what distance the fit aimed at."""

    dissimilarity: Floats
    distance: Floats
    disparity: Floats


@declares
class Embedding(ClassNamePrefixFeaturesOutMixin, Transformer):  # type: ignore[misc]
    """Base of maps of rows: a subclass gives `_mapped(objects, …)`, the attributes that a fit to different rows learns.

    Among these are `_map`, a `Map`, and `_places` (m, k), where the objects are; `embedding_` and `transform` follow.
    A new row that equals one of the fit goes where that is.
    """

    n_components: int = param(2, positional=True, integer=True, at_least=1, doc="The number of coordinates.")
    memory: int = param(
        1 << 31, integer=True, at_least=1, doc="The most bytes for all pairs of rows, and for rows read."
    )

    embedding_: Reals = learned("The places of the rows of the fit, (n, k).", holds=row_array(None, "k"))
    holds: ClassVar = {"_map": instance(Map, d="d", k="k")}

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, None]:
        """Some rows, not more than can be compared in pairs quickly."""
        return super().example(rng, min(n, _EXAMPLE_ROWS))

    # ---- what a subclass gives ----

    def _mapped(self, objects: Objects, source: Source) -> Outcome[Attributes]:
        """The map of the objects."""
        raise TypeError(f"{type(self).__name__} does not define _mapped")

    def _objects(self, rows: Chunk) -> Objects:
        """The different rows of a fit."""
        return Objects.of(rows, type(self).__name__)

    # ---- the fit ----

    def _learn(self, source: Source) -> Outcome[Attributes]:
        rows = source.gather(self.memory, self._instead())
        with _one_thread_of_blas(len(rows)):
            objects = self._objects(rows)
            return self._mapped(objects, source).then(lambda found: self._with_all_rows(found, objects, rows))

    def _instead(self) -> str:
        """What to do where memory is too small."""
        return "fit a sample of the rows, and transform the others"

    def _with_all_rows(self, found: Attributes, objects: Objects, rows: Chunk) -> Attributes:
        """The attributes with the places of all rows; those that weigh nothing are new to the map."""
        points, own = found.pop("_places"), objects.which
        places = points[own]
        if (own < 0).any():
            places[own < 0] = found["_map"].places(rows.X[own < 0])
        return {**found, "embedding_": self._finite(places).astype(rows.X.dtype)}

    # ---- what it says ----

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])

    def fit_transform(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> Reals:
        """Learn from a table, and give the places of its rows."""
        return self.fit(X, y, sample_weight).embedding_

    def transform(self, X: TableLike) -> Reals:
        """The places of rows in the map; a row that equals one of the fit goes where that is."""
        self._check_fitted("embedding_")
        found: Map = self._map
        return self._rows(X, lambda chunk: self._finite(found.places(found.in_form(chunk.X))).astype(chunk.X.dtype))

    def inverse_transform(self, X: TableLike) -> Reals:
        """Rows whose places are about these: what a mixture of PPCA over places and rows together expects.

        It is learned when it is first asked for; `way_back_` says of how many planes, and what it leaves.
        """
        self._check_fitted("embedding_")
        back = self.way_back_
        return self._rows_back(
            X,
            lambda chunk: back.rows(np.asarray(chunk.X, dtype=np.float64)).astype(chunk.X.dtype),
            self._n_features_out,
        )

    @derived
    def way_back_(self) -> WayBack:
        """The mixture of PPCA over places and rows: its `n_planes`, chosen by rows left out, and their `error`, as a
        share of the variance.
        """
        self._check_fitted("embedding_")
        found = self._map.pairs()
        schema = getattr(self, "_schema", None)
        if found is None or (schema is not None and len(schema.not_numeric)):
            why = "dissimilarities were given, or sparse rows" if found is None else "some columns are categories"
            raise NotEstimated(f"{type(self).__name__}: there is no way back, as {why}; fit dense rows of numbers.")
        places, rows = found
        return WayBack.of(places, rows, np.ones(len(rows)))

    def _finite(self, places: Floats) -> Floats:
        if not np.isfinite(places).all():
            raise InvalidData(f"{type(self).__name__}: places are larger than any number; scale the columns down.")
        return places

    def shepard(self, most: int = 10_000) -> Shepard:
        """Pairs of the rows of the fit, the least dissimilar first: all, or those of some rows drawn at random."""
        check_argument(type(self).__name__, "most", most, integer=True, at_least=1, at_most=10**12)
        self._check_fitted("embedding_")
        points = self._map.points
        size = min(len(points), max(2, int((2 * most) ** 0.5)))
        some = np.sort(np.random.default_rng(0).permutation(len(points))[:size])
        i, j = np.triu_indices(size, 1)
        given = self._map.dissimilarities(some)[i, j]
        known = np.isfinite(given)
        distance = np.linalg.norm(points[some[i]] - points[some[j]], axis=1)[known]
        order = np.lexsort((distance, given[known]))
        given, distance = given[known][order], distance[order]
        return Shepard(given, distance, self._aimed_at(given, distance))

    def _aimed_at(self, dissimilarity: Floats, distance: Floats) -> Floats:
        """The distances that the fit aimed at: the dissimilarities themselves where it says nothing else."""
        return dissimilarity
