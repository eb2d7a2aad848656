"""Folds: choose parameters inside if asked, fit, and answer about the rows that were left out."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, ParameterGrid, RandomizedSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from ..data.source import Source
from ..errors import InvalidData, InvalidParameter, did_you_mean
from ..text import counted
from ..typing import EstimatorLike, Floats, Labels, Predictor, TableLike, TargetLike, WeightLike
from .answers import Answers
from .detection import called, label_of, suspicion
from .measure_registry import Measure
from .partition import AllBut
from .problem import Problem
from .rows import rows_of
from .silhouettes import MOST_ROWS, silhouettes
from .told import check_chances, shaped
from .work import Work

COLUMNS = ("predicted", "probability", "decision", "log_density", "silhouette")


@dataclass(frozen=True, eq=False)
class Refit:
    """The model of a split that draws nothing, fitted when somebody asks for it."""

    model: EstimatorLike
    of: Problem
    at: int

    @cached_property
    def fitted(self) -> object:
        """The fitted model."""
        return fitted(seeded(self.model, None), self.of.part(self.of.splits[self.at][0]))


@dataclass(frozen=True, eq=False)
class Fold:
    """One fit, and what it said about the rows that it did not see. A column that the model does not give is None."""

    number: int  # from 1
    learned_from: NDArray[np.int64] | AllBut
    test: NDArray[np.int64]
    predicted: Labels | None = None  # (m,) classes, labels or numbers
    probability: Floats | None = None  # (m, c), columns as in Evaluation.classes
    decision: object = None  # (m,) or (m, c)
    log_density: Floats | None = None  # (m,)
    silhouette: Floats | None = None  # (m,)
    params: Mapping[str, object] | None = None  # what the search inside chose
    kept: object = None  # the fitted model, or a `Refit`
    shared: bool = False  # whether the answers came from sums that all folds share, not from a fit to its rows
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    error: str | None = None  # why the fold has no answers
    on_train: Mapping[str, Any] | None = None  # the same columns about the rows it learned from, where asked for

    @property
    def train(self) -> NDArray[np.int64]:
        """The rows that the fit learned from."""
        return self.learned_from.made() if isinstance(self.learned_from, AllBut) else self.learned_from

    @property
    def model(self) -> object:
        """The fitted model; None where it was not kept."""
        return self.kept.fitted if isinstance(self.kept, Refit) else self.kept

    def answers(self, of: Problem) -> Answers:
        """The answers beside the truth."""
        return self._beside_truth(of, self.test, {name: getattr(self, name) for name in COLUMNS})

    def training_answers(self, of: Problem) -> Answers:
        """The answers about the rows that the fit learned from, beside the truth."""
        return self._beside_truth(of, self.train, dict(self.on_train or {}))

    def _beside_truth(self, of: Problem, rows: NDArray[np.int64], columns: dict[str, Any]) -> Answers:
        truth = of.y if of.codes is None else of.codes
        if of.classified and columns.get("predicted") is not None:
            columns["predicted"] = coded(columns["predicted"], of.classes)
        return Answers(
            rows, np.ones(len(rows)) if of.weight is None else of.weight[rows], None if truth is None else truth[rows],
            **columns, fold=np.full(len(rows), self.number), classes=of.classes, positive=of.positive,
        )  # fmt: skip


def coded(labels: TargetLike, classes: tuple[object, ...]) -> NDArray[np.int64]:
    """The position of each label among the classes; one after the last for any other."""
    values, names = np.asarray(labels), np.asarray(classes)
    if values.dtype.kind in "biufU" and values.dtype.kind == names.dtype.kind:
        order = np.argsort(names)
        at = order[np.minimum(np.searchsorted(names, values, sorter=order), len(names) - 1)]
        return np.where(names[at] == values, at, len(names)).astype(np.int64)
    code = {name: i for i, name in enumerate(classes)}
    return np.array([code.get(label, len(classes)) for label in np.asarray(labels).tolist()], dtype=np.int64)


@runtime_checkable
class Chooser(Protocol):
    """What chooses parameters by folds within the rows that it is given."""

    @property
    def about(self) -> object:
        """What the choice depends on beside the rows."""

    def best(self, model: EstimatorLike, of: Problem, seed: int | None) -> Mapping[str, object]:
        """The parameters to fit with, by name."""


@dataclass(frozen=True)
class Search:
    """Parameters to choose from within each fold: those with the best score over folds inside it."""

    candidates: tuple[Mapping[str, object], ...]
    measure: Measure
    splits: object = None

    @classmethod
    def over(
        cls, grid: object, model: EstimatorLike, measure: Measure, splits: object = None, owner: str = "evaluate"
    ) -> Search | None:
        """All combinations of a grid, a mapping from parameter to values; every name is checked."""
        if grid is None:
            return None
        try:
            candidates = tuple(ParameterGrid(grid))
        except (TypeError, ValueError) as error:
            raise InvalidParameter(f"{owner}: search must map parameters to lists of values; {error}.") from None
        known = list(model.get_params())
        for name in {name for candidate in candidates for name in candidate}:
            if name not in known:
                hint = did_you_mean(name, known)
                kind = type(model).__name__
                raise InvalidParameter(f"{owner}: search names {name!r}, which is no parameter of {kind}.{hint}")
        return cls(candidates, measure, splits)

    @property
    def about(self) -> object:
        """What the choice depends on beside the rows."""
        return self.candidates, self.measure.name, self.splits

    def best(self, model: EstimatorLike, of: Problem, seed: int | None) -> Mapping[str, object]:
        """The parameters with the best score over folds; of equal ones the first."""
        work = Work(of.split(self.splits, seed, folds=5), many=len(self.candidates) > 1)
        scores = [self._score(model, candidate, work, seed) for candidate in self.candidates]
        oriented = np.array(scores) if self.measure.larger else -np.array(scores)
        oriented[np.isnan(oriented)] = -np.inf
        return self.candidates[int(np.argmax(oriented))]

    def _score(self, model: EstimatorLike, candidate: Mapping[str, object], work: Work, seed: int | None) -> float:
        tried, inside = clone(model).set_params(**candidate), work.of
        wanted = needed(inside, [self.measure])
        folds = (run_fold(tried, work, at, wanted, seed) for at in range(len(inside.splits)))
        return self.measure.over_folds([fold.answers(inside) for fold in folds])


def needed(of: Problem, measures: Sequence[Measure]) -> frozenset[str]:
    """The columns of the answers that are wanted."""
    if of.classified:
        return frozenset({"predicted", "ranking"})  # always both, so that other measures can be asked for later
    return frozenset(one.needs for one in measures)


def run_folds(model: EstimatorLike, of: Problem, wanted: frozenset[str], seed: int | None = None) -> Iterator[Fold]:
    """Each fold of a problem in turn."""
    work = Work(of)
    return (run_fold(model, work, at, wanted, seed) for at in range(len(of.splits)))


def run_fold(
    model: EstimatorLike, work: Work, at: int, wanted: frozenset[str], seed: int | None, search: Chooser | None = None,
    on_train: bool = False,
) -> Fold:  # fmt: skip
    """Fit to the rows of one split and answer about the others, and `on_train` about them too; the model itself is not
    changed. Fits that share sums need no rows of their own."""
    of, shared = work.of, work.shared(model)
    own_seed = None if seed is None else int(np.random.default_rng([seed, at]).integers(2**31))
    model = seeded(model, own_seed)
    began = time.perf_counter()
    part = work.to_learn_from(at) if search is not None or shared is None else of
    params = None if search is None else search.best(model, part, own_seed)
    model.set_params(**(params or {}))
    model, summed = (fitted(model, part), False) if shared is None else shared.fitted(model, at)
    middle = time.perf_counter()
    columns = said(model, work.to_test(at), of, wanted)
    end = time.perf_counter()
    return Fold(
        at + 1, of.learned_from(at), of.tested(at), **columns, params=params, kept=model, shared=summed,
        fit_seconds=middle - began, predict_seconds=end - middle,
        on_train=said(model, rows_of(of.X, of.splits[at][0]), of, wanted) if on_train else None,
    )  # fmt: skip


def fitted(model: Any, of: Problem) -> Any:
    """The model, fitted to all rows of a problem."""
    if isinstance(of.X, Source):
        return model.fit(of.X)
    arguments = {} if of.weight is None else weight_arguments(model, of.weight, of.owner)
    if of.groups is not None and isinstance(model, GridSearchCV | RandomizedSearchCV):
        arguments["groups"] = of.groups
    told = label_of(model) is not None if of.task == "anomalies" else of.supervised
    return model.fit(of.X, of.y, **arguments) if told else model.fit(of.X, **arguments)


def weight_arguments(model: Predictor, weight: WeightLike, owner: str = "evaluate") -> dict[str, object]:
    """How `fit` of a model is told the weights; in a pipeline, of every step that takes them."""
    if isinstance(model, GridSearchCV | RandomizedSearchCV):
        return weight_arguments(model.estimator, weight, owner)
    if isinstance(model, Pipeline):
        last = weight_arguments(model.steps[-1][1], weight, owner)
        steps = {name for name, step in model.steps[:-1] if has_fit_parameter(step, "sample_weight")}
        name = model.steps[-1][0]
        return {
            **{f"{step}__sample_weight": weight for step in sorted(steps)},
            **{f"{name}__{key}": w for key, w in last.items()},
        }
    if not has_fit_parameter(model, "sample_weight"):
        raise InvalidParameter(f"{owner}: {type(model).__name__} takes no sample_weight; leave it out.")
    return {"sample_weight": weight}


def seeded(model: EstimatorLike, seed: int | None) -> Any:
    """A copy in which every `random_state` that is None has a seed of its own."""
    model = clone(model)
    if seed is not None:
        rng = np.random.default_rng(seed)
        free = [name for name, value in sorted(model.get_params().items()) if value is None]
        names = [name for name in free if name == "random_state" or name.endswith("__random_state")]
        model.set_params(**{name: int(rng.integers(2**31)) for name in names})
    return model


def said(model: Any, X: TableLike, of: Problem, wanted: frozenset[str]) -> dict[str, Any]:
    """The wanted columns, as far as the model gives them."""
    if of.task == "anomalies":
        return {"predicted": called(model, X), "decision": suspicion(model, X)}
    said: dict[str, Any] = {}
    if wanted & {"predicted", "silhouette"}:
        kept = of.in_sample and hasattr(model, "labels_")
        said["predicted"] = np.asarray(model.labels_) if kept else _predicted(model, X, of)
    if "ranking" in wanted:
        if hasattr(model, "predict_proba"):
            said["probability"] = _by_class(_answers(model, "predict_proba", X), model, of.classes, 0.0)
        elif hasattr(model, "decision_function"):
            scores = _answers(model, "decision_function", X)
            said["decision"] = scores if scores.ndim == 1 else _by_class(scores, model, of.classes, -np.inf)
    if "log_density" in wanted and hasattr(model, "score_samples"):
        said["log_density"] = np.asarray(_answers(model, "score_samples", X), dtype=np.float64)
    if "silhouette" in wanted:
        said["silhouette"] = _silhouettes(X, said["predicted"])
    return said


def _answers(model: Any, method: str, X: Any) -> NDArray[np.generic]:
    """What a method says of rows, which must be as many answers."""
    found = np.asarray(getattr(model, method)(X))
    n = X.n_rows if isinstance(X, Source) else X.shape[0]
    if n is not None:
        shaped(found, model, method, n)
        if method == "predict_proba":
            check_chances(found, model, unknown=True)
    return found


def _predicted(model: Any, X: TableLike, of: Problem) -> NDArray[np.generic]:
    """The classes, clusters or numbers that are predicted; of one target a column is taken for its cells."""
    found = _answers(model, "predict", X)
    if of.y is None or of.task != "numbers" or found.shape[1:] == of.y.shape[1:]:
        return found
    if found.size == len(found) * (of.y.size // len(of.y)):
        return found.reshape(len(found), *of.y.shape[1:])
    said, wanted = found.size // max(1, len(found)), of.y.size // len(of.y)
    raise InvalidData(f"{type(model).__name__} predicts {counted(said, 'number')} a row, and y has {wanted}.")


def _by_class(
    values: NDArray[np.generic], model: Any, classes: tuple[object, ...], absent: float
) -> NDArray[np.generic]:
    """The columns in the order of all classes; a class that the fit did not see has the same value everywhere."""
    known = np.asarray(model.classes_).tolist()
    if known == list(classes):
        return values
    out = np.full((len(values), len(classes)), absent)
    out[:, [classes.index(name) for name in known]] = values
    return out


def _silhouettes(X: TableLike, labels: NDArray[np.generic]) -> NDArray[np.float64]:
    """The silhouette of each row among these rows; NaN for noise, beyond 2,000 rows, and for fewer than 2 clusters."""
    from sklearn.metrics import pairwise_distances

    out = np.full(len(labels), np.nan)
    inside = np.flatnonzero(labels != -1) if labels.dtype.kind in "if" else np.arange(len(labels))
    if len(inside) > MOST_ROWS:
        inside = np.sort(np.random.default_rng(0).choice(inside, MOST_ROWS, replace=False))
    if 2 <= len(np.unique(labels[inside])) < len(inside):
        out[inside] = silhouettes(pairwise_distances(rows_of(X, inside)), labels[inside])
    return out
