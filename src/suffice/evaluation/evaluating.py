"""`evaluate`: how good a model is on rows that it did not see."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from ..data.source import Source
from ..errors import InvalidData, InvalidParameter
from ..observing import Iteration, announced, observers
from ..randomness import generator
from ..resampling import Fold, Measure, Problem, Search, problem
from ..resampling.folds import COLUMNS, fitted, needed, seeded, weight_arguments
from ..resampling.intervals import check_level
from ..resampling.measure_registry import chosen
from ..resampling.problem import task_of
from ..typing import EstimatorLike, RandomState, TableLike, TargetLike, WeightLike
from .fingerprint import fingerprint
from .journal import Journal
from .results import Evaluation
from .running import Runner, Settings

ON_ERROR = ("raise", "keep")
_KEPT = (*COLUMNS, "params", "fit_seconds", "predict_seconds", "on_train")  # what a journal holds of a fold


def evaluate(
    model: EstimatorLike,
    X: TableLike,
    y: TargetLike = None,
    *,
    splits: object = None,
    measures: Sequence[str | Measure] | str | Measure | None = None,
    sample_weight: WeightLike = None,
    groups: TargetLike = None,
    positive: object = None,
    search: Mapping[str, Sequence[object]] | None = None,
    inner: object = None,
    level: float = 0.95,
    resamples: int = 2000,
    random_state: RandomState = 0,
    keep_models: bool = True,
    refit: bool = False,
    train: bool = False,
    on_error: str = "raise",
    journal: str | os.PathLike[str] | None = None,
) -> Evaluation:
    """Fit a model to parts of a table and measure it on the rest, such as the mean of ℓ(y, f(x)) over rows left out.

    The model is any scikit-learn estimator or pipeline that gives classes, numbers, clusters, anomalies or a density.
    Rows are in memory; for a model that is a function of one summary, such as `Ridge` or `GaussianNB`, they may also be
    a `scan` of files, which brings its target, or a Dask array. Such a model is fitted by the sums of folds.

    For a detector of anomalies y says which rows are: those with the label that the model names as `anomaly` or that
    `positive` names here, else those with -1 beside 1, or with True beside False. Only a model that names a label
    learns from y.

    splits
        A number of folds; "folds" (ten, or as many as the smallest class allows), "monte_carlo", "leave_one_out",
        "holdout", "in_sample"; `Folds`, `MonteCarlo`, `LeaveOneOut` with settings of their own; a splitter of
        scikit-learn; or pairs of row numbers. Classes are balanced; with `groups` a group is never cut.
    measures
        Names from `MEASURES`, or `Measure` objects such as `f_beta(2)`; the first one decides where one is needed.
    positive
        The class that precision, recall and the like are about, of two; the second in sorted order by default.
    search, inner
        Values of parameters to try, by name: those best in the `inner` splits of the rows to learn from are used, in
        each fold anew, so that the rows tested on have no say (nested cross-validation). Inside there are five folds,
        or as many as the smallest class allows.
    level, resamples
        Of the intervals, and how often a bootstrap draws.
    random_state
        Of the splits, and of every `random_state` in the model that is None.
    keep_models, refit
        Whether the result holds the model of each fold, and one fitted to all rows.
    train
        Whether every fit also answers about the rows it learned from: then training error stands beside future error,
        and `gap` says whether their difference is a sign of overfitting.
    on_error
        "raise" where a fold fails, or "keep" the other folds.
    journal
        A file to which finished folds are written; a run that was stopped goes on from it.

    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> found = evaluate(sf.GaussianNB(), iris.matrix(), iris["species"], measures=("accuracy", "log_loss"))
    >>> print(found.intervals["accuracy"], found.intervals["accuracy"].method)
    0.9533 [0.9068, 0.9772] Wilson
    >>> found.scores["log_loss"].shape, found.predicted[:2].tolist()
    ((10,), ['setosa', 'setosa'])
    """
    seed = seed_of(random_state, journal)
    of = problem([model], X, y, sample_weight, groups, positive).split(splits, seed)
    found = usable(measures, of, [model])
    settings = checked(Settings(found, inner, level, resamples, seed, keep_models, refit, on_error, train), of)
    with opened(journal, of, settings) as book:
        return evaluated("model", model, of, settings, search, book, type(model).__name__)


def seed_of(random_state: RandomState, journal: object) -> int | None:
    """The seed of all random numbers; None where they shall differ from run to run."""
    if random_state is None:
        if journal is not None:
            raise InvalidParameter("evaluate: a journal needs a random_state, so that the splits are the same again.")
        return None
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        if int(random_state) < 0:
            raise InvalidParameter(f"evaluate: random_state must be at least 0; got {random_state}.")
        return int(random_state)
    return int(generator(random_state).integers(2**31))


def checked(settings: Settings, of: Problem) -> Settings:
    """Refuse settings that are not allowed."""
    if settings.train not in (True, False):
        raise InvalidParameter(f"evaluate: train must be True or False; got {settings.train!r:.80}.")
    if settings.train and of.in_sample:
        raise InvalidParameter("evaluate: train=True needs rows that are left out, and splits='in_sample' leaves none.")
    check_level(settings.level)
    if settings.on_error not in ON_ERROR:
        raise InvalidParameter(f"evaluate: on_error must be one of {', '.join(ON_ERROR)}; got {settings.on_error!r}.")
    times = settings.resamples
    if not isinstance(times, Integral) or int(times) < 2:
        raise InvalidParameter(f"evaluate: resamples must be an integer, at least 2; got {times!r}.")
    return settings


def usable(measures: Any, of: Problem, models: Sequence[Any]) -> tuple[Measure, ...]:
    """The measures for which everything is there; what is missing is an error where the measure was asked for."""
    if of.weight is not None:
        for model in models:
            weight_arguments(model, of.weight)
    found, kept = chosen(measures, of.task), []
    for one in found:
        lacking = _lacking(one, of, models)
        if not lacking:
            kept.append(one)
        elif measures is not None:
            raise InvalidParameter(f"evaluate: {one.name} needs {lacking}.")
    if not kept:
        raise InvalidParameter(f"evaluate: {found[-1].name} needs {_lacking(found[-1], of, models)}.")
    return tuple(kept)


# What a model must have for a column of the answers.
_WAYS = {
    "probability": ("predict_proba",),
    "ranking": ("predict_proba", "decision_function"),
    "log_density": ("score_samples",),
    "predicted": ("predict",),
    "silhouette": ("predict",),
}


def _lacking(one: Measure, of: Problem, models: Sequence[object]) -> str:
    """What a measure needs and does not get."""
    if one.truth and of.y is None:
        return "y, the classes to compare with, but y is None"
    if one.two_classes and len(of.classes) != 2:
        return f"two classes, and y has {len(of.classes)}"
    if not one.pooled and of.least_tested < 2:
        return "at least 2 rows in each part that is tested on"
    ways = _WAYS.get(one.needs, ())
    if of.in_sample and ways == ("predict",):
        ways = ("predict", "fit_predict")
    for model in models:
        if ways and not any(hasattr(model, way) for way in ways):
            remedy = "; evaluate it on the rows it was fitted to, splits='in_sample'" if ways == ("predict",) else ""
            return f"{' or '.join(ways)}, which {type(model).__name__} does not have{remedy}"
    return ""


def opened(journal: Any, of: Problem, settings: Settings) -> Any:
    """The journal, with the fingerprints of what the results depend on; nothing without one."""
    if journal is None:
        return nullcontext()
    if isinstance(of.X, Source):
        raise InvalidParameter(f"evaluate: a journal needs rows in memory, and they are in {of.X}; leave it out.")
    about = {
        "X": fingerprint(of.X),
        "y": fingerprint(of.y),
        "sample_weight": fingerprint(of.weight),
        "groups": fingerprint(of.groups),
        "splits": fingerprint(tuple(of.splits)),
        "random_state": fingerprint(settings.seed),
    }
    return Journal(journal, about)


def evaluated(
    key: str, model: EstimatorLike, of: Problem, settings: Settings, grid: object, book: Journal | None, name: str
) -> Evaluation:
    """Run all folds of one model, those in the journal excepted."""
    task_of(model)
    search = Search.over(grid, model, settings.measures[0], settings.inner)
    wanted = needed(of, settings.measures)
    digest = ""
    if book is not None:
        searched = None if search is None else (search.candidates, search.measure.name, search.splits)
        digest = fingerprint(model, searched, sorted(wanted | ({"on_train"} if settings.train else set())))
        book.check_model(key, digest)
    folds, began = [], time.perf_counter()
    runner = Runner(model, of, wanted, settings, search, name)
    with announced("evaluate", {"model": name, "folds": len(of.splits)}) as ended:
        for at in range(len(of.splits)):
            fold = _from(book, key, at, of, model if settings.keep_models else None)
            if fold is None:
                fold = runner.fold(at)
                if book is not None and fold.error is None:
                    content = {column: getattr(fold, column) for column in _KEPT}
                    book.add(key, digest, fold.number, content, fold.model if settings.keep_models else None)
            folds.append(fold if settings.keep_models else replace(fold, kept=None))
            _report(fold, of, settings.measures[0], time.perf_counter() - began)
        ended.append("converged")
    if all(fold.error is not None for fold in folds):
        raise InvalidData(f"evaluate: {name} failed in every fold; in the first: {folds[0].error}.")
    final = _final(model, of, settings, search) if settings.refit else None
    return Evaluation(
        name, settings.measures, tuple(folds), of, settings.level, settings.resamples, settings.seed, final
    )


def _report(fold: Fold, of: Problem, first: Measure, seconds: float) -> None:
    """Tell the observers, if there are any, what a fold scored."""
    watching = observers()
    if watching:
        score = np.nan if fold.error is not None else first(fold.answers(of))
        for observer in watching:
            observer.iteration_done(Iteration(fold.number, float(score), seconds, {"fold": fold.number}), {})


def _from(book: Journal | None, key: str, at: int, of: Problem, like: object) -> Fold | None:
    """A fold that the journal has, with its fitted model where one like this is wanted."""
    found = None if book is None else book.content(key, at + 1)
    if book is None or found is None:
        return None
    model = None if like is None else book.model(key, at + 1, like)
    kept: dict[str, Any] = {column: found.get(column) for column in _KEPT}
    return Fold(at + 1, of.learned_from(at), of.tested(at), **kept, kept=model)


def _final(model: EstimatorLike, of: Problem, settings: Settings, search: Search | None) -> object:
    """The model fitted to all rows, its parameters chosen on all rows."""
    model = seeded(model, settings.seed)
    if search is not None:
        model.set_params(**search.best(model, of, settings.seed))
    return fitted(model, of)
