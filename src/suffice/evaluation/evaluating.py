"""`evaluate`: how good a model is on rows that it did not see."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from numbers import Integral
from time import perf_counter
from typing import Any

import numpy as np

from ..data.source import Source
from ..errors import InvalidData, InvalidParameter, TimeLimit
from ..observing import Iteration, announced, observers, part_done
from ..randomness import generator
from ..resampling import Fold, Measure, Problem, Search, problem
from ..resampling.folds import COLUMNS, Chooser, needed, weight_arguments
from ..resampling.intervals import check_level
from ..resampling.measure_registry import chosen
from ..resampling.partition import Partition
from ..resampling.problem import task_of
from ..text import counted
from ..typing import EstimatorLike, RandomState, TableLike, TargetLike, WeightLike
from .fingerprint import fingerprint
from .journal import Journal
from .processes import checked_jobs
from .results import Evaluation
from .row_folds import RowFolds
from .running import Runner, Settings

ON_ERROR = ("raise", "keep")
_KEPT = (*COLUMNS, "params", "fit_seconds", "predict_seconds", "on_train")  # what a journal holds of a fold


def evaluate(
    model: EstimatorLike,
    X: TableLike,
    y: TargetLike = None,
    *,
    splits: object = None,
    time: TargetLike = None,
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
    n_jobs: int | None = None,
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
    time
        When each row was, (n,), or the name of a column of X. Rows are then predicted from earlier ones alone, in as
        many blocks as `splits` says, five by default (`Forward`): random folds of a time series look too good.
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
    n_jobs
        How many processes fit the folds of a model of another library, -1 for one a core; the answers are the same. Our
        own models use all cores without it.

    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> found = evaluate(sf.GaussianNB(), iris.matrix(), iris["species"], measures=("accuracy", "log_loss"))
    >>> print(found.intervals["accuracy"], found.intervals["accuracy"].method)
    0.9533 [0.9068, 0.9772] Wilson
    >>> found.scores["log_loss"].shape, found.predicted[:2].tolist()
    ((10,), ['setosa', 'setosa'])
    """
    seed = seed_of(random_state, journal)
    of = problem([model], X, y, sample_weight, groups, positive).timed(time).split(splits, seed)
    found = usable(measures, of, [model])
    settings = checked(
        Settings(found, inner, level, resamples, seed, keep_models, refit, on_error, train, checked_jobs(n_jobs)), of
    )
    with opened(journal, of, settings) as book:
        return evaluated("model", model, of, settings, search, book, type(model).__name__)


def seed_of(random_state: RandomState, journal: object, owner: str = "evaluate") -> int | None:
    """The seed of all random numbers; None where they shall differ from run to run."""
    if random_state is None:
        if journal is not None:
            raise InvalidParameter(f"{owner}: a journal needs a random_state, so that the splits are the same again.")
        return None
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        if int(random_state) < 0:
            raise InvalidParameter(f"{owner}: random_state must be at least 0; got {random_state}.")
        return int(random_state)
    return int(generator(random_state).integers(2**31))


def checked(settings: Settings, of: Problem) -> Settings:
    """Refuse settings that are not allowed."""
    if settings.train not in (True, False):
        raise InvalidParameter(f"{of.owner}: train must be True or False; got {settings.train!r:.80}.")
    if settings.train and of.in_sample:
        raise InvalidParameter(
            f"{of.owner}: train=True needs rows that are left out, and splits='in_sample' leaves none."
        )
    check_level(settings.level)
    if settings.on_error not in ON_ERROR:
        raise InvalidParameter(f"{of.owner}: on_error must be one of {', '.join(ON_ERROR)}; got {settings.on_error!r}.")
    times = settings.resamples
    if not isinstance(times, Integral) or int(times) < 2:
        raise InvalidParameter(f"{of.owner}: resamples must be an integer, at least 2; got {times!r}.")
    return settings


def usable(measures: Any, of: Problem, models: Sequence[Any]) -> tuple[Measure, ...]:
    """The measures for which everything is there; what is missing is an error where the measure was asked for."""
    if of.weight is not None:
        for model in models:
            weight_arguments(model, of.weight, of.owner)
    found, kept = chosen(measures, of.task, of.owner), []
    for one in found:
        lacking = _lacking(one, of, models)
        if not lacking:
            kept.append(one)
        elif measures is not None:
            raise InvalidParameter(f"{of.owner}: {one.name} needs {lacking}.")
    if not kept:
        raise InvalidParameter(f"{of.owner}: {found[-1].name} needs {_lacking(found[-1], of, models)}.")
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


