"""Mixtures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sklearn.mixture as sk

import suffice as sf

from ..mixture import given
from .contest import Contest, no_less
from .tables import Table

# The most columns, and as a share of the rows: what is estimated from fewer rows is decided by the regularisation.
KINDS = {"full": (200, 1 / 20), "tied": (200, 1 / 2), "diag": (20_000, 10**9), "spherical": (20_000, 10**9)}
CUT = "cut to columns that its rows determine: with more, the regularisation decides, another one in each library"
ITERATIONS = 5
PARAMETERS = ("weights_", "means_", "covariances_", "precisions_cholesky_")


def _enough_rows(kind: str) -> Callable[[int, int], tuple[int, int]]:
    """At most so many columns that the rows decide, and not the regularisation."""
    columns, share = KINDS[kind]
    return lambda n, d: (n, min(d, columns, max(3, int(share * n))))


def _options(kind: str) -> Any:
    """The same start and the same number of iterations for all."""
    return lambda table: {**given(table.X, table.k, kind), "max_iter": ITERATIONS, "tol": 0.0, "random_state": 0}


def _densities(kind: str) -> Any:
    """Operations of one E-step."""

    def operations(table: Table) -> float:
        n, d = table.X.shape
        return float(n * table.k * (d * (d + 1) if kind in ("full", "tied") else 4 * d))

    return dict.fromkeys(("predict", "predict_proba", "score_samples", "score"), operations)


CONTESTS = [
    Contest(
        sf.GaussianMixture, {"scikit-learn": sk.GaussianMixture}, no_less("lower_bound_"), variant=kind,
        options=_options(kind), shape=_enough_rows(kind), cut=CUT, shared=PARAMETERS,
        operations=_densities(kind),
    )
    for kind in KINDS
]  # fmt: skip
CONTESTS += [
    Contest(
        sf.GaussianMixture, {"scikit-learn": sk.GaussianMixture}, no_less("lower_bound_", 0.02),
        variant="default start",
        options=lambda table: {"n_components": table.k, "max_iter": 20, "random_state": 0}, shape=_enough_rows("full"),
        cut=CUT, only_fit=True, axes=(),
    ),
]  # fmt: skip
ALONE = {sf.MixtureModel: "no peer has mixtures of any family; with Gaussians it is GaussianMixture"}
