"""Who decides when several classes have equally many votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...registry import register_member
from ...statistics.rows import row_uniforms
from ...typing import Floats, TableLike, Whole
from .votes import Pairs

Flags = NDArray[np.bool_]


_TIED = 1e-9  # votes that differ by less than this part are equal: sums round


def most_votes(votes: Floats) -> Flags:
    """Which classes have the most votes, (m, classes)."""
    return np.asarray(votes >= votes.max(axis=1, keepdims=True) * (1 - _TIED))


class TieRule:
    """Base: a rule gives one of the tied classes for each query."""

    name: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        register_member(cls, "tie_rule")

    def decide(self, tied: Flags, pairs: Pairs, codes: Whole, prior: Floats, X: TableLike) -> Whole:
        """The class of each query, (m,), among those that are `tied` (m, classes)."""
        raise TypeError(f"{type(self).__name__} does not define decide")


@dataclass(frozen=True)
class FirstDecides(TieRule):
    """The first of the tied classes in sorted order, as in scikit-learn."""

    name: ClassVar = "first"

    def decide(self, tied: Flags, pairs: Pairs, codes: Whole, prior: Floats, X: TableLike) -> Whole:
        return np.asarray(np.argmax(tied, axis=1))


@dataclass(frozen=True)
class NearestDecides(TieRule):
    """The nearest row of a tied class decides; of equally near ones the class of most, and then the first."""

    name: ClassVar = "nearest"

    def decide(self, tied: Flags, pairs: Pairs, codes: Whole, prior: Floats, X: TableLike) -> Whole:
        own = pairs.where(tied[pairs.query, codes[pairs.row]] & (pairs.weight > 0))
        query, first = np.unique(own.query, return_index=True)
        least = np.full(pairs.m, np.inf)
        least[query] = own.distance[first]
        near = own.where(own.distance == least[own.query]).shares(codes, tied.shape[1])
        return np.asarray(np.argmax(tied & most_votes(near), axis=1))


@dataclass(frozen=True)
class PriorDecides(TieRule):
    """The tied class with most rows decides; of equally large ones the first."""

    name: ClassVar = "prior"

    def decide(self, tied: Flags, pairs: Pairs, codes: Whole, prior: Floats, X: TableLike) -> Whole:
        return np.asarray(np.argmax(np.where(tied, prior, -1.0), axis=1))


@dataclass(frozen=True)
class RandomDecides(TieRule):
    """Chance decides, each tied class alike; the same row and seed give the same class."""

    seed: int = 0
    name: ClassVar = "random"

    def decide(self, tied: Flags, pairs: Pairs, codes: Whole, prior: Floats, X: TableLike) -> Whole:
        rows = X.toarray() if hasattr(X, "toarray") else X
        wanted = np.floor(row_uniforms(rows, self.seed) * tied.sum(axis=1))
        return np.asarray(np.argmax(tied & (np.cumsum(tied, axis=1) - 1 == wanted[:, None]), axis=1))


RULES = {rule.name: rule for rule in (FirstDecides(), NearestDecides(), PriorDecides(), RandomDecides())}


def is_rule(value: object) -> bool:
    """Whether it is a rule, not the name of one."""
    return isinstance(value, TieRule)


def as_rule(value: Any) -> TieRule:
    """The rule of a name, or the rule it is."""
    return value if isinstance(value, TieRule) else RULES[value]
