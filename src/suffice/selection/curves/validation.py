"""Validation curves: training error and future error over a parameter, and where the model under- or overfits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.source import Source
from ...errors import InvalidParameter
from ...params import plain_number
from ...resampling import Interval, Measure
from ...resampling.intervals import spread
from ...text import aligned, counted, figure, html_table
from ...typing import AxesLike, EstimatorLike, Floats, TableLike, TargetLike
from ..complexity import Knob, chosen_knob
from ..searching import Candidate, GridSearch, SearchResult, search
from ..searching.candidates import shown_value

if TYPE_CHECKING:
    from ...plots import BandsDisplay

_OWNER = "validation_curve"


@dataclass(frozen=True, eq=False, repr=False)
class ValidationCurve:
    """A measure of training rows and of new rows over the values of a parameter; print it, or plot it."""

    knob: Knob
    candidates: tuple[Candidate, ...]  # in the order of the values
    search: SearchResult  # which they come from
    level: float = 0.95

    @property
    def measure(self) -> Measure:
        """What was measured."""
        return self.search.measure

    @property
    def values(self) -> tuple[object, ...]:
        """The values of the parameter, rising where they are numbers."""
        return tuple(one.params[self.knob.name] for one in self.candidates)

    @property
    def value(self) -> Floats:
        """The measure of new rows, (v,)."""
        return np.array([one.values[self.measure.name] for one in self.candidates])

    @property
    def error(self) -> Floats:
        """Its standard error over folds, (v,)."""
        return np.array([one.errors[self.measure.name] for one in self.candidates])

    @property
    def training(self) -> Floats:
        """The measure of the rows that were learned from, (v,)."""
        return np.array([one.training.get(self.measure.name, np.nan) for one in self.candidates])

    @cached_property
    def best(self) -> Candidate:
        """The candidate that is best on new rows."""
        known = [one for one in self.candidates if one.error is None]
        return min(known, key=lambda one: one.loss(self.measure))

    @cached_property
    def fits(self) -> tuple[str, ...]:
        """Of each value "overfits", "underfits" or nothing, beside the best one (Mitchell 1997).

        A model overfits where another has more training error and less future error, and it underfits where another has
        less of both; the future error must be worse beyond doubt.
        """
        return tuple(self._fit(one) for one in self.candidates)

    def _fit(self, one: Candidate) -> str:
        name, sign = self.measure.name, 1.0 if self.measure.larger else -1.0
        if one is self.best or one.error is not None or not one.training:
            return ""
        worse = self._worse(one).low
        zone = self.measure.zone if self.measure.zone is not None else 0.01 * abs(self.best.values[name])
        more = sign * (self.best.training[name] - one.training[name])  # training error of this one beside the best
        if not worse > zone or more == 0:
            return ""
        return "underfits" if more > 0 else "overfits"

    def _worse(self, one: Candidate) -> Interval:
        """By how much new rows are worse than with the best value, fold by fold."""
        name, sign = self.measure.name, 1.0 if self.measure.larger else -1.0
        each = sign * (self.best.scores[name] - one.scores[name])
        known = np.isfinite(each)
        of = self.search.problem
        at = np.flatnonzero(known)
        sizes = [len(of.learned_from(int(i))) for i in at], [len(of.tested(int(i))) for i in at]
        return spread(each[known], *sizes).interval(self.level)

    @property
    def training_error(self) -> Floats:
        """Its standard error over folds, (v,)."""
        return np.array([one.training_errors.get(self.measure.name, np.nan) for one in self.candidates])

    def table(self) -> list[dict[str, object]]:
        """One row a value: the measure of training rows and of new rows, its standard error, and the fit."""
        return [
            {self.knob.name: value, "training": training, self.measure.name: new, f"{self.measure.name}_error": error,
             "fit": fit}
            for value, training, new, error, fit in zip(
                self.values, self.training.tolist(), self.value.tolist(), self.error.tolist(), self.fits, strict=True)
        ]  # fmt: skip

    @property
    def is_logarithmic(self) -> bool:
        """Whether the values stand on a logarithmic scale: asked for so, or many times apart."""
        asked = self.search.is_logarithmic(self.knob.name)
        numbers = [plain_number(value) for value in self.values]
        positive = [number for number in numbers if number is not None and number > 0]
        if len(positive) < len(numbers):
            return False
        return max(positive) >= 20 * min(positive) if asked is None else asked

    def plot(self, ax: AxesLike = None) -> BandsDisplay:
        """Draw both lines over the parameter, that of new rows with a standard error to either side."""
        from ...plots import BandsDisplay

        return BandsDisplay.from_validation(self, ax=ax)

    def __repr__(self) -> str:
        best = shown_value(self.best.params[self.knob.name])
        return f"ValidationCurve({self.knob.name}: {counted(len(self.candidates), 'value')}, best {best})"

    def __str__(self) -> str:
        return "\n".join([self._head(), "", aligned(self._rows()), "", *self._notes()])

    def _repr_html_(self) -> str:
        return html_table(self._rows(), self._head(), self._notes())

    def _head(self) -> str:
        of = self.search.problem
        name = type(self.search.estimator).__name__
        return f"{name}: {counted(of.n, 'row')}, {counted(len(of.splits), 'fold')}"

    def _rows(self) -> Sequence[Sequence[str]]:
        header = (self.knob.name, f"training {self.measure.name}", f"{self.measure.name} of new rows", "±", "")
        rows = []
        for one, row in zip(self.candidates, self.table(), strict=True):
            numbers: list[Any] = [row["training"], row[self.measure.name], row[f"{self.measure.name}_error"]]
            fit = "best" if one is self.best else "failed" if one.error is not None else str(row["fit"])
            cells = [figure(number, 2 if i == 2 else 4) for i, number in enumerate(numbers)]
            rows.append((shown_value(row[self.knob.name]), *cells, fit))
        return [header, *rows]

    def _notes(self) -> list[str]:
        notes = [f"{'larger' if self.measure.larger else 'smaller'} is better; ± standard errors over folds"]
        if self.knob.falling:
            notes.append(f"larger values of {self.knob.name} make the model simpler")
        ends = (self.candidates[0], self.candidates[-1])
        if len(self.candidates) > 2 and self.best in ends:
            notes.append("the best value is at an end: try values beyond it")
        if self.search.status != "finished":
            notes.append(f"stopped early ({self.search.status})")
        return notes


def validation_curve(
    model: EstimatorLike,
    X: TableLike,
    y: TargetLike = None,
    *,
    name: str | None = None,
    values: object = None,
    points: int = 9,
    level: float = 0.95,
    **given: Any,
) -> ValidationCurve:
    """Training error and future error of a model over the values of one parameter.

    Without a `name` it is the parameter by which the model says how flexible it is, such as `max_depth` of a tree,
    `n_neighbors`, or `alpha` of ridge regression; without `values` so many `points` of the range that its declaration
    suggests. Other arguments are those of `search`.

    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> found = validation_curve(sf.DecisionTreeClassifier(), iris.matrix(), iris["species"], values=[1, 2, 3, 8],
    ...                          measures="accuracy")
    >>> found.knob.name, found.fits
    ('max_depth', ('underfits', '', '', ''))
    """
    knob = chosen_knob(name, model, _OWNER)
    space: Any = [knob.name] if values is None else {knob.name: values}
    if "strategy" in given or "train" in given:
        raise InvalidParameter(f"{_OWNER}: all values are tried, on training rows too; leave strategy and train out.")
    if isinstance(X, Source):
        raise InvalidParameter(f"{_OWNER}: training rows are asked in memory, and they are in {X}; give a sample.")
    found = search(model, space, X, y, strategy=GridSearch(points), train=True, **given)
    return curve_of(found, knob, level)


def curve_of(found: SearchResult, knob: Knob, level: float = 0.95) -> ValidationCurve:
    """The candidates of a search over the values of one parameter; others are those of the best candidate."""
    if not any(one.training for one in found.candidates):
        raise InvalidParameter("search: training rows were not measured; ask with train=True.")
    best = found.best.params
    others = [name for name in best if name != knob.name]
    alike = [
        one for one in found.candidates
        if knob.name in one.params and one.share == found.best.share
        and all(one.params.get(name) == best[name] for name in others)
    ]  # fmt: skip
    numbers = [plain_number(one.params[knob.name]) for one in alike]
    if all(number is not None or one.params[knob.name] is None for number, one in zip(numbers, alike, strict=True)):
        order = sorted(range(len(alike)), key=lambda i: float("inf") if numbers[i] is None else numbers[i])  # type: ignore[arg-type,return-value]
        alike = [alike[i] for i in order]
    return ValidationCurve(knob, tuple(alike), found, level)
