"""Support vector machines: their programmes solved by pairs of variables, small ones at once, large ones in blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..backend.smo import Programme, Solved, pairs, standing
from ..engine import Kept, Outcome, Step, iterate
from ..errors import InvalidData
from ..holds import floats
from ..observing import is_recorded
from ..typing import Floats, Reals, Whole
from .blocks import Blocks
from .face import on_face
from .similarity import Matrix, Similarity

SMALL = 1500  # variables of a programme whose whole kernel matrix is made
_SHARED = 4000  # rows of which several programmes share one kernel matrix
_PAIRS = 50_000  # between two looks at the clock
_PACE = 10  # a step that is shown is one pair, later this part of the pairs so far
_STEPS = 1 << 40
_ENOUGH = 1000  # pairs a variable, after which a hard margin is given up
_IDLE, _FALL = 1_000_000, 1e-12  # pairs in which the objective falls by a share this small: it stands still
_MARGIN = 1e-7  # of the largest k(x, x)^½: hulls of two classes this close are not apart

State = tuple[Solved, ...]  # of every programme


@dataclass(frozen=True)
class Shown:
    """What a trace has of a state, and whether small programmes stop often for it."""

    of: Callable[[State], Mapping[str, object]]
    in_steps: bool = False


NOTHING = Shown(lambda state: {})


@dataclass
class SMO:
    """How programmes over the rows of one kernel are solved, to a violation of `tol`.

    Errors begin with `owner`. `memory` is that of rows of the kernel matrix, in bytes; `most` pairs of variables end a
    programme before.
    """

    similarity: Similarity
    programmes: Sequence[Programme]
    tol: float
    memory: int
    shrinks: bool = True
    most: int = -1
    owner: str = "SMO"
    task: str = "tells two classes apart"
    shown: Shown = NOTHING
    _under_way: dict[int, Blocks] = field(default_factory=dict)
    _best: tuple[float, int, float] = (np.inf, 0, 0)  # an objective, how many programmes are left, pairs so far
    _idle: int = 0  # steps since then

    def solve(self, start: Sequence[Floats]) -> Outcome[State]:
        """From these variables on, which lie within their bounds."""
        found = iterate(
            lambda run: self._begun(start), self._step, max_iter=_STEPS, kept=self._kept, snapshot=self._snapshot
        )
        return found.then(self._finished)

    def _snapshot(self, state: State) -> Mapping[str, object]:
        return self.shown.of(self._finished(state)) if is_recorded() else {}

    def _finished(self, state: State) -> State:
        """With levels and gap also where the work ended within a block."""
        return tuple(
            standing(programme, one.a, one.v, one.pairs, one.violation) if not np.isfinite(one.gap) else one
            for programme, one in zip(self.programmes, state, strict=True)
        )

    # ---- where it stands ----

    def _begun(self, start: Sequence[Floats]) -> State:
        return tuple(map(self._begin, self.programmes, start))

    def _begin(self, programme: Programme, a: Floats) -> Solved:
        support = np.flatnonzero(a)
        if not len(support):
            return Solved(a, programme.linear, np.inf, 0, 0.0, np.inf, (0.0, 0.0))
        a, rows = _within(a, programme), programme.rows
        if len(programme) <= SMALL:  # of the same matrix that its pairs will be of, to the last digit
            products = self._matrix_of(rows)[:, support] @ a[support]
        else:
            products = self.similarity.times(rows, rows[support], a[support][:, None])[:, 0]
        return standing(programme, a, programme.linear - products, 0, np.inf)

    def _matrix_of(self, rows: Whole) -> Reals:
        shared = self.similarity.n <= max(_SHARED, len(rows))
        return self._whole()[np.ix_(rows, rows)] if shared else self.similarity.only(rows).whole()

    def _kept(self) -> Kept[State]:
        """How it is written to a checkpoint; what variables lack is made again where the work was within a block."""
        ends = np.cumsum([len(one) for one in self.programmes])

        def packed(state: State) -> Floats:
            lacking = [np.full(len(one.v), np.nan) if np.isnan(one.gap) else one.v for one in state]
            return np.stack([np.concatenate([one.a for one in state]), np.concatenate(lacking)])

        def unpacked(kept: Floats) -> State:
            parts = zip(self.programmes, *(np.split(row, ends[:-1]) for row in kept), strict=True)
            return tuple(
                self._begin(programme, a) if np.isnan(v).any() else standing(programme, a, v, 0, np.inf)
                for programme, a, v in parts
            )

        return Kept(floats(2, int(ends[-1]), finite=False), packed, unpacked)

    # ---- one step ----

    def _step(self, state: State) -> Step[State]:
        """Several small programmes at once, one large one by a block; those that are done stay as they are."""
        left = [k for k, one in enumerate(state) if not self._is_over(one)]
        small = [k for k in left if len(self.programmes[k]) <= SMALL]
        if left and left[0] not in small:
            state = self._blockwise(state, left[0])
        elif left:
            state = self._at_once(state, small if self.similarity.n <= _SHARED else small[:1])
        if self._is_hard:
            for programme, one in zip(self.programmes, state, strict=True):
                self._check_apart(programme, one)
        metrics = {"pairs": float(sum(one.pairs for one in state)), "gap": sum(one.gap for one in state)}
        objective = sum(one.objective for one in state)
        done = all(one.violation <= self.tol for one in state)
        over = all(map(self._is_over, state)) or self._stands_still(objective, len(left), metrics["pairs"])
        return Step(state, objective, metrics, done=done, unfinished=over and not done)

    def _stands_still(self, objective: float, left: int, pairs: float) -> bool:
        """Whether many pairs have brought nothing, or none is left to move: `tol` is finer than rounding allows."""
        best, before, since = self._best
        self._idle += 1
        if left != before or best - objective > _FALL * abs(objective):
            self._best, self._idle = (objective, left, pairs), 0
        return self._idle >= 20 and (pairs - since >= _IDLE or pairs == since)

    def _is_over(self, one: Solved) -> bool:
        return one.violation <= self.tol or 0 <= self.most <= one.pairs

    def _at_once(self, state: State, some: Sequence[int]) -> State:
        chosen = [self.programmes[k] for k in some]
        if self.similarity.n <= max(_SHARED, len(chosen[0])):
            gram = self._whole()
        else:
            gram = self.similarity.only(chosen[0].rows).whole()
            chosen = [replace(chosen[0], rows=np.arange(len(chosen[0])))]
        so_far = state[some[0]].pairs
        most = min(_PAIRS, 1 + so_far // _PACE) if self.shown.in_steps else _PAIRS
        most = most if self.most < 0 else max(1, min(most, self.most - so_far))
        found = pairs(gram, chosen, [(state[k].a, state[k].v) for k in some], self.tol, most)
        new = list(state)
        for k, programme, one in zip(some, chosen, found, strict=True):
            if one.violation > self.tol and one.pairs == _PAIRS:  # they are too many to go on like this
                one = standing(programme, *on_face(gram, programme, one.a, one.v), one.pairs)
            new[k] = replace(one, pairs=one.pairs + state[k].pairs) if state[k].pairs else one
        return tuple(new)

    def _whole(self) -> Reals:
        """The whole matrix, kept for the next step."""
        if not isinstance(self.similarity, Matrix):
            self.similarity = Matrix(self.similarity.whole())
        return self.similarity.whole()

    def _blockwise(self, state: State, k: int) -> State:
        programme, old = self.programmes[k], state[k]
        if k not in self._under_way:
            self._under_way = {k: Blocks(self.similarity, programme, old.a, old.v, self.tol, self.memory, self.shrinks)}
        work = self._under_way[k]
        fallen = work.step()
        pairs_so_far = work.pairs + (0 if np.isinf(old.violation) else old.pairs)
        if work.is_over or 0 <= self.most <= pairs_so_far:
            new = standing(programme, work.a, work.v, pairs_so_far, work.violation)
            new = replace(new, objective=min(new.objective, old.objective))  # rows are kept in single precision
        else:
            new = Solved(work.a.copy(), work.v.copy(), np.inf, pairs_so_far, old.objective - fallen, np.nan, old.levels)
        return (*state[:k], new, *state[k + 1 :])

    # ---- hard margins ----

    @cached_property
    def _is_hard(self) -> bool:
        return any(np.isinf(one.high).any() or np.isinf(one.low).any() for one in self.programmes)

    def _check_apart(self, programme: Programme, one: Solved) -> None:
        """Refuse what no plane can do, so that variables without bounds would grow for ever.

        Σ aφ(x), divided by half of Σ|a|, is the difference of a point in the hull of either class.
        """
        total = float(np.abs(one.a).sum())
        length = float(np.sqrt(np.maximum(0.0, one.a @ (programme.linear - one.v))))
        apart = 2 * length > _MARGIN * self._longest * total
        if not total > 0 or one.violation <= self.tol or (apart and one.pairs <= _ENOUGH * max(1000, len(one.a))):
            return
        raise InvalidData(
            f"{self.owner}: there is no hard margin, C=inf: no plane {self.task} in the space of the kernel; points of "
            f"the hulls on either side are {2 * length / total:.3g} apart or less. Rows with different targets may be "
            "equal. Take a finite C, or a kernel of more features, such as rbf with a larger gamma."
        )

    @cached_property
    def _longest(self) -> float:
        """The largest k(x, x)^½ of some rows."""
        some = np.arange(min(self.similarity.n, 200))
        own = np.abs(np.diagonal(self.similarity.between(some, some))).astype(np.float64)
        return float(np.sqrt(own.max(initial=0.0)))


def _within(a: Floats, programme: Programme) -> Floats:
    """Variables within their bounds, and at them but for rounding: what is free decides where the plane lies."""
    near = 1e-14 * np.maximum(np.abs(programme.low), np.abs(programme.high))
    a = np.where(programme.high - a <= near, programme.high, a)
    return np.asarray(np.where(a - programme.low <= near, programme.low, a))
