"""Multidimensional scaling: what all kinds of it share, from rows with a distance or from dissimilarities."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import sparse

from ...data import Chunk, Source
from ...data.sampling import row_uniforms
from ...engine import Outcome
from ...estimator import Attributes, declares
from ...params import derived, param
from ...randomness import generator, random_state_param, seed_of
from ...typing import Floats, RandomState
from ..prepare.distinct_rows import DistinctRows
from .measured import Measured
from .objects import Objects


@declares
class Scaling(Measured):
    """Base of multidimensional scaling: some of the objects may be landmarks, by which all others are placed."""

    landmarks: int | None = param(
        None,
        integer=True,
        at_least=2,
        choices=(None,),
        doc="So many different rows, drawn at random, are mapped, and all others placed as new ones; None: all rows.",
    )
    random_state: RandomState = random_state_param()

    # ---- the fit ----

    def _instead(self) -> str:
        return "give landmarks, such as landmarks=500"

    def _learn(self, source: Source) -> Outcome[Attributes]:
        if self.landmarks is None or self._is_precomputed() or _holds_sparse(source):
            return super()._learn(source)
        draw = partial(DistinctRows.of, size=self.landmarks, seed=seed_of(self.random_state))
        some = source.reduce(draw)
        if len(some.rows) < self.landmarks:  # these are all of them
            return super()._learn(source)
        objects = Objects.of(Chunk(some.rows), type(self).__name__)
        return self._mapped(objects, source).then(lambda found: self._with_others(found, source))

    def _with_others(self, found: Attributes, source: Source) -> Attributes:
        del found["_places"]
        place = found["_map"].places
        return {
            **found,
            "embedding_": np.asarray(source.map(lambda chunk: self._finite(place(chunk.X)).astype(chunk.X.dtype))),
        }

    def _objects(self, rows: Chunk) -> Objects:
        objects = super()._objects(rows)
        if self.landmarks is None or not (self._is_precomputed() or sparse.issparse(rows.X)):
            return objects
        return _drawn(objects, self.landmarks, self.random_state, self._is_precomputed())

    def _without_pairs(self) -> str:
        return "Raise memory, or give landmarks, such as landmarks=500, which all other rows are placed by."

    @derived
    def dissimilarity_matrix_(self) -> Floats:
        """The dissimilarities of the different rows that the map is of, (m, m)."""
        self._check_fitted("embedding_")
        found: Floats = self._map.dissimilarities(np.arange(len(self._map.points)))
        return found


def _holds_sparse(source: Source) -> bool:
    return source.in_memory is not None and bool(sparse.issparse(source.in_memory.X))


def _drawn(objects: Objects, size: int, random_state: RandomState, is_precomputed: bool) -> Objects:
    """Some of the objects as landmarks, each of the same weight; rows that equal others are new to the map."""
    if len(objects) <= size:
        return objects
    if sparse.issparse(objects.rows) and not is_precomputed:  # those that an array of the same cells gives
        order = np.argsort(row_uniforms(objects.rows, seed_of(random_state)), kind="stable")
    else:
        order = generator(random_state).permutation(len(objects))
    some = np.sort(order[:size])
    place = np.full(len(objects) + 1, -1, dtype=np.int64)
    place[some] = np.arange(size)
    return Objects(objects.rows[some], np.ones(size), objects.at[some], place[objects.which])
