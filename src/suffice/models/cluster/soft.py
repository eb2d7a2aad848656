"""Soft k-means."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from ...backend import kmeans as kernels
from ...backend.posteriors import log_total, posterior, rounded
from ...data import Chunk, Needs, Source
from ...engine import Kept, Outcome, Step, iterate
from ...estimator import Attributes, estimator
from ...holds import floats, number, sometimes
from ...params import param
from ...typing import Floats, Reals, TableLike
from .alternation import weights
from .centre_based import CentreBased, Prepared
from .nearest import Labelled


@dataclass(frozen=True)
class _Sums:
    """Σ w φ (k,), Σ w φ x (k, d) about the shift, and the free energy of some rows."""

    weight: Floats
    sums: Floats
    energy: float

    def __add__(self, other: _Sums) -> _Sums:
        return _Sums(self.weight + other.weight, self.sums + other.sums, self.energy + other.energy)


@estimator
class SoftKMeans(CentreBased):
    """Soft k-means: every row belongs to all centres, φ_k ∝ exp(−‖x − μ_k‖² / β), and μ_k is the mean weighted by φ_k.

    Each iteration lowers the free energy F = −β Σ w log Σ_k exp(−‖x − μ_k‖² / β): it is EM for a mixture of spherical
    Gaussians of equal weights and fixed variance β/2. As β → 0 it becomes k-means. Starts, several runs and sources are
    those of `KMeans`.

    Examples
    --------
    >>> import suffice as sf
    >>> faithful = sf.datasets.load("faithful").matrix()
    >>> model = sf.SoftKMeans(2, beta=50.0, random_state=0).fit(faithful)
    >>> np.sort(model.cluster_centers_[:, 0]).round(2)
    array([2.11, 4.29])
    >>> np.sort(model.predict_proba(faithful[3:4])).round(3)
    array([[0.003, 0.997]])
    """

    complexity = "n_clusters"

    exemptions: ClassVar = {
        "check_sample_weight_equivalence_on_dense_data": "the check shuffles the rows, and a start draws them in order",
    }
    beta: float = param(1.0, number=True, above=0, doc="The softness: twice the variance of a centre's rows.")

    holds: ClassVar = {"_fitted_beta": sometimes(number(above=0))}

    def _needs(self) -> Needs:
        return super()._needs().but(missing=False)

    def _learn(self, source: Source) -> Outcome[Attributes]:
        hard = self._start(source)
        outcome = iterate(
            lambda run: hard.initialise(),
            lambda centres: self._iteration(hard, centres),
            max_iter=self.max_iter,
            restarts=self._runs(),
            snapshot=lambda centres: {"cluster_centers_": hard.metric.original(centres)},
            kept=Kept(floats(self.n_clusters, hard.rows.X.shape[1])),
            rng=hard.rng,
        )
        return outcome.then(lambda centres: self._found(hard, centres, len(outcome.history)))

    def _iteration(self, hard: Prepared, centres: Floats) -> Step[Floats]:
        source, shift, project = hard.source, hard.scale.shift, hard.metric.project
        found = source.reduce(partial(_soft_sums, centres=centres, shift=shift, beta=self.beta))
        some = found.weight > 0
        means = shift + found.sums / np.where(some, found.weight, 1.0)[:, None]
        new = np.where(some[:, None], means, centres)
        new = new if project is None else project(new)
        after = source.reduce(partial(_soft_sums, centres=new, shift=shift, beta=self.beta)).energy
        moved = float(np.sum((new - centres) ** 2))
        return hard.scale.step(new, after, found.energy, moved, float(moved > 0), 0)

    def _found(self, hard: Prepared, centres: Floats, iterations: int) -> Attributes:
        return {
            "cluster_centers_": hard.metric.original(centres),
            "n_iter_": iterations,
            "_metric": hard.metric,
            "_centres": centres,
            "_fitted_beta": float(self.beta),
            **Labelled.of(hard.source, centres, hard.scale.shift).attributes,
        }

    def predict_proba(self, X: TableLike) -> Reals:
        """φ: how much of each row belongs to each centre, (n, k)."""
        self._check_fitted()
        return self._rows(X, self._shares)

    def _shares(self, chunk: Chunk) -> Reals:
        beta = getattr(self, "_fitted_beta", self.beta)
        exponent = -kernels.pair_squares(self._ready(chunk.X).astype(np.float64), self._centres) / beta
        return rounded(posterior(exponent, np.zeros(len(self._centres))), chunk.X.dtype)


def _soft_sums(chunk: Chunk, centres: Floats, shift: Floats, beta: float) -> _Sums:
    X = chunk.X.astype(np.float64, copy=False)
    w = weights(chunk)
    total = _Sums(np.zeros(len(centres)), np.zeros_like(centres), 0.0)
    for first in range(0, len(X), 8192):  # blocks of (n, k) responsibilities stay small
        rows = slice(first, first + 8192)
        exponent = -kernels.pair_squares(X[rows], centres) / beta
        share = w[rows, None] * posterior(exponent, np.zeros(len(centres)))
        energy = -beta * float(np.sum(w[rows] * log_total(exponent)))
        total = total + _Sums(share.sum(axis=0), share.T @ (X[rows] - shift), energy)
    return total
