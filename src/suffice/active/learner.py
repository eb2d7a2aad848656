"""`ActiveLearner`: asking for the labels that teach most."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import InvalidParameter
from ..params import check_argument
from ..resampling.problem import task_of
from ..typing import EstimatorLike, TableLike, TargetLike
from .query import OWNER, QUERIES, Query

if TYPE_CHECKING:
    from .curve import QueryCurve
    from .labelling import Labelling


@dataclass(frozen=True, eq=False)
class ActiveLearner:
    """A model that asks for the labels it learns most from.

    Given few labels, or none, it asks for that of x* = argmax score(x) among the rows without one, learns it, and asks
    again. The score is the `strategy`'s: a name of the table in the documentation, or an object such as
    `ExpectedCost(costs)`.

    model
        Any classifier or regressor, also a pipeline; `sf.prepared` makes one for a table.
    strategy
        Whom to ask about; by default "margin" for classes and "committee" for numbers.
    batch
        How many rows are asked about before the model is fitted again; those of a batch differ from one another.
    first
        So many labels, and of classes at least two different ones, come before the strategy: of rows that are typical
        and far from one another.
    candidates
        At most so many rows, drawn anew for each question, are scored.
    random_state
        The seed of draws and of the model; a session that goes on asks about the same rows.

    >>> import suffice as sf
    >>> crabs = sf.datasets.load("crabs")
    >>> X, y = crabs.matrix(["FL", "RW", "CL", "CW", "BD"]), crabs["sp"]
    >>> asking = sf.ActiveLearner(sf.LinearDiscriminantAnalysis(), "margin", first=10).begin(X)
    >>> asking.run(y, queries=30)
    Labelling(30 of 200 rows have a label)
    >>> round(asking.model.score(X, y), 2)
    1.0
    """

    model: EstimatorLike
    strategy: Query | str | None = None
    batch: int = 1
    first: int = 5
    candidates: int = 10_000
    random_state: int = 0

    def __post_init__(self) -> None:
        task = task_of(self.model, OWNER)
        if task not in ("classes", "numbers"):
            raise InvalidParameter(
                f"{OWNER}: model must predict classes or numbers, which labels teach; {type(self.model).__name__} "
                f"gives {task}."
            )
        for name, least in (("batch", 1), ("first", 1), ("candidates", 1), ("random_state", 0)):
            check_argument(OWNER, name, getattr(self, name), integer=True, at_least=least)
        if task not in self.query.tasks:
            fitting = [name for name in QUERIES if task in QUERIES.classes[name].tasks]
            raise InvalidParameter(
                f"{OWNER}: strategy {self.query.names[0]!r} is for models of {self.query.tasks[0]}, and "
                f"{type(self.model).__name__} predicts {task}; for these: {', '.join(fitting)}."
            )

    @property
    def task(self) -> str:
        """What the model predicts: "classes" or "numbers"."""
        return task_of(self.model, OWNER)

    @property
    def query(self) -> Query:
        """The strategy as an object."""
        default = "margin" if self.task == "classes" else "committee"
        return QUERIES.member(default if self.strategy is None else self.strategy, OWNER, "strategy")

    def begin(
        self,
        X: TableLike,
        y: TargetLike = None,
        *,
        classes: Any = None,
        journal: str | os.PathLike[str] | None = None,
    ) -> Labelling:
        """Begin with the rows of X, of which y holds the labels that are known, missing (None, NaN) where none is.

        classes
            What a label may be; other answers are refused then. By default whatever comes.
        journal
            A file to which every answer is written, and flushed to the disk, when it is given. What is in it already
            was answered before, so that a session that was left, killed or broken goes on.
        """
        from .labelling import Labelling

        return Labelling(self, X, y, classes, journal)

    def curve(
        self,
        X: TableLike,
        y: TargetLike,
        *,
        queries: int = 50,
        repeats: int = 10,
        test: float = 0.3,
        against: object = "random",
        measure: object = None,
        level: float = 0.95,
    ) -> QueryCurve:
        """How good the model is after each label, beside another strategy's, on rows that are never asked about.

        Each of the `repeats` draws a share `test` of the rows to measure on, and both strategies ask about the others,
        beginning with nothing. y is known here: it is asked as if it were not. `against` is one strategy or several.
        """
        from .curve import query_curve

        return query_curve(self, X, y, queries, repeats, test, against, measure, level)
