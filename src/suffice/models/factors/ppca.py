"""Probabilistic principal components."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ...data import Chunk, Needs, Source
from ...distributions import LowRankGaussian
from ...engine import Kept, Outcome, Step, closed_form, iterate, little_to_gain
from ...errors import InvalidData
from ...estimator import Attributes, estimator
from ...holds import floats, instance
from ...params import learned, param
from ...randomness import generator
from ...statistics import Moments, RootMoments
from ...statistics.spectrum import with_sign
from ...typing import Floats
from .factor_model import FactorModel


@estimator
class PPCA(FactorModel):
    """Probabilistic PCA: x = W z + m + σ ε with Gaussian z and ε, so max Σ w log N(x; m, W Wᵀ + σ² I).

    Where nothing is missing, the solution has a closed form: the principal axes, and for σ² the mean variance of the
    directions left out (Tipping & Bishop, 1999). Rows with missing values are completed by their expectation, by EM.
    Variances are divided by Σw, as the likelihood wants it, and not by Σw − 1 as in `PCA`. `transform` gives E[z | x],
    and `inverse_transform` of it the orthogonal projection of the row.

    Examples
    --------
    >>> import suffice as sf
    >>> crabs = sf.datasets.load("crabs").matrix()
    >>> model = sf.PPCA(2).fit(crabs)
    >>> model.explained_variance_ratio_.round(4), round(model.noise_variance_, 3)
    (array([0.9825, 0.0091]), 0.402)
    >>> with_missing = np.where(np.random.default_rng(0).random(crabs.shape) < 0.2, np.nan, crabs)
    >>> sf.PPCA(2).fit(with_missing).explained_variance_ratio_.round(4)
    array([0.9824, 0.0091])
    """

    complexity = "n_components"

    needs = Needs(missing=True, scaled=True)
    units = "common"

    method: Literal["auto", "closed_form", "em"] = param(
        "auto",
        choices=("auto", "closed_form", "em"),
        doc="The closed form, or EM over the latent factors; auto takes EM only where values are missing.",
    )

    explained_variance_: Floats = learned("The variance along each axis, (q,), divided by Σw.", holds=floats("q"))
    explained_variance_ratio_: Floats = learned(
        "The share of the whole variance along each axis, (q,).", holds=floats("q")
    )
    singular_values_: Floats = learned("√(explained variance · Σw), (q,).", holds=floats("q"))
    noise_variance_: float = learned("σ².")
    loadings_: Floats = learned("W, (d, q).", holds=floats("d", "q"))

    def _family(self) -> LowRankGaussian:
        return LowRankGaussian(rank=self.n_components)

    def _with_missing(self, source: Source) -> Outcome[object]:
        if self.method == "closed_form":
            raise InvalidData('PPCA: X holds NaN, and the closed form needs every value; use method="auto".')
        return super()._with_missing(source)

    @staticmethod
    def _summarise_rows(chunk: Chunk) -> Moments | RootMoments:
        return RootMoments.of(chunk.X, chunk.weight)

    def _from_summary(self, summary: Moments | RootMoments) -> Outcome[Any]:
        columns = summary.by_column().scatter if isinstance(summary, RootMoments) else np.diagonal(summary.scatter)
        variance = float(columns.sum()) / (len(columns) * summary.weight)
        best = self._sound(self._family().mle(summary), variance)
        if self.method == "em" and variance > 0 and best.floor == 0:
            whole = summary.squared() if isinstance(summary, RootMoments) else summary
            return self._by_iterations(whole, variance)
        return closed_form(lambda: Step(best, self._likelihood(best, summary)))

    @staticmethod
    def _likelihood(best: LowRankGaussian, summary: Moments | RootMoments) -> float:
        """The mean log likelihood: at the maximum, rows have the squared length d on average in units of the model."""
        if best.floor > 0:
            return best.total_log_prob(summary) / summary.weight
        (d, q), noise = best.loadings.shape, float(best.noise[0])
        variance = (best.loadings**2).sum(axis=0) + noise  # along the axes, which are orthogonal
        log_determinant = d * np.log(2 * np.pi) + (d - q) * np.log(noise) + float(np.log(variance).sum())
        return float(-0.5 * (log_determinant + d))

    def _by_iterations(self, summary: Moments, variance: float) -> Outcome[Any]:
        """EM over the factors on the summary: it never lowers the likelihood, and ends at the closed form."""
        d, rng = len(summary.mean), generator(self.random_state)

        def start(run: int) -> LowRankGaussian:
            loadings = rng.normal(size=(d, self.n_components)) * np.sqrt(variance / d)
            return replace(self._family(), mean=summary.mean, loadings=loadings, noise=np.array([variance]))

        def step(member: LowRankGaussian) -> Step[LowRankGaussian]:
            member = member.em_round(summary)
            return Step(member, member.total_log_prob(summary) / summary.weight)

        stop = little_to_gain(self.tol)
        kept: Kept[LowRankGaussian] = Kept(instance(LowRankGaussian, d=d))
        return iterate(start, step, stop=stop, max_iter=self.max_iter, minimise=False, kept=kept, rng=rng)

    def _attributes(self, member: LowRankGaussian, weight: float) -> Attributes:
        components, strength = self._axes(member.loadings)
        member = member.with_arrays(loadings=components.T * strength)
        noise = float(member.noise[0])
        variance = strength**2 + noise
        return {
            "components_": components,
            "mean_": member.mean,
            "distribution_": member,
            "explained_variance_": variance,
            "explained_variance_ratio_": variance / float(strength @ strength + noise * len(member.mean)),
            "singular_values_": np.sqrt(variance * weight),
            "noise_variance_": noise,
            "loadings_": member.loadings,
        }

    def _axes(self, loadings: Floats) -> tuple[Floats, Floats]:
        """The orthonormal axes (q, d) of loadings, and their lengths along these, falling."""
        strength = np.sqrt(np.einsum("dq,dq->q", loadings, loadings))
        if self.method != "em" and strength.all():  # those of the closed form are orthogonal and in order
            return np.ascontiguousarray((loadings / strength).T), strength
        axes, strength, _ = np.linalg.svd(loadings, full_matrices=False)
        return with_sign(axes.T), strength
