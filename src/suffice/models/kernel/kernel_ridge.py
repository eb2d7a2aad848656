"""Kernel ridge regression."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.utils import Tags

from ...backend.weights import given_or_ones
from ...data import Chunk, Needs, Source
from ...engine import Outcome, Step, closed_form
from ...errors import InvalidParameter
from ...estimator import Attributes, Regressor, estimator
from ...holds import either, floats, number, require, sometimes
from ...kernels import Function
from ...params import are_numbers, learned, numbers, param
from ...scikit_learn import Counterpart
from ...typing import Floats, NumberLike, Reals, TableLike, Whole
from .dual_system import solved_dual
from .kernel_of_rows import KernelModel, finite, kernel_param
from .leave_one_out import LeaveOneOut


@estimator
class KernelRidge(Regressor, KernelModel):
    """Ridge regression in the space of a kernel: minimises Σ w (y − f(x))² + α ‖f‖².

    The answer is f(x) = Σⱼ cⱼ k(x, xⱼ) with (K + α W⁻¹) c = y, where K is the kernel matrix and W the weights. As in
    `Ridge`, α stands beside the sum of squares: for a mean of squares, with λ beside it, α = nλ. `fit_intercept` adds
    an intercept that α does not touch. With `alpha="cv"` strengths are compared by their error for rows left out, which
    follows from one decomposition of K: `loo_errors_` holds it, `alpha_` what was chosen. A Gaussian process with the
    same kernel and noise variance α has this mean.

    Examples
    --------
    >>> import suffice as sf
    >>> crabs = sf.datasets.load("crabs")
    >>> X, y = crabs.matrix(["FL", "RW"]), crabs["CL"]
    >>> model = sf.KernelRidge(alpha=0.1, kernel="gaussian", gamma=0.01).fit(X, y)
    >>> round(model.score(X, y), 3)
    0.958
    """

    complexity = "-alpha"

    counterpart: ClassVar = Counterpart(
        "sklearn.kernel_ridge",
        absent={"kernel_params": "give the kernel itself, such as GaussianKernel(gamma=2.0), or a function of X and Y"},
    )

    needs = Needs(target="numbers", scaled=True, one_hot=True)
    proposed = False  # its default is a linear kernel without an intercept

    alpha: float | str | NumberLike = param(
        1.0,
        positional=True,
        number=True,
        at_least=0,
        below=np.inf,
        choices=("cv",),
        accept=lambda value: are_numbers(value, 1),
        allowed="a list of one such number a target",
        doc="The strength of the penalty; cv chooses it by the error of rows left out.",
    )
    kernel: object = kernel_param("linear")
    fit_intercept: bool = param(False, choices=(True, False), doc="Whether to fit an intercept, which α leaves alone.")
    n_alphas: int = param(50, integer=True, at_least=2, at_most=10_000, doc="How many strengths `alpha='cv'` compares.")

    dual_coef_: Floats = learned(
        "The coefficients c, (n,), or (n, targets).", holds=either(floats("n"), floats("n", "targets"))
    )
    intercept_: float | Floats = learned("The intercept, or one a target.", holds=either(number(), floats("targets")))
    holds: ClassVar = {
        "alpha_": sometimes(number(at_least=0)),
        "alphas_": sometimes(floats("strengths", at_least=0)),
        "loo_errors_": sometimes(floats("strengths", at_least=0)),
    }

    def check_loaded(self) -> None:
        super().check_loaded()
        require(self.dual_coef_.size, "dual_coef_ must have rows and columns")
        require(
            np.ndim(self.intercept_) == 0 or self.dual_coef_.ndim == 2, "intercept_ must be one number for one target"
        )

    def _learn(self, source: Source) -> Outcome[Attributes]:
        rows = self._gathered(source, copies=3 if isinstance(self.alpha, str) else 1)
        return closed_form(lambda: self._solved(rows))

    def _solved(self, rows: Chunk) -> Step[Attributes]:
        X, weight, function = rows.X, given_or_ones(rows.weight, len(rows)), self._function()
        y = np.asarray(rows.y, dtype=np.float64).reshape(len(rows), -1)
        some = np.flatnonzero(weight > 0)
        chosen = self._chosen(X, function, weight, y, some) if isinstance(self.alpha, str) else {}
        alpha = np.full(y.shape[1], chosen["alpha_"]) if chosen else self._strengths(y.shape[1])
        coefficients, intercept = np.zeros_like(y), np.zeros(y.shape[1])
        for value in np.unique(alpha):
            own = np.flatnonzero(alpha == value)
            found, level = self._of_strength(X, function, weight[some], y[np.ix_(some, own)], some, float(value))
            coefficients[np.ix_(some, own)], intercept[own] = found, level
        finite(coefficients, type(self).__name__, "coefficients")
        with np.errstate(over="ignore"):
            objective = float(np.sum(alpha * coefficients * (y - intercept)))
        flat = np.ndim(rows.y) == 1
        return Step({
            "dual_coef_": coefficients[:, 0] if flat else coefficients,
            "intercept_": float(intercept[0]) if flat else intercept,
            **self._remembered(X, function),
            **chosen,
        }, objective)  # fmt: skip

    def _of_strength(
        self, X: Floats, function: Function | None, weight: Floats, y: Floats, some: Whole, alpha: float
    ) -> tuple[Floats, Floats]:
        """Coefficients (n, q) and intercepts (q,) of targets with the same α, of the rows that have a weight."""
        with np.errstate(over="ignore"):
            noise = np.minimum(alpha / weight, np.finfo(np.float64).max / 4)
        right = np.column_stack([y, np.ones(len(y))]) if self.fit_intercept else y
        found = solved_dual(lambda: self._among(X, function, some), noise, right, type(self).__name__)
        if not self.fit_intercept:
            return found, np.zeros(y.shape[1])
        one = found[:, -1]
        level = one @ y / one.sum()
        return found[:, :-1] - np.outer(one, level), level

    def _among(self, X: Floats, function: Function | None, some: Whole) -> Floats:
        """The kernel matrix of some rows."""
        if len(some) == len(X):
            return self._matrix(X, function)
        return self._matrix(np.ascontiguousarray(X[np.ix_(some, some)] if function is None else X[some]), function)

    def _chosen(self, X: Floats, function: Function | None, weight: Floats, y: Floats, some: Whole) -> Attributes:
        """The strength whose rows left out have the least error."""
        K = self._among(X, function, some)
        found = LeaveOneOut.of(K, weight[some], y[some], self.fit_intercept, type(self).__name__)
        alphas = found.strengths(self.n_alphas)
        errors = np.array([found.error(float(alpha)) for alpha in alphas])
        finite(errors, type(self).__name__, "squared errors")
        return {"alpha_": float(alphas[np.argmin(errors)]), "alphas_": alphas, "loo_errors_": errors}

    def _strengths(self, q: int) -> Floats:
        """α of each of the q targets."""
        if np.ndim(self.alpha) == 0:
            return np.full(q, self.alpha, dtype=np.float64)
        count = q if np.size(self.alpha) != 1 else 1
        alpha = numbers("KernelRidge", "alpha", self.alpha, (count,), "one number, or one for each target")
        if np.any(alpha < 0):
            raise InvalidParameter(f"KernelRidge: alpha must be at least 0; got {self.alpha!r}.")
        return np.broadcast_to(alpha, (q,))

    def predict(self, X: TableLike) -> Reals:
        """Σⱼ cⱼ k(x, xⱼ) of each row, (m,), or (m, targets); for a precomputed kernel X holds k(x, xⱼ), (m, n)."""
        self._check_fitted("dual_coef_")
        owner, flat = type(self).__name__, self.dual_coef_.ndim == 1
        coefficients = self.dual_coef_[:, None] if flat else self.dual_coef_

        def predict(chunk: Chunk) -> Reals:
            found = finite(self._sums(chunk, coefficients) + self.intercept_, owner, "predictions")
            return np.asarray(found[:, 0] if flat else found, dtype=chunk.X.dtype)

        return self._rows(X, predict)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
