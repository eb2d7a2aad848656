"""Logistic regression in the space of a kernel."""

from __future__ import annotations

import numpy as np

from ...backend.posteriors import log_posterior, posterior, rounded, rounded_logs
from ...data import ArraySource, Chunk, Needs, Source
from ...engine import Outcome
from ...errors import InvalidParameter, NotConverged, warn
from ...estimator import Attributes, estimator
from ...kernels.centred_matrix import spectrum
from ...losses import LogisticLoss, SoftmaxLoss
from ...params import derived, param
from ...penalties import L2
from ...solvers import SOLVERS, Coefficients, Limits, Problem
from ...typing import Floats, Reals, TableLike
from ..linear.iterative import strength_of
from ..linear.targets import CodedClasses
from .dual_system import check_positive
from .kernel_classifier import KernelClassifier
from .kernel_of_rows import kernel_param

_FEW = 500  # features times classes whose Hessian is factored faster than it is learned by many steps


@estimator
class KernelLogisticRegression(KernelClassifier):
    """Logistic regression in the space of a kernel: minimises C Σ s ℓ(f(x) + b, y) + ½ ‖f‖², ℓ = −log P(y | x).

    Of two classes P(second | x) = 1 / (1 + exp(−f(x) − b)); several have a function each, P(c | x) ∝ exp(f_c(x) + b_c).
    The answer is a sum over the rows, f(x) = Σⱼ cⱼ k(x, xⱼ). It is found as `LogisticRegression` of features whose
    inner products are the kernel matrix, K = U Λ Uᵀ = (U Λ^½)(U Λ^½)ᵀ, with c = U Λ^−½ w; with the linear kernel it is
    `LogisticRegression` itself. No penalty touches the intercept.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.KernelLogisticRegression(C=10.0, gamma=0.5).fit(iris.matrix(), iris["species"])
    >>> model.predict_proba(iris.matrix()[:1]).round(2), round(model.score(iris.matrix(), iris["species"]), 2)
    (array([[0.99, 0.  , 0.  ]]), 0.99)
    """

    complexity = "C"

    needs = Needs(target="classes", scaled=True, one_hot=True)
    proposed = False  # with its defaults as good as SVC, and a hundred times slower

    C: float = param(1.0, number=True, above=0, below=np.inf, doc="How much the rows count against the penalty.")
    kernel: object = kernel_param("gaussian")
    fit_intercept: bool = param(True, choices=(True, False), doc="Whether to fit an intercept.")
    class_weight: object = param(
        None,
        choices=(None, "balanced"),
        types=(dict,),
        doc="What a row of each class counts: numbers by class, or balanced, which gives all classes the same weight.",
    )
    max_iter: int = param(1000, integer=True, at_least=1, doc="The most iterations of the solver.")
    tol: float = param(
        1e-12,
        number=True,
        at_least=0,
        doc="Stop when an iteration promises to lower the objective by less than this part of it.",
    )

    def _learn(self, source: Source) -> Outcome[Attributes]:
        owner = type(self).__name__
        coded = CodedClasses.of(source, self.class_weight)  # type: ignore[arg-type]
        if not coded.weight.all():
            none = str(coded.classes[np.argmin(coded.weight)])
            raise InvalidParameter(f"{owner}: class_weight gives the class {none!r} no weight; leave its rows out.")
        rows, function = self._gathered(coded.source, copies=4), self._function()
        features, back = _features(self._matrix(rows.X, function), owner)
        k = len(coded.classes)
        several = None if k == 2 else k
        inner = ArraySource.of(Chunk(features, rows.y, rows.weight, rows.start, rows.numbers), owner)
        penalty = L2(strength_of(self.C, float(coded.weight.sum()), owner))
        loss = LogisticLoss() if several is None else SoftmaxLoss()
        problem = Problem(owner, inner, loss, penalty, self.fit_intercept, several)
        solver = SOLVERS.make("newton" if features.shape[1] * (several or 1) <= _FEW else "lbfgs")
        outcome = solver.solve(problem, problem.zero(), Limits(self.max_iter, self.tol))
        if outcome.history.status == "max_iter":
            warn(f"{owner}: not converged after max_iter={self.max_iter} iterations; raise it, or tol.", NotConverged)

        def attributes(found: Coefficients) -> Attributes:
            level = np.atleast_1d(found.intercept).astype(np.float64)
            return {
                "classes_": coded.classes,
                "dual_coef_": back @ found.slope.reshape(features.shape[1], -1),
                "intercept_": level if several is None else level - level.mean(),
                **self._remembered(rows.X, function),
            }

        return outcome.then(attributes)

    @derived
    def n_iter_(self) -> int:
        """The number of iterations of the fit."""
        return len(self.history_)

    def predict_proba(self, X: TableLike) -> Reals:
        """P(class | x), (n, classes)."""
        self._check_fitted("dual_coef_")
        return self._rows(X, lambda chunk: rounded(posterior(*self._log_odds(chunk)), chunk.X.dtype))

    def predict_log_proba(self, X: TableLike) -> Reals:
        """log P(class | x), (n, classes)."""
        self._check_fitted("dual_coef_")
        return self._rows(X, lambda chunk: rounded_logs(log_posterior(*self._log_odds(chunk)), chunk.X.dtype))

    def _log_odds(self, chunk: Chunk) -> tuple[Floats, Floats]:
        """log P(class | x) but for a constant of each row, (n, classes), and the same for no row at all."""
        scores = self._scores(chunk)
        if scores.shape[1] == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores[:, 0]])
        return scores, np.zeros(len(self.classes_))


def _features(K: Floats, owner: str) -> tuple[Floats, Floats]:
    """Features (n, r) whose inner products are K, and what makes coefficients of rows of their slopes, (n, r)."""
    values, vectors = spectrum(K)
    check_positive(values, owner)
    kept = values > len(values) * np.finfo(np.float64).eps * max(float(values[-1]), 0.0)
    if not kept.any():
        return np.zeros((len(K), 1)), np.zeros((len(K), 1))
    root = np.sqrt(values[kept])
    return np.ascontiguousarray(vectors[:, kept] * root), vectors[:, kept] / root
