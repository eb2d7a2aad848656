"""Models that learn from the same rows again and again, weighted anew each time."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from ...data import ArraySource, Chunk, Schema, Source
from ...data.rows import is_sparse
from ...errors import InvalidData
from ...estimator import Estimator
from ...growth import TreeRows
from ...typing import EstimatorLike, Floats, Labels, Whole
from ..inner import ask, fit_inner, named
from ..tree import DecisionTreeClassifier, DecisionTreeRegressor
from ..tree.decision_tree import DecisionTree


def gathered(source: Source) -> ArraySource:
    """The rows of a source in memory, where each can be weighted."""
    return ArraySource(source.gather(instead="give a sample of the rows"), source.schema, source.needs)


class Members:
    """Copies of a model, each fitted to the same rows with other weights.

    The columns of a tree are sorted or coded once for all of them. A model without weights gets whole weights as
    repeated rows.
    """

    def __init__(self, model: EstimatorLike, source: ArraySource, owner: str) -> None:
        self.model, self.source, self.owner = model, source, owner
        self._takes_weights = isinstance(model, Estimator) or has_fit_parameter(model, "sample_weight")
        self._tree: DecisionTree | None = clone(model) if isinstance(model, DecisionTree) else None
        self._rows: TreeRows | None = None
        if self._tree is not None:
            self._rows = self._tree._tree_rows(self._tree._entered(source))

    def fitted(self, weight: Floats, rng: np.random.Generator) -> tuple[EstimatorLike, float]:
        """A copy that has learned from rows of these weights, and the objective that it ended at."""
        if self._tree is not None and self._rows is not None:
            tree = copy.copy(self._tree)  # its parameters are plain values
            tree.random_state = int(rng.integers(1 << 31))
            with named(self.owner):
                tree.fit_source(self.source, rows=replace(self._rows, weight=weight))
            return tree, float(tree.history_.objective[-1])
        model = seeded(clone(self.model), rng)
        source = replace(self.source, chunk=self._weighted(weight))
        outcome = fit_inner(model, source, self.owner, lambda model, X, weight: 0.0)
        return outcome.state, float(outcome.history.objective[-1])

    def _weighted(self, weight: Floats) -> Chunk:
        chunk = self.source.chunk
        if self._takes_weights:
            return replace(chunk, weight=weight)
        if not (weight == np.rint(weight)).all():
            raise InvalidData(
                f"{self.owner}: {type(self.model).__name__} takes no sample_weight, and rows cannot be repeated "
                "a part of a time; give another model, or draw rows."
            )
        return replace(chunk.at(np.repeat(np.arange(len(weight)), weight.astype(np.int64))), weight=None)


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


def importances(model: EstimatorLike) -> Floats:
    """The importances of a member's columns, (d,)."""
    if not hasattr(model, "feature_importances_"):
        raise AttributeError(f"{type(model).__name__} has no feature_importances_.")
    return np.asarray(model.feature_importances_)
