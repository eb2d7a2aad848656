"""What feature maps have in common: the columns they map, the others that follow, and the names of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OneToOneFeatureMixin

from ...backend import first_bad
from ...data import Chunk, Needs, Schema, Source
from ...data.rows import is_sparse
from ...data.validate import positions
from ...engine import Outcome, Step, closed_form
from ...errors import InvalidData, InvalidParameter, MemoryNeeded
from ...estimator import Attributes, Transformer, declares
from ...holds import integers, require
from ...params import learned, param
from ...typing import Floats, Reals, TableLike, Whole

_MOST_BYTES = 1 << 33  # of features made at once


def are_columns(value: object) -> bool:
    """Whether a value is a list of names or of numbers of columns."""
    if not isinstance(value, list | tuple | np.ndarray) or not len(value) or np.ndim(value) != 1:
        return False
    names = all(isinstance(item, str) for item in value)
    return names or all(isinstance(item, int | np.integer) and not isinstance(item, bool) for item in value)


def chosen_columns(columns: object, schema: Schema, owner: str) -> Whole:
    """The numbers of the columns that a list of names or numbers means, in its order."""
    d = len(schema)
    if isinstance(columns, str):
        return np.arange(d, dtype=np.int64)
    listed = np.asarray(columns)
    if listed.dtype.kind not in "iu":
        return np.array(positions(schema, tuple(map(str, listed)), owner), dtype=np.int64)
    wrong = listed[(listed < 0) | (listed >= d)]
    if wrong.size:
        raise InvalidParameter(f"{owner}: columns must be numbers from 0 to {d - 1}, or names; got {wrong[0]}.")
    return listed.astype(np.int64)


def per_column(value: object, d: int, owner: str, name: str, what: str) -> Floats:
    """One positive number a column, (d,), from a number for all or a list."""
    found = np.asarray(value, dtype=np.float64)
    if found.ndim > 1 or found.size not in (1, d) or not np.all((found > 0) & (found < 1e150)):
        raise InvalidParameter(f"{owner}: {name} must be {what} above 0, or {d} of them, one a column; got {value!r}.")
    return np.broadcast_to(found, d).copy()


def check_room(X: Reals, width: int, owner: str, instead: str) -> None:
    """Refuse to make so many features of the rows of X that they would fill the memory."""
    needed = X.shape[0] * width * X.dtype.itemsize
    if needed > _MOST_BYTES:
        raise MemoryNeeded(
            f"{owner}: {width:,} features of {X.shape[0]:,} rows take {needed:,} bytes, and at most {_MOST_BYTES:,} "
            f"are made at once; {instead}."
        )


def finite(made: Reals, owner: str) -> Reals:
    """Features, refused where cells are so large that one of them is no number."""
    if first_bad(made) is not None:
        raise InvalidData(f"{owner}: the features of some rows overflow; scale the columns down.")
    return made


def check_different(values: Floats, owner: str, name: str) -> None:
    """Refuse centres or frequencies of which two are the same: their features would be."""
    if len(np.unique(values, axis=0)) < len(values):
        raise InvalidParameter(f"{owner}: {name} must all be different; got {values.tolist()!r:.80}.")


@declares
class FeatureMap(OneToOneFeatureMixin, Transformer):  # type: ignore[misc]
    """Base: a subclass gives `_features` and `_feature_names`, and `_found` where something is learned from the rows.

    The mapped columns come first, those that are not mapped after them.
    """

    needs = Needs(missing=True)

    # What follows from the state and is read whenever rows are mapped: computed in `fit`, as mapping changes no model.
    read_by_transform: ClassVar[tuple[str, ...]] = ()

    columns: object = param(
        "all",
        choices=("all",),
        accept=are_columns,
        allowed="a list of names or numbers of columns",
        doc="The columns that are mapped; the others follow them as they are.",
    )

    mapped_: Whole = learned("The numbers of the columns that are mapped.", holds=integers("m", at_least=0, below="d"))

    def check_loaded(self) -> None:
        super().check_loaded()
        require(len(set(self.mapped_.tolist())) == len(self.mapped_), "mapped_ must be columns, each once")

    def _take(self, learn: Callable[[], Outcome[Attributes]], anew: bool) -> None:
        super()._take(learn, anew)
        self._compute_tables()

    def _compute_tables(self) -> None:
        """For a class with `read_by_transform`: also called when the state of a file has been checked."""
        for name in self.read_by_transform:
            getattr(self, name)

    def _learn(self, source: Source) -> Outcome[Attributes]:
        return closed_form(lambda: self._step(source))

    def _step(self, source: Source) -> Step[Attributes]:
        chosen = self._chosen(source.schema)
        if len(set(chosen.tolist())) < len(chosen):
            raise InvalidParameter(f"{type(self).__name__}: columns must all be different; got {self.columns!r}.")
        return Step({"mapped_": chosen, **self._found(source, chosen)}, 0.0)

    def _chosen(self, schema: Schema) -> Whole:
        return chosen_columns(self.columns, schema, type(self).__name__)

    def _found(self, source: Source, chosen: Whole) -> Attributes:
        """What is learned from the chosen columns."""
        return {}

    def _features(self, X: Reals) -> Reals:
        """The features (n, p) of the mapped columns, (n, m)."""
        raise TypeError(f"{type(self).__name__} does not define _features")

    def _feature_names(self, names: Sequence[str]) -> Iterable[str]:
        """The names of the features, by those of the mapped columns."""
        raise TypeError(f"{type(self).__name__} does not define _feature_names")

    def _others(self) -> Whole:
        """The columns that are not mapped."""
        if len(self.mapped_) == self.n_features_in_:  # each is there once
            return np.empty(0, dtype=np.int64)
        return np.setdiff1d(np.arange(self.n_features_in_), self.mapped_)

    def transform(self, X: TableLike) -> Reals:
        """The features of the rows, and behind them the columns that are not mapped."""
        found: Reals = self._rows(X, self._forward)
        return found

    def _forward(self, chunk: Chunk) -> Reals:
        made = self._features(columns_at(chunk.X, self.mapped_)).astype(chunk.X.dtype, copy=False)
        others = self._others()
        if not len(others):
            return made
        rest = chunk.X[:, others]
        return np.concatenate([made, rest.toarray() if is_sparse(rest) else rest], axis=1)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """The names of the features, and behind them those of the columns that are not mapped."""
        names: NDArray[np.object_] = super().get_feature_names_out(input_features)
        made = self._feature_names(names[self.mapped_].tolist())
        return np.array([*made, *names[self._others()]], dtype=object)


def columns_at(X: Reals, columns: Whole) -> Reals:
    """Some columns, not copied where they are all."""
    return X if np.array_equal(columns, np.arange(X.shape[1])) else X[:, columns]


def selected(chunk: Chunk, columns: Whole) -> Chunk:
    """Some columns of a chunk."""
    return replace(chunk, X=columns_at(chunk.X, columns))


def check_above(chunk: Chunk, columns: Whole, least: float, owner: str, remedy: str, equal: bool = False) -> None:
    """Refuse cells of these columns below a number, or equal to it as well."""
    X = columns_at(chunk.X, columns)
    lowest = X.min(initial=np.inf)  # NaN where a cell is
    if lowest > least or (lowest == least and not equal):
        return
    bad = least >= X if equal else least > X
    if bad.any():
        i, j = np.argwhere(bad)[0]
        raise InvalidData(
            f"{owner}: column {columns[j]}, row {chunk.number(i)} holds {X[i, j]:g}, and cells must be "
            f"{'above' if equal else 'at least'} {least:g}. {remedy}"
        )


def check_some_values(empty: Iterable[bool], source: Source, chosen: Whole, owner: str) -> None:
    """Refuse columns, of those chosen, that have only missing values."""
    for j, none in zip(chosen, empty, strict=True):
        if none:
            raise InvalidData(f"{owner}: {source.schema.describe(int(j))} has only missing values; leave it out.")
