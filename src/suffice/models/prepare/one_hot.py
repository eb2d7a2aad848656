"""Categories as columns of 0 and 1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.utils.validation import check_is_fitted

from ...backend import features
from ...data import Chunk, Needs, Schema, Source
from ...data.rows import as_csr, is_sparse
from ...errors import InvalidData
from ...estimator import Attributes, estimator
from ...holds import integers, require, tuples
from ...params import derived, is_share, learned, param
from ...scikit_learn import Counterpart
from ...typing import Floats, Labels, Numbers, Reals, TableLike, Whole
from .base import FeatureMap, are_columns, check_room, columns_at
from .categories import (
    DROPPED,
    INFREQUENT,
    NO_COLUMN,
    UNKNOWN,
    CategoryWeights,
    are_infrequent,
    drops,
    levels_kind,
    names_of,
    numbered,
    out_of,
    regrouped,
    weighted,
)  # fmt: skip
from .category_cells import NOT_SEEN, CategoryTable, as_levels, labels_of, sparse_flags
from .given_categories import are_lists, is_list, with_categories


@estimator
class OneHotEncoder(FeatureMap):
    """A column of 0 and 1 for each category: φ_k(x) = 1 where x is category k, else 0.

    Categories are the texts of a column, or the different numbers of one without text, that have weight; a missing
    value is a category of its own, `nan`. `drop="first"` leaves out the first of each column: it is the reference that
    the coefficients of a model with an intercept are compared with. Rare ones go together into `infrequent`, by
    `min_frequency` and `max_categories`.

    `columns="categorical"` encodes the columns of text alone; levels of ordered ones are passed on as 0, 1, 2, ….

    Examples
    --------
    >>> import pandas as pd, suffice as sf
    >>> pets = pd.DataFrame({"pet": ["cat", "dog", "cat", None], "age": [3.0, 1.0, 4.0, 2.0]})
    >>> model = sf.OneHotEncoder(columns="categorical").fit(pets)
    >>> model.get_feature_names_out().tolist()
    ['pet_cat', 'pet_dog', 'pet_nan', 'age']
    >>> model.transform(pets)[2:]
    array([[1., 0., 0., 4.],
           [0., 0., 1., 2.]])
    """

    read_late = ("sparse_output",)
    read_by_transform = ("_table", "_labels_of_places")

    counterpart: ClassVar = Counterpart(
        "sklearn.preprocessing",
        absent={
            "dtype": "the result has the type of the rows",
            "feature_name_combiner": "names are those of scikit-learn's default",
        },
    )
    needs = Needs(missing=True, categories=True)
    squares = False
    exemptions: ClassVar = dict.fromkeys(
        (
            *(f"bad_input_{case}" for case in ("one_row", "two_rows", "equal_rows", "missing_column")),
            *(f"bad_input_{case}" for case in ("constant_column", "large_constant_column")),
            "check_fit_idempotent",
            "check_sample_weight_equivalence_on_dense_data",
        ),
        "a category that was not learned from is refused, as scikit-learn's class refuses it",
    ) | {"order_of_levels_changes_nothing": "columns stand in the order of the levels"}

    columns: object = param(
        "all",
        choices=("all", "categorical"),
        accept=are_columns,
        allowed="a list of names or numbers of columns",
        doc="The columns that are encoded; the others follow them as they are.",
    )
    categories: object = param(
        "auto",
        choices=("auto",),
        accept=are_lists,
        allowed="a list with the categories of each encoded column",
        doc="The categories of each encoded column in their order, NaN or None for missing values; others are unknown, "
        "and none of an empty list is encoded. "
        "'auto' takes those of the rows, sorted.",
    )
    drop: object = param(
        None,
        choices=(None, "first", "if_binary"),
        accept=is_list,
        allowed="a list with one category a column",
        doc="Whether the first category is left out, or only one of two, or which one of each encoded column: None "
        "leaves out none, NaN the missing values.",
    )
    sparse_output: bool = param(False, choices=(True, False), doc="Whether the result is a sparse matrix.")
    handle_unknown: str = param(
        "error",
        choices=("error", "ignore", "infrequent_if_exist", "own_column"),
        doc="What becomes of a category that was not seen in the fit: an error, zeros, the infrequent ones where there "
        "are any, or a column of its own.",
    )
    min_frequency: float | None = param(
        None,
        integer=True,
        at_least=1,
        at_most=1 << 53,
        choices=(None,),
        accept=lambda value: is_share(value) and value < 1,
        allowed="a share of the rows between 0 and 1",
        doc="Categories with less weight than this are infrequent.",
    )
    max_categories: int | None = param(
        None, integer=True, at_least=1, choices=(None,), doc="How many columns at the most one column becomes."
    )

    codes_: tuple[Floats, ...] = learned(
        "The categories of each encoded column, as numbers; a missing value is NaN.", holds=levels_kind()
    )
    places_: tuple[Whole, ...] = learned(
        "In which of its new columns each category stands; −1 where it is left out.",
        holds=tuples(integers(None, at_least=DROPPED), "m"),
    )
    widths_: Whole = learned("How many columns each encoded column becomes, (m,).", holds=integers("m", at_least=0))
    infrequent_: Whole = learned(
        "In which of them the infrequent categories stand; −2 where there are none.", holds=integers("m", at_least=-2)
    )
    unknown_: Whole = learned(
        "In which of them unknown categories stand; −2 where they have no column.", holds=integers("m", at_least=-2)
    )

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, None]:
        return rng.integers(0, [2, 3, 4, 3], (n, 4)).astype(np.float64), None

    def check_loaded(self) -> None:
        super().check_loaded()
        require(hasattr(self, "_schema"), "_schema must be there")
        for j, codes in zip(self.mapped_, self.codes_, strict=True):
            names, seen = self._schema.columns[j].categories, codes[~np.isnan(codes)]
            known = np.isin(seen, np.arange(len(names))) if names else np.isfinite(seen)
            require(known.all(), "codes_ must be those of categories")
        for codes, places, width in zip(self.codes_, self.places_, self.widths_, strict=True):
            fit = len(codes) == len(places) and places.max(initial=-1) < width <= len(codes) + 1
            require(fit and len(np.unique(codes)) == len(codes), "places_ must be columns of each of codes_")
        for places in (self.infrequent_, self.unknown_):
            require(np.all(places < self.widths_), "infrequent_ and unknown_ must be among the columns")
        self._compute_tables()

    # ---- learning ----

    def _chosen(self, schema: Schema) -> Whole:
        text = [j for j in schema.text_columns if not schema.columns[j].ordered]
        chosen = (
            np.array(text, dtype=np.int64)
            if isinstance(self.columns, str) and self.columns != "all"
            else super()._chosen(schema)
        )
        left = next((j for j in text if j not in chosen), None)
        if left is not None:
            raise InvalidData(
                f"{type(self).__name__}: {schema.describe(left)} holds text and is not among `columns`; add it, or "
                "leave the column out."
            )
        return chosen

    def _found(self, source: Source, chosen: Whole) -> Attributes:
        owner = type(self).__name__
        counted = source.reduce(lambda chunk: CategoryWeights.of(columns_at(chunk.X, chosen), chunk.weight))
        drop = drops(self.drop, len(chosen), owner)
        schema, given = source.schema, None
        if not isinstance(self.categories, str):
            schema, given = with_categories(schema, chosen, cast(Sequence[object], self.categories), owner)
        found = []
        for i, (j, (values, missing)) in enumerate(zip(chosen.tolist(), counted.columns(), strict=True)):
            column, place = schema.columns[j], f"{owner}: {schema.describe(j)}"
            codes, weights = numbered(values, missing, () if column.ordered else column.categories, place)
            if given is not None:
                strict = self.handle_unknown == "error"
                codes, weights = weighted(given[i], codes, weights, column.categories if strict else None, place)
            rare = are_infrequent(weights, counted.rows, self.min_frequency, self.max_categories)
            known = [names_of(code, column.categories) for code in codes.tolist()]
            gone = out_of(drop[i], known, rare, f"{owner}: drop", schema.describe(j))
            found.append((codes, *regrouped(rare, gone, self.handle_unknown)))
        numbers = {"widths_": 2, "infrequent_": 3, "unknown_": 4}
        arrays = {name: np.array([own[at] for own in found], dtype=np.int64) for name, at in numbers.items()}
        lists = {"codes_": tuple(own[0] for own in found), "places_": tuple(own[1] for own in found)}
        return {**lists, **arrays, "_schema": schema}

    # ---- what the categories are called ----

    @property
    def categories_(self) -> list[NDArray[np.generic]]:
        """The categories of each encoded column: texts with None where missing, or numbers with NaN."""
        return [self._labels(j, codes) for j, codes in zip(self.mapped_, self.codes_, strict=True)]

    @property
    def infrequent_categories_(self) -> list[NDArray[np.generic] | None]:
        """The categories of each encoded column that are infrequent, None where there are none."""
        rare = zip(self.categories_, self.places_, self.infrequent_, strict=True)
        return [None if own == NO_COLUMN else labels[places == own] for labels, places, own in rare]

    def _labels(self, j: int, codes: Floats) -> NDArray[np.generic]:
        names = self._schema.columns[j].categories
        if not names:
            return codes
        return np.array([None if np.isnan(code) else names[int(code)] for code in codes], dtype=object)

    def _feature_names(self, names: Sequence[str]) -> Iterable[str]:
        parts = zip(names, self.categories_, self.places_, self.widths_, self.infrequent_, self.unknown_, strict=True)
        for name, labels, places, width, infrequent, unknown in parts:
            called = {int(infrequent): INFREQUENT, int(unknown): UNKNOWN}
            for place in range(width):
                own = called.get(place)
                label = labels[np.argmax(places == place)] if own is None else own
                yield f"{name}_{'nan' if label is None else label}"

    # ---- using it ----

    def transform(self, X: TableLike) -> Numbers:  # type: ignore[override]  # it may be sparse
        """The columns of 0 and 1, and behind them the columns that are not encoded."""
        found: Numbers = self._rows(X, self._forward, lean=self.sparse_output)
        return found

    def _forward(self, chunk: Chunk) -> Numbers:  # type: ignore[override]
        places = self._places(columns_at(chunk.X, self.mapped_))
        width, others = int(self.widths_.sum()), self._passed(chunk)
        if self.sparse_output:
            both: Numbers = hstack([sparse_flags(places, width, chunk.X.dtype), csr_matrix(others)], format="csr")
            return both
        check_room(chunk.X, width, type(self).__name__, "say sparse_output=True, or max_categories=…")
        made = features.flags(places, width + others.shape[1], chunk.X.dtype)
        if others.shape[1]:
            made[:, width:] = others
        return made

    @derived
    def _table(self) -> CategoryTable:
        """Where the categories of all encoded columns stand."""
        return CategoryTable.of(self.codes_, self.places_, self.widths_)

    @derived
    def _labels_of_places(self) -> list[Labels]:
        """The category of each new column of each column, and of none."""
        parts = zip(self.categories_, self.places_, self.infrequent_.tolist(), strict=True)
        return [labels_of(labels, places, infrequent) for labels, places, infrequent in parts]

    def _places(self, X: Reals) -> Whole:
        """In which of all new columns each cell stands, (n, m); below 0 where in none."""
        if self.handle_unknown == "error":
            unknown = np.full(X.shape[1], NOT_SEEN, dtype=np.int64)
        else:
            unknown = self.infrequent_ if self.handle_unknown == "infrequent_if_exist" else self.unknown_
        found = self._table.places(X, unknown)
        if self.handle_unknown == "error" and found.size and found.min() == NOT_SEEN:
            i = int(np.argmax((found == NOT_SEEN).any(axis=0)))
            self._refuse_unknown(float(X[found[:, i] == NOT_SEEN, i][0]), int(self.mapped_[i]))
        return found

    def _refuse_unknown(self, value: float, j: int) -> None:
        text = self._schema.columns[j].kind == "categorical"
        got = "a missing value" if np.isnan(value) else "a category" if text else f"{value:g}"
        raise InvalidData(
            f"{type(self).__name__}: {self._schema.describe(j)} holds {got} that was not seen "
            "in the fit; fit with it, or say handle_unknown='ignore', 'infrequent_if_exist' or 'own_column'."
        )

    def _passed(self, chunk: Chunk) -> Reals:
        """The columns that are not encoded; a level that was not seen is missing."""
        others = self._others()
        passed: Reals = chunk.X[:, others]
        ordered = [i for i, j in enumerate(others) if self._schema.columns[j].categories]
        for i in ordered:
            passed[:, i] = np.where(passed[:, i] < 0, np.nan, passed[:, i])
        return passed

    def inverse_transform(self, X: TableLike) -> Labels:
        """The categories, as texts where some column has text; None or NaN where they are not known or infrequent."""
        check_is_fitted(self)
        width = int(self.widths_.sum()) + len(self._others())
        dense = as_csr(X, type(self).__name__).toarray() if is_sparse(X) else X  # places outside are refused
        found: Labels = self._rows_back(dense, self._backward, width)
        return found

    def _backward(self, chunk: Chunk) -> Labels:
        text = any(column.categories for column in self._schema.columns)
        found: Labels = np.empty((len(chunk), self.n_features_in_), object if text else chunk.X.dtype)
        width = int(self.widths_.sum())
        at = features.flagged_places(chunk.X[:, :width], self._table.ends)
        for i, (j, labels) in enumerate(zip(self.mapped_.tolist(), self._labels_of_places, strict=True)):
            found[:, j] = labels.take(at[:, i], mode="wrap")  # that of no place, -1, is the last
        for i, j in enumerate(self._others()):
            found[:, j] = as_levels(chunk.X[:, width + i], self._schema.columns[j].categories)
        return found
