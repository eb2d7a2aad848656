"""Bumps around centres."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
from scipy.spatial.distance import pdist

from ...data import Needs, Source
from ...data.schema import unnamed
from ...estimator import Attributes, estimator
from ...holds import floats
from ...kernels import GaussianKernel
from ...params import are_numbers, learned, numbers, param
from ...randomness import generator, random_state_param
from ...typing import Floats, RandomState, Reals, Whole
from ..cluster.kmeans import KMeans
from .base import FeatureMap, check_different, selected
from .distinct_rows import DistinctRows


@estimator
class RBFFeatures(FeatureMap):
    """Bumps around centres: φ_k(x) = exp(−‖x − c_k‖² / 2α²).

    The centres c_k are rows drawn among all different ones, each as likely ("sample"), the centres of `KMeans`
    ("k-means"), or given. The width α is a number, or the median of the distances of the centres from each other. Units
    matter: scale the columns first. A linear model of the bumps is a radial basis function network.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.RBFFeatures(centers=[[0.0], [2.0]], width=1.0).fit([[1.0]])
    >>> model.transform([[0.0], [1.0]]).round(3)
    array([[1.   , 0.135],
           [0.607, 0.607]])
    """

    complexity = "n_centers"

    needs = Needs(scaled=True, one_hot=True)

    n_centers: int = param(10, positional=True, integer=True, at_least=1, doc="How many centres, where none are given.")
    centers: object = param(
        "sample",
        choices=("sample", "k-means"),
        accept=lambda value: are_numbers(value, 2),
        allowed="an array (k, columns)",
        doc="Where the centres come from.",
    )
    width: object = param("median", number=True, above=0, choices=("median",), doc="The width α of the bumps.")
    random_state: RandomState = random_state_param()

    centers_: Floats = learned("The centres, (k, m).", holds=floats("k", "m"))
    width_: float = learned("The width α.")

    def check_loaded(self) -> None:
        super().check_loaded()
        GaussianKernel(_gamma(self.width_))

    def _found(self, source: Source, chosen: Whole) -> Attributes:
        centres = self._centres(source, chosen)
        width = self.width
        if isinstance(width, str):
            apart = pdist(centres)
            width = float(np.median(apart)) if len(apart) else 0.0
        return {"centers_": centres, "width_": float(width) or 1.0}  # type: ignore[arg-type]

    def _centres(self, source: Source, chosen: Whole) -> Floats:
        if not isinstance(self.centers, str):
            given = np.asarray(self.centers)
            shape, owner = (max(1, len(given)), len(chosen)), type(self).__name__
            held = numbers(owner, "centers", given, shape, "one row a centre, one column for each mapped")
            check_different(held, owner, "centers")
            return held
        rows = source.mapped(partial(selected, columns=chosen), unnamed(len(chosen)))
        rng = generator(self.random_state)
        if self.centers == "sample":
            drawn = rows.reduce(partial(DistinctRows.of, size=self.n_centers, seed=int(rng.integers(2**62))))
            return drawn.rows
        return np.asarray(KMeans(self.n_centers, random_state=rng).fit_source(rows).cluster_centers_, dtype=np.float64)

    def _features(self, X: Reals) -> Reals:
        with np.errstate(over="ignore", invalid="ignore"):
            bumps: Reals = GaussianKernel(_gamma(self.width_))(X, self.centers_)
        return np.nan_to_num(bumps, copy=False, nan=0.0)  # infinitely far away

    def _feature_names(self, names: Sequence[str]) -> Iterable[str]:
        return (f"rbf{k}" for k in range(len(self.centers_)))


def _gamma(width: float) -> float:
    """The scale of the kernel, which may be neither 0 nor infinite."""
    with np.errstate(over="ignore", divide="ignore", under="ignore"):
        found = 0.5 / np.float64(width) / np.float64(width)
    return float(np.clip(found, 1e-300, 1e300))
