"""What the clusterers that alternate between centres and rows share: drawing rows, gathering them, the loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ...backend.weights import RunningMass, given_or_ones
from ...data import Chunk
from ...engine import Kept, Outcome, Step, iterate
from ...errors import InvalidData, NotConverged, SufficeWarning, warn
from ...params import param
from ...typing import Floats, Reals

S = TypeVar("S")
PIECEWISE = "use KMeans, which reads its rows piece by piece"  # instead of a method that needs them all
CENTRES = "one row a cluster and one column a column of X"


def n_clusters_param() -> int:
    """The declaration of `n_clusters`."""
    declared: int = param(8, positional=True, integer=True, at_least=1, doc="How many clusters.")
    return declared


def n_init_param() -> int:
    """The declaration of `n_init`."""
    declared: int = param(1, integer=True, at_least=1, doc="How many starts; the best is kept.")
    return declared


def max_iter_param(default: int) -> int:
    """The declaration of `max_iter`."""
    declared: int = param(default, integer=True, at_least=1, doc="At most so many iterations for each start.")
    return declared


def memory_param(what: str) -> int:
    """The declaration of `memory`."""
    declared: int = param(1 << 30, integer=True, at_least=1, doc=f"The bytes that {what} may take.")
    return declared


def draw(mass: Reals, rng: np.random.Generator) -> int:
    """A row with probability proportional to its mass."""
    return RunningMass(mass).draw(rng)


def weights(chunk: Chunk) -> Floats:
    """The weight of each row, 1 where none were given."""
    return given_or_ones(chunk.weight, len(chunk))


def with_weight(chunk: Chunk) -> Chunk:
    """The rows that have a weight."""
    if chunk.weight is None or np.all(chunk.weight > 0):
        return chunk
    return chunk.at(np.flatnonzero(chunk.weight > 0))


def alternated(
    owner: str,
    start: Callable[[int], S],
    step: Callable[[S], Step[S]],
    *,
    max_iter: int,
    restarts: int,
    snapshot: Callable[[S], dict[str, object]],
    kept: Kept[S],
    rng: np.random.Generator,
) -> Outcome[S]:
    """Run iterations until one is done; the best of several starts, with a warning where none was."""
    outcome = iterate(start, step, max_iter=max_iter, restarts=restarts, snapshot=snapshot, kept=kept, rng=rng)
    if outcome.history.status == "max_iter":
        warn(f"{owner}: still moving after max_iter={max_iter} iterations; raise it.", NotConverged)
    return outcome


def moved(before: Floats, after: Floats) -> int:
    """How many centres are not where they were."""
    same = (before == after) | (np.isnan(before) & np.isnan(after))
    return int(np.count_nonzero(~same.all(axis=1)))


def stepped(state: S, objective: float, moved: int) -> Step[S]:
    """An iteration that moved so many centres or rows, done where none did."""
    return Step(state, objective, {"moved": float(moved)}, done=moved == 0)


@dataclass(frozen=True)
class Counted:
    """How many rows have a weight, and how much they weigh in all."""

    rows: int
    weight: float

    @classmethod
    def of(cls, chunk: Chunk) -> Counted:
        """Of some rows."""
        if chunk.weight is None:
            return cls(len(chunk), float(len(chunk)))
        return cls(int(np.count_nonzero(chunk.weight)), float(chunk.weight.sum()))

    def __add__(self, other: Counted) -> Counted:
        return Counted(self.rows + other.rows, self.weight + other.weight)

    def check_enough(self, owner: str, k: int) -> None:
        """Refuse more clusters than rows; a row of weight 3 is three."""
        if k > max(self.rows, self.weight):
            raise InvalidData(
                f"{owner}: n_samples={self.rows} should be >= n_clusters={k}; ask for fewer clusters, or give more "
                "rows that have a weight."
            )


def too_few(owner: str, k: int, found: int) -> None:
    """Warn that there are fewer different rows than clusters."""
    warn(f"{owner}: n_clusters={k}, but only {found} different rows; the other clusters are empty.", SufficeWarning)


def padded(owner: str, chosen: list[Floats], k: int) -> Floats:
    """k centres; where there were fewer different rows the last is repeated, with a warning."""
    if len(chosen) < k:
        too_few(owner, k, len(chosen))
    return np.array(chosen + [chosen[-1]] * (k - len(chosen)), dtype=np.float64)
