"""How a variational autoencoder learns from a batch: one draw of each code, and both terms of the bound."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ...typing import Floats, Reals
from .batches import Batch
from .cells import Cells
from .engine import Engine
from .joined import JoinedEngine
from .training import Move

_KEPT = 0.9  # of the running variance of the noise, at each batch
_LEAST = 1e-6  # of that variance, in units of the columns' own
_WIDEST = 30.0  # of log variances of codes


def split(h: Reals) -> tuple[Reals, Reals]:
    """Means and log variances of codes, each (m, k), from what the encoder gives."""
    k = h.shape[1] // 2
    return h[:, :k], np.clip(h[:, k:], -_WIDEST, _WIDEST)


def divergence(mean: Reals, log_variance: Reals) -> Floats:
    """KL(N(μ, s²) ‖ N(0, I)) = ½ Σ μ² + s² − 1 − log s², of each row."""
    terms = mean**2 + np.exp(log_variance) - 1 - log_variance
    return np.asarray(0.5 * terms.sum(axis=1, dtype=np.float64))


def likelihood(cells: Cells, eta: Reals, targets: Reals, variance: float) -> tuple[Floats, Reals]:
    """−log p(x | z) of each row, and its gradient by the outputs of the decoder; Gaussian cells have a variance."""
    cost, slope = cells.cost(eta, targets)
    if not cells.has_noise:
        return cost, slope
    there = (~np.isnan(targets)).sum(axis=1)
    value = cost / variance + 0.5 * there * math.log(2 * math.pi * variance)
    return value, slope / slope.dtype.type(variance)


@dataclass
class Variational:
    """The bound, −log p(x | z) + β KL(q(z | x) ‖ p(z)), of a batch with one draw z = μ + s ε a row.

    The variance of Gaussian cells is the best one for each batch, and its running mean for predictions.
    """

    engine: JoinedEngine
    cells: Cells
    beta: float
    variance: float | None  # None: learned
    sums: Floats = field(default_factory=lambda: np.zeros(3))  # Σ w of both terms, and Σ w

    def learn(self, batch: Batch, move: Move) -> tuple[float, float]:
        """One step along the gradient of a batch."""
        engine = self.engine
        engine.spread()
        encoder, decoder = engine.parts
        mean, log_variance = split(encoder.forward(batch.X))
        noise = engine.rng.standard_normal(mean.shape).astype(mean.dtype)
        scale = np.exp(0.5 * log_variance)
        eta = decoder.forward(mean + scale * noise)
        weight = np.ones(len(batch)) if batch.weight is None else batch.weight.astype(np.float64)
        missed, slope = likelihood(self.cells, eta, batch.y, self._noise(eta, batch.y, weight))
        kl = divergence(mean, log_variance)
        share = (weight / len(batch)).astype(mean.dtype)[:, None]
        by_code = decoder.backward(slope * share)
        assert by_code is not None
        by_mean = by_code + self.beta * share * mean
        by_log = 0.5 * (by_code * noise * scale + self.beta * share * (scale**2 - 1))
        encoder.backward(np.hstack([by_mean, by_log]))
        engine.collect(0)
        engine.collect(1)
        move()
        self.sums += [weight @ missed, weight @ kl, weight.sum()]
        return float(weight @ (missed + self.beta * kl)), float(weight.sum())

    def _noise(self, eta: Reals, targets: Reals, weight: Floats) -> float:
        """The variance of the noise that makes a batch most likely; the running one follows it."""
        if self.variance is not None or not self.cells.has_noise:
            return 1.0 if self.variance is None else self.variance
        cost = self.cells.cost(eta, targets)[0]
        cells = float(weight @ (~np.isnan(targets)).sum(axis=1))
        found = max(_LEAST, 2 * float(weight @ cost) / cells) if cells > 0 else 1.0
        self.engine.running[-1] = _KEPT * float(self.engine.running[-1]) + (1 - _KEPT) * found
        return found

    def terms(self) -> Mapping[str, float]:
        """The two terms of the bound, by the mean of all rows of an epoch."""
        missed, kl, weight = self.sums
        self.sums = np.zeros(3)
        return {"reconstruction": float(missed / weight), "kl": float(kl / weight)} if weight > 0 else {}

    def loss(self, batch: Batch) -> Floats:
        """Σ w of the bound, with one draw of each code, and Σ w."""
        self.engine.spread()
        encoder, decoder = self.engine.parts
        mean, log_variance = split(encoder.outputs(batch.X))
        eta = drawn_outputs(decoder, mean, log_variance, np.random.default_rng(0).standard_normal(mean.shape))
        variance = float(self.engine.running[-1]) if self.variance is None else self.variance
        missed = likelihood(self.cells, eta, batch.y, variance)[0]
        weight = np.ones(len(batch)) if batch.weight is None else batch.weight.astype(np.float64)
        return np.array([weight @ (missed + self.beta * divergence(mean, log_variance)), weight.sum()])


def drawn_outputs(decoder: Engine, mean: Reals, log_variance: Reals, noise: Floats) -> Reals:
    """What the decoder makes of codes μ + s ε."""
    return decoder.outputs((mean + np.exp(0.5 * log_variance) * noise).astype(mean.dtype, copy=False))
