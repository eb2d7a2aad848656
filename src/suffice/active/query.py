"""What a strategy of asking is, and what it may look at."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy import special
from sklearn.base import clone

from ..choices import Choices, Named
from ..errors import InvalidParameter
from ..resampling.folds import seeded
from ..resampling.rows import rows_of
from ..resampling.told import check_chances, shaped
from ..typing import EstimatorLike, Floats, Labels, Whole

OWNER = "ActiveLearner"


@dataclass(eq=False)
class Pool:
    """The rows with a label, the rows that may be asked about, and the model of the former.

    `places` are all rows as points in which no unit matters, (n, d), made when they are first asked for.
    """

    model: EstimatorLike  # not fitted
    X: Any  # all rows, as something whose rows can be taken
    labelled: Whole  # (l,) row numbers
    labels: Labels  # (l,)
    others: Whole  # (m,) row numbers of those that may be asked about
    rng: np.random.Generator
    make_places: Callable[[], object]
    fits: Callable[[EstimatorLike, Whole, Labels], Any]  # how a copy of a model is fitted to rows

    @cached_property
    def fitted(self) -> Any:
        """The model, fitted to the rows with a label."""
        return self.refitted(np.arange(len(self.labelled)))

    def refitted(self, some: Whole, more: Whole | None = None, told: Labels | None = None) -> Any:
        """A copy of the model, fitted to some of the labelled rows, and to `more` rows, taken to be as `told`."""
        rows, labels = self.labelled[some], self.labels[some]
        if more is not None and told is not None:
            rows, labels = np.concatenate([rows, more]), np.concatenate([labels, told])
        model = seeded(clone(self.model), int(self.rng.integers(2**31)))
        return self.fits(model, rows, labels)

    @cached_property
    def candidates(self) -> Any:
        """The rows that may be asked about, as a table."""
        return rows_of(self.X, self.others)

    @cached_property
    def places(self) -> Any:
        """All rows as points, (n, d), dense or sparse."""
        return self.make_places()

    @cached_property
    def classes(self) -> Labels:
        """The classes that the model knows, (k,)."""
        return np.asarray(self.fitted.classes_)

    @cached_property
    def probability(self) -> Floats:
        """P(class | x) of the rows that may be asked about, (m, k)."""
        return probabilities(self.fitted, self.candidates)

    def row_of(self, candidate: int) -> int:
        """The number of a candidate in the table."""
        return int(self.others[candidate])


def probabilities(model: Any, X: Any) -> Floats:
    """P(class | x), (m, k); of a model with decisions alone their logistic or softmax, which ranks rows alike."""
    if hasattr(model, "predict_proba"):
        found = np.asarray(model.predict_proba(X))
        shaped(found, model, "predict_proba", X.shape[0])
        check_chances(found, model)
        return np.asarray(found, dtype=np.float64)
    if not hasattr(model, "decision_function"):
        raise InvalidParameter(
            f"{OWNER}: {type(model).__name__} has neither probabilities nor decisions, which this strategy looks at; "
            "take strategy='committee' or 'random', or another model."
        )
    scores = np.asarray(model.decision_function(X), dtype=np.float64)
    if scores.ndim == 1:
        return np.column_stack([special.expit(-scores), special.expit(scores)])
    return np.asarray(special.softmax(scores, axis=1))


@dataclass(frozen=True)
class Query(Named):
    """Base of the strategies of asking: frozen dataclasses whose `scores` say how much each label is worth.

    A strategy of your own is a subclass with `names` and `scores(pool)`; it is found by its name.
    """

    members: ClassVar[list[type[Query]]] = []
    tasks: ClassVar[tuple[str, ...]] = ("classes",)  # what models it is for: "classes", "numbers" or both
    draws: ClassVar[bool] = False  # whether it asks at random, also for a batch and where nothing has a label

    def __init_subclass__(cls) -> None:
        Query.members.append(cls)
        QUERIES.register(cls)

    def scores(self, pool: Pool) -> Floats:
        """What the label of each row that may be asked about is worth, (m,), at least 0; the largest is asked first."""
        raise TypeError(f"{type(self).__name__} does not define scores")


QUERIES: Choices[Query] = Choices("strategy", Query)


def quiet(f: Callable[[], object]) -> Any:
    """The result of `f`, whose fits to few rows warn of nothing: the model that is used warns by itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return f()
