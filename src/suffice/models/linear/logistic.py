"""Logistic regression."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ...backend.posteriors import log_posterior, posterior, rounded, rounded_logs
from ...data import Chunk, Needs, Source
from ...engine import Outcome
from ...estimator import Attributes, estimator
from ...losses import LogisticLoss, Loss, SoftmaxLoss
from ...params import param
from ...penalties import L2, ElasticNetPenalty, NoPenalty, Penalty
from ...scikit_learn import JOBS, VERBOSE, Counterpart
from ...solvers import Coefficients
from ...statistics.gradient import forth
from ...typing import Floats, Reals, TableLike
from .classifier import LinearClassifier, by_class
from .coefficients import CoefficientTable
from .inference import Inference, learned_sums
from .iterative import IterativeLinearModel, finished, solver_param
from .separation import warn_if_separated
from .targets import CodedClasses, coded_as


@estimator
class LogisticRegression(Inference, LinearClassifier, IterativeLinearModel):
    """Logistic regression: P(c | x) ∝ exp(x·w_c + b_c), of two classes P(second | x) = 1 / (1 + exp(−x·w − b)).

    Minimises C Σᵢ sᵢ ℓᵢ + ρ ‖w‖₁ + ½ (1 − ρ) ‖w‖², where ℓ = −log P(yᵢ | xᵢ) and ρ is `l1_ratio`; `C=np.inf` is maximum
    likelihood without a prior. In terms of the mean loss the strength of the penalty is λ = 1 / (C Σ s). Gradients and
    Hessians are sums over rows, so that files and Dask give the answer of memory.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.LogisticRegression().fit(iris.matrix(), iris["species"])
    >>> model.predict_proba(iris.matrix()[:1]).round(3)
    array([[0.982, 0.018, 0.   ]])
    """

    needs = Needs(target="classes", scaled=True, one_hot=True, sparse=True)

    counterpart: ClassVar = Counterpart(
        "sklearn.linear_model",
        ignored={
            "n_jobs": JOBS,
            "verbose": VERBOSE,
            "random_state": "nothing is drawn",
            "dual": "it says how the work is done",
            "intercept_scaling": "no penalty touches the intercept",
        },
        absent={"penalty": "say it by C and l1_ratio: C=np.inf for none, l1_ratio=1 for L1"},
    )

    C: float = param(
        1.0,
        number=True,
        above=0,
        doc="How much the rows count against the penalty; np.inf is no penalty.",
    )
    l1_ratio: float = param(
        0.0, number=True, at_least=0, at_most=1, doc="The share ρ of the L1 penalty; 0 is L2 alone, 1 is L1 alone."
    )
    solver: object = solver_param("liblinear", "newton-cg", "newton-cholesky", "sag", "saga")
    class_weight: object = param(
        None,
        choices=(None, "balanced"),
        types=(dict,),
        doc="What a row of each class counts: numbers by class, or balanced, which gives all classes the same weight.",
    )

    def _needs(self) -> Needs:
        return super()._needs().but(scaled=np.inf != self.C)  # only a penalty minds the units of the columns

    def _learn(self, source: Source) -> Outcome[Attributes]:
        coded = CodedClasses.of(source, self.class_weight)  # type: ignore[arg-type]
        k = len(coded.classes)
        loss = LogisticLoss() if k == 2 else SoftmaxLoss()

        def attributes(found: Coefficients) -> Attributes:
            return {**by_class(_centred(found)), "classes_": coded.classes}

        several, p = None if k == 2 else k, len(source.schema)
        shape = (p,) if several is None else (p, k)
        penalty = self._penalty(float(coded.weight.sum()))
        problem, outcome = self._minimised(coded.source, loss, penalty, self._held(shape), several, attributes)
        warn_if_separated(problem, outcome.state)
        share = float(2 * coded.weight[-1] / coded.weight.sum() - 1)
        null = Coefficients(np.zeros(p), np.asarray(loss.constant(share) if self.fit_intercept else 0.0))
        return finished(outcome, lambda found: {**attributes(found), **learned_sums(problem, found, null)})

    def _likelihood(self) -> Loss:
        return LogisticLoss()

    def _as_targets(self, source: Source) -> Source:
        return coded_as(source, self.classes_)

    def odds_ratios(self, level: float = 0.95) -> CoefficientTable:
        """exp of the coefficients of two classes and of their intervals: what one more of a column does to the odds.

        Standard errors, z and p are those of the logarithms.
        """
        return self.coefficients(level).exponentiated()

    def _penalty(self, weight: float) -> Penalty:
        strength = 1 / (self.C * weight)
        if strength == 0:
            return NoPenalty()
        return L2(strength) if self.l1_ratio == 0 else ElasticNetPenalty(strength, self.l1_ratio)

    def predict_proba(self, X: TableLike) -> Reals:
        """P(class | x), (n, classes)."""
        self._check_fitted("coef_")
        return self._rows(X, lambda chunk: rounded(posterior(*self._log_odds(chunk)), chunk.X.dtype), late=True)

    def predict_log_proba(self, X: TableLike) -> Reals:
        """log P(class | x), (n, classes)."""
        self._check_fitted("coef_")
        return self._rows(
            X, lambda chunk: rounded_logs(log_posterior(*self._log_odds(chunk)), chunk.X.dtype), late=True
        )

    def _log_odds(self, chunk: Chunk) -> tuple[Floats, Floats]:
        """log P(class | x) but for a constant of each row, (n, classes), in double, and the same for no row at all."""
        scores = forth(chunk.X, self.coef_.T, self.intercept_)
        if len(self.coef_) == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores[:, 0]])
        return scores, np.zeros(len(self.classes_))


def _centred(found: Coefficients) -> Coefficients:
    """Of several classes the intercepts that sum to 0: a constant added to all of them changes nothing."""
    if found.slope.ndim == 1:
        return found
    return Coefficients(found.slope, found.intercept - found.intercept.mean())
