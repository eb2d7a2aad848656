"""Which candidate is chosen: the best one, or the simplest among those that are as good."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import InvalidData, InvalidParameter, did_you_mean
from ...params import as_float, plain_number
from ...resampling import Measure
from .candidates import Candidate

RULES = ("best", "one_se")
SimplerLike = str | Sequence[str] | Callable[[Mapping[str, object]], float] | None


@dataclass(frozen=True)
class Rule:
    """The candidate with the best value, or by "one_se" the simplest one within a standard error of it.

    `simpler` says what is simple: a parameter of which larger values make simpler models, "-name" where smaller ones
    do, several of them, the first deciding, or a function of the parameters that is large for simple models.
    """

    name: str = "best"
    simpler: SimplerLike = None

    @classmethod
    def of(
        cls, rule: object, simpler: SimplerLike, names: Sequence[str], owner: str = "search", known: str | None = None
    ) -> Rule:
        """A rule whose parameters are in the space; `known` is what the model says of itself."""
        if rule not in RULES:
            hint = did_you_mean(str(rule), list(RULES))
            raise InvalidParameter(f"{owner}: rule must be one of {', '.join(RULES)}; got {rule!r}.{hint}")
        if rule == "best":
            return cls()
        simpler = known if simpler is None else simpler
        if not callable(simpler):
            given = [simpler] if isinstance(simpler, str) else simpler
            if not isinstance(given, list | tuple) or not given or not all(isinstance(one, str) for one in given):
                raise InvalidParameter(
                    f"{owner}: rule='one_se' takes the simplest model within one standard error of the best; say which "
                    f"are simple, such as simpler='alpha' (larger values are) or simpler='-max_depth' (smaller ones "
                    f"are); got {simpler!r}."
                )
            for one in given:
                if one.removeprefix("-") not in names:
                    hint = did_you_mean(one.removeprefix("-"), list(names))
                    raise InvalidParameter(
                        f"{owner}: simpler names {one!r}, which is not searched; what is: {', '.join(names)}.{hint}"
                    )
            simpler = tuple(given)
        return cls("one_se", simpler)

    def chosen(self, candidates: Sequence[Candidate], measure: Measure, owner: str = "search") -> Candidate:
        """One of those that learned from the most rows; of equal ones the first."""
        known = [one for one in candidates if one.error is None and not np.isnan(one.loss(measure))]
        if not known:
            why = next((one.error for one in candidates if one.error is not None), f"{measure.name} is not a number")
            raise InvalidData(f"{owner}: no candidate could be measured; the first: {why}")
        most = max(one.share for one in known)
        whole = [one for one in known if one.share == most]
        best = min(whole, key=lambda one: one.loss(measure))
        if self.name == "best":
            return best
        within = best.loss(measure) + np.nan_to_num(best.errors[measure.name])
        near = [one for one in whole if one.loss(measure) <= within]
        return max(near, key=lambda one: (*self._simplicity(one.params, owner), -one.loss(measure)))

    def _simplicity(self, params: Mapping[str, object], owner: str) -> tuple[float, ...]:
        """Numbers of which larger ones are simpler, the first deciding."""
        if callable(self.simpler):
            return (as_float(self.simpler(params)),)
        return tuple(_size(params.get(one.removeprefix("-")), one, owner) for one in self.simpler or ())


def _size(value: object, name: str, owner: str) -> float:
    """A value as a number of which larger ones are simpler; None is endless, as in max_depth=None."""
    number = float("inf") if value is None else plain_number(value)
    if number is None:
        raise InvalidParameter(
            f"{owner}: simpler={name!r} must be a parameter of numbers, and {value!r} is none; give a function of the "
            "parameters instead."
        )
    return -number if name.startswith("-") else number
