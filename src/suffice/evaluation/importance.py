"""How much a model leans on each column: what it loses when the cells of the column are shuffled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..params import check_argument
from ..randomness import generator
from ..resampling import ColumnImportances
from ..resampling.intervals import check_level
from ..typing import Floats, RandomState, TableLike, TargetLike, WeightLike
from .changed_columns import ChangedColumns


class Scoring(Protocol):
    """A model that says how well it tells a target."""

    def score(self, X: TableLike, y: TargetLike, sample_weight: WeightLike = None) -> float:
        """The higher the better."""


Scorer = Callable[[Scoring, TableLike, TargetLike], float]


@dataclass(frozen=True, eq=False)
class PermutationImportance(ColumnImportances):
    """By how much the score falls when a column is shuffled, for each column and repeat, (d, repeats)."""

    score: float = float("nan")  # of the table as it is

    @property
    def falls(self) -> Floats:
        """The falls, (d, repeats)."""
        return self.each


def permutation_importance(
    model: Scoring,
    X: TableLike,
    y: TargetLike,
    *,
    columns: Sequence[str | int] | None = None,
    n_repeats: int = 10,
    scoring: Scorer | None = None,
    sample_weight: WeightLike = None,
    level: float = 0.95,
    random_state: RandomState = None,
) -> PermutationImportance:
    """How much the score of a fitted model falls when the cells of one column are shuffled among the rows.

    Give rows that the model did not learn from: on others it shows what the model uses, not what helps. Of columns that
    say the same, each alone seems to matter little. `scoring` takes the model, X and y; else it is `model.score`. The
    intervals tell of the shuffles, not of other rows.

    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.DecisionTreeClassifier(max_depth=1).fit(iris.matrix(), iris["species"])
    >>> found = sf.permutation_importance(model, iris.matrix(), iris["species"], random_state=0)
    >>> found.names[found.ranking[0]], float(found.values[0])
    ('x2', 0.0)
    """
    check_argument("permutation_importance", "n_repeats", n_repeats, integer=True, at_least=1)
    check_level(level)
    table, rng = ChangedColumns(X, "permutation_importance"), generator(random_state)
    places = range(len(table.names)) if columns is None else [table.place(column) for column in columns]

    def score(rows: TableLike) -> float:
        if scoring is not None:
            return float(scoring(model, rows, y))
        return float(model.score(rows, y) if sample_weight is None else model.score(rows, y, sample_weight))

    whole = score(X)
    orders = [rng.permutation(table.n) for _ in range(n_repeats)]
    falls = [[whole - score(table.taken([place], [order])) for order in orders] for place in places]
    names = tuple(table.names[p] for p in places)
    return PermutationImportance(names, np.array(falls), "fall of the score", level, whole)
