"""How predictions change with one column or two, the others being as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ..backend.weights import given_or_ones
from ..data.validate import check_weight
from ..errors import InvalidData, InvalidParameter
from ..params import check_argument
from ..randomness import generator
from ..typing import AxesLike, Floats, Labels, Numbers, RandomState, TableLike, WeightLike, Whole
from .changed_columns import ChangedColumns

if TYPE_CHECKING:
    from ..plots import DependenceDisplay

_SHARES = (0.05, 0.95)  # between which quantiles a grid lies
_LINES = 5  # values of a second column with a line each


class Predicting(Protocol):
    """A fitted model."""

    def predict(self, X: TableLike) -> Numbers:
        """One prediction a row."""


@dataclass(frozen=True, eq=False)
class PartialDependence:
    """The mean prediction over the rows with one column or two set to values of a grid.

    `values` is (k,) or (k, m) for one number, and has the classes or targets as its last axis where there are several.
    """

    names: tuple[str, ...]
    grids: tuple[Labels, ...]
    values: Floats
    outputs: tuple[str, ...]  # the names of classes or targets; empty for one number

    def plot(self, ax: AxesLike = None, output: int | str | None = None) -> DependenceDisplay:
        """Lines over the first column: one for each class, or one for each of a few values of the second column."""
        from ..plots import DependenceDisplay

        values = self.values if self.outputs else self.values[..., None]
        first, words = self.grids[0], "prediction"
        if len(self.names) == 1:
            return DependenceDisplay(self.names[0], first, values, self.outputs or ("",), words).drawn(ax)
        chosen = self._output(output)
        second = self.grids[1]
        some = np.unique(np.linspace(0, len(second) - 1, min(_LINES, len(second))).round().astype(int))
        named = tuple(f"{self.names[1]} = {_shown(second[i])}" for i in some)
        words = f"P({self.outputs[chosen]})" if self.outputs else words
        return DependenceDisplay(self.names[0], first, values[:, some, chosen], named, words).drawn(ax)

    def _output(self, asked: int | str | None) -> int:
        names = self.outputs or ("",)
        if asked is None:
            return len(names) - 1
        place = names.index(asked) if isinstance(asked, str) and asked in names else asked
        if not isinstance(place, int) or not 0 <= place < len(names):
            raise InvalidParameter(f"plot: output must be one of {', '.join(names)}; got {asked!r}.")
        return place


def partial_dependence(
    model: Predicting,
    X: TableLike,
    columns: str | int | Sequence[str | int],
    *,
    grid: int = 50,
    max_rows: int | None = 1000,
    sample_weight: WeightLike = None,
    random_state: RandomState = 0,
) -> PartialDependence:
    """The mean prediction of a fitted model over rows, with one column or two set to values of a grid.

    Of a classifier it is the mean probability of each class. A grid has the values of the rows themselves: all where
    there are at most `grid`, else those at equally spaced quantiles from 5 to 95 %. At most `max_rows` rows, drawn at
    random, are used. Where columns depend on each other, some of the rows so made are like none that there are.

    >>> import suffice as sf
    >>> model = sf.LinearRegression().fit([[0.0, 1.0], [1.0, 0.0], [2.0, 5.0], [3.0, 1.0]], [0.0, 2.0, 4.0, 6.0])
    >>> found = sf.partial_dependence(model, [[0.0, 1.0], [3.0, 2.0]], 0)
    >>> found.grids[0], found.values.round(9) + 1
    (array([0., 3.]), array([1., 7.]))
    """
    owner = "partial_dependence"
    check_argument(owner, "grid", grid, integer=True, at_least=2)
    table = ChangedColumns(X, owner)
    weight = given_or_ones(None if sample_weight is None else check_weight(sample_weight, table.n, owner), table.n)
    if max_rows is not None and table.n > max_rows:
        check_argument(owner, "max_rows", max_rows, integer=True, at_least=1)
        some = np.sort(generator(random_state).choice(table.n, max_rows, replace=False))
        table, weight = table.some(some), weight[some]
    asked = [columns] if isinstance(columns, str | int | np.integer) else list(columns)
    if not 1 <= len(asked) <= 2:
        raise InvalidParameter(f"{owner}: columns must be one column or two; got {len(asked)}.")
    places = [table.place(column) for column in asked]
    most = grid if len(places) == 1 else max(2, min(grid, 20))
    rows = [_grid_rows(table.cells(place), most, f"{owner}: the column {table.names[place]!r}") for place in places]
    points = product(*(own.tolist() for own in rows))
    found = [weight @ _said(model, table.filled(places, at)) / weight.sum() for at in points]
    outputs = _outputs(model, len(found[0]))
    shape = tuple(len(own) for own in rows)
    values = np.array(found).reshape(*shape, -1)
    grids = tuple(table.cells(place)[own] for place, own in zip(places, rows, strict=True))
    return PartialDependence(
        tuple(table.names[p] for p in places), grids, values if outputs else values[..., 0], outputs
    )


def _grid_rows(cells: Labels, most: int, what: str) -> Whole:
    """Rows whose cells make up a grid, in the order of their values."""
    known = np.flatnonzero([cell is not None and cell == cell for cell in cells.tolist()])
    if not len(known):
        raise InvalidData(f"{what} has only missing values.")
    distinct, first, counts = np.unique(cells[known], return_index=True, return_counts=True)
    if len(distinct) <= most:
        return known[first]
    if cells.dtype.kind in "iuf":
        at = np.quantile(cells[known].astype(np.float64), np.linspace(*_SHARES, most), method="nearest")
        places: Whole = known[first[np.unique(np.searchsorted(distinct, at))]]
        return places
    return known[first[np.sort(np.argsort(-counts, kind="stable")[:most])]]  # the most frequent


def _said(model: Predicting, X: TableLike) -> Floats:
    """Probabilities of classes or predictions, (n, q)."""
    says = getattr(model, "predict_proba", None) or model.predict
    found = np.asarray(says(X), dtype=np.float64)
    return found.reshape(len(found), -1)


def _outputs(model: Predicting, q: int) -> tuple[str, ...]:
    classes = getattr(model, "classes_", None)
    if classes is not None and hasattr(model, "predict_proba"):
        return tuple(map(str, np.asarray(classes).tolist()))
    return () if q == 1 else tuple(str(c) for c in range(q))


def _shown(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
