"""What trees and forests share: how they grow, and what their columns are."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...backend.growth import Limits, Targets
from ...data import Chunk, Needs, Schema, Source
from ...errors import InvalidData, InvalidParameter
from ...estimator import Estimator, declares
from ...growth import category_counts
from ...growth.cells import column_of, dense
from ...holds import instance, require
from ...params import as_float, derived, is_share, param
from ...randomness import random_state_param
from ...typing import Floats, RandomState, Reals, TableLike
from .limits import GrowthLimits
from .reading import ReadableTrees, TreePaths

T = TypeVar("T")
_MOST_CATEGORY = 1 << 16  # of a column of numbers that are categories


def is_columns(value: object) -> bool:
    """Whether it can be a list of columns."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes) and np.ndim(value) in (0, 1)  # type: ignore[arg-type]


@declares
class HasCategories(Estimator):
    """Base of models that take categories as they are."""

    categorical_features: object = param(
        None, choices=(None,), accept=is_columns, allowed="a list of columns",
        doc="Columns of whole numbers, by name or position, that are categories; text always is.",
    )  # fmt: skip

    holds: ClassVar = {"_schema": instance(Schema, d="d")}
    needs: ClassVar = Needs(missing=True, categories=True)

    def _fit_needs(self) -> Needs:
        return self._needs()  # no squares are summed, so any finite number will do

    def _columns(self, given: Iterable[object], what: str) -> list[int]:
        """Columns by name or position."""
        names = {name: j for j, name in enumerate(self._schema.names)}
        found = []
        for column in given:
            place = names.get(column, -1) if isinstance(column, str) else column
            is_place = isinstance(place, int | np.integer) and not isinstance(place, bool)
            if not is_place or not 0 <= as_float(place) < len(names):
                raise InvalidParameter(
                    f"{type(self).__name__}: {what} names the column {column!r}, but X has no such column."
                )
            found.append(int(as_float(place)))
        return found

    def _categories(self, source: Source) -> dict[int, int]:
        given = self.categorical_features
        asked = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else []
        if asked and all(isinstance(flag, bool | np.bool_) for flag in asked) and len(asked) == len(self._schema):
            asked = np.flatnonzero(asked).tolist()
        columns = [
            j for j in self._columns(asked, "categorical_features") if self._schema.columns[j].kind != "categorical"
        ]
        if columns:
            source.reduce(lambda chunk: _check_categories(chunk, columns, self._schema, source.needs.owner))
        return category_counts(self._schema, columns)


@declares
class TreeColumns(HasCategories, TreePaths):
    """Base of models that are trees, however they grow: columns, and rows that fall to leaves."""

    monotonic_cst: object = param(
        None, choices=(None,), accept=is_columns, allowed="a list of −1, 0 and 1, one a column, or a mapping by column",
        doc="Columns with which predictions only rise (1) or fall (−1).",
    )  # fmt: skip
    random_state: RandomState = random_state_param()

    units = "columns"

    @derived
    def feature_importances_(self) -> Floats:
        """The share of each column in all that splits gained, (d,), the mean over the trees."""
        return self.trees_.importances

    def check_loaded(self) -> None:
        super().check_loaded()
        require(self.trees_.value.shape[1] == self._width(), f"trees_ must say {self._width()} numbers in every node")

    def _width(self) -> int:
        """How many numbers a node says."""
        raise TypeError(f"{type(self).__name__} does not define _width")

    def _monotone(self, d: int) -> NDArray[np.int8] | None:
        given = self.monotonic_cst
        if given is None:
            return None
        owner, found = type(self).__name__, np.zeros(d, dtype=np.int8)
        if isinstance(given, dict):
            places = self._columns(given, "monotonic_cst")
            values: list[object] = list(given.values())
        else:
            places, values = list(range(d)), list(given) if isinstance(given, Iterable) else []
        if len(values) != len(places) or any(value not in (-1, 0, 1) for value in values):
            raise InvalidParameter(
                f"{owner}: monotonic_cst must hold −1, 0 or 1 for each of {d} columns; got {given!r:.80}."
            )
        found[places] = np.array(values, dtype=np.int8)
        text = [j for j in np.flatnonzero(found) if self._schema.columns[j].kind == "categorical"]
        if text:
            raise InvalidParameter(
                f"{owner}: monotonic_cst names {self._schema.describe(text[0])}, which has no order."
            )
        return found if found.any() else None

    # ---- rows ----

    def _rows(
        self, X: TableLike, f: Callable[[Chunk], T], late: bool | Callable[[], bool] = False, lean: bool = False
    ) -> T:
        """As of all estimators; sparse rows are filled in, some at a time."""
        return super()._rows(X, dense(f), late, lean)


