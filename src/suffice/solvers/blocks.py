"""A large programme in blocks: the variables that violate most are solved among themselves, then all others told.

The three parts of it know nothing of each other: which variables are next (`_chosen`), which are left out for a while
(`_shrink`, `_restore`), and the rows that were made already (`RowCache`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..backend.gram import subtract_rows
from ..backend.smo import Programme, reach
from ..typing import Flags, Floats, Reals, Whole
from .face import settled
from .row_cache import RowCache
from .similarity import Similarity

_SIZE, _LEAST = 768, 16  # variables of a block
_STAY = 0.75  # of a block that are in the next one too
_SHARE = 0.2  # of the violation that a block leaves among its variables
_PATIENCE = 5  # blocks between two looks at which variables can be left out
_ROUNDS = 20  # of a block, each short enough for a look at the clock, before it is given up
_FALL = 1e-12  # of the fall so far: a round that brings less is the last
_RETURNS = 5  # times that all variables come back, after which none is left out any more
_READ = 0.25  # of the time to make a cell of a row is what it takes to read one


class Blocks:
    """A programme under way, `a` (m,) and `v` = linear − Ka (m,), of which those that are left out are out of date."""

    def __init__(
        self, similarity: Similarity, programme: Programme, a: Floats, v: Floats, tol: float, memory: int, shrinks: bool
    ) -> None:
        self.similarity, self.programme, self.tol, self.shrinks = similarity, programme, tol, shrinks
        self.a, self.v = a.copy(), v.copy()
        self.size = min(_SIZE, len(programme), max(_LEAST, memory // (similarity.dtype.itemsize * len(programme))))
        cells = max(memory // similarity.dtype.itemsize, self.size * len(programme))
        self._buffer = np.empty(min(cells, len(programme) ** 2), dtype=similarity.dtype)
        self._grams = [np.empty(self.size**2, dtype=similarity.dtype) for _ in range(2)]  # of a block and the next
        self.violation, self.pairs, self.is_over, self._since, self._restored = np.inf, 0, False, 0, 0
        self._wanted = self._fallen = 0.0
        self._among(np.arange(len(programme)))

    @property
    def is_whole(self) -> bool:
        """Whether no variable is left out."""
        return len(self._active) == len(self.programme)

    def _among(self, active: Whole) -> None:
        """Go on with these variables alone."""
        p = self.programme
        self._active = active
        self._own = replace(
            p,
            rows=np.arange(len(active)),
            linear=p.linear[active],
            low=p.low[active],
            high=p.high[active],
            first=int(np.searchsorted(active, p.first)),
        )
        self._part = self.similarity.only(p.rows[active])
        self._cache = RowCache(self._part.filler(), len(active), self._buffer)
        self._block, self._since, self._rounds = np.empty(0, dtype=np.int64), 0, 0
        self._known: Reals = np.empty((0, 0))
        self._stayed = 0
        self._spent = self._in_vain = 0.0  # cells made, or read for that

    def step(self) -> float:
        """Solve one block; gives by how much the objective fell. `violation` is that before it, of all that is here."""
        a, v = self.a[self._active], self.v[self._active]
        rise, fall = reach(self._own, a, v)
        self.violation = self._violation(rise, fall)
        self._since += 1
        if self.violation <= self.tol and not self.is_whole:
            self._restore()
            return 0.0
        self.is_over = bool(self.violation <= self.tol)
        if self.is_over:
            return 0.0
        if self._rounds:
            self._stayed = len(self._block)
            return self._solve(self._block, a, v)
        if self.shrinks and self._since > _PATIENCE and self._shrink(a, v, rise, fall):
            return self.step()
        self._wanted = max(0.5 * self.tol, _SHARE * self.violation)
        return self._solve(self._chosen(rise, fall), a, v)

    def _solve(self, block: Whole, a: Floats, v: Floats) -> float:
        """Solve a block, or go on with it, tell all others, and give by how much the objective fell."""
        gram = self._gram(block)
        own = self._own
        order = np.argsort(block >= own.first, kind="stable") if own.first < len(a) else slice(None)
        inner = block[order]
        part = Programme(
            np.arange(len(block)), own.linear[inner], own.low[inner], own.high[inner], own.width,
            int(np.count_nonzero(block < own.first)),
        )  # fmt: skip
        start = a[inner], v[inner]
        K = gram if isinstance(order, slice) else gram[np.ix_(order, order)]
        found = settled(K, part, start, self._wanted)
        self.pairs += found.pairs
        moved = np.flatnonzero(found.a != start[0])
        by = found.a[moved] - start[0][moved]
        width = own.width * float(np.abs(found.a).sum() - np.abs(start[0]).sum())
        fallen = 0.5 * float(by @ (start[1] + found.v)[moved]) - width
        made = self._cache.made
        slots = self._cache.slots(inner[moved])
        self._spent += len(a) * (self._cache.made - made + _READ * len(moved))
        self.v[self._active] = subtract_rows(self._cache.rows, slots, by, v)
        self.a[self._active[inner[moved]]] = found.a[moved]
        self._block, self._known = block, gram
        self._fallen += fallen
        goes_on = found.violation > self._wanted and fallen > _FALL * self._fallen and self._rounds < _ROUNDS
        self._rounds = self._rounds + 1 if goes_on else 0
        return fallen

    # ---- the working set ----

    def _violation(self, rise: Floats, fall: Floats) -> float:
        return max(float(rise[some].max() - fall[some].min()) for some in self._sums())

    def _sums(self) -> list[slice]:
        """The variables of each sum that has some."""
        first, count = self._own.first, len(self._active)
        return [some for some in (slice(0, first), slice(first, count)) if some.stop > some.start]

    def _chosen(self, rise: Floats, fall: Floats) -> Whole:
        """The last ones of the block before, and those that violate most."""
        stay = self._block[-int(_STAY * self.size) :]
        self._stayed = len(stay)
        sums = self._sums()
        taken = np.zeros(len(rise), dtype=bool)
        taken[stay] = True
        room = (self.size - len(stay)) // len(sums)
        new = [self._most_violating(rise, fall, some, room, taken) for some in sums]
        return np.concatenate([stay, *new])

    @staticmethod
    def _most_violating(rise: Floats, fall: Floats, some: slice, room: int, taken: Flags) -> Whole:
        """As many that may rise as that may fall, as far as they are in reach of one another."""
        found: list[Whole] = []
        top, bottom = rise[some].max(), fall[some].min()
        for slope, limit, count in ((rise[some], bottom, room // 2), (-fall[some], -top, room - room // 2)):
            open_ = np.where(taken[some], -np.inf, slope)
            best = np.argpartition(-open_, min(count, len(open_)) - 1)[:count] if count else np.empty(0, dtype=np.intp)
            best = best[open_[best] > limit] + some.start
            taken[best] = True
            found.append(best)
        return np.concatenate(found)

    def _gram(self, block: Whole) -> Reals:
        """The kernel among a block, of which that of variables which stayed is known."""
        stay = self._stayed
        self._grams.reverse()
        gram = self._grams[0][: len(block) ** 2].reshape(len(block), len(block))
        gram[:stay, :stay] = self._known[len(self._known) - stay :, len(self._known) - stay :]
        gram[stay:] = self._part.between(block[stay:], block)
        gram[:stay, stay:] = gram[stay:, :stay].T
        return gram

    # ---- variables that are left out for a while ----

    def _shrink(self, a: Floats, v: Floats, rise: Floats, fall: Floats) -> bool:
        """Leave out those at a bound that nothing could pull off it as things are now, where it is worth it.

        Rows have to be made again, of those that stay at once, and of all support vectors for those that come back. It
        is worth it as soon as so much was spent on those in vain (so that at most twice the least is spent).
        """
        self._since = 0
        stays = np.ones(len(a), dtype=bool)
        for some in self._sums():
            top, bottom = rise[some].max(), fall[some].min()
            stays[some] = (rise[some] >= bottom) & np.isfinite(rise[some]) | (fall[some] <= top) & np.isfinite(
                fall[some]
            )
        count = np.count_nonzero(stays)
        out = len(a) - count
        self._in_vain += self._spent * out / len(a)
        self._spent = 0.0
        again = count * self._cache.known(np.flatnonzero(stays)) + out * np.count_nonzero(self.a)
        if not out or self._in_vain < again:
            return False
        self._among(self._active[stays])
        return True

    def _restore(self) -> None:
        """Bring all variables up to date; what is still left out after that is seen at the next look."""
        out = np.ones(len(self.a), dtype=bool)
        out[self._active] = False
        left, support = np.flatnonzero(out), np.flatnonzero(self.a)
        rows = self.programme.rows
        products = self.similarity.times(rows[left], rows[support], self.a[support][:, None])[:, 0]
        self.v[left] = self.programme.linear[left] - products
        self._among(np.arange(len(self.a)))
        self._since = _PATIENCE
        self._restored += 1
        self.shrinks = self._restored < _RETURNS
