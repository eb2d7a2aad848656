"""What a search found: a table, pictures, the best model, and the code that makes it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InvalidParameter, did_you_mean
from ...evaluation import Evaluation
from ...resampling import Measure, Problem
from ...resampling.folds import fitted, seeded
from ...text import aligned, counted, figure, html_table
from ...typing import AxesLike, EstimatorLike, Predictor
from .candidates import Candidate, described, shown_value, with_error
from .code import source_code
from .dimensions import Between
from .plan import Plan

if TYPE_CHECKING:
    from ...plots import Display
    from ...plots.heat_map import HeatMapDisplay
    from ...plots.parallel import ParallelDisplay
    from ..curves.validation import ValidationCurve

_SHOWN = 20  # rows of the table that is printed
_ENDS = {
    "time_limit": "the time limit ended the search; done until then: {}",
    "interrupted": "the search was interrupted; done until then: {}",
}


@dataclass(frozen=True, eq=False, repr=False)
class SearchResult:
    """What a search found; print it, plot it, or take the model, the parameters or the figures."""

    estimator: EstimatorLike  # the model that was searched, not fitted
    plan: Plan
    candidates: tuple[Candidate, ...]  # in the order in which they were tried
    problem: Problem
    seed: int | None
    status: str = "finished"  # or "time_limit" or "interrupted"
    nested: Evaluation | None = None  # how good the model is that such a search chooses, where that was asked for

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What was measured; the first decides."""
        return self.plan.measures

    @property
    def measure(self) -> Measure:
        """The measure that decides."""
        return self.measures[0]

    @cached_property
    def best(self) -> Candidate:
        """The candidate that the rule chooses."""
        return self.plan.rule.chosen(self.candidates, self.measure)

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters that were searched."""
        return self.plan.space.names

    def is_logarithmic(self, name: str) -> bool | None:
        """Whether a parameter was searched on a logarithmic scale; None where it was not said."""
        ranges = [part[name] for part in self.plan.space.parts if name in part]
        return next((own.log for own in ranges if isinstance(own, Between)), None)

    @property
    def params(self) -> dict[str, object]:
        """The chosen parameters."""
        return dict(self.best.params)

    @property
    def value(self) -> float:
        """What the chosen candidate was measured at; being the best of several, it is somewhat too good."""
        return self.best.values[self.measure.name]

    @cached_property
    def model(self) -> Predictor:
        """The model with the chosen parameters, fitted to all rows; it is fitted when it is first asked for."""
        found: Predictor = fitted(seeded(self.unfitted, self.seed), self.problem)
        return found

    @property
    def unfitted(self) -> EstimatorLike:
        """The same, not fitted."""
        found: EstimatorLike = seeded(self.estimator, None).set_params(**self.params)
        return found

    def by(self, measure: str | Measure) -> SearchResult:
        """The same candidates, another of the measures deciding."""
        known = {one.name: one for one in self.measures}
        name = measure.name if isinstance(measure, Measure) else measure
        if name not in known:
            hint = did_you_mean(str(name), list(known))
            raise InvalidParameter(f"search: {name!r} was not measured; what was: {', '.join(known)}.{hint}")
        others = [one for one in self.measures if one.name != name]
        return replace(self, plan=replace(self.plan, measures=(known[name], *others)))

    @cached_property
    def ranking(self) -> tuple[Candidate, ...]:
        """The candidates, best first: those that learned from more rows before others, failed ones last."""
        return tuple(sorted(self.candidates, key=self._order))

    def _order(self, one: Candidate) -> tuple[bool, float, float, int]:
        loss = one.loss(self.measure)
        return loss != loss, -one.share, loss if loss == loss else 0.0, one.number

    def table(self) -> list[dict[str, object]]:
        """One row a candidate, best first: parameters, and of each measure the value and its standard error."""
        rows = []
        for place, one in enumerate(self.ranking, start=1):
            row: dict[str, object] = {"rank": place, "number": one.number}
            row |= {name: one.params.get(name) for name in self.plan.space.names}
            for measure in self.measures:
                row |= {measure.name: one.values[measure.name], f"{measure.name}_error": one.errors[measure.name]}
                if one.training:
                    row[f"{measure.name}_training"] = one.training[measure.name]
            row |= {"share": one.share, "fit_seconds": one.fit_seconds, "predict_seconds": one.predict_seconds}
            rows.append(row | {"summed": one.summed, "error": one.error})
        return rows

    # ---- pictures ----

    def plot(self, ax: AxesLike = None) -> Display:
        """A validation curve for one parameter of which training rows were asked, a map for two, and else lines across
        all of them."""
        names = self.names
        if len(names) == 1 and any(one.training for one in self.candidates):
            return self.validation_curve().plot(ax=ax)
        return self.heat_map(*names, ax=ax) if len(names) == 2 else self.parallel_coordinates(ax=ax)

    def validation_curve(self, name: str | None = None) -> ValidationCurve:
        """Training rows and new rows over the values of a parameter, others being those of the best candidate; of a
        search with `train=True`."""
        from ..complexity import chosen_knob
        from ..curves.validation import curve_of

        asked = self.names[0] if name is None and len(self.names) == 1 else name
        knob = chosen_knob(asked, self.estimator, "search")
        if knob.name not in self.names:
            hint = did_you_mean(knob.name, list(self.names))
            raise InvalidParameter(f"search: {knob.name!r} was not searched; what was: {', '.join(self.names)}.{hint}")
        return curve_of(self, knob)

    def heat_map(self, across: str | None = None, up: str | None = None, ax: AxesLike = None) -> HeatMapDisplay:
        """The measure over two parameters: cells of a grid, else points."""
        from ...plots.heat_map import HeatMapDisplay

        return HeatMapDisplay.from_search(self, across, up, ax=ax)

    def parallel_coordinates(self, ax: AxesLike = None) -> ParallelDisplay:
        """A line for each candidate across all parameters and the measure."""
        from ...plots.parallel import ParallelDisplay

        return ParallelDisplay.from_search(self, ax=ax)

    # ---- words ----

    def code(self) -> str:
        """Python that makes the chosen model again, and after it the search."""
        return source_code(self)

    def __repr__(self) -> str:
        return (
            f"SearchResult({type(self.estimator).__name__}: {counted(len(self.candidates), 'candidate')}, best "
            f"{self.measure.name} {with_error(self.value, self.best.errors[self.measure.name])} with "
            f"{described(self.params)})"
        )

    def __str__(self) -> str:
        return "\n".join([self._head(), "", aligned(self._rows(), words=1), "", *self._notes()])

    def _repr_html_(self) -> str:
        return html_table(self._rows(), self._head(), self._notes())

    def _head(self) -> str:
        of, seconds = self.problem, sum(one.fit_seconds for one in self.candidates)
        how = " from sums of folds" if self.candidates and all(one.summed for one in self.candidates) else ""
        return (
            f"{type(self.estimator).__name__}: {counted(len(self.candidates), 'candidate')}, "
            f"{counted(of.n, 'row')}, {counted(len(of.splits), 'fold')}{how}, fitted in {figure(seconds, 2)} s"
        )

    def _rows(self) -> Sequence[Sequence[str]]:
        """The header and the best candidates, as text."""
        names, shares = self.plan.space.names, {one.share for one in self.candidates}
        parts = ("rows",) if len(shares) > 1 else ()
        training = ("training",) if any(one.training for one in self.candidates) else ()
        rows: list[tuple[str, ...]] = [("rank", *names, *(one.name for one in self.measures), *training, *parts)]
        for place, one in enumerate(self.ranking[:_SHOWN], start=1):
            mark = " *" if one is self.best else ""
            cells = [shown_value(one.params[name]) if name in one.params else "" for name in names]
            cells += [with_error(one.values[m.name], one.errors[m.name]) for m in self.measures]
            cells += [figure(one.training.get(self.measure.name, np.nan))] if training else []
            rows.append((f"{place}{mark}", *cells, *((f"{100 * one.share:.3g} %",) if parts else ())))
        return rows

    def _notes(self) -> list[str]:
        notes = [f"{'larger' if self.measure.larger else 'smaller'} is better; value ± standard error over folds"]
        if len(self.candidates) > _SHOWN:
            notes.append(f"the best {_SHOWN} of {len(self.candidates):,}; table() has all of them")
        if self.plan.rule.name == "one_se":
            notes.append("* the simplest within one standard error of the best")
        failed = [one for one in self.candidates if one.error is not None]
        if failed:
            notes.append(f"{counted(len(failed), 'candidate')} failed; the first: {failed[0].error}")
        if self.status in _ENDS:
            notes.append(_ENDS[self.status].format(counted(len(self.candidates), "candidate")))
        if self.nested is not None:
            found = self.nested.intervals[self.measure.name]
            notes.append(f"nested cross-validation of the whole search: {self.measure.name} {found} ({found.method})")
        return notes
