"""A Gaussian process of what was found says where the next try promises most."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import special

from ...kernels import MaternKernel, WhiteNoiseKernel
from ...models.kernel import GaussianProcessRegressor
from ...observing import unobserved
from ...typing import Floats
from .space import Proposal, Space
from .strategies import Rounds, Strategy, check_count, drawn

_DRAWS = 500  # of the whole space, among which the next is chosen
_NEAR = (0.03, 0.1, 0.3)  # and steps from the best ones so far
_BEST = 5


@dataclass(frozen=True)
class BayesianSearch(Strategy):
    """The next try is where a Gaussian process of the losses so far expects the largest improvement.

    With f the loss, μ and σ its mean and standard deviation given what was tried, and f* the least one so far,

        EI = (f* − μ) Φ((f* − μ)/σ) + σ φ((f* − μ)/σ)

    is largest among some hundred random combinations and steps from the best ones. The kernel is a Matérn kernel (ν =
    5/2) with a length scale for each coordinate, and noise. The first `first` of the `n` tries are spread evenly.
    """

    n: int = 30
    first: int = 8
    names = ("bayesian",)

    def __post_init__(self) -> None:
        check_count(self, "n", 1)
        check_count(self, "first", 2)

    def total(self, space: Space) -> int | None:
        return self.n if space.size is None else min(self.n, space.size)

    def rounds(self, space: Space, rng: np.random.Generator) -> Rounds:
        tried = list(drawn(space, rng, min(self.first, self.n), spread=True))
        losses = list((yield list(tried)))
        for _ in range(self.n - len(tried)):
            choice = next_try(space, tried, np.array(losses), rng)
            if choice is None:
                return
            tried.append(choice)
            losses += yield [choice]


def next_try(space: Space, tried: list[Proposal], losses: Floats, rng: np.random.Generator) -> Proposal | None:
    """The proposal of the largest expected improvement among new ones; None where nothing new is left."""
    known = {space.key(one) for one in tried}
    order = np.argsort(losses, kind="stable")[:_BEST]
    near = [space.near(tried[i], step, rng) for i in order for step in _NEAR for _ in range(8)]
    made = {space.key(one): one for one in [*drawn(space, rng, _DRAWS), *near]}
    fresh = [one for key, one in made.items() if key not in known]
    if not fresh:
        return None
    mean, std = predicted(np.array([space.place(one) for one in tried]), losses,
                          np.array([space.place(one) for one in fresh]))  # fmt: skip
    return fresh[int(np.argmax(expected_improvement(mean, std, float(standardised(losses).min()))))]


def expected_improvement(mean: Floats, std: Floats, best: float) -> Floats:
    """E max(best − f, 0) for f ~ N(mean, std²).

    >>> expected_improvement(np.array([0.0, 1.0]), np.array([1.0, 1e-9]), 0.0).round(4)
    array([0.3989, 0.    ])
    """
    z = (best - mean) / std
    return np.asarray((best - mean) * special.ndtr(z) + std * np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi))


def standardised(losses: Floats) -> Floats:
    """Losses about their mean in units of their deviation; those that failed or are far above the others are cut.

    What is far worse than the median says no more than that it is bad, and would flatten all differences of good ones.
    """
    known = losses[np.isfinite(losses)]
    if not len(known):
        return np.zeros(len(losses))
    middle, least = float(np.median(known)), float(known.min())
    top = middle + 3 * max(middle - least, 1e-12 * abs(middle), 1e-300)
    kept = np.minimum(np.where(np.isfinite(losses), losses, top), top)
    spread = float(kept.std()) or 1.0
    return np.asarray((kept - kept.mean()) / spread)


def predicted(X: Floats, losses: Floats, at: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the standardised loss at some places, (m,), from those at X (n, w)."""
    y, width = standardised(losses), X.shape[1]
    lengths = (0.5,) * width if len(X) >= 3 * width else 0.5  # one for each where there is something to learn it from
    process = GaussianProcessRegressor(1.0 * MaternKernel(lengths, nu=2.5) + WhiteNoiseKernel(0.01), alpha=1e-8)
    with unobserved(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # how well it converges is not of interest
        mean, std = process.fit(X, y).predict(at, return_std=True)
    noise = process.kernel_.right.variance  # type: ignore[attr-defined]  # the second term of the sum
    own = np.asarray(std, dtype=np.float64) ** 2 - noise  # of the loss, without its noise
    return np.asarray(mean, dtype=np.float64), np.sqrt(np.maximum(own, 1e-12))
