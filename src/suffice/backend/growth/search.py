"""The best split of a node, in plain NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...typing import Flags, Floats, Whole
from .scores import LEAST_CURVATURE, TIE, Node, curvatures_of, node_score, scores, values_of, weights_of
from .values import CODES, Coded, Limits, Sorted, Targets

_WORD = 2**64 - 1


def next_random(state: int) -> tuple[int, int]:
    """The next state and the next random word (SplitMix64)."""
    state = (state + 0x9E3779B97F4A7C15) & _WORD
    z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
    return state, z ^ (z >> 31)


def drawn_columns(d: int, drawn: float, seed: int) -> tuple[tuple[int, ...], int]:
    """The columns that are drawn for a tree, in their order, and the state after that."""
    columns = list(range(d))
    if drawn >= d:
        return tuple(columns), seed
    for j in range(int(drawn)):
        seed, word = next_random(seed)
        at = j + (word * (d - j) >> 64)
        columns[j], columns[at] = columns[at], columns[j]
    return tuple(sorted(columns[: int(drawn)])), seed


@dataclass(frozen=True)
class _Places:
    """The places of a column in a node, in the order in which they are cut, their sums, and those of missing cells."""

    places: Whole
    sums: Whole  # (m, k)
    missing: Whole  # (k,)
    has_missing: bool
    ranks: Floats  # (m,), of categories


@dataclass(frozen=True)
class Search:
    """Looks for the best split of the rows of a node; `times` (n,) is how often each row counts."""

    table: Coded | Sorted
    targets: Targets
    limits: Limits
    monotone: NDArray[np.int8] | None
    times: Whole
    pool: tuple[int, ...] | None = None
    together: Flags | None = None  # (groups, d): columns that may stand on one path

    def for_tree(self, seed: int) -> tuple[Search, int]:
        """The same with the columns that are drawn for a tree, and the state after that."""
        pool, seed = drawn_columns(len(self.table.places), self.limits.of_tree, seed)
        return replace(self, pool=pool), seed

    def _each(self, rows: Whole) -> Whole:
        """What each of some rows adds, (m, k)."""
        own = self.targets.sums[rows] * self.times[rows, None]
        if not self.targets.of_several:
            return own
        found = np.zeros((len(rows), self.targets.k), dtype=np.int64)
        found[np.arange(len(rows)), self.targets.sums[rows, 0]] = own[:, 1]
        return found

    def sums(self, rows: Whole) -> Whole:
        """The sums of some rows, (k,)."""
        return np.asarray(self._each(rows).sum(axis=0))

    def score(self, rows: Whole, node: Node) -> float:
        """The score of a node."""
        return node_score(self.targets, node.sums)

    def _weights(self, sums: Whole) -> Floats:
        return weights_of(self.targets, sums)

    def _values(self, sums: Whole, rows: Whole) -> Floats:
        return values_of(self.targets, sums)

    def _scores(self, sums: Whole, rows: Whole) -> Floats:
        """The scores of parts of a node's rows."""
        return scores(self.targets, sums)

    def is_pure(self, rows: Whole) -> bool:
        """Whether all have the same target."""
        own = self.targets.same[rows]
        return bool((own == own[0]).all())

    def sends_left(self, split: Node, rows: Whole) -> Flags:
        """Which rows of a node go left."""
        places = self.table.places[split.column, rows].astype(np.int64)
        missing = places == self.table.missing
        if split.left_codes is None:
            return np.where(missing, split.missing_left, places <= split.last)
        return np.where(missing, split.missing_left, split.left_codes[np.where(missing, 0, places)])

    def halves(self, split: Node) -> tuple[tuple[float, float], tuple[float, float]]:
        """The bounds of both children."""
        way = 0 if self.monotone is None else int(self.monotone[split.column])
        low, high, middle = split.low, split.high, split.middle
        if way == 0:
            return (low, high), (low, high)
        return ((low, middle), (middle, high)) if way > 0 else ((middle, high), (low, middle))

    def narrowed(self, split: Node) -> Flags | None:
        """The groups of columns of both children."""
        if self.together is None or split.groups is None:
            return None
        return np.asarray(split.groups & self.together[:, split.column])

    def best(self, rows: Whole, node: Node, seed: int) -> tuple[Node | None, int]:
        """The best split, None where there is none, and the state of the random numbers after it."""
        drawn = [j for j in self.pool or () if self.together is None or self.together[node.groups, j].any()]
        d, tried = len(drawn), self.limits.tried
        best, best_score = None, -np.inf
        parent = self.score(rows, node)
        for j in range(d):
            if j >= tried and best is not None:
                break
            if tried < d:
                seed, word = next_random(seed)
                at = j + (word * (d - j) >> 64)
                drawn[j], drawn[at] = drawn[at], drawn[j]
            for cut in self._orders(drawn[j], rows):
                seed, chosen = self._chosen(drawn[j], cut, seed)
                for score, split in self._cuts(drawn[j], cut, chosen, node, rows):
                    if score > best_score + TIE * abs(parent):
                        best, best_score = split, score
        return (None if best is None else replace(best, gain=best_score - parent)), seed

    def _orders(self, column: int, rows: Whole) -> Iterator[_Places]:
        """The places of a column, in each order in which they are to be cut."""
        own, each = self.table.places[column, rows].astype(np.int64), self._each(rows)
        missing = own == self.table.missing
        places, at = np.unique(own[~missing], return_inverse=True)
        if len(places) + missing.any() < 2:
            return
        sums = np.zeros((len(places), each.shape[1]), dtype=np.int64)
        np.add.at(sums, at, each[~missing])
        found = _Places(places, sums, each[missing].sum(axis=0), bool(missing.any()), np.zeros(len(places)))
        if not self.table.categorical[column]:
            yield found
            return
        for ranks in self._ranks(sums, rows):
            order = np.argsort(ranks, kind="stable")
            yield replace(found, places=places[order], sums=sums[order], ranks=ranks[order])

    def _ranks(self, sums: Whole, rows: Whole) -> Iterator[Floats]:
        """By what categories are ordered: their mean target, or the share of each class, or each target, in turn."""
        if self.targets.k == 2 or self.targets.is_newton:
            yield self._values(sums, rows)
            return
        classes = self.targets.classes
        whole = sums.sum(axis=1) if classes else sums[:, -1]
        for c in range(self.targets.k - (not classes)):
            yield sums[:, c] / whole

    def _chosen(self, column: int, cut: _Places, seed: int) -> tuple[int, int | None]:
        """The cut that is drawn, None where all are tried."""
        cuts = len(cut.places) - 1
        if not self.limits.random_cuts:
            return seed, None
        if cuts == 0:
            return seed, 0
        seed, word = next_random(seed)
        if self.table.categorical[column]:
            return seed, word * cuts >> 64
        values = np.array([self.table.value(column, int(place)) for place in cut.places])
        at = values[0] + (word >> 11) * 2.0**-53 * (values[-1] - values[0])
        below = int(np.searchsorted(values, at, side="right")) - 1
        return seed, max(0, min(below, cuts - 1))

    def _cuts(
        self, column: int, cut: _Places, chosen: int | None, node: Node, rows: Whole
    ) -> Iterator[tuple[float, Node]]:
        """The cuts that are allowed, with the scores of their halves."""
        last = len(cut.places) - 1
        for missing_left in (False, True) if cut.has_missing else (False,):
            count = last + (cut.has_missing and not missing_left)
            left = np.cumsum(cut.sums, axis=0)[:count] + missing_left * cut.missing
            right = cut.sums.sum(axis=0) + cut.missing - left
            weights = self._weights(left), self._weights(right)
            allowed = np.all([own >= self.limits.least_leaf for own in weights], axis=0)
            if self.table.categorical[column]:  # those of the same rank stay together
                allowed &= np.append(cut.ranks[1:] != cut.ranks[:-1], True)[:count]
            middle = np.zeros(count)
            if self.targets.is_newton:
                allowed &= np.minimum(*(curvatures_of(self.targets, own) for own in (left, right))) >= LEAST_CURVATURE
            if chosen is not None:
                allowed &= np.arange(count) == chosen
            if self.monotone is not None:
                values = self._values(left, rows), self._values(right, rows)
                within = np.all([(own >= node.low) & (own <= node.high) for own in values], axis=0)
                allowed &= within & (self.monotone[column] * (values[1] - values[0]) >= 0)
                middle = (values[0] + values[1]) / 2
            both = self._scores(left, rows) + self._scores(right, rows)
            for p in np.flatnonzero(allowed):
                more_left = bool(weights[0][p] > weights[1][p])
                yield float(both[p]), self._split(column, cut, int(p), missing_left, more_left, node, float(middle[p]))

    def _split(
        self, column: int, cut: _Places, p: int, missing_left: bool, more_left: bool, node: Node, middle: float
    ) -> Node:
        codes = None
        if self.table.categorical[column]:
            codes = np.full(CODES, more_left)  # categories that are not in the node go where more weight goes
            codes[cut.places] = False
            codes[cut.places[: p + 1]] = True
        after = cut.places[min(p + 1, len(cut.places) - 1)]
        return replace(
            node, left=0, column=column, last=int(cut.places[p]), next=int(after), middle=middle,
            missing_left=missing_left if cut.has_missing else more_left, left_codes=codes,
        )  # fmt: skip
