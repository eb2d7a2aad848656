"""Factor analysis."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np

from ...distributions import FactorGaussian
from ...engine import Kept, Outcome, Step, closed_form, iterate, small_change
from ...estimator import Attributes, estimator
from ...holds import floats, instance
from ...params import learned, param
from ...scikit_learn import COPY, Counterpart
from ...statistics import Moments
from ...typing import Floats
from ..projection.spectrum import with_sign
from .factor_model import FactorModel

_POWER = {"varimax": 1.0, "quartimax": 0.0}


@estimator
class FactorAnalysis(FactorModel):
    """Factor analysis: x = W z + m + ε with noise ψⱼ of each column's own, so max Σ w log N(x; m, W Wᵀ + diag(ψ)).

    Where nothing is missing, all iterations work on one summary of the rows: each ψⱼ at its best, then W at its best,
    so that no iteration lowers the likelihood. The noise of a column is at least 1e-6 of its variance. Rows with
    missing values are completed by their expectation, by EM. A rotation of the factors changes no density, only how the
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

    noise_variance_: Floats = learned("ψ, (d,).", holds=floats("d"))

    @property
    def _factors(self) -> int:
        return int(self.n_features_in_) if self.n_components is None else self.n_components

    def _family(self) -> FactorGaussian:
        return FactorGaussian(rank=self._factors)

    def _from_summary(self, summary: Moments) -> Outcome[Any]:
        family, variance = self._family(), np.diagonal(summary.covariance())
        if not variance.any():
            member = self._sound(family.around(summary.mean, variance), 0.0)
            return closed_form(lambda: Step(member, member.total_log_prob(summary) / summary.weight))

        def step(member: FactorGaussian) -> Step[FactorGaussian]:
            member = member.climbed(summary)
            return Step(member, member.total_log_prob(summary) / summary.weight)

        return iterate(
            lambda run: family,
            step,
            stop=small_change(self.tol),
            max_iter=self.max_iter,
            minimise=False,
            kept=Kept(instance(FactorGaussian, d=len(variance))),
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
