"""What gradient boosting of classes and of numbers shares."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...backend.growth import Limits, leaf_sums
from ...backend.weights import given_or_ones
from ...data import Chunk, Source
from ...engine import Outcome, iterate
from ...errors import Diverged, InvalidData, InvalidParameter, warn
from ...estimator import Attributes, declares
from ...growth import BINS, TreeRows, Trees, seeds_of
from ...growth.stored_rounds import picked
from ...holds import floats, instance, require, sometimes
from ...losses import Loss
from ...params import derived, param
from ...randomness import generator, seed_of
from ...typing import Flags, Floats, Labels, Reals, TableLike
from ..tree.base import is_columns, tried_columns
from ..tree.limits import warn_of_light_rows
from ..tree.reading import ReadableSteps
from .grows_on import GrowsOn
from .rounds import Plan, Rounds, leaf_share, loss_of

_MANY = 10_000  # rows from which on early_stopping="auto" stops early


@declares
class HistGradientBoosting(ReadableSteps, GrowsOn):
    """Base: a subclass gives the loss, and what predictors are to its users."""

    learning_rate: float = param(0.1, number=True, above=0, doc="What leaves say is multiplied by it.")
    max_iter: int = param(100, integer=True, at_least=1, doc="The most rounds, each of one tree, or of one a class.")
    max_leaf_nodes: int | None = param(
        31, integer=True, at_least=2, choices=(None,),
        doc="The most leaves of a tree; the leaf whose split gains most is split first.",
    )  # fmt: skip
    max_depth: int | None = param(None, integer=True, at_least=1, choices=(None,), doc="The most splits above a leaf.")
    min_samples_leaf: int = param(20, integer=True, at_least=1, doc="The least weight of a leaf.")
    l2_regularization: float = param(
        0.0, number=True, at_least=0, below=np.inf, doc="The ridge λ that is added to the curvature of a leaf."
    )
    max_features: float = param(
        1.0, number=True, above=0, at_most=1, doc="The share of columns that a node looks at, drawn anew."
    )
    subsample: float = param(
        1.0, number=True, above=0, at_most=1, doc="The share of rows that a tree learns from, drawn anew."
    )
    max_bins: int = param(
        BINS, integer=True, at_least=2, at_most=BINS, doc="Between how many bins of a column splits are looked for."
    )
    categorical_features: object = param(
        "from_dtype", choices=(None, "from_dtype"), accept=is_columns, allowed="a list of columns",
        doc="Columns of whole numbers, by name or position, that are categories; text always is.",
    )  # fmt: skip
    interaction_cst: object = param(
        None, choices=(None, "pairwise", "no_interactions"), accept=is_columns, allowed="a list of sets of columns",
        doc="Columns that may stand on one path: sets of them, pairwise, or no_interactions. All others are one set.",
    )  # fmt: skip
    early_stopping: bool | str = param(
        "auto", choices=("auto", True, False),
        doc="Whether rounds end when the score rises no more; auto is with more than 10,000 rows.",
    )  # fmt: skip
    scoring: object = param(
        "loss", choices=("loss", None), types=(str,), accept=callable, allowed="a scorer",
        doc="What rounds are judged by: the loss, a scorer of scikit-learn, or the model's own score (None).",
    )  # fmt: skip
    validation_fraction: float | None = param(
        0.1, number=True, above=0, below=1, choices=(None,),
        doc="The share of rows that are judged by and not learned from; None judges by those learned from.",
    )  # fmt: skip
    n_iter_no_change: int = param(
        10, integer=True, at_least=1, doc="Rounds without a better score that end early stopping."
    )
    tol: float = param(1e-7, number=True, at_least=0, doc="By how much a score must rise to be better.")
    memory: int = param(
        1 << 30, integer=True, at_least=1,
        doc="The bytes that rows from files or Dask may take in memory; beyond that they lie in temporary files.",
    )  # fmt: skip

    holds: ClassVar = {"_baseline": floats("predictors"), "_fitted_loss": sometimes(instance(Loss))}
    exemptions: ClassVar = {
        "goes_on_from_its_own_result": "rounds are added, each of which lowers the loss: there is no end to stay at",
    }
    small: ClassVar = {"max_iter": 10}

    def check_loaded(self) -> None:
        super().check_loaded()
        require(len(self.trees_) % len(self._baseline) == 0, "trees_ must hold as many trees for each predictor")

    def _width(self) -> int:
        return len(self._baseline)

    @derived
    def n_iter_(self) -> int:
        """The number of rounds."""
        return len(self.trees_) // len(self._baseline)

    @derived
    def n_trees_per_iteration_(self) -> int:
        """The number of trees of a round."""
        return len(self._baseline)

    # ---- the fit ----

    def _tree_rows(self, source: Source, loss: Loss | None, predictors: int = 1) -> TreeRows:
        """The coded rows of a source; in files where they, with so many predictors, would take more than `memory`."""
        return TreeRows.of(
            source, self._categories(source), False, self.memory, self.max_bins, whole=self._needs_all_rows(loss),
            predictors=predictors,
        )  # fmt: skip

    def _needs_all_rows(self, loss: Loss | None) -> str:
        """What to do without all rows in memory, where they are needed; else nothing."""
        asked = {
            "monotonic_cst=None": self.monotonic_cst is not None,
            "interaction_cst=None": self.interaction_cst is not None,
            "warm_start=False": self.warm_start and hasattr(self, "trees_"),
            "another loss": loss is not None and leaf_share(loss) is not None,
            "scoring='loss'": self.early_stopping is not False and not _is_loss(self.scoring),
            "a validation_fraction": self.early_stopping is not False and self.validation_fraction is None,
        }
        return "set " + " and ".join(name for name, needed in asked.items() if needed) if any(asked.values()) else ""

    def _boosted(
        self, source: Source, rows: TreeRows, loss: Loss, y: NDArray[np.generic], baseline: Floats,
        judge: Callable[[Floats, Flags | None], float] | None, classes: Labels | None = None,
    ) -> Outcome[Attributes]:  # fmt: skip
        """Rounds over rows with targets for the loss; `judge` scores the predictors of held-out rows, or of all."""
        kept = self._standing(len(baseline), classes)
        raw = self._begun(source, rows, baseline, kept)
        held_out = self._held_out(rows)
        stops = self._is_early(len(rows))

        def own_score(predictors: Floats) -> float:
            if judge is not None:
                return judge(predictors, held_out)
            own = np.arange(len(rows)) if held_out is None else np.flatnonzero(held_out)
            weight = None if rows.weight is None else picked(rows.weight, own, rows.room)
            total = loss_of(loss, predictors, picked(y, own, rows.room).astype(np.float64), weight)
            return -total / float(given_or_ones(weight, predictors.shape[1]).sum())

        done = 0 if kept is None else len(kept) // len(baseline)
        rounds = Rounds(
            rows, loss, y, raw, self._plan(rows, len(baseline), done), held_out, own_score if stops else None,
            (self.n_iter_no_change, self.tol), by_loss=stops and judge is None and held_out is not None,
        )  # fmt: skip
        outcome = iterate(
            lambda run: 0, rounds.step, max_iter=self.max_iter - done, kept=rounds.kept, several=rounds.several
        )
        self._warn_of_divergence(outcome.history.objective)
        return outcome.then(lambda count: {**self._found(rounds.trees(count), kept, baseline), "_fitted_loss": loss})

    def _warn_of_divergence(self, losses: Floats) -> None:
        """Steps of more than Newton's may lead ever further away; those up to it do not."""
        if len(losses) and self.learning_rate > 1 and not losses[-1] <= losses[0]:
            warn(
                f"{type(self).__name__}: the loss rose from {losses[0]:.3g} after the first round to {losses[-1]:.3g} "
                f"after the last; learning_rate={self.learning_rate:g} is too large, take at most 1.",
                Diverged,
            )

    def _found(self, trees: Trees, kept: Trees | None, baseline: Floats) -> Attributes:
        return {
            "trees_": trees if kept is None else Trees.joined([kept, trees]),
            "_baseline": baseline,
            "_grown_on": self._schema,
        }

    def _standing(self, width: int, classes: Labels | None = None) -> Trees | None:
        found = super()._standing(width, classes)
        if found is not None and self.max_iter <= self.n_iter_:
            raise InvalidParameter(
                f"{type(self).__name__}: max_iter={self.max_iter} must be greater than {self.n_iter_}, the number of "
                "rounds there are, when warm_start=True."
            )
        return found

    def _begun(self, source: Source, rows: TreeRows, baseline: Floats, kept: Trees | None) -> Floats:
        """The predictors of all rows, (k, n), where the rounds begin."""
        if kept is None:
            raw = rows.room.empty((len(baseline), len(rows)), np.float64)
            for own in rows.room.blocks(len(rows)):
                raw[:, own] = baseline[:, None]
            return np.asarray(raw)
        return np.ascontiguousarray(source.map(lambda chunk: _staged(kept, baseline, chunk.X)[-1]).T)

    def _plan(self, rows: TreeRows, k: int, done: int) -> Plan:
        d = len(rows.table.places)
        limits = Limits(
            tried=tried_columns(float(self.max_features), d),
            most_depth=np.inf if self.max_depth is None else self.max_depth,
            most_leaves=np.inf if self.max_leaf_nodes is None else self.max_leaf_nodes,
            least_leaf=self.min_samples_leaf,
            best_first=self.max_leaf_nodes is not None,
        )
        warn_of_light_rows(type(self).__name__, rows.weight, min_samples_leaf=self.min_samples_leaf)
        seeds = seeds_of(generator(self.random_state), self.max_iter * k)[done * k :]
        return Plan(
            limits, self.l2_regularization, self.learning_rate, self._monotone(d), self._together(d), self.subsample,
            np.ascontiguousarray(seeds),
        )  # fmt: skip

    def _together(self, d: int) -> Flags | None:
        given = self.interaction_cst
        if given is None:
            return None
        if isinstance(given, str) and given == "no_interactions":
            return np.eye(d, dtype=bool)
        if isinstance(given, str):
            first, second = np.triu_indices(d, min(1, d - 1))
            found = np.zeros((len(first), d), dtype=bool)
            found[np.arange(len(first)), first] = found[np.arange(len(first)), second] = True
            return found
        try:
            groups = [list(group) for group in given]  # type: ignore[attr-defined]
        except TypeError:
            raise InvalidParameter(
                f"{type(self).__name__}: interaction_cst must hold sets of columns; got {given!r:.80}."
            ) from None
        found = np.zeros((len(groups) + 1, d), dtype=bool)
        for own, group in zip(found, groups, strict=False):
            own[self._columns(group, "interaction_cst")] = True
        found[-1] = ~found.any(axis=0)
        return found if found[-1].any() else found[:-1]

    # ---- rows that judge ----

    def _is_early(self, n: int) -> bool:
        return n > _MANY if self.early_stopping == "auto" else bool(self.early_stopping)

    def _held_out(self, rows: TreeRows) -> Flags | None:
        """Which rows are not learned from, (n,), by their positions."""
        n = len(rows)
        if not self._is_early(n) or self.validation_fraction is None:
            return None
        rng, drawn, counts = np.random.default_rng(seed_of(self.random_state)), np.empty(n, dtype=bool), [0, 0]
        for own in rows.room.blocks(n):
            drawn[own] = rng.random(own.stop - own.start) < self.validation_fraction
            known = given_or_ones(None if rows.weight is None else rows.weight[own], own.stop - own.start) > 0
            counts[0] += int((known & drawn[own]).sum())
            counts[1] += int((known & ~drawn[own]).sum())
        if not min(counts):
            raise InvalidData(
                f"{type(self).__name__}: early_stopping leaves no rows to learn from, or none to judge by; use "
                "early_stopping=False, or validation_fraction=None."
            )
        return drawn

    # ---- predictors ----

    def _raw(self, X: TableLike) -> Reals:
        """The predictors of rows, (n, k)."""
        self._check_fitted("trees_")
        trees = self.trees_

        def raw(chunk: Chunk) -> Reals:
            found = self._baseline + leaf_sums(np.asarray(chunk.X), trees.forest, trees.value)
            return np.asarray(found, dtype=chunk.X.dtype)

        return self._rows(X, raw, lean=True)

    def _staged_raw(self, X: TableLike) -> Sequence[Floats]:
        """The predictors after each round, (n, k) each."""
        self._check_fitted("trees_")
        found = self._rows(X, lambda chunk: _stacked(self.trees_, self._baseline, chunk))
        return list(np.moveaxis(np.asarray(found), 1, 0))


def _is_loss(scoring: object) -> bool:
    return isinstance(scoring, str) and scoring == "loss"


def _stacked(trees: Trees, baseline: Floats, chunk: Chunk) -> Floats:
    """The predictors after each round, (n, rounds, k)."""
    return np.stack(_staged(trees, baseline, chunk.X), axis=1).astype(chunk.X.dtype, copy=False)


def _staged(trees: Trees, baseline: Floats, X: Reals) -> list[Floats]:
    """The predictors after each round, added up as a fit does, (n, k) each."""
    rows, found = np.asarray(X), []
    raw = np.repeat(baseline[None], len(rows), axis=0)
    leaves = trees.leaves(rows)
    for t, leaf in enumerate(leaves.T):
        raw = raw + trees.value[trees.starts[t] + leaf]
        if (t + 1) % len(baseline) == 0:
            found.append(raw)
    return found
