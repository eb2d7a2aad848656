"""The order of the rows changes nothing, to rounding, where no two rows tie."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..estimator import Clusterer, Estimator
from ..typing import EstimatorLike, Labels
from .own_results import result_of, takes_results
from .results import Results, assert_same, fresh, results

Whole = NDArray[np.int64]


def row_order_checks(cls: type[Estimator]) -> Iterator[tuple[str, Callable[[], None]]]:
    """For every estimator, without and with weights."""
    for weighted in (False, True):
        yield "order_of_rows_does_not_matter", partial(order_of_rows_does_not_matter, cls, weighted)


def order_of_rows_does_not_matter(cls: type[Estimator], weighted: bool) -> None:
    """A fit of the rows in another order gives the same answers; where starts are drawn, from the same start."""
    rng = np.random.default_rng(13)
    X, y = cls.example(rng, 90)
    weight = rng.integers(1, 4, len(X)).astype(np.float64) if weighted else None
    order = rng.permutation(len(X))
    own, other = fresh(cls), fresh(cls)
    if takes_results(cls):
        start = fresh(cls).set_params(max_iter=2).fit(X, y)
        own.set_params(init=result_of(start))
        other.set_params(init=_reordered(result_of(start), order, start))
    own.fit(X, y, sample_weight=weight)
    other.fit(X[order], _at(y, order), sample_weight=_at(weight, order))
    named = _without_names if issubclass(cls, Clusterer) else _as_it_is
    assert_same(named(results(other, X)), named(results(own, X)), rtol=1e-6)


def _at(values: Labels | None, rows: Whole) -> Labels | None:
    return None if values is None else values[rows]


def _reordered(result: Any, order: Whole, model: EstimatorLike) -> Any:
    """A start for the rows in another order: numbers of rows and labels of rows go with them, centres stay."""
    if hasattr(model, "medoid_indices_"):
        return np.argsort(order)[result]
    return result if hasattr(model, "cluster_centers_") else result[order]


def _as_it_is(found: Results) -> Results:
    return found


def _without_names(found: Results) -> Results:
    """Clusters are numbered anew in the order of the rows that ask, columns of clusters sorted in each row."""
    return {
        name: np.sort(values, axis=1) if values.ndim == 2 else _renumbered(values) for name, values in found.items()
    }


def _renumbered(labels: Labels) -> NDArray[np.generic]:
    if labels.dtype.kind == "f":
        return labels
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]
