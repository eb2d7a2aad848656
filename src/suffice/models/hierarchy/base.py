"""What hierarchies share: rows gathered, the tree cut into labels, new rows placed, samples extended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from scipy.spatial.distance import squareform
from sklearn.utils import Tags

from ... import params
from ...backend.weights import given_or_ones
from ...data import ArraySource, Chunk, Needs, Source, as_source
from ...distances import Distance, as_distance
from ...engine import Outcome, Step, closed_form
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, Clusterer, declares
from ...holds import flag, floats, instance, integers, optional, require, row_array, whole
from ...params import learned, param
from ...plots.dendrogram import DendrogramDisplay
from ...randomness import generator
from ...typing import Codes, Floats, RandomState, Reals, TableLike, WeightLike, Whole
from ..dissimilarity import check_precomputed, is_precomputed, measured
from .tree import Hierarchy

Array = Reals

_EXAMPLE_ROWS = 400
_MEMORY = 1 << 32  # bytes


def memory_param() -> int | None:
    """The declaration of `memory`."""
    declared: int | None = param(
        None,
        integer=True,
        at_least=1,
        choices=(None,),
        doc="The most bytes for distances and rows read; None: 4 GiB.",
    )
    return declared


@declares
class HierarchicalClusterer(Clusterer):
    """Base: a subclass builds the tree from rows or from a matrix; the rest follows from the tree."""

    exemptions: ClassVar = {
        "check_sample_weight_equivalence_on_dense_data": "clusters are numbered in the order of their first rows, and "
        "the check puts the rows into another order",
    }

    n_clusters: int | None = param(
        2, positional=True, integer=True, at_least=1, choices=(None,), doc="How many clusters; None with height."
    )
    height: float | None = param(
        None, number=True, at_least=0, choices=(None,), doc="Keep the merges up to this height, instead of n_clusters."
    )

    tree_: Hierarchy = learned(
        "The tree: cut, cophenetic distances, leaf order, Newick, dendrogram.", holds=instance(Hierarchy, n="n")
    )
    children_: Whole = learned(
        "The two clusters of each merge, (n − 1, 2); rows are 0 to n − 1, merge k makes n + k.",
        holds=integers("n-1", 2),
    )
    distances_: Floats = learned("The height of each merge, (n − 1,).", holds=floats("n-1", finite=False))
    n_leaves_: int = learned("The number of rows in the tree.", holds=whole("n"))
    n_clusters_: int = learned("The number of clusters.", holds=whole("k", at_least=1, at_most="n"))
    distance_: Distance | None = learned(
        "The distance, with what it took from the rows; None for precomputed.",
        holds=optional(instance(Distance, d="d")),
    )
    leaves_: Whole = learned(
        "The number of the row of each leaf, (n,): those that have a weight.", holds=integers("n", at_least=0)
    )
    holds: ClassVar = {
        "_leaf_labels": integers("n", at_least=0, below="k"),
        "_has_text": flag(),
        "_leaf_rows": optional(row_array("n", "d")),
    }

    def check_loaded(self) -> None:
        super().check_loaded()
        given = self.distance_ is None
        require(given == self._is_precomputed() == (self._leaf_rows is None), "rows must be there where a distance is")
        inside = not given or self.leaves_.max() < self.n_features_in_
        require(inside, f"leaves_ must be below d = {self.n_features_in_}")

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, None]:
        """Some rows, not more than can be compared in pairs quickly."""
        return super().example(rng, min(n, _EXAMPLE_ROWS))

    # ---- what a subclass gives ----

    def _merged(self, X: Array, measure: Distance | None, weight: Floats) -> Hierarchy:
        """The tree of the rows X, or of the objects whose distances X holds where there is no measure."""
        raise TypeError(f"{type(self).__name__} does not define _merged")

    # ---- the fit ----

    def _is_precomputed(self) -> bool:
        return is_precomputed(vars(self)["metric"])

    def _measure(self) -> Distance | None:
        return None if self._is_precomputed() else as_distance(vars(self)["metric"], type(self).__name__)

    def _allows_missing(self) -> bool:
        return True

    def _needs(self) -> Needs:
        needs, measure = super()._needs(), measured(vars(self)["metric"])
        if measure is None:
            return needs
        missing = measure.missing and self._allows_missing()
        units = measure.by_units
        return needs.but(missing=missing, categories=measure.categories, scaled=units, one_hot=units)

    def _open(self, X: TableLike, y: object, sample_weight: WeightLike, *, reset: bool) -> Source:
        return super()._open(self._square(X), y, sample_weight, reset=reset)

    def _square(self, X: Any) -> Any:
        """Condensed distances as a matrix."""
        if self._is_precomputed() and np.ndim(X) == 1:
            try:
                return squareform(np.asarray(X, dtype=np.float64))
            except ValueError:
                raise InvalidData(
                    f"{type(self).__name__}: X has {len(X)} distances, which is no n (n − 1) / 2; give all pairs "
                    "i < j, or a square matrix."
                ) from None
        return X

    @property
    def _memory(self) -> int:
        return vars(self)["memory"] or _MEMORY

    def _height(self) -> float | None:
        """The greatest height of a merge that is kept; None where the number of clusters is given."""
        return self.height

    def _learn(self, source: Source) -> Outcome[Attributes]:
        owner, height = type(self).__name__, self._height()
        if (self.n_clusters is None) == (height is None):
            raise InvalidParameter(
                f"{owner}: n_clusters must be None where height is set, and a number where it is not; got "
                f"{self.n_clusters!r} with height={height!r}."
            )
        chunk = source.gather(self._memory, "cluster a sample: see from_sample")
        return closed_form(lambda: self._solved(chunk, source), snapshot=_snapshot)

    def _solved(self, chunk: Chunk, source: Source) -> Step[Attributes]:
        X, measure = chunk.X, self._measure()
        weight = given_or_ones(chunk.weight, len(X))
        leaves = np.arange(len(X)) if chunk.weight is None else np.flatnonzero(weight > 0)
        if measure is None:
            check_precomputed(type(self).__name__, X)
        if len(leaves) < len(X):
            X = X[leaves] if measure is not None else X[np.ix_(leaves, leaves)]
        self._check_count(len(leaves))
        if measure is not None:
            measure = measure.for_columns(source.schema).fitted(
                X, weight=None if chunk.weight is None else weight[leaves]
            )
        own = weight if chunk.weight is None else weight[leaves]  # a copy of what is the caller's
        tree = self._merged(X, measure, np.ascontiguousarray(own))
        return self._attributes(tree, X, measure, leaves, len(weight), source)

    def _check_count(self, n: int) -> None:
        if self.n_clusters is not None and self.n_clusters > n:
            raise InvalidData(
                f"{type(self).__name__}: n_clusters={self.n_clusters} is more than the rows of X with a weight "
                f"(n_samples={n}); lower n_clusters, or give more rows."
            )

    def _attributes(
        self, tree: Hierarchy, X: Array, measure: Distance | None, leaves: Whole, n: int, source: Source
    ) -> Step[Attributes]:
        found = tree.cut(self.n_clusters, self._height())
        labels = np.full(n, -1, dtype=np.int64)
        labels[leaves] = found
        attributes: Attributes = {
            "tree_": tree,
            "labels_": labels,
            "children_": tree.children,
            "distances_": tree.heights,
            "n_leaves_": tree.n_leaves,
            "n_clusters_": int(found.max()) + 1,
            "distance_": measure,
            "leaves_": leaves,
            "_leaf_labels": found,
            "_has_text": any(column.kind == "categorical" for column in source.schema.columns),
            "_leaf_rows": None if measure is None else X,
        }
        kept = tree.heights[: tree.n_leaves - attributes["n_clusters_"]]
        return Step(attributes, float(kept.max(initial=0.0)))

    # ---- what can be asked ----

    @property
    def linkage_matrix_(self) -> Floats:
        """The tree in SciPy's format, (n − 1, 4): two clusters, their height, the number of rows."""
        self._check_fitted()
        return self.tree_.linkage_matrix

    def cut(self, k: int | None = None, height: float | None = None) -> Whole:
        """The cluster of each leaf of the tree: k clusters, or those that are merged at most at `height`."""
        self._check_fitted()
        return self.tree_.cut(k, height)

    def dendrogram(self, names: Any = None, **drawing: Any) -> DendrogramDisplay:
        """Draw the tree, coloured by the clusters of the fit; see `Hierarchy.dendrogram`."""
        self._check_fitted()
        if "k" not in drawing and "height" not in drawing:
            drawing |= {"k": self.n_clusters_} if self._height() is None else {"height": self._height()}
        return self.tree_.dendrogram(names, **drawing)

    def predict(self, X: TableLike) -> Codes:
        """The cluster of the nearest row of the fit; for precomputed, X holds distances to all rows of the fit."""
        self._check_fitted()
        if self._has_text:
            raise InvalidParameter(f"{type(self).__name__}: predict takes no text columns; give codes instead of text.")
        return self._rows(X, lambda chunk: self._nearest(chunk.X, chunk.number))

    def _nearest(self, X: Array, number: Callable[[int], int] = int) -> Whole:
        if self.distance_ is None:
            return np.asarray(self._leaf_labels[np.argmin(X[:, self.leaves_], axis=1)])
        found = np.empty(len(X), dtype=np.int64)
        for at, block in self.distance_.chunked(X, self._leaf_rows, ranking=True):
            unknown = np.isnan(block)  # of rows without a column in common
            if unknown.all(axis=1).any():
                row = number(at.start + int(np.argmax(unknown.all(axis=1))))
                raise InvalidData(
                    f"{type(self).__name__}: row {row} has no column in common with any row of the fit; drop it, or "
                    "fill missing values."
                )
            found[at] = self._leaf_labels[np.argmin(np.where(unknown, np.inf, block), axis=1)]
        return found

    @classmethod
    def from_sample(
        cls,
        X: TableLike,
        size: int,
        *,
        sample_weight: WeightLike = None,
        random_state: RandomState = None,
        **parameters: Any,
    ) -> Self:
        """Cluster a sample of `size` rows, drawn by weight, and put every row into the cluster of the nearest of them.

        For more rows than all pairs of them fit into memory; `X` may also be a `scan` of files. `labels_` has all rows
        where they are in memory; the tree is that of the sample.
        """
        model = cls(**parameters)
        params.check(model)
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 1:
            raise InvalidParameter(f"{cls.__name__}: size must be an integer, at least 1; got {size!r}.")
        source = as_source(X, None, sample_weight, needs=model._needs())
        seed = int(generator(random_state).integers(2**31))
        # A source, so that columns of text stay what they are.
        rows: Source = ArraySource(Chunk(source.sample(size, seed).X), source.schema, source.needs)
        model.fit(rows)
        if source.in_memory is not None:
            model.labels_ = model._nearest(source.in_memory.X)
        else:
            del model.labels_  # those of the sample
        return model

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        return tags


def _snapshot(found: Attributes) -> dict[str, object]:
    return {name: found[name] for name in ("children_", "distances_")}
