"""What models are evaluated on: rows, target, weights and groups, checked once, and how they are split."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_clusterer, is_regressor

from ..backend.weights import given_or_ones
from ..data.labels import encode
from ..data.rows import as_array
from ..data.source import Chunk, Needs, Source
from ..data.validate import check_some_weight, check_target, check_weight
from ..errors import InvalidData, InvalidParameter
from ..typing import EstimatorLike, Floats, Labels, TableLike, TargetLike, WeightLike, Whole
from .detection import CLASSES, anomalous, is_detector
from .forward import by_time, column_of_times
from .measure_registry import Task
from .partition import AllBut, Partition, Split
from .rows import count_rows, in_memory, is_elsewhere, rows_of
from .splits import Folds, split
from .summarised import is_summarised


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be learned: the rows and all that belongs to them, each (n,), and the splits."""

    task: Task
    X: Any
    n: int
    y: Any = None  # as given; the classes of clusters, and anomalies that no model names, are only compared with
    weight: NDArray[np.float64] | None = None
    groups: NDArray[np.generic] | None = None
    classes: tuple[object, ...] = ()
    codes: NDArray[np.int64] | None = None  # the class of each row
    positive: int | None = None
    splits: Sequence[Split] = ()
    time: Labels | None = None  # when each row was, where rows are predicted from earlier ones alone
    owner: str = "evaluate"  # who speaks in messages

    @property
    def supervised(self) -> bool:
        """Whether models learn from y, or are judged by how well they foretell it."""
        return self.task in ("classes", "numbers", "anomalies")

    @property
    def classified(self) -> bool:
        """Whether models say a class of each row; an anomaly is one of two."""
        return self.task in ("classes", "anomalies")

    def split(self, wanted: object, seed: int | None, folds: int = 10) -> Problem:
        """The same problem with splits, by default so many folds; classes are balanced where models predict them."""
        wanted = by_time(wanted, self.time, self.X, self.owner)
        if wanted is None and self.task == "clusters":
            wanted = Folds(2, repeats=5)  # in small folds, clusters agree with classes by chance
        own = not isinstance(wanted, str) and hasattr(wanted, "split")  # a splitter that may look at any target
        target = self.codes if self.task == "anomalies" else self.y if own or self.task == "classes" else None
        made = replace(self, splits=split(wanted, self.X, self.n, target, self.groups, seed, folds, self.owner))
        if made.in_sample and self.supervised:
            raise InvalidParameter(
                f"{self.owner}: in_sample is for clusters and densities; predictions need rows left out."
            )
        return made

    @property
    def in_sample(self) -> bool:
        """Whether models are tested on the very rows that they learn from."""
        if isinstance(self.splits, Partition):
            return False
        return any(len(train) == len(test) == self.n for train, test in self.splits)

    def tested(self, at: int) -> Whole:
        """The rows that a split tests on."""
        return self.splits.test(at) if isinstance(self.splits, Partition) else self.splits[at][1]

    def learned_from(self, at: int) -> Whole | AllBut:
        """The rows that a split learns from; of folds they are made when they are needed."""
        return AllBut(self.n, self.tested(at)) if isinstance(self.splits, Partition) else self.splits[at][0]

    @property
    def least_tested(self) -> int:
        """The rows of the split that tests on fewest."""
        splits = self.splits
        return splits.least if isinstance(splits, Partition) else min(len(test) for _, test in splits)

    def part(self, rows: NDArray[np.int64]) -> Problem:
        """The problem of some of the rows, without splits."""
        beside = {name: getattr(self, name) for name in ("y", "weight", "groups", "codes", "time")}
        parts: dict[str, Any] = {name: None if a is None else a[rows] for name, a in beside.items()}
        return replace(self, X=rows_of(self.X, rows), n=len(rows), splits=(), **parts)

    def timed(self, time: TargetLike) -> Problem:
        """The same problem, whose rows are predicted from earlier ones alone; a text names a column of X."""
        if time is None:
            return self
        found = column_of_times(self.X, time, self.owner) if isinstance(time, str) else time
        return replace(self, time=np.asarray(found))


def problem(
    models: Iterable[EstimatorLike],
    X: TableLike,
    y: TargetLike,
    sample_weight: WeightLike = None,
    groups: TargetLike = None,
    positive: object = None,
    owner: str = "evaluate",
) -> Problem:
    """Check everything once, for models that all do the same task; `owner` speaks in messages."""
    models = list(models)
    task = _common_task(models, owner)
    first = models[0]
    if is_elsewhere(X) and is_summarised(first) and all(map(is_summarised, models)):
        return _of_source(task, first.source_of(X, y, sample_weight), groups, positive, owner)
    X = in_memory(X, owner)
    n = count_rows(X, owner)
    weight = None
    if sample_weight is not None:
        weight = check_weight(sample_weight, n, owner)
        check_some_weight(weight, owner)
    made = Problem(task, X, n, None, weight, None if groups is None else _groups(groups, n, owner), owner=owner)
    return _with_anomalies(made, models, y, positive) if task == "anomalies" else _with_target(made, y, positive)


