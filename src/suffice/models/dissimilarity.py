"""Dissimilarities of rows: any distance, a function, or a matrix that was computed before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .. import backend as arrays
from ..backend.medoids import fault
from ..data import Schema
from ..distances import DISTANCES, Distance, as_distance, asymmetry, is_function
from ..errors import InvalidData
from ..holds import either, instance, optional, text
from ..params import param
from ..registry import registered
from ..typing import Numbers

Metric = str | Distance | Callable[..., float]
Array = NDArray[Any]

NO_COMMON_COLUMN = (
    "the check spreads missing values so that two of its rows have no column in common, and all pairs of rows need a "
    "distance"
)
_BLOCK_CELLS = 1 << 20  # dissimilarities computed at once: some megabytes


@registered("part/Dissimilarity")
@dataclass(frozen=True)
class Dissimilarity:
    """A way to compare rows; `distance` is the metric with what it has learned from all rows."""

    owner: str
    metric: Metric
    distance: Distance | None = None

    holds: ClassVar = {"metric": either(text(), instance(Distance)), "distance": optional(instance(Distance, d="d"))}

    @classmethod
    def of(cls, owner: str, metric: Metric, X: Numbers, weight: Array | None, schema: Schema) -> Dissimilarity:
        """The metric, with the ranges, the variances or the covariance of the rows where it needs them."""
        if is_precomputed(metric):
            return cls(owner, metric)
        return cls(owner, metric, as_distance(metric, owner).for_columns(schema).fitted(X, weight=weight))

    def between(self, X: Numbers, at: Array, rows: Numbers | None) -> Array:
        """From the rows X to the learned rows number `at`, which are `rows`, (m, k), in the type of X."""
        if self.distance is None or len(at) == 0:
            return np.asarray(X[:, at])
        return self._compared(X, rows)

    def _compared(self, X: Numbers, rows: Numbers | None) -> Array:
        assert self.distance is not None
        try:
            compare = self.distance.of_checked if self._is_checked(X, rows) else self.distance.pairwise
            found = np.asarray(compare(X, rows))
        except InvalidData as error:
            raise InvalidData(f"{self.owner}: {error}") from None
        if self.distance.missing and arrays.first_bad(found) is not None and np.isnan(found).any():
            i, j = np.argwhere(np.isnan(found))[0]
            one, other = X[i], (X if rows is None else rows)[j]
            raise InvalidData(
                f"{self.owner}: the rows {_said(one)} and {_said(other)} have no column in common; drop one, or fill "
                "missing values."
            )
        return found

    def _is_checked(self, X: Numbers, rows: Numbers | None) -> bool:
        """Whether rows are tables of as many columns, as a source has checked them, that the distance takes as such."""
        assert self.distance is not None
        given = (X,) if rows is None else (X, rows)
        return (
            type(self.distance).matrix is Distance.matrix
            and not self.distance.learns
            and all(isinstance(one, np.ndarray) and one.dtype in (np.float32, np.float64) for one in given)
            and len({one.shape[1:] for one in given}) == 1
        )

    def blocks(self, n: int, width: int) -> list[slice]:
        """The n rows cut so that `width` dissimilarities for each row of a block take some megabytes."""
        height = max(1, _BLOCK_CELLS // max(1, width))
        return [slice(start, min(n, start + height)) for start in range(0, n, height)]

    def matrix(self, X: Numbers) -> Array:
        """All pairs of rows, (n, n), in the type of X; each pair is computed once."""
        return self._compared(X, None)


def _said(row: Numbers) -> list[float]:
    """The cells of a row, dense or sparse."""
    found: list[float] = np.ravel(sparse.coo_array(row).toarray() if sparse.issparse(row) else row).tolist()
    return found


def metric_param() -> Any:
    """The declaration of `metric` where every pair of rows has one distance."""
    return param(
        "euclidean",
        choices=("precomputed",),
        names=DISTANCES.only(asymmetry),
        accept=is_function,
        allowed="a function of two rows",
        doc="The distance of two rows: a name, a distance, a function; precomputed: X holds them, of all pairs.",
    )


def is_precomputed(metric: Metric) -> bool:
    """Whether X holds distances instead of rows."""
    return isinstance(metric, str) and metric == "precomputed"


def measured(metric: Metric) -> Distance | None:
    """The distance that a parameter stands for; None where X holds the distances, or the value will be refused."""
    return as_distance(metric) if metric in DISTANCES or is_function(metric) else None


def check_precomputed(owner: str, D: Array) -> None:
    """Refuse a matrix that does not hold the dissimilarities of all pairs of rows."""
    if D.shape[0] != D.shape[1]:
        raise InvalidData(
            f"{owner}: metric='precomputed' needs a square matrix, one row and one column for each object; "
            f"X has shape {D.shape}. Give all pairs, or rows with another metric."
        )
    tolerance = 1e-8 if D.dtype == np.float64 else 1e-5
    bad = fault(D, tolerance)
    if bad is not None:
        kind, i, j = bad
        here, there = f"X[{i}, {j}] is {float(D[i, j])}", f"X[{j}, {i}] is {float(D[j, i])}"
        if kind == "negative":
            raise InvalidData(
                f"{owner}: {here}; precomputed dissimilarities must be finite and not negative. "
                "Turn similarities s into dissimilarities, such as max(s) - s."
            )
        raise InvalidData(
            f"{owner}: {here} but {there}; precomputed dissimilarities must be symmetric. Use (X + X.T) / 2."
        )
    own = np.diagonal(D)
    at = int(np.argmax(own))
    if own[at] > 0 and own[at] > tolerance * float(D.max()):
        raise InvalidData(
            f"{owner}: X[{at}, {at}] is {float(own[at])}; the dissimilarity of a row to itself must be 0. "
            "Set it with numpy.fill_diagonal(X, 0)."
        )
