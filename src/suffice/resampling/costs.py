"""What acting costs: a number for each class that may be true and each action that may be taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..data.labels import Spellings
from ..errors import InvalidParameter, shown
from ..holds import floats, label_array
from ..registry import registered
from ..typing import Floats, Labels, Numbers, Reals
from .named_costs import NamedCosts, checked_cost

CostsLike = object  # None, a matrix, a mapping of mappings, a frame, the path of a file, or costs by name


@registered("costs")
@dataclass(frozen=True, eq=False)
class Costs:
    """C_ca, the cost of action a where class c is true: costs (k, a) of classes (k,) and actions (a,).

    >>> print(Costs.of({"ill": {"treat": 1, "send home": 50}, "well": {"treat": 5, "send home": 0}}, ["ill", "well"]))
          treat  send home
    ill   1      50
    well  5      0
    """

    costs: Floats
    classes: Labels
    actions: Labels
    holds: ClassVar = {"costs": floats("k", "a"), "classes": label_array("k"), "actions": label_array("a")}

    @classmethod
    def of(
        cls, value: CostsLike, classes: Sequence[object] | Labels, actions: object = None, owner: str = "Costs"
    ) -> Costs:
        """The costs that a user means, for these classes; None is 1 for every error and 0 else."""
        names = list(np.asarray(classes).tolist())
        if value is None:
            if actions is not None:
                raise InvalidParameter(f"{owner}: actions name the columns of costs; give costs, or leave actions out.")
            return cls(1.0 - np.eye(len(names)), _labels(names), _labels(names))
        named = value if isinstance(value, NamedCosts) else NamedCosts.of(value, owner)
        costs = _of_matrix(value, names, owner) if named is None else named.among(names, owner)
        own = _names_of_actions(actions, costs.shape[1], None if named is None else named.actions, names, owner)
        return cls(costs, _labels(names), _labels(own))

    def with_doubt(self, doubt: float | None) -> Floats:
        """The costs (k, a), and those of leaving a row to somebody else in a last column where there is doubt."""
        return self.costs if doubt is None else np.column_stack([self.costs, np.full(len(self.costs), doubt)])

    def expected(self, probability: Numbers, doubt: float | None = None) -> Floats:
        """The expected cost of each action, (n, a), by the probabilities of the classes, (n, k); that of doubt last."""
        return expected_costs(np.asarray(probability), self.with_doubt(doubt))

    def __str__(self) -> str:
        from ..text import aligned, figure

        cells = [[figure(value) for value in row] for row in self.costs]
        rows = [[str(name), *own] for name, own in zip(self.classes.tolist(), cells, strict=True)]
        return aligned([["", *map(str, self.actions.tolist())], *rows])


def expected_costs(probability: Reals, costs: Floats) -> Floats:
    """Σ_c P(c | x) C_ca, (n, a), of costs (k, a), or (n, k, a) where rows have their own.

    What an action costs in any case counts in full, and is not summed from parts whose rounding would show: an action
    that costs 0.3 whatever is true is expected to cost 0.3.

    >>> expected_costs(np.array([[0.7, 0.2, 0.1]]), np.array([[0.3, 0.0], [0.3, 1.0], [0.3, 0.5]])).tolist()
    [[0.3, 0.25]]
    """
    least = costs.min(axis=-2, keepdims=True)
    more = np.einsum("nk,nka->na", probability, costs - least) if costs.ndim == 3 else probability @ (costs - least)
    return np.asarray(least.reshape(-1, costs.shape[-1]) + more)


def _of_matrix(value: object, classes: list[object], owner: str) -> Floats:
    """A matrix with a row for each class, (k, a)."""
    try:
        costs = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidParameter(f"{owner}: costs must be numbers; got {shown(value)}.") from None
    if costs.ndim != 2 or len(costs) != len(classes) or not costs.shape[1]:
        some = ", ".join(map(repr, classes[:6])) + (", …" if len(classes) > 6 else "")
        raise InvalidParameter(
            f"{owner}: costs must have a row for each of the {len(classes)} classes {some} and a column for each "
            f"action; got shape {costs.shape}."
        )
    for name, row in zip(classes, costs.tolist(), strict=True):
        for number, cost in enumerate(row):
            checked_cost(cost, f"number {number}", name, owner)
    return costs


def _names_of_actions(
    actions: object, width: int, given: Sequence[object] | None, classes: list[object], owner: str
) -> list[object]:
    """What the columns are called: as is asked, as they are called already, or as the classes."""
    if actions is not None:
        own = list(actions) if isinstance(actions, list | tuple | np.ndarray) else []
        own = [name.item() if isinstance(name, np.generic) else name for name in own]
        named = all(isinstance(name, str | int | float) for name in own)
        if not named or len(own) != width or len(set(map(str, own))) != width:
            raise InvalidParameter(
                f"{owner}: actions must be {width} different names, one a column; got {shown(actions)}."
            )
        return own
    if given is not None:
        places = [Spellings(classes).place(action) for action in given]
        found = [classes[place] for place in places if place is not None]
        return found if len(set(places)) == len(found) == width else list(given)
    if width == len(classes):
        return list(classes)
    raise InvalidParameter(
        f"{owner}: costs have {width} columns beside {len(classes)} classes; name the actions by actions=[…]."
    )


def _labels(names: Sequence[object]) -> Labels:
    kinds = {type(name) for name in names}
    return np.asarray(names) if len(kinds) == 1 else np.asarray(names, dtype=object)
