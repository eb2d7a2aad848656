"""Outliers of columns: clipped, made missing, or flagged."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...data import Chunk, Source
from ...errors import InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import floats, require
from ...params import learned, param
from ...statistics.sorted_values import SortedValues
from ...typing import Floats, Reals, Whole
from .in_place import InPlace
from .places import values_of

_LIMITS = {"iqr": 1.5, "quantile": 0.01, "mad": 3.5}
_NORMAL = 1.4826  # the standard deviation of a normal distribution by its median absolute deviation


@estimator
class OutlierClipper(InPlace):
    """Bring outliers of each column back to its bounds, make them missing, or only say where they are.

    The bounds are quartiles ± `limit` times their distance ("iqr", 1.5: Tukey's fences), the quantiles at `limit` and
    1 − `limit` ("quantile", 0.01: winsorising), or the median ± `limit` times 1.4826 times the median absolute
    deviation ("mad", 3.5: robust z-scores). Where quartiles or deviations are 0, nothing is an outlier. Rows count by
    weight; quantiles are exact up to 131,072 different values of a column, from bins of neighbours beyond.
    `add_indicator` adds a column of 0 and 1 for each. Missing values stay missing, and are no outliers.

    An outlier of one column only: `DensityAnomaly` finds rows that are unlikely as a whole.

    Examples
    --------
    >>> import suffice as sf
    >>> X = [[1.0], [2.0], [3.0], [4.0], [100.0]]
    >>> sf.OutlierClipper().fit_transform(X).ravel()
    array([1., 2., 3., 4., 7.])
    >>> sf.OutlierClipper(action="keep", add_indicator=True).fit_transform(X)[3:]
    array([[  4.,   0.],
           [100.,   1.]])
    """

    read_late = ("add_indicator",)

    method: str = param("iqr", positional=True, choices=tuple(_LIMITS), doc="How the bounds are found.")
    limit: float | None = param(
        None,
        number=True,
        at_least=0,
        at_most=1e9,
        choices=(None,),
        doc="How far they are: 1.5, 0.01 or 3.5 by default.",
    )
    action: str = param(
        "clip", choices=("clip", "missing", "keep"), doc="What becomes of outliers: the bound, NaN, or themselves."
    )
    add_indicator: bool = param(
        False, choices=(True, False), doc="Whether columns of 0 and 1 follow that say what was an outlier."
    )

    lower_: Floats = learned("The lower bound of each mapped column, (m,).", holds=floats("m"))
    upper_: Floats = learned("The upper bound, (m,).", holds=floats("m"))

    def check_loaded(self) -> None:
        super().check_loaded()
        require(np.all(self.lower_ <= self.upper_), "lower_ must not be above upper_")

    def _found(self, source: Source, chosen: Whole) -> Attributes:
        limit = _LIMITS[self.method] if self.limit is None else float(self.limit)
        if self.method == "quantile" and limit > 0.5:
            raise InvalidParameter(f"{type(self).__name__}: limit must be at most 0.5 for quantiles; got {limit:g}.")
        columns = values_of(source, chosen, type(self).__name__).columns
        lower, upper = np.array([_bounds(column, self.method, limit) for column in columns]).T
        return {"lower_": lower, "upper_": upper}

    def _features(self, X: Reals) -> Reals:
        lower, upper = self.lower_.astype(X.dtype), self.upper_.astype(X.dtype)
        if self.action == "clip":
            return np.clip(X, lower, upper)
        return np.where((lower > X) | (upper < X), np.nan, X) if self.action == "missing" else X

    def _forward(self, chunk: Chunk) -> Reals:
        made = super()._forward(chunk)
        if not self.add_indicator:
            return made
        X = chunk.X[:, self.mapped_]
        out = (self.lower_.astype(X.dtype) > X) | (self.upper_.astype(X.dtype) < X)
        return np.concatenate([made, out.astype(X.dtype)], axis=1)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """The names of the columns, and of the indicators."""
        names = super().get_feature_names_out(input_features)
        flags = [f"outlierindicator_{name}" for name in names[self.mapped_]] if self.add_indicator else []
        return np.array([*names, *flags], dtype=object)


def _bounds(values: SortedValues, method: str, limit: float) -> tuple[float, float]:
    """The lower and the upper bound of a column."""
    if method == "quantile":
        low, high = values.quantile(np.array([limit, 1 - limit]))
        return float(low), float(high)
    if method == "iqr":
        low, high = values.quantile(np.array([0.25, 0.75]))
        spread = high - low
    else:
        x, weight = values.in_order()
        low = high = values.median()
        spread = _NORMAL * SortedValues.of(np.abs(x - low), weight).median()
    if spread <= 0:
        low, high = values.quantile(np.array([0.0, 1.0]))
    return float(low - limit * spread), float(high + limit * spread)