def opened(journal: Any, of: Problem, settings: Settings, **also: object) -> Any:
    """The journal, with the fingerprints of what the results depend on, of `also` too; nothing without one."""
    if journal is None:
        return nullcontext()
    if isinstance(of.X, Source):
        raise InvalidParameter(f"{of.owner}: a journal needs rows in memory, and they are in {of.X}; leave it out.")
    about = {
        "X": fingerprint(of.X),
        "y": fingerprint(of.y),
        "sample_weight": fingerprint(of.weight),
        "groups": fingerprint(of.groups),
        "splits": fingerprint(of.splits.folds if isinstance(of.splits, Partition) else tuple(of.splits)),
        "random_state": fingerprint(settings.seed),
        **{name: fingerprint(value) for name, value in also.items()},
    }
    return Journal(journal, about, of.owner)


def evaluated(
    key: str, model: EstimatorLike, of: Problem, settings: Settings, grid: object, book: Journal | None, name: str,
    given: Runner | None = None,
) -> Evaluation:  # fmt: skip
    """Run all folds of one model, those in the journal excepted; who has `given` a runner looks at failures himself."""
    task_of(model)
    search = _chooser(grid, model, of, settings)
    wanted = needed(of, settings.measures)
    digest = ""
    if book is not None:
        about = None if search is None else search.about
        digest = fingerprint(model, about, sorted(wanted | ({"on_train"} if settings.train else set())))
        book.check_model(key, digest)
    began = perf_counter()
    runner = Runner(model, of, wanted, settings, search, name) if given is None else given
    with announced("evaluate", {"model": name, "folds": len(of.splits)}) as ended:
        folds: Sequence[Fold] | None = runner.all_at_once() if book is None else None
        if folds is None:
            folds = _one_by_one(runner, key, book, digest, began)
        else:
            _all_done(len(folds))
        ended.append("converged")
    if given is None and not isinstance(folds, RowFolds) and all(fold.error is not None for fold in folds):
        raise InvalidData(f"{of.owner}: {name} failed in every fold; in the first: {folds[0].error}.")
    made = Evaluation(
        name, settings.measures, folds, of, settings.level, settings.resamples, settings.seed, model, search
    )
    return replace(made, final=made.fitted()) if settings.refit else made


def _one_by_one(runner: Runner, key: str, book: Journal | None, digest: str, began: float) -> tuple[Fold, ...]:
    """The folds in turn, those in the journal excepted; each is reported and noted as soon as it is done."""
    folds, of, model, settings = [], runner.of, runner.model, runner.settings
    found = {at: _from(book, key, at, of, model if settings.keep_models else None) for at in range(len(of.splits))}
    fresh = runner.folds([at for at, known in found.items() if known is None])
    for at, known in found.items():
        try:
            fold = next(fresh) if known is None else known
            _report(fold, of, settings.measures[0], perf_counter() - began)
        except TimeLimit:  # what was cut short is no fit of this model
            raise TimeLimit(f"not finished: {at} of {counted(len(of.splits), 'fold')}") from None
        if known is None:
            _noted(book, key, digest, fold, settings)
        folds.append(fold if settings.keep_models else replace(fold, kept=None))
    return tuple(folds)


def _chooser(grid: object, model: EstimatorLike, of: Problem, settings: Settings) -> Chooser | None:
    """What chooses parameters within each fold: a grid of them, or whoever does."""
    if isinstance(grid, Chooser):
        return grid
    return Search.over(grid, model, settings.measures[0], settings.inner, of.owner)


def _noted(book: Journal | None, key: str, digest: str, fold: Fold, settings: Settings) -> None:
    """Write a fold that did not fail into the journal, where there is one."""
    if book is not None and fold.error is None:
        content = {column: getattr(fold, column) for column in _KEPT}
        book.add(key, digest, fold.number, content, fold.model if settings.keep_models else None)


def _all_done(count: int) -> None:
    """Tell the observers that all folds are there."""
    part_done(count, count)


def _report(fold: Fold, of: Problem, first: Measure, seconds: float) -> None:
    """Tell the observers, if there are any, what a fold scored."""
    watching = observers()
    if watching:
        score = np.nan if fold.error is not None else first(fold.answers(of))
        part_done(fold.number, len(of.splits))
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
