"""The one EM: share rows out among components, sum each component's up, and take the likeliest parameters.

Every iteration gives ln p(x | θ) = L(q, θ) + KL(q ‖ p): sharing by the posterior makes KL zero, so the objective is the
log likelihood of the parameters before the iteration, with their log prior; `free_energy` is L(q, θ) after it, with the
log prior, which the next objective cannot be below, and the next iteration's `kl` is what lay between them. The metric
`log_likelihood` is without the prior. All are means over rows.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Literal

import numpy as np

from ...backend.blas import blas_threads_for
from ...backend.mixture import Rule, Singular
from ...data import Chunk, Source
from ...distributions import Mixture
from ...distributions.mixture import MixtureStatistic
from ...distributions.sharing import blocks
from ...engine import LOOKS_BACK, Kept, Outcome, Step, iterate, still_to_gain
from ...errors import IllConditioned, InvalidData, squares_overflow, warn
from ...holds import flag, instance, number, optional, tuples, whole
from ...statistics import row_uniforms
from ...typing import Codes, Floats, Numbers
from .prior import SpreadPrior, check_spread

Algorithm = Literal["soft", "hard", "stochastic"]
_STRONGEST = 1e6  # share of rows that a prior is worth; where it does not help, covariances overflow
_ROUNDING = 1e-13  # of an objective: what the same assignment may differ by
_SLOWEST = 1e-8  # of what is still to gain: no iteration that converges gains less
_TINY = 100_000  # multiplications for which BLAS takes one thread in any case
_EMPTY = 1e-10  # a component with less than this share of the rows has none


@dataclass(frozen=True)
class State:
    """The mixture so far, what is its prior worth, the summary it follows from, and its free energy.

    Also the last objectives since a component or the prior was changed, how many iterations and restarts of components
    there were, and the log prior of the mixture.
    """

    mixture: Mixture
    prior_share: float = 0.0
    objectives: tuple[float, ...] = ()
    found: MixtureStatistic | None = None
    free_energy: float = np.nan
    iterations: int = 0
    restarted: int = 0
    log_prior: float | None = None  # None: not known yet
    best: Mixture | None = None  # of those with fewer and fewer components
    best_objective: float = -np.inf
    pruned: bool = False  # whether all numbers of components were tried


@dataclass(frozen=True)
class Sharing:
    """How the rows of a chunk are shared out in an iteration: `label` gives the components that are known."""

    algorithm: Algorithm = "soft"
    seed: int = 0
    label: Callable[[Chunk], Codes | None] | None = None

    def left_to_gain(self, objectives: tuple[float, ...]) -> float:
        """What the objective may still gain; where responsibilities are drawn, the last change tells as much as any.

        Hard assignments that come again give the same components for ever: less than nothing is left then.
        """
        if self.algorithm == "hard" and len(objectives) > 1:
            before, now = objectives[-2:]
            if abs(now - before) <= _ROUNDING * abs(now):
                return -1.0
        if self.algorithm != "stochastic":
            return still_to_gain(objectives)
        return abs(objectives[-1] - objectives[-2]) if len(objectives) > 1 else np.inf

    def is_settled(self, mixture: Mixture, objective: float, free_energy: float, tol: float) -> bool:
        """Whether the parameters were the likeliest for their own responsibilities, so that none change any more.

        Where components have something latent of their own, the free energy does not say so.
        """
        latent = any(part.latent for part in mixture.parts)
        return self.algorithm == "soft" and not latent and abs(free_energy - objective) < _SLOWEST * tol

    def rule(self, chunk: Chunk, iteration: int) -> Rule:
        """The rule for some rows; random numbers belong to rows, not to chunks."""
        labels = None if self.label is None else self.label(chunk)
        uniforms = None
        if self.algorithm == "stochastic":
            uniforms = uniforms_of(chunk.X, self.seed + iteration + 1)
        return Rule(self.algorithm == "hard", labels, uniforms)


def uniforms_of(X: Numbers, seed: int) -> Floats:
    """A number in (0, 1) for each row, which may have missing values, by its cells and the seed alone."""
    return np.concatenate([row_uniforms(np.nan_to_num(X[rows]), seed) for rows in blocks(len(X), 4 * X.shape[1])])


def em(source: Source, start: Callable[[int], Mixture], **settings: Any) -> Outcome[Mixture]:
    """As `iterations`; the mixture alone."""
    return iterations(source, start, **settings).then(lambda state: state.mixture)


def iterations(
    source: Source,
    start: Callable[[int], Mixture],
    *,
    sharing: Sharing,
    prior: SpreadPrior,
    tol: float,
    max_iter: int,
    restarts: int = 1,
    reached: tuple[float, ...] = (),
    rng: np.random.Generator | None = None,
    prune: bool = False,
) -> Outcome[State]:
    """Repeat iterations from `start(run)` until the objective of a row has less than `tol` still to gain.

    `prior` is that of the components, which is made stronger if one collapses; `reached` are the last objectives of a
    fit that is gone on with. `rng` is what `start` draws from. With `prune` the smallest component is removed wherever
    the iterations have settled, until one is left; the mixture with the best objective is the result.
    """
    owner = source.needs.owner

    def begin(run: int) -> State:
        mixture, own = begun(start(run), prior, owner)
        return State(mixture, own.share, reached if own is prior else ())

    def step(state: State) -> Step[State]:
        old = state.mixture
        found = source.reduce(partial(share, mixture=old, sharing=sharing, iteration=state.iterations))
        multiplications = 6 * old.n_components * len(source.schema) ** 3
        with nullcontext() if multiplications < _TINY else blas_threads_for(multiplications):
            after, objective, metrics, changed = _moved(state, found, prior, owner)
        left = sharing.left_to_gain((*state.objectives, objective)[-LOOKS_BACK:])
        settled = left < tol or tol == np.inf or sharing.is_settled(old, objective, after.free_energy, tol)
        done = settled and not changed
        if done and prune and not state.pruned:
            return Step(_pruned(state, after, objective), objective, metrics)
        return Step(after, objective, metrics, done=done or state.pruned)

    return iterate(
        begin,
        step,
        max_iter=max_iter,
        restarts=restarts,
        minimise=False,
        snapshot=lambda state: {"mixture_": state.mixture.to_arrays()},
        kept=_kept(len(source.schema)),
        rng=rng,
    )


def _pruned(state: State, after: State, objective: float) -> State:
    """What to go on with once the iterations have settled: one component less, or at last the best mixture of all."""
    best, best_objective = state.best, state.best_objective
    if best is None or objective > best_objective:
        best, best_objective = state.mixture, objective
    last = len(after.mixture.active) == 1
    mixture = best if last else after.mixture.without_smallest()
    return replace(
        after, mixture=mixture, best=best, best_objective=best_objective, pruned=last, objectives=(), log_prior=None,
        free_energy=np.nan,
    )  # fmt: skip


def _moved(
    state: State, found: MixtureStatistic, prior: SpreadPrior, owner: str
) -> tuple[State, float, dict[str, float], bool]:
    """The state after one M-step, the objective before it, what to show, and whether the problem itself changed."""
    old = state.mixture
    own = prior if prior.share == state.prior_share else replace(prior, share=state.prior_share)
    new, stronger, new_log_prior = updated(old, found, own, owner)
    log_prior = own.log_prob(old) if state.log_prior is None else state.log_prior
    if stronger is not own:
        new_log_prior = own.log_prob(new)
    gain = new.total_log_prob(found) - old.total_log_prob(found) + new_log_prior - log_prior
    objective = (found.log_likelihood + log_prior) / found.rows
    free_energy = objective + gain / found.rows
    new, restarted = _restarted(new, found, state.restarted, owner)
    emptied = ((new.weights > 0) != (old.weights > 0)).any()
    changed = restarted > state.restarted or stronger is not own or bool(emptied)
    objectives = () if changed else (*state.objectives, objective)[-LOOKS_BACK:]
    metrics = {
        "log_likelihood": found.log_likelihood / found.rows,
        "free_energy": free_energy,
        "kl": max(objective - state.free_energy, 0.0),
        "restarted": float(restarted > state.restarted),
    }
    iterations, known = state.iterations + 1, None if changed else new_log_prior
    after = State(
        new, stronger.share, objectives, found, free_energy, iterations, restarted, known,
        state.best, state.best_objective, state.pruned,
    )  # fmt: skip
    return after, objective, metrics, changed


@lru_cache(64)
def _kept(d: int) -> Kept[State]:
    return Kept.fields(
        State,
        mixture=instance(Mixture, d=d),
        prior_share=number(at_least=0),
        objectives=tuples(number(finite=False)),
        found=optional(instance(MixtureStatistic, d=d)),
        free_energy=number(finite=False),
        iterations=whole(),
        restarted=whole(),
        best=optional(instance(Mixture, d=d)),
        best_objective=number(finite=False),
        pruned=flag(),
    )


def share(chunk: Chunk, mixture: Mixture, sharing: Sharing, iteration: int = 0) -> MixtureStatistic:
    """The summary of some rows shared out among the components."""
    return mixture.statistic(chunk.X, chunk.weight, sharing.rule(chunk, iteration))


def updated(
    mixture: Mixture, found: MixtureStatistic, prior: SpreadPrior, owner: str
) -> tuple[Mixture, SpreadPrior, float]:
    """The likeliest mixture for a summary, the prior, a stronger one where a covariance had collapsed, and its log."""
    if not np.isfinite(found.log_likelihood):
        raise _unlikely(found.log_likelihood, owner)
    while True:
        new = prior.likeliest(mixture, found)
        try:
            return new, prior, prior.checked_log_prob(new)
        except Singular as singular:
            prior = _stronger(prior, new, singular.component, owner)


def _unlikely(log_likelihood: float, owner: str) -> InvalidData:
    """Why the log likelihood is no number."""
    if log_likelihood == np.inf:
        return InvalidData(
            f"{owner}: a component has collapsed onto equal values, where its density is infinite. Fewer components "
            "avoid it, or a family with a floor, such as Laplace(floor=0.001)."
        )
    if log_likelihood == -np.inf:
        return InvalidData(f"{owner}: a row has density 0 under every component; fit it together with the other rows.")
    return squares_overflow(owner)


def begun(mixture: Mixture, prior: SpreadPrior, owner: str) -> tuple[Mixture, SpreadPrior]:
    """A mixture to begin with, and the prior: a stronger one, put into the mixture, where a covariance is singular."""
    while True:
        try:
            check_spread(mixture.parts)
        except Singular as singular:
            prior = _stronger(prior, mixture, singular.component, owner)
            mixture = prior.blended(mixture)
        else:
            return mixture, prior


def _stronger(prior: SpreadPrior, mixture: Mixture, component: int, owner: str) -> SpreadPrior:
    stronger = prior.stronger()
    finite = all(np.all(np.isfinite(array)) for array in mixture.to_arrays().values())
    if not finite or stronger.share > _STRONGEST:
        raise squares_overflow(owner)
    warn(
        f"{owner}: component {component} has collapsed onto too few different rows; from here on all have the prior of "
        f"reg_covar={stronger.share:.3g}. Fewer components, or a larger reg_covar, avoid it.",
        IllConditioned,
    )
    return stronger


def _restarted(mixture: Mixture, found: MixtureStatistic, restarted: int, owner: str) -> tuple[Mixture, int]:
    """A component that has lost its rows takes half of the fullest one, cut across its longest axis."""
    least = _EMPTY * found.rows / len(found.weight)
    if found.weight.min() > least:
        return mixture, restarted
    empty = np.flatnonzero(found.weight <= least)
    movable = hasattr(mixture.parts[0], "moved_to") and "mean" not in mixture.parts[0].fixed
    if not len(empty) or mixture.concentration < 1 or not movable:
        return mixture, restarted
    if restarted >= 3 * len(found.weight):  # there are fewer different rows than components
        return mixture, restarted
    parts, weights = list(mixture.parts), mixture.weights.copy()
    lost, fullest = int(empty[0]), int(np.argmax(weights))
    warn(
        f"{owner}: component {lost} had lost all its rows; it begins again as one half of component {fullest}.",
        IllConditioned,
    )
    whole = parts[fullest]
    mean, axis = whole.moments()[0], _longest_axis(whole)
    parts[lost], parts[fullest] = whole.moved_to(mean + axis), whole.moved_to(mean - axis)
    weights[lost] = weights[fullest] = weights[fullest] / 2
    begun = {"weights": weights / weights.sum(), "parts": tuple(parts), **mixture.known()}
    return replace(mixture, **begun), restarted + 1


def _longest_axis(part: Any) -> Floats:
    """One standard deviation along the direction in which a component is longest, (d,)."""
    if hasattr(part, "covariance"):
        values, vectors = np.linalg.eigh(part.covariance)
        return np.asarray(np.sqrt(max(values[-1], 0.0)) * vectors[:, -1])
    variance = part.moments()[1]
    return np.where(np.arange(len(variance)) == np.argmax(variance), np.sqrt(variance), 0.0)
