"""The one EM: share rows out among components, sum each component's up, and take the likeliest parameters.

Every round gives ln p(x | θ) = L(q, θ) + KL(q ‖ p): sharing by the posterior makes KL zero, so the objective is the
log likelihood of the parameters before the round; `free_energy` is L(q, θ) after the round, which the next log
likelihood cannot be below, and the next round's `kl` is what lay between them. All are means over rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...backend.mixture import Rule, Singular
from ...data import Chunk, Source
from ...distributions import Mixture
from ...distributions.mixture import MixtureStatistic
from ...engine import Outcome, Step, iterate
from ...errors import IllConditioned, InvalidData, warn
from ...observing import Round
from ...statistics import row_uniforms
from ..cluster.prototypes import Best

Floats = NDArray[np.float64]
Algorithm = Literal["soft", "hard", "stochastic"]
_EMPTY = 1e-10  # a component with less than this share of the rows has none


@dataclass(frozen=True)
class State:
    """The mixture so far, the free energy it was found at, and how many rounds and rescues there were."""

    mixture: Mixture
    free_energy: float = np.nan
    rounds: int = 0
    rescued: int = 0


@dataclass(frozen=True)
class Sharing:
    """How the rows of a chunk are shared out in a round: `label` gives the components that are known."""

    algorithm: Algorithm = "soft"
    seed: int = 0
    label: Callable[[Chunk], Any] | None = None

    def rule(self, chunk: Chunk, round: int) -> Rule:
        """The rule for some rows; random numbers belong to rows, not to chunks."""
        labels = None if self.label is None else self.label(chunk)
        uniforms = None
        if self.algorithm == "stochastic":
            uniforms = row_uniforms(np.nan_to_num(chunk.X), self.seed + round + 1)
        return Rule(self.algorithm == "hard", labels, uniforms)


def em(
    source: Source,
    start: Callable[[int], Mixture],
    *,
    sharing: Sharing,
    floor: float,
    tol: float,
    max_iter: int,
    restarts: int = 1,
) -> Outcome[Mixture]:
    """Repeat rounds from `start(run)` until the mean log likelihood of a row rises by less than `tol`.

    `floor` is what is added to variances if one collapses.
    """
    owner = source.needs.owner

    def step(state: State) -> Step[State]:
        state, found = _shared(source, state, sharing, floor)
        if not np.isfinite(found.log_likelihood):
            raise InvalidData(f"{owner}: X holds numbers so large that their squares overflow; scale the columns down.")
        new = state.mixture.mle(found)
        gain = new.total_log_prob(found) - found.expected
        objective, free_energy = found.log_likelihood / found.rows, (found.log_likelihood + gain) / found.rows
        new, rescued = _rescued(source, new, found, state.rescued, owner)
        metrics = {"free_energy": free_energy, "kl": max(objective - state.free_energy, 0.0)}
        return Step(State(new, free_energy, state.rounds + 1, rescued), objective, metrics)

    outcome = iterate(
        lambda run: State(start(run)),
        step,
        stop=partial(_settled, tol=tol),
        max_iter=max_iter,
        restarts=restarts,
        minimise=False,
        snapshot=lambda state: state.mixture.to_arrays(),
    )
    return outcome.then(lambda state: state.mixture)


def _settled(before: Round | None, now: Round, tol: float) -> bool:
    return before is not None and abs(now.objective - before.objective) < tol


def _share(chunk: Chunk, mixture: Mixture, sharing: Sharing, round: int) -> MixtureStatistic:
    return mixture.statistic(chunk.X, chunk.weight, sharing.rule(chunk, round))


def _shared(source: Source, state: State, sharing: Sharing, floor: float) -> tuple[State, MixtureStatistic]:
    """The summary of all rows; a component whose covariance collapsed is given a floor first."""
    while True:
        try:
            found = source.reduce(partial(_share, mixture=state.mixture, sharing=sharing, round=state.rounds))
            return state, found
        except Singular as singular:
            least = max(floor, 2 * state.mixture.parts[0].floor)
            warn(
                f"{source.needs.owner}: component {singular.component} has collapsed onto too few different rows; from "
                f"here on {least:.3g} is added to all variances. Fewer components, or a larger reg_covar, avoid it.",
                IllConditioned,
            )
            parts = tuple(part.floored(least) for part in state.mixture.parts)
            state = replace(state, mixture=replace(state.mixture, parts=parts))


def _rescued(
    source: Source, mixture: Mixture, found: MixtureStatistic, rescued: int, owner: str
) -> tuple[Mixture, int]:
    """A component that has lost its rows begins again at the row that all others explain worst."""
    empty = np.flatnonzero((found.weight <= _EMPTY * found.rows / len(found.weight)) & (mixture.weights > 0))
    if not len(empty) or mixture.concentration < 1 or not hasattr(mixture.parts[0], "moved_to"):
        return mixture, rescued
    if rescued >= 3 * len(found.weight):  # there are fewer different rows than components
        return mixture, rescued
    worst = source.reduce(partial(_worst, mixture=mixture))
    warn(
        f"{owner}: component {empty[0]} had lost all its rows and begins again at the least likely one.", IllConditioned
    )
    parts, weights = list(mixture.parts), mixture.weights.copy()
    fullest = parts[int(np.argmax(weights))]
    parts[empty[0]] = fullest.moved_to(np.where(np.isnan(worst.row), fullest.mean, worst.row))
    weights[empty[0]] = 1 / (1 + found.rows)
    return replace(mixture, parts=tuple(parts), weights=weights / weights.sum()), rescued + 1


def _worst(chunk: Chunk, mixture: Mixture) -> Best:
    return Best.of(chunk, -mixture.log_prob(chunk.X))
