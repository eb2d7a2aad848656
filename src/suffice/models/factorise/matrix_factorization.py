"""Matrix factorisation of a table with missing cells: ratings, counts, measurements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from ... import params
from ...data import Chunk, Needs, Source
from ...data.validate import check_some_weight, check_weight
from ...engine import Kept, Outcome, Step, iterate, small_part
from ...errors import InvalidData, InvalidParameter, NotConverged, warn
from ...estimator import Attributes, Transformer, estimator
from ...holds import floats, integers, label_array, sometimes
from ...params import check_argument, learned, param
from ...randomness import generator, random_state_param
from ...statistics.spectrum import with_sign
from ...typing import Floats, Labels, RandomState, Reals, TableLike, TargetLike, WeightLike
from ..cluster.alternation import memory_param
from .known_cells import Columns, Loss, Totals
from .known_cells_fit import Giver, InMemory, InPieces
from .pairs import Pairs, Side, best_of
from .ratings import cell_values, ratings
from .stochastic import Descent


@estimator
class MatrixFactorization(ClassNamePrefixFeaturesOutMixin, Transformer):  # type: ignore[misc]
    """Factors of rows and columns from the known cells: min Σ w (xᵢⱼ − m − bᵢ − cⱼ − uᵢ·vⱼ)² + λ Σ (‖uᵢ‖² + ‖vⱼ‖²).

    Cells that are NaN, and those that a sparse matrix does not store, are unknown, and are predicted. The squares of
    the biases b and c count as those of u and v; with `l2_per="cell"` they count λ for each known cell of their row or
    column, with "vector" λ once. Alternating least squares finds all rows given the columns, and all columns given the
    rows, exactly: no iteration raises the loss, and a file takes one pass for each. `implicit=True` is for counts of
    what somebody did, zeros included: Σ (1 + αx)(1[x > 0] − uᵢ·vⱼ)² + λ (…) over all cells (Hu, Koren and Volinsky,
    2008), without biases.

    Examples
    --------
    >>> import numpy as np, suffice as sf
    >>> stars = np.array([[5, 4, np.nan, 1], [4, np.nan, 1, 1], [1, 1, np.nan, 5], [np.nan, 1, 5, 4]])
    >>> model = sf.MatrixFactorization(1, random_state=0).fit(stars)
    >>> model.predict(stars).round(1)[[0, 1, 2], [2, 1, 2]]
    array([1. , 3.1, 5.9])
    """

    needs = Needs(missing=True, sparse=True)
    small: ClassVar = {"n_components": 2, "max_iter": 15}
    exemptions: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("check_estimator_sparse_array", "check_estimator_sparse_matrix"),
        "predict gives every cell of a row, (n, d), where the check expects one number",
    )

    n_components: int = param(10, positional=True, integer=True, at_least=1, doc="How many factors, k.")
    l2: float = param(0.05, number=True, at_least=0, doc="What squares of factors and biases count, λ.")
    l2_per: Literal["cell", "vector"] = param(
        "cell", choices=("cell", "vector"), doc="Whether λ counts for each known cell of a row or column, or once."
    )
    biases: bool = param(True, choices=(True, False), doc="Whether there are m, b and c; not with implicit=True.")
    implicit: bool = param(
        False, choices=(True, False), doc="Whether cells are counts whose zeros say something, with less confidence."
    )
    alpha: float = param(40.0, number=True, above=0, doc="The confidence of a count x is 1 + alpha · x.")
    solver: Literal["als", "sgd"] = param(
        "als",
        choices=("als", "sgd"),
        doc="Alternating least squares, or stochastic gradient descent cell by cell, in memory; not for counts.",
    )
    learning_rate: float = param(
        0.02,
        number=True,
        above=0,
        at_most=1e6,
        doc="The first step of sgd; steps are halved when an epoch does not help.",
    )
    tol: float = param(1e-4, number=True, at_least=0, doc="Stop when the loss changes by less than this part of it.")
    max_iter: int = param(100, integer=True, at_least=1, doc="How many iterations, or epochs, at the most.")
    memory: int = memory_param("the sums of columns of rows that are read in pieces")
    random_state: RandomState = random_state_param()

    components_: Floats = learned("The factors of the columns, (k, d), the longest first.", holds=floats("k", "d"))
    column_bias_: Floats = learned("c, (d,).", holds=floats("d"))
    mean_: float = learned("m, the mean of all known cells; 0 without biases.")
    row_factors_: Floats = learned(
        "The factors of the rows, (n, k), where these were in memory.", holds=sometimes(floats("n", "k"))
    )
    row_bias_: Floats = learned("b, (n,), where the rows were in memory.", holds=sometimes(floats("n")))
    rows_: Labels = learned("The labels of the rows of triples, sorted, (n,).", holds=sometimes(label_array("n")))
    columns_: Labels = learned("The labels of the columns of triples, sorted, (d,).", holds=sometimes(label_array("d")))
    n_iter_: int = learned("How many iterations there were.")
    holds: ClassVar = {
        "_known_starts": sometimes(integers(None, at_least=0)),
        "_known_columns": sometimes(integers(None, dtypes=(np.int32,), at_least=0, below="d")),
        "_settings": floats(4, finite=False),
    }

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    # ---- the fit ----

    def fit_triples(
        self, rows: TargetLike, columns: TargetLike, values: TargetLike, sample_weight: WeightLike = None
    ) -> Self:
        """Learn from one cell an entry: the labels of its row and its column, its value, and what it counts.

        Labels are text or numbers. Entries of the same cell count together: their mean, or of counts their sum.
        """

        def learn() -> Outcome[Attributes]:
            params.check(self)
            owner = type(self).__name__
            found = ratings(rows, columns, values, sample_weight, owner, self.implicit)
            labels = {"rows_": found.rows, "columns_": found.columns}
            outcome = self._learned(InMemory(found.cells, None, self._loss()), found.cells.d)
            self.n_features_in_ = found.cells.d
            self.__dict__.pop("feature_names_in_", None)
            return outcome.then(lambda attributes: attributes | labels)

        return self._adopt(learn, anew=True)

    def _loss(self) -> Loss:
        alpha = self.alpha if self.implicit else None
        biased = self.biases and not self.implicit
        return Loss(type(self).__name__, self.n_components, self.l2, self.l2_per == "cell", biased, alpha)

    def _learn(self, source: Source) -> Outcome[Attributes]:
        loss = self._loss()
        chunk = source.gather() if self.solver == "sgd" else source.in_memory
        if chunk is None:
            return self._learned(InPieces(source, loss, self.memory), len(source.schema))
        return self._learned(InMemory(loss.cells(chunk), chunk.weight, loss), len(source.schema))

    def _learned(self, giver: Giver, d: int) -> Outcome[Attributes]:
        loss = giver.loss
        totals = giver.totals()
        totals.check(loss.owner)
        mean = float(totals.sums.sum() / totals.mass.sum()) if loss.biased else 0.0
        start = np.zeros((d, loss.k + 1))
        rng = generator(self.random_state)
        start[:, :-1] = rng.normal(size=(d, loss.k)) / np.sqrt(loss.k)
        if self.solver == "sgd":
            outcome = self._descended(giver, totals, mean, start, rng)
        else:
            outcome = self._alternated(giver, totals, mean, start)
        if outcome.history.status == "max_iter":
            warn(
                f"{loss.owner}: the loss still fell after max_iter={self.max_iter} iterations; raise max_iter or tol.",
                NotConverged,
            )
        iterations = len(outcome.history)
        return outcome.then(lambda state: self._attributes(state, mean, giver) | {"n_iter_": iterations})

    def _alternated(self, giver: Giver, totals: Totals, mean: float, start: Floats) -> Outcome[Floats]:
        loss = giver.loss
        ridge = loss.ridge(totals.mass)

        def step(state: Floats) -> Step[Floats]:
            columns = Columns.of(state, mean, loss)
            found, rows = giver.improved(columns, ridge)
            objective = rows + columns.own_loss(totals)
            return Step(found, objective, done=objective <= 1e-14 * totals.squares)

        return iterate(
            lambda run: start, step, stop=small_part(self.tol), max_iter=self.max_iter,
            snapshot=lambda state: _shown(state), kept=Kept(floats(*start.shape)),
        )  # fmt: skip

    def _descended(
        self, giver: Giver, totals: Totals, mean: float, start: Floats, rng: np.random.Generator
    ) -> Outcome[Floats]:
        if self.implicit:
            raise InvalidParameter(
                f"{giver.loss.owner}: solver must be 'als' with implicit=True, where all cells count; got 'sgd'."
            )
        assert isinstance(giver, InMemory)  # whose rows were gathered
        descent = Descent.of(giver.cells, giver.weight, giver.loss, totals, mean)
        first = descent.started(0.1 * start[:, :-1], self.learning_rate)
        found = iterate(
            lambda run: first,
            lambda now: descent.epoch(now, rng, self.tol),
            max_iter=self.max_iter,
            snapshot=lambda now: _shown(descent.columns(now)),
        )
        return found.then(descent.columns)

    def _attributes(self, state: Floats, mean: float, giver: Giver) -> Attributes:
        shown = _shown(state)
        found: Attributes = {**shown, "mean_": mean, "_settings": giver.loss.packed()}
        if isinstance(giver, InMemory):
            columns = Columns.of(np.column_stack([shown["components_"].T, shown["column_bias_"]]), mean, giver.loss)
            U = columns.rows(giver.cells)
            k = giver.loss.k
            bias = U[:, k].copy() if giver.loss.biased else np.zeros(len(U))
            found |= {
                "row_factors_": U[:, :k].copy(), "row_bias_": bias, "_known_starts": giver.cells.starts,
                "_known_columns": giver.cells.columns.astype(np.int32),
            }  # fmt: skip
        return found

    # ---- rows ----

    def _columns(self) -> Columns:
        state = np.column_stack([self.components_.T, self.column_bias_])
        loss = Loss.unpacked(type(self).__name__, len(self.components_), self._settings)
        return Columns.of(state, self.mean_, loss)

    def transform(self, X: TableLike) -> Reals:
        """The factors of rows, by least squares over their known cells, (n, k); of rows of the fit their own."""
        self._check_fitted("components_")
        columns, k = self._columns(), len(self.components_)
        rows = lambda chunk: columns.rows(columns.loss.cells(chunk))[:, :k].astype(chunk.X.dtype)  # noqa: E731
        return self._rows(X, rows)

    def inverse_transform(self, X: TableLike) -> Reals:
        """The cells that factors of rows stand for, without the bias of rows, which they do not hold."""
        self._check_fitted("components_")
        offset = self.mean_ + self.column_bias_
        back = lambda chunk: (chunk.X @ self.components_ + offset).astype(chunk.X.dtype)  # noqa: E731
        return self._rows_back(X, back, len(self.components_))

    def predict(self, X: TableLike, columns: TargetLike = None) -> Reals:
        """What is expected of all cells of some rows, (n, d), or of pairs of a row and a column of the fit, (m,).

        With `columns`, `X` holds the labels of rows: those given to `fit_triples`, else numbers from 0; columns have
        their names or numbers. A row or column that no fit saw counts as one without known cells, with a warning: the
        mean and the other's bias. A new row with known cells is a table.
        """
        self._check_fitted("components_")
        if columns is not None:
            return self._pairs("predict of pairs").predicted(X, columns)  # type: ignore[arg-type]  # labels of rows
        found = self._columns()
        return self._rows(X, lambda chunk: found.all_expected(found.loss.cells(chunk)).astype(chunk.X.dtype))

    # ---- pairs ----

    def _pairs(self, what: str) -> Pairs:
        self._check_fitted("components_")
        if not hasattr(self, "row_factors_"):
            raise InvalidData(
                f"{type(self).__name__}: {what} needs the factors of the rows of the fit, which were read in "
                "pieces and are not kept; give the rows as a table."
            )
        labels = self.rows_ if hasattr(self, "rows_") else np.arange(len(self.row_factors_))
        rows = Side("rows", labels, self.row_factors_, self.row_bias_)
        factors = np.ascontiguousarray(self.components_.T)
        columns = Side("columns", self._column_labels(), factors, self.column_bias_)
        return Pairs(type(self).__name__, self.mean_, rows, columns)

    def _column_labels(self) -> Labels:
        if hasattr(self, "columns_"):
            return self.columns_
        names = getattr(self, "feature_names_in_", None)
        return np.arange(self.components_.shape[1]) if names is None else names

    def recommend(
        self, rows: TargetLike = None, n: int = 10, *, table: TableLike | None = None, known: bool = False
    ) -> tuple[Labels, Floats]:
        """The n columns with the largest predictions for each row, and these, (m, n) each; no more than there are.

        Of rows of the fit by their labels (None: all), or of new rows in a `table`. Columns that a row knows already
        are left out unless `known`; where fewer than n are left, the last predictions are −∞.
        """
        self._check_fitted("components_")
        check_argument(type(self).__name__, "n", n, integer=True, at_least=1)
        if rows is not None and table is not None:
            raise InvalidParameter(f"{type(self).__name__}: recommend takes rows of the fit or a table; got both.")
        if table is None:
            pairs = self._pairs("recommend")
            found = pairs.best(rows, n, None if known else (self._known_starts, self._known_columns))
        else:
            columns = self._columns()

            def best(chunk: Chunk) -> Floats:
                cells = columns.loss.cells(chunk)
                return best_of(columns.all_expected(cells), n, None if known else cells)

            found = self._rows(table, best)
        return self._column_labels()[found[:, 0].astype(np.int64)], np.ascontiguousarray(found[:, 1])

    def score(
        self,
        X: TableLike,
        y: TargetLike = None,
        sample_weight: WeightLike = None,
        *,
        columns: TargetLike = None,
    ) -> float:
        """Minus the root of the mean squared error, of the known cells of a table, or of pairs of rows and columns.

        With `columns`, X holds the labels of rows as in `predict`, and y the values of the pairs: those that the fit
        did not see tell how good it is. In a table each row is fitted to the cells that are compared.
        """
        if columns is None:
            return -self._error_of_table(X, sample_weight)
        expected, owner = self.predict(X, columns), type(self).__name__
        x = cell_values(y, owner) if y is not None else np.empty(0)
        if x.shape != expected.shape:
            raise InvalidData(f"{owner}: score needs one value a pair, shape {expected.shape}; got shape {x.shape}.")
        weight = None if sample_weight is None else check_weight(sample_weight, len(x), owner)
        if weight is not None:
            check_some_weight(weight, owner)
        return -float(np.sqrt(np.average((x - expected) ** 2, weights=weight)))

    def _error_of_table(self, X: TableLike, sample_weight: WeightLike) -> float:
        self._check_fitted("components_")
        columns = self._columns()

        def errors(chunk: Chunk) -> Floats:
            return columns.squared_errors(columns.loss.cells(chunk), chunk.weight)

        squares, mass = self._summed(X, sample_weight, errors)
        if mass == 0:
            raise InvalidData(f"{type(self).__name__}: no cell of X is known, so that there is nothing to compare.")
        return float(np.sqrt(squares / mass))


def _shown(state: Floats) -> Attributes:
    """Factors of columns along their principal axes, the longest first: every turn of them fits equally well."""
    V = state[:, :-1]
    _, turn = np.linalg.eigh(V.T @ V)
    return {"components_": with_sign((V @ turn[:, ::-1]).T), "column_bias_": state[:, -1].copy()}
