"""Anomalies and missing values."""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn.impute
from sklearn.experimental import enable_iterative_imputer  # noqa: F401

import suffice as sf

from .contest import UNGROUPED, Contest, at_most
from .tables import Table, holes


def _imputed_as_well(ours: Any, theirs: Any, table: Table) -> None:
    """The columns are linear in one another, so that the two answers nearly agree."""
    mine, other = ours.transform(table.X), theirs.transform(table.X)
    spread = np.nanstd(table.X)
    assert np.sqrt(np.mean((mine - other) ** 2)) < 0.5 * spread, (
        "the imputed values differ by more than half the spread"
    )


def _iterative(**options: Any) -> Any:
    return sklearn.impute.IterativeImputer(max_iter=10, random_state=0)


CONTESTS = [
    Contest(
        sf.GaussianImputer, {"scikit-learn, IterativeImputer": _iterative}, _imputed_as_well, rows=holes,
        shape=at_most(100_000, 30), axes=UNGROUPED, unlike={"transform": "the imputed values differ a little"},
    ),
]  # fmt: skip
ALONE = {
    sf.DensityAnomaly: "a threshold on score_samples of a density; the densities are compared themselves",
    sf.MixtureImputer: "no peer imputes by a mixture; the mixtures are compared as GaussianMixture",
}
