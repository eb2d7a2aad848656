"""What models are evaluated on: rows, target, weights and groups, checked once, and how they are split."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_clusterer, is_regressor

from ..data.labels import encode
from ..data.source import Needs, Source
from ..data.validate import check_some_weight, check_target, check_weight, is_sparse
from ..errors import InvalidData, InvalidParameter
from .measuring import Task
from .splits import Folds, Split, split

OWNER = "evaluate"


@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be learned: the rows and all that belongs to them, each (n,), and the splits."""

    task: Task
    X: Any
    n: int
    y: Any = None  # as given; the classes of clusters are only compared with
    weight: NDArray[np.float64] | None = None
    groups: NDArray[Any] | None = None
    classes: tuple[Any, ...] = ()
    codes: NDArray[np.int64] | None = None  # the class of each row
    positive: int | None = None
    splits: tuple[Split, ...] = ()

    @property
    def supervised(self) -> bool:
        """Whether models learn from y."""
        return self.task in ("classes", "numbers")

    def split(self, wanted: Any, seed: int | None, folds: int = 10) -> Problem:
        """The same problem with splits, by default so many folds; classes are balanced where models predict them."""
        if wanted is None and self.task == "clusters":
            wanted = Folds(2, repeats=5)  # in small folds, clusters agree with classes by chance
        own = not isinstance(wanted, str) and hasattr(wanted, "split")  # a splitter that may look at any target
        target = self.y if own or self.task == "classes" else None
        made = replace(self, splits=tuple(split(wanted, self.X, self.n, target, self.groups, seed, folds)))
        if made.in_sample and self.supervised:
            raise InvalidParameter("evaluate: in_sample is for clusters and densities; predictions need rows left out.")
        return made

    @property
    def in_sample(self) -> bool:
        """Whether models are tested on the very rows that they learn from."""
        return any(len(train) == len(test) == self.n for train, test in self.splits)

    def part(self, rows: NDArray[np.int64]) -> Problem:
        """The problem of some of the rows, without splits."""
        beside = {name: getattr(self, name) for name in ("y", "weight", "groups", "codes")}
        parts: dict[str, Any] = {name: None if a is None else a[rows] for name, a in beside.items()}
        return replace(self, X=rows_of(self.X, rows), n=len(rows), splits=(), **parts)


def problem(
    models: Iterable[Any], X: Any, y: Any, sample_weight: Any = None, groups: Any = None, positive: Any = None
) -> Problem:
    """Check everything once, for models that all do the same task."""
    task = _common_task(list(models))
    X, n = _table(X)
    made = Problem(task, X, n)
    weight = None
    if sample_weight is not None:
        weight = check_weight(sample_weight, n, OWNER)
        check_some_weight(float(weight.sum()), OWNER)
    made = replace(made, weight=weight, groups=None if groups is None else _groups(groups, n))
    return _with_target(made, y, positive)


def _with_target(made: Problem, y: Any, positive: Any) -> Problem:
    needs = Needs(owner=OWNER, target="numbers" if made.task == "numbers" else "classes")
    if made.supervised and y is None:
        raise InvalidData(
            f"evaluate: the model predicts {made.task} and needs y, but y is None; give one target a row."
        )
    if positive is not None and made.task != "classes":
        raise InvalidParameter(f"evaluate: positive names a class, and these models give {made.task}; leave it out.")
    if y is None:
        return made
    y = check_target(y, made.n, needs)
    if made.task == "numbers":
        return replace(made, y=y)
    names, codes = encode(y)
    classes = tuple(names.tolist())
    if len(classes) < 2 and made.supervised:
        raise InvalidData(f"evaluate: y has one class only, {classes[0]!r}; at least 2 are needed.")
    return replace(made, y=y, classes=classes, codes=codes, positive=_positive(classes, positive))


def _positive(classes: tuple[Any, ...], positive: Any) -> int | None:
    """The code of the class that rates are about: by default the second of two."""
    if positive is None:
        return 1 if len(classes) == 2 else None
    if positive not in classes:
        raise InvalidParameter(f"evaluate: positive must be one of the classes {classes!r}; got {positive!r}.")
    if len(classes) != 2:
        raise InvalidParameter(f"evaluate: positive is for two classes, and y has {len(classes)}; leave it out.")
    return classes.index(positive)


def task_of(model: Any) -> Task:
    """What a model gives: classes, numbers, clusters, or a density."""
    if isinstance(model, type) or not hasattr(model, "fit") or not hasattr(model, "get_params"):
        raise InvalidParameter(f"evaluate: model must be an estimator such as GaussianNB(); got {model!r}.")
    if is_classifier(model):
        return "classes"
    if is_regressor(model):
        return "numbers"
    if is_clusterer(model):
        return "clusters"
    outliers = getattr(model.__sklearn_tags__(), "estimator_type", None) == "outlier_detector"
    if hasattr(model, "score_samples") and not outliers:
        return "density"
    raise InvalidParameter(
        f"evaluate: {type(model).__name__} gives neither classes nor numbers, clusters or a density, so there is "
        "nothing to measure; put it into a pipeline with a model that does."
    )


def _common_task(models: list[Any]) -> Task:
    tasks = [task_of(model) for model in models]
    first = tasks[0]
    for model, task in zip(models, tasks, strict=True):
        if task != first and {task, first} & {"classes", "numbers"}:
            raise InvalidParameter(
                f"compare: {type(models[0]).__name__} gives {first}, and {type(model).__name__} gives {task}; "
                "compare models that do the same."
            )
    return first


def _table(X: Any) -> tuple[Any, int]:
    """The table as something whose rows can be taken, and their number."""
    if isinstance(X, Source) or type(X).__module__.partition(".")[0] in ("dask", "dask_expr"):
        raise InvalidData(
            "evaluate: rows are taken out of the table again and again, so they must be in memory; "
            f"got {X}. Give an array or a frame, such as a sample of the rows."
        )
    if is_sparse(X):
        X = X.tocsr()
    elif not hasattr(X, "columns") and not hasattr(X, "column_names"):
        X = np.asarray(X)
    n = X.shape[0] if np.ndim(X) or (hasattr(X, "shape") and X.shape) else 0
    if n == 0:
        raise InvalidData("evaluate: X has no rows; at least 2 are needed.")
    return X, int(n)


def _groups(groups: Any, n: int) -> NDArray[Any]:
    values = np.asarray(groups)
    if values.shape != (n,):
        raise InvalidData(f"evaluate: groups must name one group a row, shape ({n},); got shape {values.shape}.")
    try:
        return encode(values)[1]
    except TypeError:
        raise InvalidData("evaluate: groups mix text with other values; turn all of them into text.") from None


def rows_of(X: Any, rows: NDArray[np.int64]) -> Any:
    """Some rows of an array, a sparse matrix or a frame, as the same kind of thing."""
    if isinstance(X, np.ndarray) or is_sparse(X):
        return X[rows]
    import narwhals as nw

    return nw.from_native(X, eager_only=True)[rows.tolist()].to_native()
