"""Anomalies: rows that few random cuts set apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from sklearn.base import OutlierMixin

from ...backend.arrays import Array
from ...backend.boosting import whole_weights
from ...backend.growth import Draws, drawn_rows, grow_isolating
from ...data import Chunk, Needs, Source
from ...data.rows import is_sparse
from ...engine import Outcome, Step, closed_form
from ...estimator import Attributes, ByChance, estimator
from ...growth import Trees, seeds_of
from ...growth.cells import dense
from ...growth.contributions import Contributions
from ...growth.rules import Rules
from ...holds import number, require, whole
from ...params import is_share, learned, param
from ...randomness import generator, random_state_param
from ...scikit_learn import JOBS, VERBOSE, Counterpart
from ...typing import AxesLike, Codes, Floats, RandomState, Reals, TableLike, TargetLike, WeightLike
from ..anomaly.thresholds import by_share, scored
from ..inner import columns_of
from ..tree.reading import TreePaths, explained, tree_number

if TYPE_CHECKING:
    from ...plots import TreeDisplay

_EULER = 0.5772156649015329


@estimator
class IsolationForest(OutlierMixin, TreePaths):  # type: ignore[misc]
    """Anomaly detection by random cuts: a row is an anomaly where s(x) = 2^(−E h(x) / c(ψ)) is high.

    Each of T trees splits ψ rows, drawn for it, at random cuts of random columns, until they are alone or a tree is
    log₂ ψ deep. h(x) is the depth of the leaf of x, plus c(m) where m rows are left there; c(m) = 2 (log(m − 1) + γ) −
    2 (m − 1) / m is the mean depth at which a row would be found in a random search tree of m rows (Liu, Ting and Zhou,
    2008). `score_samples` is −s. Cuts are drawn uniformly between the least and the greatest value of a node; missing
    values go with the greater half of its rows.

    At most T · ψ rows are held, a sample of the source that does not depend on how it is cut.

    Examples
    --------
    >>> import suffice as sf
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(size=(95, 2)), rng.uniform(5, 9, (5, 2))])
    >>> sf.IsolationForest(contamination=0.05, random_state=0).fit_predict(X)[-7:]
    array([ 1,  1, -1, -1, -1, -1, -1])
    """

    counterpart: ClassVar = Counterpart(
        "sklearn.ensemble",
        ignored={"n_jobs": JOBS, "verbose": VERBOSE},
        absent={
            "bootstrap": "the rows of a tree are drawn without replacement",
            "warm_start": "fit again with more trees; a fit takes milliseconds",
        },
    )
    needs: ClassVar = Needs(missing=True, sparse=True, one_hot=True)
    exemptions: ClassVar = {
        "check_sample_weight_equivalence_on_dense_data": ByChance("rows are drawn by their places"),
        "check_sample_weight_equivalence_on_sparse_data": ByChance("rows are drawn by their places"),
        "order_of_rows_does_not_matter": ByChance("rows are drawn by their places"),
        "weights_equal_repetition": ByChance("rows are drawn by weight, and repeated rows by their places"),
    }
    small: ClassVar = {"n_estimators": 5}

    n_estimators: int = param(100, integer=True, at_least=1, at_most=100_000, doc="The number of trees, T.")
    max_samples: float | str = param(
        "auto", integer=True, at_least=1, choices=("auto",), accept=is_share, allowed="a share above 0 and at most 1",
        doc="How many rows are drawn for a tree, ψ, or which share of them; auto is 256.",
    )  # fmt: skip
    contamination: float | str = param(
        "auto", choices=("auto",), number=True, above=0, at_most=0.5,
        doc="The share of the rows that are anomalies; auto draws the line where s(x) = ½.",
    )  # fmt: skip
    max_features: float = param(
        1.0, integer=True, at_least=1, accept=is_share, allowed="a share above 0 and at most 1",
        doc="How many columns a tree uses, or which share of them, drawn for it.",
    )  # fmt: skip
    random_state: RandomState = random_state_param()

    offset_: float = learned("The threshold of `score_samples`, below which a row is an anomaly.", holds=number())
    max_samples_: int = learned("How many rows each tree saw, ψ.", holds=whole(at_least=1))

    def check_loaded(self) -> None:
        super().check_loaded()
        require(self.trees_.value.shape[1] == 1, "trees_ must say one number in every node")

    def _fit_needs(self) -> Needs:
        return self._needs()

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._forest(source))

    def _forest(self, source: Source) -> Step[Attributes]:
        rng = generator(self.random_state)
        n, asked = source.count(), self.max_samples
        size = 256 if asked == "auto" else max(1, int(asked * n)) if is_share(asked) else int(asked)
        seeds, seed = seeds_of(rng, self.n_estimators), int(rng.integers(2**31))
        sample = source.sample(self.n_estimators * size, seed)
        rows, size = sample.X, min(size, len(sample))
        # Rows of different weights are drawn by it, again and again; others once.
        mass = None if sample.weight is None else np.cumsum(whole_weights(sample.weight, len(sample))[0])
        draws = Draws(seeds, None, size, replace=mass is not None, mass=mass)
        trees = self._trees(rows, draws)
        state: Attributes = {"trees_": trees, "max_samples_": size, "offset_": -0.5}
        if not isinstance(self.contamination, str):
            found = source.reduce(lambda chunk: scored(chunk, lambda own: _scores(own, state), None))
            state["offset_"] = by_share(found.normal, self.contamination)
        reached = trees.weight * ~trees.is_inner
        return Step(state, float(reached @ trees.value[:, 0] / reached.sum()))

    def _trees(self, rows: Array, draws: Draws) -> Trees:
        n, d = rows.shape
        if is_sparse(rows):  # only those of one tree are filled in at a time
            places = (np.repeat(np.arange(n), drawn_rows(draws, t, n)) for t in range(len(draws.seeds)))
            own = (Draws(draws.seeds[t : t + 1], None, draws.drawn, replace=False) for t in range(len(draws.seeds)))
            return Trees.joined([self._trees(rows[at].toarray(), one) for at, one in zip(places, own, strict=True)])
        of_tree = max(1, int(self.max_features * d)) if is_share(self.max_features) else min(int(self.max_features), d)
        found = grow_isolating(rows, draws, of_tree, math.ceil(math.log2(max(2, draws.drawn))))
        count, value = found.count.astype(np.float64), _mean_depth(found.count.astype(np.float64)) + found.depth
        return Trees(
            found.starts, found.column, found.left, found.threshold, found.missing_left, np.zeros(len(count)), count,
            value[:, None], np.zeros(0, dtype=np.uint64), np.zeros(d, dtype=np.int64),
        )  # fmt: skip

    # ---- answers ----

    def score_samples(self, X: TableLike) -> Reals:
        """−s(x) of every row, (n,); the lower, the less normal."""
        self._check_fitted("trees_")
        return self._rows(X, self._scores)

    def decision_function(self, X: TableLike) -> Reals:
        """−s(x) − t of every row; negative for anomalies."""
        self._check_fitted("trees_")
        return self._rows(X, lambda chunk: self._scores(chunk) - np.asarray(self.offset_, dtype=chunk.X.dtype))

    def predict(self, X: TableLike) -> Codes:
        """-1 for anomalies, 1 for the others."""
        self._check_fitted("trees_")
        return self._rows(X, lambda chunk: np.where(_scores(chunk, self.__dict__) < self.offset_, -1, 1))

    def fit_predict(self, X: TableLike, y: TargetLike = None, sample_weight: WeightLike = None) -> Codes:
        """Fit, and give -1 for anomalies, 1 for the others."""
        return self.fit(X, y, sample_weight).predict(X)

    def rules(self, tree: int) -> Rules:
        """The rules of one tree, whose leaves say how deep a row is that ends there."""
        self._check_fitted("trees_")
        return Rules(self.trees_[tree_number(self.trees_, tree, type(self).__name__)], columns_of(self))

    def contributions(self, X: TableLike) -> Contributions:
        """What each column adds to the mean depth E h(x) of each row: Shapley values, as those of a forest.

        Columns that set a row apart add less than nothing.

        >>> import suffice as sf
        >>> X = np.concatenate([np.random.default_rng(0).normal(size=(200, 2)), [[0.0, 9.0]]])
        >>> found = sf.IsolationForest(random_state=0).fit(X).contributions(X[-1:])
        >>> found.values.round(1)
        array([[ 0.3, -9.5]])
        """
        self._check_fitted("trees_")
        base, values = explained(self, X, self.trees_)
        return Contributions(float(base[0]), values[:, :, 0], columns_of(self).names)

    def plot(self, tree: int = 0, max_depth: int | None = 3, ax: AxesLike = None) -> TreeDisplay:
        """A tree as a picture, down to some depth."""
        from ..tree.picture import tree_display

        return tree_display(self.rules(tree), max_depth).drawn(ax)

    def _scores(self, chunk: Chunk) -> Reals:
        return _scores(chunk, self.__dict__).astype(chunk.X.dtype, copy=False)


def _mean_depth(m: Floats) -> Floats:
    """The mean depth c(m) of a row in a random search tree of m rows."""
    with np.errstate(divide="ignore", invalid="ignore"):
        many = 2 * (np.log(m - 1) + _EULER) - 2 * (m - 1) / m
    return np.where(m > 2, many, np.where(m == 2, 1.0, 0.0))


def _scores(chunk: Chunk, state: Attributes) -> Floats:
    """−s(x) of the rows of a chunk."""
    depth = dense(lambda own: state["trees_"].means(np.asarray(own.X)))(chunk)[:, 0]
    whole = float(_mean_depth(np.array([float(state["max_samples_"])]))[0])
    return np.asarray(-(2.0 ** (-depth / whole))) if whole > 0 else np.full(len(depth), -0.5)
