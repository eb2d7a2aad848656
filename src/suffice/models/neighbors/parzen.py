"""What Parzen windows share: rows within a radius, or all rows, weighted by their distance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidParameter, RefusedRow
from ...estimator import declares
from ...indices import Scanned
from ...kernels import WINDOWS, Window
from ...params import param
from ...typing import Floats, Numbers, TableLike
from .base import NeighborsModel
from .votes import Pairs, given_factors

T = TypeVar("T", bound=np.generic)
_CELLS = 1 << 22  # pairs looked at together
_AHEAD = 1 << 16  # queries offered to an index that takes as many as have few enough pairs


@declares
class ParzenWindows(NeighborsModel):
    """Base: a window around each query."""

    radius: float = param(
        1.0, positional=True, number=True, above=0, doc="The radius of the window, or its scale where it never ends."
    )
    window: str | Window | Callable[[object], object] = param(
        "constant",
        names=WINDOWS,
        accept=callable,
        allowed="a function of distance / radius",
        doc="What a row counts by u = distance / radius; gaussian and exponential windows have no end.",
    )
    empty: str = param(
        "nearest",
        choices=("nearest", "prior", "refuse"),
        doc="The answer where the window holds no row: that of the nearest row, that of all rows, or an error.",
    )

    def _first_pairs(self, X: Numbers) -> Pairs:
        """The pairs of the first of the rows, at least of one."""
        weight = self._rows_fit.weight
        window = WINDOWS.member(self.window, type(self).__name__, "window") if self.window in WINDOWS else None
        if window is not None and window.ends:
            pairs = Pairs.of_within(self.index_.first_radius_neighbors(X, self.radius, _CELLS), weight)
            return pairs.weighed(np.asarray(window.weigh(pairs.distance / self.radius), dtype=np.float64))
        pairs = self._all_pairs(X[: max(1, _CELLS // max(1, self.n_samples_fit_))])
        if window is None:
            return pairs.weighed(self._called(pairs.distance / self.radius))
        logs = np.asarray(window.weigh(pairs.distance / self.radius)).reshape(pairs.m, -1)
        largest = np.maximum(logs.max(axis=1, keepdims=True), np.finfo(np.float64).min)
        return pairs.weighed(np.exp(logs - largest).ravel())  # the nearest row counts 1

    def _all_pairs(self, X: TableLike) -> Pairs:
        if isinstance(self.index_, Scanned):
            raise InvalidParameter(
                f"{type(self).__name__}: window={self.window!r} has no end, and the rows do not fit into memory="
                f"{self.memory:,} bytes. Use a window that ends, such as 'epanechnikov', or raise memory."
            )
        weight, n = self._rows_fit.weight, self.n_samples_fit_
        D = self.index_.measure.pairwise(X, self._rows_fit.X).astype(np.float64)
        D[np.isnan(D)] = np.inf  # rows without a column in common do not count
        m = len(D)
        counts = np.ones(m * n) if weight is None else np.tile(weight, m)
        return Pairs(m, np.repeat(np.arange(m), n), np.tile(np.arange(n), m), D.ravel(), counts)

    def _called(self, u: Floats) -> Floats:
        assert callable(self.window)
        return given_factors(type(self).__name__, "window", self.window(u), len(u))

    def _in_blocks(self, X: Numbers, f: Callable[[Any, Pairs], NDArray[T]]) -> NDArray[T]:
        """f of some rows and their pairs at a time, so that the pairs stay few."""
        found: list[NDArray[T]] = []
        start, ahead = 0, _AHEAD
        while start < X.shape[0] or not found:
            offered = X[start : start + ahead]
            try:
                pairs = self._first_pairs(offered)
                found.append(f(offered if pairs.m == offered.shape[0] else offered[: pairs.m], pairs))
            except RefusedRow as error:
                raise error.after(start) from None
            start += max(1, pairs.m)
            ahead = min(_AHEAD, 16 * max(1, pairs.m))  # what is offered is converted, taken or not
        return found[0] if len(found) == 1 else np.concatenate(found)

    def _where_empty(self, X: Any, found: Floats, total: Floats, answer: Callable[[Pairs], Any], prior: Any) -> Floats:
        """The answers `found` (m, q), those of empty windows replaced; `answer` gives those of pairs."""
        at = np.flatnonzero(~(total > 0))
        if not at.size:
            return found
        if self.empty == "refuse":
            raise RefusedRow(
                type(self).__name__,
                int(at[0]),
                f"has no row of the fit that counts for it, none within radius={self.radius:g}",
                "Raise radius, or set empty='nearest' or 'prior'.",
            )
        if self.empty == "prior":
            found[at] = prior
        else:
            found[at] = answer(Pairs.of_within(self.index_.tied_neighbors(X[at], 1), self._rows_fit.weight))
        return found
