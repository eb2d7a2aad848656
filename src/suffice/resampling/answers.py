"""What a model said about some rows, beside the truth: all that a measure sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..backend.weights import weighted_sum
from ..typing import Floats, NumberLike, Numbers, Whole


@dataclass(frozen=True, eq=False)
class Answers:
    """What a model said about m rows, beside the truth.

    Classes and called classes are codes: the position of the class in `classes`. A column that the model does not
    give is None. Where rows were tested more than once, `rows` holds them as often.
    """

    rows: NDArray[np.int64]  # (m,): their places in the table
    weight: Floats  # (m,): how many rows each stands for
    truth: Any = None  # (m,) class codes, or (m,) or (m, targets) numbers; None for clusters without classes
    predicted: Any = None  # (m,) class codes, cluster labels, or numbers
    probability: Any = None  # (m, c)
    decision: Numbers | None = None  # (m,) for two classes, else (m, c): scores that only rank
    log_density: Any = None  # (m,)
    silhouette: Any = None  # (m,)
    fold: Any = None  # (m,): which fit answered; None where it was one
    classes: tuple[object, ...] = ()
    positive: int | None = None  # the code of the class that rates are about, where there are two
    given: Floats | None = None  # (m,): the weights before others took their place
    _kept: dict[object, object] = field(default_factory=dict, repr=False)

    def weighted(self, weight: Floats) -> Answers:
        """The same with other weights; what was `kept` is not computed again."""
        return replace(self, weight=weight, given=self.weight if self.given is None else self.given)

    def at(self, places: Whole) -> Answers:
        """Some of the rows."""
        columns = {name: getattr(self, name) for name in _COLUMNS}
        some: dict[str, Any] = {name: a[places] if isinstance(a, np.ndarray) else a for name, a in columns.items()}
        return Answers(**some)

    def kept(self, key: object, make: Callable[[], object]) -> Any:
        """Something that does not depend on the weights, computed when it is first asked for."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    @cached_property
    def total(self) -> float:
        """The sum of the weights."""
        return float(self.weight.sum())

    @property
    def size(self) -> float:
        """The weight of the table that was tested: every row once, however often, and as it was given."""

        def counted() -> float:
            first = np.unique(self.rows, return_index=True)[1]
            return float((self.weight if self.given is None else self.given)[first].sum())

        return float(self.kept("size", counted))

    def mean(self, values: NumberLike) -> float:
        """The mean of one number a row, by weight; NaN where nothing weighs."""
        return weighted_sum(self.weight, values) / self.total if self.total > 0 else float("nan")

    @cached_property
    def calls(self) -> Floats:
        """The weights by class and called class, (c, c + 1); the last column was called none of the classes."""
        c = len(self.classes)
        pairs = self.kept("pairs", lambda: self.truth * (c + 1) + self.predicted)
        return np.asarray(np.bincount(pairs, self.weight, c * (c + 1)).reshape(c, c + 1), dtype=np.float64)

    @property
    def confusion(self) -> Floats:
        """The weights by class and called class, (c, c)."""
        return self.calls[:, :-1]

    def score_of(self, code: int) -> Any:
        """What ranks the rows for one class, (m,): its probability, or the decision function."""
        if self.probability is not None:
            return self.probability[:, code]
        if self.decision is None or self.decision.ndim == 2:
            return None if self.decision is None else self.decision[:, code]
        return self.decision if code == 1 else -self.decision

    @classmethod
    def joined(cls, parts: list[Answers]) -> Self:
        """The rows of several, one after the other."""
        first = parts[0]
        columns: dict[str, Any] = {}
        for name in _COLUMNS:
            values = [getattr(part, name) for part in parts]
            arrays = all(isinstance(value, np.ndarray) for value in values)
            columns[name] = np.concatenate(values) if arrays else getattr(first, name)
        return cls(**columns)


_COLUMNS = tuple(one.name for one in fields(Answers) if one.name != "_kept")
