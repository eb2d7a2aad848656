"""What support vector machines share: a kernel, the programmes of the rows, and decisions by support vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from sklearn.utils import Tags

from ...backend.gram import Form, packed
from ...backend.smo import Programme
from ...data import Chunk, Needs, Source
from ...data.rows import is_sparse
from ...engine import Outcome
from ...errors import InvalidData, NotConverged, NotEstimated, squares_underflow, warn
from ...estimator import Estimator, declares
from ...holds import floats, instance, integers, record, require, row_array, sometimes, whole
from ...kernels import KERNELS, Function, Kernel, as_kernel, is_function
from ...kernels.gram import products
from ...params import learned, param
from ...scikit_learn import VERBOSE
from ...solvers.similarity import Matrix, Similarity, similarity_of, sparse_kernel
from ...solvers.smo import NOTHING, SMO, Shown, State
from ...typing import Floats, Numbers, Whole

INSTEAD = "approximate the kernel by Nystroem before LinearSVC or LinearSVR, which read rows in pieces"
_LONGEST = 1e150
_BLOCK = 1 << 22  # cells of a kernel matrix made at once

LEFT_ASIDE = {"verbose": VERBOSE}


@declares
class SupportVectorMachine(Estimator):
    """Base: a subclass makes `Programme`s of its rows, and of their solution what `decisions` need."""

    needs = Needs(scaled=True, one_hot=True, sparse=True)

    _task: ClassVar[str] = "tells two classes apart"  # what C = ∞ asks of it
    small: ClassVar = {"tol": 1e-10}  # answers are as close as that to one another, whatever the order of rows

    kernel: object = param(
        "rbf",
        choices=("precomputed",),
        names=KERNELS,
        accept=is_function,
        allowed="a function of X (n, d) and Y (m, d) that gives (n, m)",
        doc="The kernel: a name, a kernel, a function; precomputed: X holds its matrix.",
    )
    degree: int = param(3, integer=True, at_least=1, at_most=1000, doc="The degree of the polynomial kernel.")
    gamma: object = param(
        "scale",
        number=True,
        above=0,
        below=np.inf,
        choices=("scale", "auto"),
        doc="The scale of a kernel by name: a number, 1 / (d · the variance of all cells) for scale, or 1/d for auto.",
    )
    coef0: float = param(0.0, number=True, above=-_LONGEST, below=_LONGEST, doc="What a polynomial adds to gamma x·y.")
    tol: float = param(
        1e-3, number=True, above=0, doc="Stop when the objective falls less than this for any pair of variables."
    )
    shrinking: bool = param(True, choices=(True, False), doc="Leave out variables that seem to have settled.")
    cache_size: float = param(
        200.0, number=True, above=0, below=1e9, doc="The megabytes that rows of the kernel matrix may take."
    )
    max_iter: int = param(-1, integer=True, at_least=-1, doc="How many pairs of variables may move; −1 for any.")

    support_: Whole = learned(
        "The places of the support vectors among the rows, (s,).", holds=integers("s", at_least=0)
    )
    support_vectors_: Numbers = learned(
        "The support vectors, (s, d); of a precomputed kernel an empty table.",
        holds=row_array(None, None, complete=True),
    )
    dual_coef_: Floats = learned("What each support vector counts, (·, s).", holds=floats("duals", "s"))
    intercept_: Floats = learned("The intercepts.", holds=floats("decisions"))
    fit_status_: int = learned("0 where the fit converged, else 1.", holds=whole())
    shape_fit_: tuple[int, int] = learned("The shape of the table of the fit.", holds=record(whole(), whole()))

    holds: ClassVar = {"_fitted_kernel": sometimes(instance(Kernel))}  # but of a function, or a given matrix

    @classmethod
    def example(cls, rng: np.random.Generator, n: int) -> tuple[Floats, object]:
        return super().example(rng, min(n, 500))  # the work grows with n²

    # ---- learning ----

    def _gathered(self, source: Source) -> tuple[Chunk, Whole]:
        """The rows that weigh something, and their places."""
        chunk = source.gather(instead=INSTEAD)
        owner = type(self).__name__
        if self._is_precomputed() and chunk.X.shape[0] != chunk.X.shape[1]:
            raise InvalidData(
                f"{owner}: a precomputed kernel must be a square matrix, one row and column for each row of the table; "
                f"got shape {chunk.X.shape}."
            )
        places = np.arange(len(chunk))
        if chunk.weight is not None and not np.all(chunk.weight > 0):
            places = np.flatnonzero(chunk.weight > 0)
            chunk = chunk.at(places)
        return chunk, places

    def _similarity(self, chunk: Chunk, places: Whole) -> tuple[Similarity, Function | None]:
        X = chunk.X
        if self._is_precomputed():
            matrix = np.asarray(X.toarray() if is_sparse(X) else X)
            if not np.allclose(
                matrix[:, places], matrix[:, places].T, rtol=1e-5, atol=1e-8 * np.abs(matrix).max(initial=0.0)
            ):
                raise InvalidData(f"{type(self).__name__}: a precomputed kernel must be symmetric, k(x, y) = k(y, x).")
            return Matrix(np.ascontiguousarray(matrix[:, places])), None
        function = self._function(X, chunk.weight)
        return similarity_of(X, function, type(self).__name__), function

    def _function(self, X: Numbers, weight: Floats | None) -> Function:
        gamma = scale_of(self.gamma, X, weight) if isinstance(self.kernel, str) else None
        if gamma == np.inf:
            raise squares_underflow(type(self).__name__)
        return as_kernel(self.kernel, type(self).__name__, gamma=gamma, coef0=self.coef0, degree=self.degree)

    def _solved(
        self,
        similarity: Similarity,
        programmes: Sequence[Programme],
        start: Sequence[Floats],
        shown: Shown = NOTHING,
    ) -> Outcome[State]:
        owner, memory = type(self).__name__, int(self.cache_size * (1 << 20))
        work = SMO(similarity, programmes, self.tol, memory, self.shrinking, self.max_iter, owner, self._task, shown)
        outcome = work.solve(start)
        if outcome.history.status == "max_iter":
            of_limit = f"after max_iter={self.max_iter} pairs of variables; raise it, or scale the columns."
            of_digits = (
                f"to tol={self.tol:g}, which is finer than rounding allows; raise it, scale the columns, or lower C."
            )
            limited = any(0 <= self.max_iter <= one.pairs for one in outcome.state)
            warn(f"{owner}: not converged {of_limit if limited else of_digits}", NotConverged)
        return outcome

    def _is_precomputed(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _needs(self) -> Needs:
        rows = not self._is_precomputed()
        return super()._needs().but(scaled=rows, one_hot=rows)

    def _support(self, chunk: Chunk, places: Whole, used: Whole, function: Function | None) -> dict[str, object]:
        """The attributes that any machine has of its support vectors, by their places in the chunk."""
        X = chunk.X
        rows = np.empty((0, 0), dtype=X.dtype) if function is None else X[used]
        return {
            "support_": places[used],
            "support_vectors_": rows if is_sparse(rows) else np.ascontiguousarray(rows),
            "shape_fit_": (int(places.max(initial=-1)) + 1, int(X.shape[1])),
            **({"_fitted_kernel": function} if isinstance(function, Kernel) else {}),
        }

    # ---- using it ----

    def check_loaded(self) -> None:
        super().check_loaded()
        if not len(self.support_):
            return
        given = self.support_vectors_.size == 0
        known = hasattr(self, "_fitted_kernel") or given
        require(known, "support_vectors_ must not be there without a kernel")
        if given:
            require(self.support_.max() < self.n_features_in_, "support_ must be below the number of columns")
        else:
            wanted = len(self.support_), self.n_features_in_
            require(self.support_vectors_.shape == wanted, "support_vectors_ must have a row for each of support_")

    def _function_of_fit(self) -> Function | None:
        found: Function | None = getattr(self, "_fitted_kernel", None)
        if found is not None:
            return found
        return self.kernel if is_function(self.kernel) else None  # type: ignore[return-value]

    def _weighted(self, chunk: Chunk, columns: Floats) -> Floats:
        """Σ columns k(x, support vector) of every row, (n, p)."""
        X, function, support = chunk.X, self._function_of_fit(), self.support_vectors_
        if not len(self.support_):
            return np.zeros((len(chunk), columns.shape[1]))
        if function is None:
            rows = X[:, self.support_]
            return np.asarray((rows.toarray() if is_sparse(rows) else rows) @ columns, dtype=np.float64)
        form = function.form(X.shape[1]) if isinstance(function, Kernel) else None
        if is_sparse(X) or is_sparse(support):
            if form is None:
                raise InvalidData(f"{type(self).__name__}: rows must be dense for this kernel; use X.toarray().")
            height = max(1, _BLOCK // len(self.support_))
            cut = (X[first : first + height] for first in range(0, len(chunk), height))
            return np.concatenate([sparse_kernel(part, support, form) @ columns for part in cut])
        if form is None:
            return products(function, np.asarray(X), np.asarray(support), columns)
        rows = np.asarray(support)
        middle = rows.mean(axis=0, dtype=np.float64) if form.kind == "gaussian" else None
        return self._without_overflow(packed(rows, form, middle).times(np.asarray(X), columns), form)

    def _without_overflow(self, found: Floats, form: Form) -> Floats:
        """Rows so far off that squares overflow are similar to none by a Gaussian kernel, and refused by others."""
        bad = np.isnan(found)
        if not bad.any():
            return found
        if form.kind == "gaussian":
            return np.where(bad, 0.0, found)
        raise InvalidData(f"{type(self).__name__}: products of rows overflow; scale the columns down.")

    @property
    def coef_(self) -> Floats:
        """The slopes of a linear kernel, one row a decision."""
        self._check_fitted("support_")
        function = self._function_of_fit()
        form = function.form(self.n_features_in_) if isinstance(function, Kernel) else None
        if form is None or form.kind != "product":
            raise NotEstimated(f"{type(self).__name__}: coef_ is there for kernel='linear' only.")
        found = np.asarray(self._columns().T @ self.support_vectors_, dtype=np.float64)
        found.flags.writeable = False  # predictions would not follow
        return found

    def _columns(self) -> Floats:
        """What support vectors count for each decision, (s, p)."""
        return np.ascontiguousarray(self.dual_coef_.T)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_precomputed()
        return tags


def scale_of(gamma: object, X: Numbers, weight: Floats | None) -> float:
    """The number that gamma stands for; rows count by their weight, as if they were repeated."""
    d = X.shape[1]
    if not isinstance(gamma, str):
        return float(gamma)  # type: ignore[arg-type]
    if gamma == "auto":
        return 1.0 / d
    if weight is not None and weight.min() == weight.max():
        weight = None
    share = np.full(X.shape[0], 1 / X.shape[0]) if weight is None else weight / weight.sum()
    if is_sparse(X):
        cells = X.astype(np.float64)
        mean = float(share @ np.asarray(cells.sum(axis=1)).ravel()) / d
        cells.data -= mean
        squares = np.asarray(cells.multiply(cells).sum(axis=1)).ravel()
        variance = float(share @ (squares + (d - np.diff(cells.indptr)) * mean**2)) / d
    elif weight is None:
        cells = np.asarray(X, dtype=np.float64)
        apart = (cells - cells.sum() / cells.size).ravel()
        variance = float(apart @ apart) / cells.size
    else:
        rows = np.asarray(X)
        mean = float(share @ rows.mean(axis=1, dtype=np.float64))
        variance = float(share @ np.square(rows - mean, dtype=np.float64).mean(axis=1))
    return 1.0 / (d * variance) if variance > 0 else 1.0
