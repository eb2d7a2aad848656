"""Columns by their empirical distribution."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from ...backend import features
from ...data import Source
from ...estimator import Attributes, estimator
from ...holds import floats, require
from ...params import derived, learned, param
from ...scikit_learn import COPY, Counterpart
from ...typing import Floats, Reals, Whole
from .in_place import Invertible
from .places import values_of

_EVERY_ROW = "every row is looked at, in bounded memory"
_EDGE = 1e-7  # so near to 0 and 1 a normal quantile is cut off
_FURTHEST = float(-ndtri(_EDGE - np.spacing(1)))


@estimator
class QuantileTransformer(Invertible):
    """The share of rows that lie below a value, F(x) = P(X < x), or the normal number of which as many lie below.

    The empirical distribution of each column, which its quantiles say and straight lines between them: a monotone map
    that takes away any skew and the weight of outliers, and all distances with them. Values beyond the bounds of the
    fit become 0 and 1. Rows count by weight; quantiles are exact up to 131,072 different values of a column, from bins
    of neighbours beyond. Missing values stay missing.

    Examples
    --------
    >>> import suffice as sf
    >>> model = sf.QuantileTransformer().fit([[1.0], [2.0], [100.0]])
    >>> model.transform([[1.0], [2.0], [51.0], [900.0]]).ravel()
    array([0.  , 0.5 , 0.75, 1.  ])
    """

    read_late = ("output_distribution",)
    read_by_transform = ("_curves",)

    counterpart: ClassVar = Counterpart(
        "sklearn.preprocessing",
        ignored={"copy": COPY, "subsample": _EVERY_ROW, "random_state": _EVERY_ROW},
        absent={"ignore_implicit_zeros": "rows are dense"},
    )

    squares = False

    n_quantiles: int = param(1000, integer=True, at_least=1, at_most=1_000_000, doc="How many quantiles at the most.")
    output_distribution: str = param(
        "uniform", choices=("uniform", "normal"), doc="Whether the result is F(x) or the normal number for it."
    )

    quantiles_: Floats = learned("The quantiles of each mapped column, (q, m).", holds=floats("q", "m"))
    references_: Floats = learned("The shares below them, (q,).", holds=floats("q", at_least=0, at_most=1))
    n_quantiles_: int = learned("How many quantiles there are: no more than rows.")

    def check_loaded(self) -> None:
        super().check_loaded()
        rising = np.all(np.diff(self.quantiles_, axis=0) >= 0) and np.all(np.diff(self.references_) >= 0)
        require(len(self.references_) and rising, "quantiles_ and references_ must rise")
        self._compute_tables()

    def _found(self, source: Source, chosen: Whole) -> Attributes:
        values = values_of(source, chosen, type(self).__name__)
        one = min(1.0, min(float(column.in_order()[1].min()) for column in values.columns))  # as in `quantile`
        count = max(1, round(min(self.n_quantiles, values.rows / one)))
        shares = np.linspace(0, 1, count)
        quantiles = np.column_stack([column.quantile(shares) for column in values.columns])
        rising = np.maximum.accumulate(quantiles, axis=0)
        return {"quantiles_": rising, "references_": shares, "n_quantiles_": count}

    def _features(self, X: Reals) -> Reals:
        knots, shares = self._curves
        if self.output_distribution == "uniform":
            return features.interpolate(X, knots, shares)
        share = features.interpolate(X.astype(np.float64, copy=False), knots, shares)
        low, high = knots[:, 0], knots[:, -1]
        share = np.where(low > X - _EDGE, 0.0, np.where(high < X + _EDGE, 1.0, share))
        return np.asarray(np.clip(ndtri(share), -_FURTHEST, _FURTHEST))

    def _back(self, X: Reals) -> Reals:
        share = X
        if self.output_distribution == "normal":
            share = ndtr(X.astype(np.float64, copy=False))
            share = np.where(share < _EDGE, 0.0, np.where(share > 1 - _EDGE, 1.0, share))  # what was cut off
        knots, shares = self._curves
        return features.interpolate(share, shares, knots)

    @derived
    def _curves(self) -> tuple[Floats, Floats]:
        """The quantiles of each column and the shares below them, (m, q); a single quantile stands for both ends."""
        ends = [0, 0] if len(self.references_) == 1 else slice(None)
        shares = np.array([0.0, 1.0]) if len(self.references_) == 1 else self.references_
        knots = np.ascontiguousarray(self.quantiles_[ends].T)
        return knots, np.tile(shares, (len(knots), 1))
