"""Costs by name, as mappings, frames and files have them: checked, but in no order of any model."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real

import numpy as np

from ..data.labels import Spellings
from ..errors import InvalidParameter, did_you_mean, shown
from ..typing import Floats
from .cost_files import Pairs, read_costs

MOST = 1e150  # more, and sums of costs are no numbers


@dataclass(frozen=True, eq=False)
class NamedCosts:
    """C_ca, the cost of action a where class c is true, (k, a); classes and actions are called as they were given."""

    classes: tuple[object, ...]
    actions: tuple[object, ...]
    costs: Floats

    @classmethod
    def of(cls, value: object, owner: str) -> NamedCosts | None:
        """Costs from a mapping, a frame or a file; None for anything else."""
        pairs = _pairs(value, owner)
        if pairs is None:
            return None
        classes = _distinct([name for name, _ in pairs], "costs name the class", owner)
        actions = list(dict.fromkeys(action for _, own in pairs for action, _ in own))
        if pairs and not actions:
            raise InvalidParameter(
                f"{owner}: costs name no action; give each class one, such as {{'ill': {{'treat': 1}}}}."
            )
        costs = np.array([_row(name, own, actions, owner) for name, own in pairs], dtype=np.float64)
        return cls(classes, tuple(actions), costs.reshape(len(pairs), len(actions)))

    def among(self, classes: Sequence[object], owner: str, only: bool = True) -> Floats:
        """The costs of these classes, in their order, (k, a), of which none may lack; `only` refuses any others."""
        known = Spellings(classes)
        places = [known.place(name) for name in self.classes]
        if only and None in places:
            unknown, some = str(self.classes[places.index(None)]), ", ".join(map(repr, classes[:6]))
            raise InvalidParameter(
                f"{owner}: costs name the class {unknown!r}, which is none of "
                f"{some}{', …' if len(classes) > 6 else ''}.{did_you_mean(unknown, [str(name) for name in classes])}"
            )
        missing = [name for place, name in enumerate(classes) if place not in places]
        if missing:
            raise InvalidParameter(
                f"{owner}: costs say nothing of the class {missing[0]!r}; give it a cost for each action."
            )
        twice = next((i for i, place in enumerate(places) if place is not None and place in places[:i]), None)
        if twice is not None:
            name = str(self.classes[twice])
            raise InvalidParameter(f"{owner}: costs name the class {name!r} twice; keep one of the two.")
        return np.asarray(self.costs[[places.index(place) for place in range(len(classes))]])


def _pairs(value: object, owner: str) -> Pairs | None:
    """Each class with its actions and their costs; None where they have no names."""
    if isinstance(value, str | os.PathLike):
        return read_costs(value, owner)
    if isinstance(value, Mapping):
        return [(name, _entries(name, own, owner)) for name, own in value.items()]
    return _of_frame(value, owner)


def _entries(name: object, own: object, owner: str) -> list[tuple[object, object]]:
    if not isinstance(own, Mapping):
        raise InvalidParameter(
            f"{owner}: costs must give each class a mapping of actions to costs, such as "
            f"{{'ill': {{'treat': 1, 'wait': 50}}}}; got {shown(own)} for the class {name!r}."
        )
    return list(own.items())


def _of_frame(value: object, owner: str) -> Pairs | None:
    """A frame whose rows are classes: its first column names them where it holds text, else its index; None else."""
    import narwhals as nw

    try:
        frame = nw.from_native(value, eager_only=True, pass_through=True)
        columns = list(frame.columns) if isinstance(frame, nw.DataFrame) else []
    except nw.exceptions.DuplicateError:
        raise InvalidParameter(
            f"{owner}: costs name an action twice; each column of the frame needs its own name."
        ) from None
    if not isinstance(frame, nw.DataFrame):
        return None
    index = nw.maybe_get_index(frame)
    first = frame[columns[0]] if columns else None
    by_column = first is not None and (index is None or not first.dtype.is_numeric())
    names = first.to_list() if first is not None and by_column else list(index if index is not None else [])
    actions = columns[1:] if by_column else columns
    cells = zip(*(frame[column].to_list() for column in actions), strict=True)
    return [(name, list(zip(actions, row, strict=True))) for name, row in zip(names, cells, strict=False)]


def _row(name: object, own: list[tuple[object, object]], actions: list[object], owner: str) -> list[float]:
    """What each action costs where a class is true."""
    _distinct([action for action, _ in own], f"costs of the class {name!r} name the action", owner)
    costs = dict(own)
    absent = [action for action in actions if action not in costs]
    if absent:
        raise InvalidParameter(f"{owner}: costs of the class {name!r} lack the action {absent[0]!r}; give it a cost.")
    return [checked_cost(costs[action], repr(action), name, owner) for action in actions]


def _distinct(names: list[object], said: str, owner: str) -> tuple[object, ...]:
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise InvalidParameter(f"{owner}: {said} {twice!r} twice; keep one of the two.")
    return tuple(names)


def checked_cost(cost: object, action: str, name: object, owner: str) -> float:
    """A cost that is one: a finite number that is not negative."""
    if not isinstance(cost, Real) or isinstance(cost, bool):
        raise InvalidParameter(
            f"{owner}: costs must be numbers; got {shown(cost)} for action {action} where {name!r} is true."
        )
    if not 0 <= float(cost) < math.inf:
        raise InvalidParameter(
            f"{owner}: costs must be finite and at least 0; that of action {action} where {name!r} is true is "
            f"{float(cost):g}. A gain is a cost of 0 beside larger costs of all others: add one number to all."
        )
    if float(cost) > MOST:
        raise InvalidParameter(
            f"{owner}: costs must be at most {MOST:g}; that of action {action} where {name!r} is true is "
            f"{float(cost):g}. Count in a larger unit."
        )
    return float(cost)