@declares
class TreeModel(GrowthLimits, ReadableTrees, TreeColumns):
    """Base of trees and forests: limits of growth, and leaves that say shares or means."""

    min_weight_fraction_leaf: float = param(
        0.0, number=True, at_least=0, at_most=0.5, doc="The least share of all weight that a leaf has."
    )
    max_features: float | str | None = param(
        None, integer=True, at_least=1, choices=(None, "sqrt", "log2"), accept=is_share, allowed="a share above 0",
        doc="How many columns a node looks at, drawn anew: a number, a share, sqrt or log2 of them; None is all.",
    )  # fmt: skip
    max_leaf_nodes: int | None = param(
        None, integer=True, at_least=2, choices=(None,),
        doc="The most leaves; the leaf whose split gains most is split first then.",
    )  # fmt: skip
    min_impurity_decrease: float = param(
        0.0, number=True, at_least=0, doc="The least by which a split lowers the mean impurity of all rows."
    )

    def _limits(self, d: int, weight: float, random_cuts: bool = False) -> Limits:
        """When a tree stops growing, where all rows weigh so much."""
        split, leaf = self._least_weights(weight)
        return Limits(
            tried=tried_columns(self.max_features, d),
            most_depth=self._most_depth,
            most_leaves=np.inf if self.max_leaf_nodes is None else self.max_leaf_nodes,
            least_split=split,
            least_leaf=max(leaf, self.min_weight_fraction_leaf * weight),
            least_gain=self.min_impurity_decrease,
            best_first=self.max_leaf_nodes is not None,
            random_cuts=random_cuts,
        )

    def _constraints(self, d: int, targets: Targets) -> NDArray[np.int8] | None:
        """The constraints of columns, which are of one number a leaf."""
        found = self._monotone(d)
        if found is not None and targets.k != (3 if targets.criterion == "absolute" else 2):
            raise InvalidParameter(
                f"{type(self).__name__}: monotonic_cst is of one target or two classes, which rise or fall as one; "
                "leave it out, or fit a model for each."
            )
        return found

    def _means(self, X: TableLike) -> Reals:
        """What the leaves of each row say, (n, q), the mean over the trees."""
        self._check_fitted("trees_")

        def means(chunk: Chunk) -> Reals:
            return self.trees_.means(np.asarray(chunk.X)).astype(chunk.X.dtype, copy=False)

        return self._rows(X, means, lean=True)


def tried_columns(asked: float | str | None, d: int) -> int:
    """How many of d columns a node looks at."""
    if asked is None:
        return d
    if asked == "sqrt":
        return max(1, int(math.sqrt(d)))
    if asked == "log2":
        return max(1, int(math.log2(d)))
    return max(1, int(asked * d)) if is_share(asked) else min(int(asked), d)


def _check_categories(chunk: Chunk, columns: list[int], schema: Schema, owner: str) -> int:
    for j in columns:
        x = column_of(chunk.X, j)
        bad = np.flatnonzero(~np.isnan(x) & ~((x == np.rint(x)) & (x >= 0) & (x < _MOST_CATEGORY)))
        if len(bad):
            raise InvalidData(
                f"{owner}: {schema.describe(j)} is among categorical_features, so it must hold whole numbers from 0 to "
                f"{_MOST_CATEGORY - 1}; row {chunk.number(int(bad[0]))} has {x[bad[0]]:g}. Give the column as text."
            )
    return len(chunk)
