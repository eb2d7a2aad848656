"""Principal components in the space of a kernel."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin

from ...backend.blas import blas_threads_for
from ...backend.weights import given_or_ones
from ...data import Chunk, Needs, Source
from ...engine import Outcome, Step, closed_form
from ...errors import InvalidParameter, NotEstimated
from ...estimator import Attributes, Transformer, estimator
from ...holds import floats, require, sometimes, whole
from ...kernels.centred_matrix import RESIDUAL, RESIDUAL_IN_SINGLE, CentredMatrix
from ...kernels.gram import products
from ...params import check, derived, learned, param
from ...scikit_learn import COPY, JOBS, Counterpart
from ...typing import Floats, Reals, TableLike
from .dual_system import check_positive, solved_dual
from .kernel_of_rows import KernelModel, finite, kernel_param

_ZERO = 1e-12  # of the largest eigenvalue: smaller ones are rounding
_INVERSE = "the eigenvalues are found to rounding by whichever way costs least"


@estimator
class KernelPCA(ClassNamePrefixFeaturesOutMixin, Transformer, KernelModel):  # type: ignore[misc]
    """Principal component analysis in the space of a kernel: the directions v of largest Σ w (v·(φ(x) − μ))².

    With the matrix K̃ of the kernel about the mean μ of the features, K̃ u = λ u, and a row's coordinate along a
    component is Σⱼ uⱼ k̃(x, xⱼ) / √λ; of weighted rows the matrix is W^½ K̃ W^½. With the linear kernel it is `PCA`.
    `fit_inverse_transform` learns the way back by kernel ridge regression of the columns on the coordinates, with the
    strength `alpha` (Bakır, Weston and Schölkopf, 2004). The objective is the part of Σ λ that the components leave.

    Examples
    --------
    >>> import suffice as sf
    >>> t = np.linspace(0, 2 * np.pi, 30, endpoint=False)
    >>> ring = np.column_stack([np.cos(t), np.sin(t)])
    >>> z = sf.KernelPCA(1, kernel="gaussian", gamma=0.5).fit_transform(np.vstack([ring, 4 * ring]))
    >>> bool(z[:30].max() < z[30:].min() or z[:30].min() > z[30:].max())
    True
    """

    complexity = "n_components"

    counterpart: ClassVar = Counterpart(
        "sklearn.decomposition",
        ignored={
            "copy_X": COPY,
            "n_jobs": JOBS,
            "eigen_solver": _INVERSE,
            "tol": _INVERSE,
            "max_iter": _INVERSE,
            "iterated_power": _INVERSE,
            "random_state": "nothing is drawn",
        },
        absent={"kernel_params": "give the kernel itself, such as GaussianKernel(gamma=2.0), or a function of X and Y"},
    )

    needs = Needs(scaled=True, one_hot=True)

    n_components: int | None = param(
        None,
        positional=True,
        integer=True,
        at_least=1,
        choices=(None,),
        doc="How many components; None for all whose eigenvalue is above 0.",
    )
    kernel: object = kernel_param("linear")
    fit_inverse_transform: bool = param(False, choices=(True, False), doc="Whether to learn `inverse_transform`.")
    alpha: float = param(1.0, number=True, at_least=0, below=np.inf, doc="The strength of the way back.")
    remove_zero_eig: bool = param(
        False, choices=(True, False), doc="Whether components whose eigenvalue is 0 are left out."
    )

    eigenvalues_: Floats = learned("The eigenvalues λ of the centred matrix, falling, (k,).", holds=floats("k"))
    eigenvectors_: Floats = learned(
        "Its eigenvectors as columns, (n, k); the largest coordinate along each is positive.", holds=floats("n", "k")
    )
    n_components_: int = learned("How many components were kept.", holds=whole("k", at_least=1))
    gamma_: float = learned("The scale of a kernel by name: `gamma`, or 1/d.")
    holds: ClassVar = {
        "_projection": floats("n", "k"),
        "_offset": floats("k"),
        "dual_coef_": sometimes(floats("n", None)),
        "X_transformed_fit_": sometimes(floats("n", "k")),
    }

    def check_loaded(self) -> None:
        super().check_loaded()
        back = hasattr(self, "dual_coef_")
        require(back == hasattr(self, "X_transformed_fit_"), "X_transformed_fit_ must be there with dual_coef_")
        require(
            not back or self.dual_coef_.shape[1] == self.n_features_in_, "dual_coef_ must have a column for each of X"
        )

    def _learn(self, source: Source) -> Outcome[Attributes]:
        rows = self._gathered(source, copies=3)
        if self.fit_inverse_transform and self._is_precomputed():
            raise InvalidParameter(
                "KernelPCA: fit_inverse_transform needs rows to go back to, and kernel='precomputed' has none; give "
                "the rows with a kernel."
            )
        return closed_form(lambda: self._solved(rows))

    def _solved(self, rows: Chunk) -> Step[Attributes]:
        X, function = rows.X, self._function()
        weight = given_or_ones(rows.weight, len(rows))
        centred = CentredMatrix.of(self._matrix(X, function), weight)
        residual = RESIDUAL_IN_SINGLE if X.dtype == np.float32 else RESIDUAL
        values, vectors = self._kept(*centred.leading(self._wanted(len(X)), self._check_positive, residual))
        root, some = np.sqrt(weight), values > 0
        scaled = np.zeros_like(vectors)
        scaled[:, some] = root[:, None] * vectors[:, some] / np.sqrt(values[some])
        found = {
            "eigenvalues_": values,
            "eigenvectors_": vectors,
            "n_components_": len(values),
            "gamma_": 1 / X.shape[1] if self.gamma is None else float(self.gamma),
            "_projection": scaled - np.outer(centred.share, scaled.sum(axis=0)),
            "_offset": centred.grand * scaled.sum(axis=0) - centred.means @ scaled,
            **self._remembered(X, function),
        }
        left = max(centred.total - float(values.sum()), 0.0)
        return Step({**found, **(self._way_back(rows, found) if self.fit_inverse_transform else {})}, left)

    def _check_positive(self, values: Floats, scale: float) -> None:
        check_positive(values, type(self).__name__, scale)

    def _wanted(self, n: int) -> int:
        return n if self.n_components is None else min(n, self.n_components)

    def _kept(self, values: Floats, vectors: Floats) -> tuple[Floats, Floats]:
        """Those that are asked for; eigenvalues that are nothing but rounding are 0."""
        values = np.where(values > _ZERO * max(float(values[0]), 0.0), values, 0.0)
        if self.remove_zero_eig or self.n_components is None:
            k = max(1, int(np.count_nonzero(values)))
            values, vectors = values[:k], vectors[:, :k]
        return values, np.ascontiguousarray(vectors)

    def _way_back(self, rows: Chunk, found: Attributes) -> Attributes:
        """Kernel ridge regression of the columns on the coordinates of the rows."""
        function, weight = self._function(), given_or_ones(rows.weight, len(rows))
        assert function is not None
        with blas_threads_for(rows.X.shape[0] ** 2 * found["n_components_"]):
            Z = products(function, rows.X, rows.X, found["_projection"]) + found["_offset"]
        coefficients, some = np.zeros_like(rows.X), np.flatnonzero(weight > 0)
        coefficients[some] = solved_dual(
            lambda: self._matrix(Z[some], function), self.alpha / weight[some], rows.X[some], type(self).__name__
        )
        return {"X_transformed_fit_": Z, "dual_coef_": coefficients}

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    @derived
    def n_iter_(self) -> int:
        """One: the decomposition is exact."""
        return len(self.history_)

    def transform(self, X: TableLike) -> Reals:
        """The rows in the coordinates of the components; for a precomputed kernel X holds k(x, xⱼ), (m, n)."""
        self._check_fitted("eigenvalues_")
        owner = type(self).__name__

        def coordinates(chunk: Chunk) -> Reals:
            found = self._sums(chunk, self._projection) + self._offset
            return np.asarray(finite(found, owner, "coordinates"), dtype=chunk.X.dtype)

        return self._rows(X, coordinates)

    def inverse_transform(self, X: TableLike) -> Reals:
        """Rows whose coordinates are about these, after a fit with `fit_inverse_transform=True`."""
        self._check_fitted("eigenvalues_")
        check(self)
        if not hasattr(self, "dual_coef_"):
            raise NotEstimated("KernelPCA: the way back was not learned; fit with fit_inverse_transform=True.")
        function = self._function_of_fit()

        def back(chunk: Chunk) -> Reals:
            rows = np.asarray(chunk.X, dtype=np.float64)
            found = products(function, rows, self.X_transformed_fit_, self.dual_coef_)
            return np.asarray(finite(found, type(self).__name__, "rows"), dtype=chunk.X.dtype)

        return self._rows_back(X, back, self.n_components_)
