"""What forests share: trees on rows and columns that are drawn for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar, TypeVar

import numpy as np

from ...backend.boosting import whole_weights
from ...backend.growth import Draws, Limits, Targets
from ...data import Source
from ...data.validate import check_weight
from ...engine import Outcome, Step, closed_form
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, ByChance, declares
from ...growth import BINS, TreeRows, Trees, seeds_of
from ...growth.targets import stored_weights
from ...holds import floats, integers, sometimes
from ...params import is_share, learned, param
from ...randomness import generator
from ...resampling.intervals import check_level
from ...typing import Floats, Labels, Reals, TableLike, TargetLike, WeightLike, Whole
from ..importances import ColumnImportances
from ..tree.base import TreeModel, tried_columns
from ..tree.decision_tree import DecisionTree
from .bags import all_seen, bags_of, said_out_of_bag
from .batches import in_batches, trees_at_once
from .grows_on import GrowsOn
from .members import running_means

_MOST_DRAWN, _DRAWN_OF_ROW = 1 << 22, 16  # draws of a tree, in all and for each row, that whole weights may stand for

T = TypeVar("T", bound=DecisionTree)


@declares
class Forest(GrowsOn, TreeModel):
    """Base: a subclass says what rows add to a node, and what a node says."""

    n_estimators: int = param(
        100, positional=True, integer=True, at_least=1, at_most=100_000, doc="The number of trees."
    )
    bootstrap: bool = param(
        True, choices=(True, False), doc="Whether each tree sees rows drawn with replacement; else all, or a subset."
    )
    max_samples: float | None = param(
        None, integer=True, at_least=1, choices=(None,), accept=is_share, allowed="a share above 0 and at most 1",
        doc="How many rows are drawn for a tree, or which share of them; None is as many as there are.",
    )  # fmt: skip
    max_features_of_tree: float | str | None = param(
        None, integer=True, at_least=1, choices=(None, "sqrt", "log2"), accept=is_share, allowed="a share above 0",
        doc="How many columns a whole tree uses, drawn for it; None is all.",
    )  # fmt: skip
    max_bins: int = param(
        BINS, integer=True, at_least=2, at_most=BINS, doc="Between how many bins of a column splits are looked for."
    )
    oob_score: bool = param(
        False, choices=(True, False), doc="Whether to predict each row by the trees that did not see it."
    )

    memory: int = param(
        1 << 28, integer=True, at_least=1,
        doc="The bytes that rows from files or Dask may take in memory; beyond that they lie in temporary files.",
    )  # fmt: skip

    exemptions: ClassVar = {
        "check_sample_weight_equivalence_on_dense_data": ByChance("rows are drawn by their places"),
        "check_sample_weight_equivalence_on_sparse_data": ByChance("rows are drawn by their places"),
        "order_of_rows_does_not_matter": ByChance("rows are drawn by their places"),
    }
    small: ClassVar = {"n_estimators": 5}
    oob_interval_: Floats = learned(
        "The ends of the 95 % interval of `oob_score_`, (2,).", holds=sometimes(floats(2, finite=False))
    )
    holds: ClassVar = {"_bags": sometimes(integers("trees", 4))}
    _random_cuts: ClassVar[bool] = False
    _bags: ClassVar[Whole]  # see `bags_of`; set by a fit

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._forest(source))

    def _forest(self, source: Source) -> Step[Attributes]:
        if self.oob_score and not (self.bootstrap or self.max_samples is not None):
            raise InvalidParameter(
                f"{type(self).__name__}: oob_score=True needs rows that a tree does not see; set bootstrap=True, or "
                "max_samples."
            )
        rows = TreeRows.of(
            source, self._categories(source), False, self.memory, self.max_bins, self.n_estimators,
            self._needs_all_rows(),
        )  # fmt: skip
        return self._grown_forest(rows)

    def _needs_all_rows(self) -> str:
        """What to do without all rows in memory, where they are needed; else nothing."""
        return "" if self.monotonic_cst is None else "set monotonic_cst=None"

    def _grown_forest(self, rows: TreeRows) -> Step[Attributes]:
        raise TypeError(f"{type(self).__name__} does not define _grown_forest")

    # ---- which rows and columns each tree sees ----

    def _drawing(self, rows: TreeRows) -> tuple[Draws, Floats | None]:
        """How the rows of each tree are drawn, and the weights that their draws do not count already.

        Rows are drawn by weight, one that is whole as often as it says; so weights count as repeated rows do. Where
        whole weights stand for very many rows, as those of a census, as many are drawn as there are rows.
        """
        seeds = seeds_of(generator(self.random_state), self.n_estimators)
        if not self.bootstrap and self.max_samples is None:
            return Draws(seeds), rows.weight
        there, mass = len(rows), None
        if rows.weight is not None:
            mass, unit = stored_weights(rows.weight, len(rows), rows.room)
            there, stand_for = int(np.count_nonzero(mass)), int(mass.sum())
            if unit == 1.0 and self.bootstrap and stand_for <= max(_MOST_DRAWN, _DRAWN_OF_ROW * there):
                there = stand_for
            np.cumsum(mass, out=mass)
        share = self.max_samples
        drawn = there if share is None else max(1, round(share * there)) if is_share(share) else int(share)
        if drawn > there and (not self.bootstrap or share is not None):
            raise InvalidParameter(f"{type(self).__name__}: max_samples must be at most {there}; got {drawn}.")
        return Draws(seeds, None, drawn, self.bootstrap, mass), None if self.bootstrap else rows.weight

    def _forest_limits(self, d: int, weight: float) -> Limits:
        limits = self._limits(d, weight, random_cuts=self._random_cuts)
        return replace(limits, of_tree=tried_columns(self.max_features_of_tree, d))

    # ---- growth ----

    def _trees(
        self,
        rows: TreeRows,
        targets: Targets,
        draws: Draws,
        weight: float,
        standing: Trees | None,
        centre: Floats | None,
        levels: list[Floats] | None = None,
    ) -> Attributes:
        """The trees, those that stand already first, and which rows each has seen.

        Nodes say means, to which `centre` is added, medians of numbers whose ranks `levels` tell, or shares of classes.
        """
        d = len(rows.table.places)
        limits, monotone = self._forest_limits(d, weight), self._constraints(d, targets)
        if not draws.drawn:
            self._warn_of_light_rows(rows.weight)
        first = 0 if standing is None else len(standing)
        own = replace(draws, seeds=np.ascontiguousarray(draws.seeds[first:]))
        bags, parts = bags_of(own, len(rows)), [] if standing is None else [standing]

        def some(draws: Draws) -> Trees:
            if levels is not None:
                return rows.forest_of_medians(targets, limits, draws, monotone, levels)
            return rows.forest(targets, limits, draws, monotone, centre)

        parts += in_batches(some, own, trees_at_once(draws.drawn or len(rows), limits, targets))
        bags = bags[: sum(map(len, parts)) - first]  # fewer where the fit was ended
        if standing is not None:
            bags = np.concatenate([self.__dict__.get("_bags", all_seen(first, len(rows))), bags])
        return {
            "trees_": Trees.joined(parts.pop(0) for _ in range(len(parts))),
            "_bags": bags,
            "_grown_on": self._schema,
        }

    def _standing(self, width: int, classes: Labels | None = None) -> Trees | None:
        found = super()._standing(width, classes)
        if found is not None and self.n_estimators < len(found):
            raise InvalidParameter(
                f"{type(self).__name__}: n_estimators={self.n_estimators} must be at least {len(self.trees_)}, the "
                "number of trees there are, when warm_start=True."
            )
        return found

    def _as_tree(self, kind: type[T], tree: Trees) -> T:
        """One of the trees as a model of its own."""
        model = kind(splitter="histogram")
        shared = ("n_features_in_", "feature_names_in_", "_schema", "classes_", "_flat", "history_", "criterion")
        model.__dict__.update({name: self.__dict__[name] for name in shared if name in self.__dict__})
        model.trees_ = tree
        return model

    def _staged(self, X: TableLike) -> Iterator[Floats]:
        """What the leaves of the first trees say in the mean, (n, q), for one, two, … of them."""
        leaves, trees = self.apply(X), self.trees_
        return running_means(trees.value[start + own] for start, own in zip(trees.starts, leaves.T, strict=False))

    def importances(self, level: float = 0.95) -> ColumnImportances:
        """The shares of the columns in what the splits of each tree gained, with intervals of their means.

        The intervals are Student's over the trees: they tell of the draws, not of other rows. Fairer to columns of few
        values is `sf.permutation_importance` with `scoring=type(forest).score_out_of_bag`.

        >>> import suffice as sf
        >>> iris = sf.datasets.load("iris")
        >>> forest = sf.RandomForestClassifier(50, random_state=0).fit(iris.matrix(), iris["species"])
        >>> found = forest.importances()
        >>> found.ranking[:2], bool(np.allclose(found.values, forest.feature_importances_))
        ([2, 3], True)
        """
        self._check_fitted("trees_")
        check_level(level)
        return ColumnImportances(self._schema.names, self.trees_.shares.T, "share of the gains", level)

    def score_out_of_bag(self, X: TableLike, y: TargetLike, sample_weight: WeightLike = None) -> float:
        """The score of the rows of the fit, in their order, each predicted by the trees that have not drawn it.

        The accuracy, or R². With the table and the weights of the fit it is `oob_score_`; with other cells in a column
        it says what the forest owes to that column:

        >>> import suffice as sf
        >>> iris = sf.datasets.load("iris")
        >>> forest = sf.RandomForestClassifier(50, random_state=0).fit(iris.matrix(), iris["species"])
        >>> score = sf.RandomForestClassifier.score_out_of_bag
        >>> found = sf.permutation_importance(forest, iris.matrix(), iris["species"], scoring=score, random_state=0)
        >>> found.ranking[:2]
        [2, 3]
        """
        self._check_fitted("trees_")
        owner = f"{type(self).__name__}.score_out_of_bag"
        rows = self._rows(X, lambda chunk: np.asarray(chunk.X, dtype=np.float64))
        if (self._bags[:, 1] != len(rows)).any() or not self._bags[:, 2].any():
            raise InvalidData(
                f"{owner}: X must be the rows of the fit, of which trees drew some; it has {len(rows)} rows, and trees "
                f"drew {self._bags[0, 2]} of {self._bags[0, 1]}."
            )
        truth = np.asarray(y)
        if len(truth) != len(rows):
            raise InvalidData(f"{owner}: y has {len(truth)} rows, X has {len(rows)}.")
        weight = None if sample_weight is None else check_weight(sample_weight, len(rows), owner)
        mass = None if weight is None else np.cumsum(whole_weights(weight, len(rows))[0])
        said = said_out_of_bag(lambda block: rows[block], len(rows), self.trees_, self._bags, mass)
        return self._score_out_of_bag(*said, truth, weight)

    def _score_out_of_bag(self, total: Floats, seen: Whole, y: Labels, weight: Floats | None) -> float:
        raise TypeError(f"{type(self).__name__} does not define _score_out_of_bag")

    def proximities(self, X: TableLike, other: TableLike | None = None) -> Reals:
        """How alike rows are, (n, m): the share of trees in which a row of X and one of `other`, or X, share a leaf."""
        first = self.apply(X)
        second = first if other is None else self.apply(other)
        found = np.zeros((len(first), len(second)))
        for own, theirs in zip(first.T, second.T, strict=True):
            found += own[:, None] == theirs[None, :]
        return found / len(self.trees_)


def mean_rise(trees: Trees) -> float:
    """By how much the splits of a tree raise the score of its rows by weight, the mean over the trees."""
    return float(trees.gain.sum() / max(trees.weight[trees.starts[:-1]].sum(), 1e-300))


def all_weight(weight: Floats | None, n: int, draws: Draws) -> float:
    """The weight of the rows of a tree."""
    if draws.drawn:
        return float(draws.drawn)
    return float(n if weight is None else weight.sum())
