"""Factor analysis."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np

from ...data import Chunk
from ...distributions import FactorGaussian
from ...engine import Kept, Outcome, Step, closed_form, iterate
from ...errors import HeywoodCase, warn
from ...estimator import Attributes, estimator
from ...holds import floats, instance
from ...params import learned, param
from ...randomness import generator
from ...scikit_learn import COPY, Counterpart
from ...statistics import Moments, RootMoments
from ...statistics.spectrum import with_sign
from ...typing import Floats, Whole
from .factor_model import FactorModel

_STARTS = 4  # where the first ends at a bound
_POWER = {"varimax": 1.0, "quartimax": 0.0}


@estimator
class FactorAnalysis(FactorModel):
    """Factor analysis: x = W z + m + ε with noise ψⱼ of each column's own, so max Σ w log N(x; m, W Wᵀ + diag(ψ)).

    Where nothing is missing, all iterations work on one summary of the rows: the best W follows from ψ, which is
    sought by L-BFGS, so that no iteration lowers the likelihood. There may be several maxima, hence `n_init`. The noise
    of a column may go to zero (a Heywood case); it stays at the bound `min_noise`, with a warning. Rows with missing
    values are completed by their expectation, by EM. A rotation of the factors changes no density, only how the
    loadings read.

    Examples
    --------
    >>> import suffice as sf
    >>> arrests = sf.StandardScaler().fit_transform(sf.datasets.load("usarrests").matrix())
    >>> model = sf.FactorAnalysis(1).fit(arrests)
    >>> model.components_.round(2)
    array([[0.82, 0.98, 0.26, 0.68]])
    >>> model.noise_variance_.round(2)
    array([0.33, 0.04, 0.93, 0.53])
    """

    complexity = "n_components"

    units = "columns"
    counterpart: ClassVar = Counterpart(
        "sklearn.decomposition",
        ignored={
            "copy": COPY,
            "svd_method": "the decomposition is exact",
            "iterated_power": "the decomposition is exact",
        },
        absent={"noise_variance_init": "the noise is found from the summary, whatever it starts with"},
    )

    n_components: int | None = param(  # type: ignore[assignment]
        1,
        positional=True,
        integer=True,
        at_least=1,
        choices=(None,),
        doc="How many latent factors, q; None: as many as columns.",
    )
    rotation: Literal["varimax", "quartimax"] | None = param(
        None, choices=(None, *_POWER), doc="How the factors are turned: loadings that are large or small, by factor "
        "(varimax) or by column (quartimax); None: by the variance they explain."
    )  # fmt: skip

    n_init: int | Literal["auto"] = param(
        "auto",
        integer=True,
        at_least=1,
        choices=("auto",),
        doc="How many starts, all but the first with noise at random; the best is kept. auto: one, and three more if "
        "it ends with a noise at its bound, as it may beside a better maximum. One where values are missing.",
    )
    min_noise: float = param(
        1e-6, number=True, above=0, below=1, doc="The share of a column's variance that is noise at the least."
    )

    noise_variance_: Floats = learned("ψ, (d,).", holds=floats("d"))

    @property
    def _factors(self) -> int:
        return int(self.n_features_in_) if self.n_components is None else self.n_components

    def _family(self) -> FactorGaussian:
        return FactorGaussian(rank=self._factors, least=self.min_noise)

    @staticmethod
    def _summarise_rows(chunk: Chunk) -> Moments | RootMoments:
        return RootMoments.of(chunk.X, chunk.weight)

    def _from_summary(self, summary: Moments | RootMoments) -> Outcome[Any]:
        family = self._family()
        profile = family.profile(summary)
        if not profile.variance.any():
            member = self._sound(family.around(summary.mean, profile.variance), 0.0)
            return closed_form(lambda: Step(member, member.total_log_prob(summary) / summary.weight))

        saturated = family.saturated(profile) if self.n_init == "auto" else None
        if saturated is not None:
            return closed_form(lambda: Step(*saturated))

        reached: list[tuple[FactorGaussian, float]] = []  # of the last iteration

        def step(member: FactorGaussian) -> Step[FactorGaussian]:
            new, likelihood, done = member.ascended(profile, self.tol)
            if reached and reached[0][0] is member and likelihood < reached[0][1]:  # only rounding is left
                return Step(member, reached[0][1], done=True)
            reached[:] = [(new, likelihood)]
            return Step(new, likelihood, done=done)

        rng = generator(self.random_state)
        outcome = iterate(
            lambda run: family.anywhere(profile, rng) if run else family.started(profile),
            step,
            max_iter=self.max_iter,
            restarts=_STARTS if self.n_init == "auto" else self.n_init,
            minimise=False,
            kept=Kept(instance(FactorGaussian, d=len(profile.unit))),
            rng=rng,
            enough=lambda member: self.n_init == "auto" and not len(member.bounded(profile)),
        )
        self._warn_of_bounds(outcome.state.bounded(profile))
        return outcome

    def _warn_of_bounds(self, columns: Whole) -> None:
        if len(columns):
            names = getattr(self, "feature_names_in_", np.arange(self.n_features_in_))[columns]
            warn(
                f"FactorAnalysis: the noise of column {', '.join(map(str, names))} is at its bound, min_noise="
                f"{self.min_noise:g} of the variance (a Heywood case): the factors explain it entirely. Fewer factors, "
                "more rows or a larger min_noise (R's factanal: 0.005) avoid it.",
                HeywoodCase,
            )

    def _attributes(self, member: Any, weight: float) -> Attributes:
        loadings = member.loadings
        if self.rotation is not None:
            loadings = loadings @ rotated(loadings, _POWER[self.rotation])
        components = with_sign(loadings.T)
        return {
            "components_": components,
            "mean_": member.mean,
            "distribution_": replace(member, loadings=np.ascontiguousarray(components.T)),
            "noise_variance_": member.noise,
        }


def rotated(loadings: Floats, power: float, iterations: int = 1000) -> Floats:
    """The rotation R (q, q) that makes Σ (W R)⁴ − power · Σⱼ (Σᵢ (W R)ᵢⱼ²)² / d largest, by repeated SVD."""
    turn, before = np.eye(loadings.shape[1]), 0.0
    for _ in range(iterations):
        turned = loadings @ turn
        slope = turned**3 - power * turned * np.mean(turned**2, axis=0)
        left, values, right = np.linalg.svd(loadings.T @ slope)
        turn = left @ right
        if values.sum() <= before * (1 + 1e-12):
            break
        before = float(values.sum())
    return turn