def _of_source(task: Task, source: Source, groups: TargetLike, positive: object, owner: str) -> Problem:
    """Rows that stay where they are: only their target and weights are read."""
    weight = np.asarray(source.map(_weights), dtype=np.float64)
    n = len(weight)
    own = None if np.all(weight == 1) else weight
    made = Problem(task, source, n, None, own, None if groups is None else _groups(groups, n, owner), owner=owner)
    return _with_target(made, None if source.needs.target == "none" else np.asarray(source.target()), positive)


def _weights(chunk: Chunk) -> Floats:
    return given_or_ones(chunk.weight, len(chunk))


def _with_anomalies(made: Problem, models: list[EstimatorLike], y: Any, positive: object) -> Problem:
    if y is None:
        raise InvalidData(f"{made.owner}: y must say which rows are anomalies, but y is None; give one label a row.")
    y = check_target(y, made.n, Needs(owner=made.owner, target="classes"))
    codes = anomalous(models, y, positive, made.owner).astype(np.int64)
    return replace(made, y=y, classes=CLASSES, codes=codes, positive=1)


def _with_target(made: Problem, y: Any, positive: object) -> Problem:
    needs = Needs(owner=made.owner, target="numbers" if made.task == "numbers" else "classes")
    if made.supervised and y is None:
        raise InvalidData(
            f"{made.owner}: the model predicts {made.task} and needs y, but y is None; give one target a row."
        )
    if positive is not None and made.task != "classes":
        raise InvalidParameter(
            f"{made.owner}: positive names a class, and these models give {made.task}; leave it out."
        )
    if y is None:
        return made
    y = check_target(y, made.n, needs)
    if made.task == "numbers":
        return replace(made, y=y)
    names, codes = encode(y)
    classes = tuple(names.tolist())
    if len(classes) < 2 and made.supervised:
        raise InvalidData(f"{made.owner}: y has one class only, {classes[0]!r}; at least 2 are needed.")
    return replace(made, y=y, classes=classes, codes=codes, positive=_positive(classes, positive, made.owner))


def _positive(classes: tuple[object, ...], positive: object, owner: str) -> int | None:
    """The code of the class that rates are about: by default the second of two."""
    if positive is None:
        return 1 if len(classes) == 2 else None
    try:
        known = positive in classes
    except (TypeError, ValueError):  # an array, which is compared cell by cell
        known = False
    if not known:
        raise InvalidParameter(f"{owner}: positive must be one of the classes {classes!r}; got {positive!r}.")
    if len(classes) != 2:
        raise InvalidParameter(f"{owner}: positive is for two classes, and y has {len(classes)}; leave it out.")
    return classes.index(positive)


def task_of(model: object, owner: str = "evaluate") -> Task:
    """What a model gives: classes, numbers, clusters, anomalies, or a density."""
    if isinstance(model, type) or not hasattr(model, "fit") or not hasattr(model, "get_params"):
        raise InvalidParameter(f"{owner}: model must be an estimator such as GaussianNB(); got {model!r}.")
    if is_classifier(model):
        return "classes"
    if is_regressor(model):
        return "numbers"
    if is_clusterer(model):
        return "clusters"
    if is_detector(model):
        return "anomalies"
    if hasattr(model, "score_samples"):
        return "density"
    raise InvalidParameter(
        f"{owner}: {type(model).__name__} gives neither classes nor numbers, clusters, anomalies or a density, so "
        "there is nothing to measure; put it into a pipeline with a model that does."
    )


def _common_task(models: Sequence[object], owner: str) -> Task:
    tasks = [task_of(model, owner) for model in models]
    first = tasks[0]
    for model, task in zip(models, tasks, strict=True):
        if task != first and {task, first} & {"classes", "numbers", "anomalies"}:
            raise InvalidParameter(
                f"compare: {type(models[0]).__name__} gives {first}, and {type(model).__name__} gives {task}; "
                "compare models that do the same."
            )
    return first


def _groups(groups: TargetLike, n: int, owner: str) -> NDArray[np.generic]:
    values = as_array(groups, owner, f"groups must name one group a row, shape ({n},)")
    if values.shape != (n,):
        raise InvalidData(f"{owner}: groups must name one group a row, shape ({n},); got shape {values.shape}.")
    try:
        return encode(values)[1]
    except InvalidData:
        raise InvalidData(f"{owner}: groups mix text with other values; turn all of them into text.") from None
