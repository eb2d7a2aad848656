"""Smooth steps along columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.special import expit

from ...data import Source
from ...estimator import Attributes, estimator
from ...holds import floats
from ...params import are_numbers, learned, numbers, param
from ...typing import Floats, Reals, Whole
from .base import FeatureMap, check_different, per_column
from .places import places


@estimator
class SigmoidFeatures(FeatureMap):
    """Smooth steps along each column: φ_k(x) = σ((x − c_k) / s), σ(z) = 1 / (1 + e⁻ᶻ).

    The centres c_k lie at quantiles of the column, evenly between its bounds, or where `centers` says. A linear model
    of them rises and falls from one centre to the next, and is constant far outside. Missing values stay missing.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.SigmoidFeatures(3, centers="uniform").fit([[0.0], [1.0], [4.0]])
    >>> model.centers_.ravel(), model.scales_
    (array([0., 2., 4.]), array([2.]))
    >>> model.transform([[2.0]]).round(3)
    array([[0.731, 0.5  , 0.269]])
    """

    complexity = "n_centers"

    n_centers: int = param(
        5, positional=True, integer=True, at_least=1, at_most=100_000, doc="How many steps a column."
    )
    centers: object = param(
        "quantile",
        choices=("quantile", "uniform"),
        accept=lambda value: are_numbers(value, 1, 2),
        allowed="numbers, (k,) for all columns or (k, columns)",
        doc="Where the steps are; quantiles count rows by weight.",
    )
    scale: object = param(
        None,
        number=True,
        above=0,
        choices=(None,),
        accept=lambda value: are_numbers(value, 1),
        allowed="a list of one number a column",
        doc="How wide a step is, s; by default the mean distance of neighbouring centres.",
    )

    centers_: Floats = learned("The centres of each mapped column, (k, m).", holds=floats("k", "m"))
    scales_: Floats = learned("The width of the steps of each mapped column, (m,).", holds=floats("m", above=0))

    def _found(self, source: Source, chosen: Whole) -> Attributes:
        owner, m = type(self).__name__, len(chosen)
        if isinstance(self.centers, str):
            centres = places(source, chosen, self.n_centers, self.centers, owner)
        else:
            given = np.asarray(self.centers)
            shape = (max(1, len(given)), *(() if np.ndim(given) == 1 else (m,)))
            held = numbers(owner, "centers", given, shape, "one row a centre, one column for each mapped")
            check_different(held, owner, "centers")
            centres = np.sort(np.broadcast_to(held if held.ndim == 2 else held[:, None], (len(held), m)), axis=0)
        if self.scale is not None:
            return {"centers_": centres, "scales_": per_column(self.scale, m, owner, "scale", "a number")}
        gaps = (centres[-1] - centres[0]) / max(1, len(centres) - 1)
        return {"centers_": centres, "scales_": np.where(gaps > 0, gaps, 1.0)}

    def _features(self, X: Reals) -> Reals:
        centres, scales = self.centers_.astype(X.dtype).T, self.scales_.astype(X.dtype)[:, None]  # (m, k), (m, 1)
        with np.errstate(over="ignore"):
            steps: Reals = expit((X[:, :, None] - centres) / scales)  # (n, m, k)
        return steps.reshape(len(X), -1)

    def _feature_names(self, names: Sequence[str]) -> Iterable[str]:
        return (f"{name}_sigmoid{k}" for name in names for k in range(len(self.centers_)))
