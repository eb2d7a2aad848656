"""Factor models."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import sklearn.decomposition as sk

import suffice as sf

from .contest import UNGROUPED, Contest, Differs, at_most
from .projection import SUMMED, solver
from .tables import Table


def _no_less_likely(ours: Any, theirs: Any, table: Table) -> None:
    mine, other = float(ours.score(table.X)), float(theirs.score(table.X))
    assert mine >= other - 1e-3 * abs(other), f"log-likelihood {mine:.6g} against {other:.6g}"


def _as_likely(ours: Any, theirs: Any, table: Table) -> None:
    _no_less_likely(ours, theirs, table)
    mine, other = float(ours.score(table.X)), float(theirs.score(table.X))
    if other < mine - 0.01:  # stopped before the maximum
        raise Differs(f"log-likelihood {mine:.6g} against {other:.6g}")


def _as_much_variance(ours: Any, theirs: Any, table: Table) -> None:
    """As likely, and every axis as strong: those that a randomized solver finds last may be far from the best."""
    _no_less_likely(ours, theirs, table)
    n = len(table.X)
    mine, other = ours.explained_variance_, theirs.explained_variance_ * (n - 1) / n
    if np.any(other < mine * (1 - 1e-3)):
        raise Differs(f"explained variance {mine[-1]:.4g} of the last axis against {other[-1]:.4g}")


def _components(table: Table) -> dict[str, Any]:
    return {"n_components": min(5, table.X.shape[1] - 1) or 1}


SOLVERS = ("randomized", "lapack")
ROTATED = dict.fromkeys(("transform", "inverse_transform"), "the latent coordinates are equal up to a rotation")
ENDS = dict.fromkeys(("score", "score_samples", "get_covariance", "get_precision"), "each stops at a point of its own")
UNBIASED = dict.fromkeys(ENDS, "scikit-learn's variances are unbiased, ours those of maximum likelihood")
CONTESTS = [
    Contest(
        sf.FactorAnalysis, {f"scikit-learn, {name}": partial(sk.FactorAnalysis, svd_method=name) for name in SOLVERS},
        _as_likely, options=lambda table: {**_components(table), "random_state": 0, "max_iter": 100},
        shape=at_most(columns=500), axes=UNGROUPED, unlike=ROTATED | ENDS,
    ),
    Contest(
        sf.PPCA, {f"scikit-learn, PCA, {name}": solver(name) for name in ("auto", "covariance_eigh", "arpack")},
        _as_much_variance, options=_components, shape=at_most(columns=2000), axes=UNGROUPED,
        unlike=ROTATED | UNBIASED, in_single=SUMMED,
    ),
]  # fmt: skip
ALONE = {
    sf.MixtureOfFactorAnalysers: "no package that is kept up has mixtures of factor analysers",
    sf.MixtureOfPPCA: "no package that is kept up has mixtures of probabilistic PCA",
}
