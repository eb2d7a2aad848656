"""Models that learn from the same rows again and again, weighted anew each time."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from ...backend.arrays import Array
from ...data import ArraySource, Chunk, Schema, Source
from ...data.rows import is_sparse
from ...errors import InvalidData
from ...estimator import Estimator
from ...growth import TreeRows
from ...typing import EstimatorLike, Floats, Labels, Whole
from ..inner import ask, fit_inner, named
from ..tree import DecisionTreeClassifier, DecisionTreeRegressor
from ..tree.decision_tree import DecisionTree


def gathered(source: Source, memory: int) -> ArraySource:
    """The rows of a source in memory, where each can be weighted, and where they take at most so many bytes."""
    rows = source.in_memory
    return ArraySource(source.gather(memory) if rows is None else rows, source.schema, source.needs)


class Members:
    """Copies of a model, each fitted to the same rows with other weights.

    The columns of a tree are sorted or coded once for all of them; where it looks at histograms, only the codes of rows
    from files or Dask are held. Rows of other models are gathered, at most `memory` bytes of them. One without weights
    gets whole weights as repeated rows.
    """

    def __init__(self, model: EstimatorLike, source: Source, owner: str, memory: int) -> None:
        coded = source.in_memory is None and isinstance(model, DecisionTree) and model.splitter == "histogram"
        self.model, self.owner = model, owner
        self.source = source if coded or isinstance(source, ArraySource) else gathered(source, memory)
        self._takes_weights = isinstance(model, Estimator) or has_fit_parameter(model, "sample_weight")
        self._tree: DecisionTree | None = clone(model) if isinstance(model, DecisionTree) else None
        self._rows: TreeRows | None = None
        if self._tree is not None:
            self._rows = self._tree._tree_rows(self._tree._entered(self.source))

    @property
    def y(self) -> Labels:
        """The target of each row."""
        if isinstance(self.source, ArraySource):
            return np.asarray(self.source.chunk.y)
        rows = self._coded
        return np.asarray(rows.y if rows.classes is None else rows.classes[rows.y])

    @property
    def weight(self) -> Floats | None:
        """The weights of the rows as they were given."""
        return self.source.chunk.weight if isinstance(self.source, ArraySource) else self._coded.weight

    def each(self, said: Callable[[Chunk], Array]) -> Array:
        """What is said of every row."""
        if isinstance(self.source, ArraySource):
            return said(self.source.chunk)
        rows = self._coded
        return np.concatenate([said(Chunk(rows.represented(block))) for block in rows.room.blocks(len(rows))])

    @property
    def _coded(self) -> TreeRows:
        if self._rows is None:
            raise TypeError("only trees learn from codes")
        return self._rows

    def fitted(self, weight: Floats, rng: np.random.Generator) -> tuple[EstimatorLike, float]:
        """A copy that has learned from rows of these weights, and the objective that it ended at."""
        if self._tree is not None and self._rows is not None:
            tree = copy.copy(self._tree)  # its parameters are plain values
            tree.random_state = int(rng.integers(1 << 31))
            with named(self.owner):
                tree.fit_source(self.source, rows=replace(self._rows, weight=weight))
            return tree, float(tree.history_.objective[-1])
        model = seeded(clone(self.model), rng)
        source = self._weighted(weight)
        outcome = fit_inner(model, source, self.owner, lambda model, X, weight: 0.0)
        return outcome.state, float(outcome.history.objective[-1])

    def _weighted(self, weight: Floats) -> ArraySource:
        if not isinstance(self.source, ArraySource):
            raise TypeError("only trees learn from codes")
        chunk = self.source.chunk
        if self._takes_weights:
            return replace(self.source, chunk=replace(chunk, weight=weight))
        if not (weight == np.rint(weight)).all():
            raise InvalidData(
                f"{self.owner}: {type(self.model).__name__} takes no sample_weight, and rows cannot be repeated "
                "a part of a time; give another model, or draw rows."
            )
        repeated = chunk.at(np.repeat(np.arange(len(weight)), weight.astype(np.int64)))
        return replace(self.source, chunk=replace(repeated, weight=None))


def seeded(model: EstimatorLike, rng: np.random.Generator) -> EstimatorLike:
    """A model whose random numbers, and those of models within it, begin with seeds drawn here."""
    names = [name for name in sorted(model.get_params()) if name.rpartition("__")[2] == "random_state"]
    if names:
        model.set_params(**{name: int(rng.integers(1 << 31)) for name in names})
    return model


def places(labels: Labels, classes: Labels) -> Whole:
    """The place of each label among the classes; −1 where it is none of them."""
    at = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    return np.where(classes[at] == labels, at, -1).astype(np.int64)


def predicted(model: EstimatorLike, chunk: Chunk, schema: Schema, classes: Labels) -> Whole:
    """The places of the predicted classes, (n,); those of a tree are found by leaf."""
    if isinstance(model, DecisionTreeClassifier) and not is_sparse(chunk.X):
        said = places(model.classes_, classes)[np.argmax(model.trees_.value[:, : len(model.classes_)], axis=1)]
        return np.asarray(said[model.trees_.leaves(np.asarray(chunk.X))[:, 0]])
    return places(ask(model, "predict", chunk, schema), classes)


def predicted_numbers(model: EstimatorLike, chunk: Chunk, schema: Schema) -> Floats:
    """The predicted numbers, (n,); those of a tree are found by leaf."""
    if isinstance(model, DecisionTreeRegressor) and not is_sparse(chunk.X):
        return model.trees_.means(np.asarray(chunk.X))[:, 0]
    return np.asarray(ask(model, "predict", chunk, schema), dtype=np.float64).reshape(len(chunk))


def running_means(said: Iterable[Floats]) -> Iterator[Floats]:
    """The means of the first, the first two, … of what members say."""
    total: Floats = np.zeros(())
    for m, own in enumerate(said):
        total = total + own
        yield total / (m + 1)


def importances(model: EstimatorLike) -> Floats:
    """The importances of a member's columns, (d,)."""
    if not hasattr(model, "feature_importances_"):
        raise AttributeError(f"{type(model).__name__} has no feature_importances_.")
    return np.asarray(model.feature_importances_)


def part_of(chunk: Chunk, schema: Schema, features: NDArray[np.int64]) -> tuple[Chunk, Schema]:
    """The columns of a member."""
    if _is_all(features, len(schema)):
        return chunk, schema
    return replace(chunk, X=chunk.X[:, features]), _schema_of(schema, features)


def _is_all(features: NDArray[np.int64], d: int) -> bool:
    return len(features) == d and bool((features == np.arange(d)).all())


def _schema_of(schema: Schema, features: NDArray[np.int64]) -> Schema:
    """The columns of a member; without names of their own where one is drawn twice."""
    drawn = [schema.columns[j] for j in features]
    if not schema.named or len(np.unique(features)) < len(features):
        return Schema(tuple(replace(column, name=f"x{j}") for j, column in enumerate(drawn)), named=False)
    return Schema(tuple(drawn))
