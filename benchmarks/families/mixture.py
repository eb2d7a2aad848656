"""Mixtures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sklearn.mixture as sk

import suffice as sf

from ..mixture import given
from .contest import Contest, no_less
from .tables import Table

KINDS = {"full": 200, "tied": 200, "diag": 20_000, "spherical": 20_000}  # and the most columns
ITERATIONS = 5
PARAMETERS = ("weights_", "means_", "covariances_", "precisions_cholesky_")


def _enough_rows(columns: int) -> Callable[[int, int], tuple[int, int]]:
    """Where a component has hardly more rows than columns, the regularisation decides: another one in each library."""
    return lambda n, d: (n, min(d, columns, max(3, n // 20) if columns < 1000 else d))


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
        options=_options(kind), shape=_enough_rows(columns), shared=PARAMETERS, operations=_densities(kind),
    )
    for kind, columns in KINDS.items()
]  # fmt: skip
CONTESTS += [
    Contest(
        sf.GaussianMixture, {"scikit-learn": sk.GaussianMixture}, no_less("lower_bound_", 0.02),
        variant="default start",
        options=lambda table: {"n_components": table.k, "max_iter": 20, "random_state": 0}, shape=_enough_rows(200),
        only_fit=True, axes=(),
    ),
]  # fmt: skip
ALONE = {sf.MixtureModel: "no peer has mixtures of any family; with Gaussians it is GaussianMixture"}
