"""Bagging: the same model learns from many bootstrap samples, and their answers are averaged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from ...backend.threads import thread_count
from ...backend.weights import RunningMass, given_or_ones
from ...data import ArraySource, Chunk, Needs, Schema, Source
from ...data.side_by_side import side_by_side
from ...engine import Outcome, Step, closed_form, in_turn
from ...errors import InvalidParameter, TooFewRows, warn
from ...estimator import Attributes, ByChance, Estimator, declares
from ...growth import Trees
from ...holds import floats, instance, integers, lists, number, require, sometimes
from ...observing import observers
from ...params import is_share, learned, param
from ...randomness import generator, random_state_param
from ...resampling import Interval
from ...scikit_learn import VERBOSE
from ...typing import EstimatorLike, Flags, Floats, RandomState, TableLike, Whole
from ..cluster.alternation import memory_param
from ..inner import columns_of, needs_around, takes_squares
from ..tree.decision_tree import DecisionTree
from .grows_on import refuse_others
from .member_trees import ExplainedTrees, joined
from .members import Members, gathered, importances, part_of, running_means

IGNORED = {"n_jobs": "every fit uses the cores; see `sf.threads`", "verbose": VERBOSE}
_WORTH_THREADS = 10_000  # cells
_FEW = 10  # draws, where there are many more rows, are probably not meant


@dataclass(frozen=True, eq=False)
class _Member:
    """A fitted model, its columns, the seed of its draws, and the objective that it ended at."""

    model: EstimatorLike
    features: NDArray[np.int64]
    seed: int
    objective: float


@declares
class Bagging(ExplainedTrees):
    """Base: a subclass says what a member answers, and what their mean stands for."""

    compound = True
    exemptions: ClassVar = {
        "check_sample_weight_equivalence_on_dense_data": ByChance("rows are drawn by their places"),
        "check_sample_weight_equivalence_on_sparse_data": ByChance("rows are drawn by their places"),
        "order_of_rows_does_not_matter": ByChance("rows are drawn by their places"),
    }
    small: ClassVar = {"n_estimators": 5}
    holds: ClassVar = {"_grown_on": instance(Schema, d="d")}
    _grown_on: ClassVar[Schema]  # the columns of the models; set by a fit

    estimator: object = param(None, positional=True, choices=(None,), doc="The model.")
    n_estimators: int = param(10, integer=True, at_least=1, at_most=1_000_000, positional=True, doc="How many models.")
    max_samples: float | None = param(
        None, integer=True, at_least=1, choices=(None,), accept=is_share, allowed="a share above 0 and at most 1",
        doc="How many rows each draws: a number, or a share of their weight; None is all of it.",
    )  # fmt: skip
    max_features: float = param(
        1.0, integer=True, at_least=1, accept=is_share, allowed="a share above 0 and at most 1",
        doc="How many columns each draws: a number, or a share of all.",
    )  # fmt: skip
    bootstrap: bool = param(True, choices=(True, False), doc="Whether rows are drawn with replacement.")
    bootstrap_features: bool = param(False, choices=(True, False), doc="Whether columns are drawn with replacement.")
    oob_score: bool = param(
        False, choices=(True, False), doc="Whether rows are judged by the models that have not learned from them."
    )
    warm_start: bool = param(False, choices=(True, False), doc="Whether `fit` adds models to those of the last fit.")
    memory: int = memory_param("rows gathered from files or Dask")
    random_state: RandomState = random_state_param()

    estimators_: list[EstimatorLike] = learned("The fitted models.", holds=lists(instance(Estimator), "m"))
    estimators_features_: list[NDArray[np.int64]] = learned(
        "The columns of each model.", holds=lists(integers(None, at_least=0), "m")
    )
    seeds_: Whole = learned("The seed of the draws of each model, (m,).", holds=integers("m", at_least=0))
    oob_score_: float = learned(
        "How good the answers about rows are by the models that have not learned from them.",
        holds=sometimes(number(finite=False)),
    )
    oob_interval_: Floats = learned("The ends of its 95 % interval, (2,).", holds=sometimes(floats(2, finite=False)))

    def check_loaded(self) -> None:
        super().check_loaded()
        require(len(self.estimators_), "estimators_ must hold a model")
        for model, features in zip(self.estimators_, self.estimators_features_, strict=True):
            require(hasattr(model, "history_"), "the models inside must be fitted")
            require(
                len(features) == getattr(model, "n_features_in_", -1),
                "each model must have as many columns as it learned from",
            )
            require((features < self.n_features_in_).all(), "estimators_features_ must be columns of the table")

    def _needs(self) -> Needs:
        return needs_around(self._inner(), self.needs, type(self).__name__)

    def _fit_needs(self) -> Needs:
        return self._needs().but(squares=takes_squares(self._inner()))

    # -- learning ---------------------------------------------------------------------------------------------------
    def _answered(self, model: EstimatorLike, chunk: Chunk, schema: Schema) -> Floats:
        """What a member says of rows, (n, k) shares of classes, or numbers, (n,) or (n, q)."""
        raise TypeError(f"{type(self).__name__} does not define _answered")

    def _prepared(self, rows: ArraySource) -> Attributes:
        """What is known before any member: the classes."""
        return {}

    def _judged_out_of_bag(self, said: Floats, here: Flags, rows: Chunk) -> tuple[Attributes, float, Interval]:
        """What the rows that have answers (q columns of sums) are told, and how good that is."""
        raise TypeError(f"{type(self).__name__} does not define _judged_out_of_bag")

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._fitted(gathered(source, self.memory)))

    def _fitted(self, rows: ArraySource) -> Step[Attributes]:
        if self.oob_score and not self.bootstrap and self.max_samples is None:
            raise InvalidParameter(
                f"{type(self).__name__}: oob_score needs rows that a model has not learned from; draw them with "
                "replacement (bootstrap=True), or fewer of them (max_samples)."
            )
        self._warn_of_few(given_or_ones(rows.chunk.weight, len(rows.chunk)))
        known = self._prepared(rows)
        before = self._kept(rows, known)
        self.__dict__.update(known)  # which answers about rows out of the bag need; a fit that fails takes it back
        seeds = generator(self.random_state).integers(0, 1 << 62, max(self.n_estimators, len(before)))
        whole = Members(self._inner(), rows, type(self).__name__, self.memory)
        works = [partial(self._fit_one, whole, rows, int(seed)) for seed in seeds[len(before) :]]
        members = [*before, *self._each(works, rows)]
        attributes = {
            **known,
            "estimators_": [one.model for one in members],
            "estimators_features_": [one.features for one in members],
            "seeds_": np.array([one.seed for one in members], dtype=np.int64),
            "_grown_on": rows.schema,
        }
        if self.oob_score:
            attributes |= self._out_of_bag(members, rows)
        return Step(attributes, float(np.mean([one.objective for one in members])))

    def _each(self, works: Sequence[Callable[[], _Member]], rows: ArraySource) -> list[_Member]:
        """The members: trees, which one thread grows, side by side where there is much to do, others in turn."""
        threads = min(thread_count(), len(works)) if isinstance(self._inner(), DecisionTree) else 1
        if threads < 2 or observers() or np.prod(rows.chunk.X.shape) < _WORTH_THREADS:  # who watches sees one at a time
            return list(in_turn(works))
        with closing(side_by_side(works, lambda work: work(), threads, threads)) as done:
            return list(in_turn(partial(next, done) for _ in works))

    def _kept(self, rows: ArraySource, known: Attributes) -> list[_Member]:
        """The members of the last fit, where this one goes on."""
        if not self.warm_start or "estimators_" not in vars(self):
            return []
        if len(self.estimators_) > self.n_estimators:
            raise InvalidParameter(
                f"{type(self).__name__}: n_estimators={self.n_estimators} must be at least the {len(self.estimators_)} "
                "models of the last fit where warm_start=True."
            )
        differ = {
            "columns, or categories": self._grown_on != rows.schema,
            "classes": not np.array_equal(known.get("classes_", ()), vars(self).get("classes_", ())),
        }
        refuse_others(type(self).__name__, "models", differ)
        if "classes_" not in known:
            first = rows.chunk.at(np.zeros(1, dtype=np.int64))
            said = self._of_member(self.estimators_[0], self.estimators_features_[0], first, rows.schema)
            refuse_others(type(self).__name__, "models", {"targets": said.size != np.size(first.y)})
        kept = zip(self.estimators_, self.estimators_features_, self.seeds_, strict=True)
        return [_Member(model, features, int(seed), _objective(model)) for model, features, seed in kept]

    def _fit_one(self, whole: Members, rows: ArraySource, seed: int) -> _Member:
        """A member; those of all columns share what is known of them."""
        rng = np.random.default_rng(seed)
        features, weight = self._drawn(rng, rows)
        chunk, schema = part_of(rows.chunk, rows.schema, features)
        members = whole
        if chunk is not rows.chunk:
            part = replace(rows, chunk=chunk, schema=schema)
            members = Members(self._inner(), part, type(self).__name__, self.memory)
        model, objective = members.fitted(weight, rng)
        return _Member(model, features, seed, objective)

    def _drawn(self, rng: np.random.Generator, rows: ArraySource) -> tuple[NDArray[np.int64], Floats]:
        """The columns of a member, and how much each row counts for it, (n,)."""
        d, n = len(rows.schema), len(rows.chunk)
        wanted = max(1, int(self.max_features * d)) if is_share(self.max_features) else int(self.max_features)
        if wanted > d:
            raise InvalidParameter(
                f"{type(self).__name__}: max_features={self.max_features} must be at most the {d} columns of X."
            )
        if wanted == d and not self.bootstrap_features:
            features = np.arange(d)
        else:
            features = rng.integers(0, d, wanted) if self.bootstrap_features else rng.choice(d, wanted, replace=False)
        given = given_or_ones(rows.chunk.weight, n).astype(np.float64)
        return features.astype(np.int64), self._drawn_rows(rng, given)

    def _drawn_rows(self, rng: np.random.Generator, given: Floats) -> Floats:
        """How much rows of these weights count: how often they were drawn, or their weights, if they were."""
        mass, asked = given if self.bootstrap else (given > 0).astype(np.float64), self.max_samples
        size = self._size(float(mass.sum()))
        if self.bootstrap:
            return RunningMass(mass).times(size, rng)
        there = np.flatnonzero(mass)
        if size > len(there):
            raise InvalidParameter(
                f"{type(self).__name__}: max_samples={asked} must be at most the {len(there)} rows, as none is drawn "
                "twice where bootstrap=False."
            )
        found = np.zeros(len(given))
        chosen = rng.choice(there, size, replace=False)
        found[chosen] = given[chosen]
        return found

    def _size(self, total: float) -> int:
        """How many rows a member draws, where they weigh so much."""
        asked, rows = self.max_samples, max(1, round(total))
        return rows if asked is None else max(1, int(asked * rows)) if is_share(asked) else int(asked)

    def _warn_of_few(self, given: Floats) -> None:
        total = float(given.sum())
        if self.bootstrap and self._size(total) < _FEW < len(given) / 2 and not isinstance(self.max_samples, Integral):
            warn(
                f"{type(self).__name__}: the weights stand for {total:.3g} rows, of which each model draws "
                f"{self._size(total)}; scale them up, or give max_samples as a number.",
                TooFewRows,
            )

    # -- out of the bag ---------------------------------------------------------------------------------------------
    def _out_of_bag(self, members: list[_Member], rows: ArraySource) -> Attributes:
        """The mean answer about each row by the members that have not learned from it, and how good it is."""
        said: Floats | None = None
        counts = np.zeros(len(rows.chunk))
        for one in members:
            left = np.flatnonzero(self._drawn(np.random.default_rng(one.seed), rows)[1] == 0)
            if len(left) == 0:
                continue
            answers = self._of_member(one.model, one.features, rows.chunk.at(left), rows.schema)
            said = np.zeros((len(rows.chunk), *answers.shape[1:])) if said is None else said
            said[left] += answers
            counts[left] += 1
        here = counts > 0
        if said is None or not here.all():
            warn(
                f"{type(self).__name__}: {int(np.sum(~here))} rows have no answer out of the bag, since all models "
                "learned from them; fit more models.",
                TooFewRows,
            )
        if said is None:
            return {"oob_score_": float("nan"), "oob_interval_": np.full(2, np.nan)}
        shape = (-1, *[1] * (said.ndim - 1))
        means = np.where(here.reshape(shape), said / np.maximum(counts, 1).reshape(shape), np.nan)
        attributes, score, interval = self._judged_out_of_bag(means, here, rows.chunk)
        return {**attributes, "oob_score_": score, "oob_interval_": np.array([interval.low, interval.high])}

    # -- answers ----------------------------------------------------------------------------------------------------
    def _of_member(self, model: EstimatorLike, features: NDArray[np.int64], chunk: Chunk, schema: Schema) -> Floats:
        return self._answered(model, *part_of(chunk, schema, features))

    def _mean_answer(self, chunk: Chunk) -> Floats:
        """The mean of what the members say of rows."""
        schema = columns_of(self)
        pairs = zip(self.estimators_, self.estimators_features_, strict=True)
        total = sum((self._of_member(model, features, chunk, schema) for model, features in pairs), np.zeros(()))
        return np.asarray(total / len(self.estimators_))

    def _staged_answers(self, X: TableLike) -> Iterator[Floats]:
        """The mean of what the first members say of rows, for one, two, … of them."""
        check_is_fitted(self)
        every = self._rows(X, self._every)
        return running_means(every[:, m] for m in range(every.shape[1]))

    def _every(self, chunk: Chunk) -> Floats:
        """What each member says of rows, (n, m), or (n, m, q)."""
        schema = columns_of(self)
        pairs = zip(self.estimators_, self.estimators_features_, strict=True)
        return np.stack([self._of_member(model, own, chunk, schema) for model, own in pairs], axis=1)

    def _member_trees(self) -> Trees:
        values = [self._node_values(model) for model in self.estimators_]
        return joined(self.estimators_, values, self.estimators_features_, self.n_features_in_)

    @property
    def feature_importances_(self) -> Floats:
        """The mean importances of the columns, (d,), where the models have them."""
        check_is_fitted(self)
        found = np.zeros(self.n_features_in_)
        for model, features in zip(self.estimators_, self.estimators_features_, strict=True):
            np.add.at(found, features, importances(model))
        return found / len(self.estimators_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = get_tags(self._inner()).input_tags.positive_only
        return tags


def _objective(model: EstimatorLike) -> float:
    """Where the fit of a member ended; only models of this library tell."""
    return float(model.history_.objective[-1]) if isinstance(model, Estimator) else 0.0
