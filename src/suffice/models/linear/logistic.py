"""Logistic regression."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from ...backend.posteriors import log_posterior, posterior, rounded, rounded_logs
from ...data import Chunk, Needs, Source
from ...engine import Outcome
from ...errors import InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import number, sometimes
from ...losses import LogisticLoss, Loss, SoftmaxLoss
from ...params import check_argument, param
from ...penalties import L2, ElasticNetPenalty, NoPenalty, Penalty
from ...scikit_learn import JOBS, VERBOSE, Counterpart
from ...solvers import Coefficients, Problem
from ...statistics.gradient import forth
from ...typing import Floats, Labels, Reals, TableLike
from .class_inference import learned_of_classes, odds_of_classes
from .classifier import by_class
from .fit_sums import learned_sums
from .intervals import dense
from .iterative import finished, solver_param, strength_of
from .multinomial import ClassInference
from .regularized import ChoosesStrength
from .separation import warn_if_separated
from .targets import CodedClasses, coded_as


@estimator
class LogisticRegression(ClassInference, ChoosesStrength):
    """Logistic regression: P(c | x) ∝ exp(x·w_c + b_c), of two classes P(second | x) = 1 / (1 + exp(−x·w − b)).

    Minimises C Σᵢ sᵢ ℓᵢ + ρ ‖w‖₁ + ½ (1 − ρ) ‖w‖², where ℓ = −log P(yᵢ | xᵢ) and ρ is `l1_ratio`; `C=np.inf` is maximum
    likelihood without a prior. In terms of the mean loss the strength of the penalty is λ = 1 / (C Σ s). Gradients and
    Hessians are sums over rows, so that files and Dask give the answer of memory. `C="cv"` compares `n_alphas`
    strengths λ by their deviance over folds, which `cv_path_` holds; `C_` is what was chosen.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.LogisticRegression().fit(iris.matrix(), iris["species"])
    >>> model.predict_proba(iris.matrix()[:1]).round(3)
    array([[0.982, 0.018, 0.   ]])
    """

    complexity = "C"

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

    C: float | str = param(
        1.0,
        number=True,
        above=0,
        choices=("cv",),
        doc="How much the rows count against the penalty; np.inf is no penalty, cv chooses it by cross-validation.",
    )
    l1_ratio: float = param(
        0.0, number=True, at_least=0, at_most=1, doc="The share ρ of the L1 penalty; 0 is L2 alone, 1 is L1 alone."
    )
    solver: object = solver_param("liblinear", "newton-cg", "newton-cholesky", "sag", "saga")
    holds: ClassVar = {"C_": sometimes(number(above=0, finite=False))}

    def _needs(self) -> Needs:
        return super()._needs().but(scaled=np.inf != self.C)  # only a penalty minds the units of the columns

    def _learn(self, source: Source) -> Outcome[Attributes]:
        coded = CodedClasses.of(source, self.class_weight)  # type: ignore[arg-type]
        if isinstance(self.C, str):
            path = self._validated(self._coded_problem(coded))
            return self._learn_with(source, "C", path, float(1 / (path.alpha * path.weight.sum())))
        k = len(coded.classes)
        if not coded.weight.all():
            none = str(coded.classes[np.argmin(coded.weight)])
            raise InvalidParameter(
                f"{type(self).__name__}: class_weight gives the class {none!r} no weight, so that no intercept is "
                "best; leave its rows out, or give it a weight above 0."
            )
        loss = LogisticLoss() if k == 2 else SoftmaxLoss()

        def attributes(found: Coefficients) -> Attributes:
            return {**by_class(_centred(found)), "classes_": coded.classes}

        several, p = None if k == 2 else k, len(source.schema)
        shape = (p,) if several is None else (p, k)
        penalty = self._penalty(strength_of(float(self.C), float(coded.weight.sum()), type(self).__name__))
        problem, outcome = self._minimised(coded.source, loss, penalty, self._held(shape), several, attributes)
        warn_if_separated(problem, outcome.state)
        if several is not None:
            return finished(outcome, lambda found: {**attributes(found), **learned_of_classes(problem, found)})
        share = float(2 * coded.weight[-1] / coded.weight.sum() - 1)
        null = Coefficients(np.zeros(p), np.asarray(loss.constant(share) if self.fit_intercept else 0.0))
        return finished(outcome, lambda found: {**attributes(found), **learned_sums(problem, found, null)})

    def _loss(self) -> Loss:
        return SoftmaxLoss() if self._several else LogisticLoss()

    def _as_targets(self, source: Source) -> Source:
        return coded_as(source, self.classes_)

    def _of_strength_one(self, source: Source) -> tuple[Problem, Labels | None]:
        coded = CodedClasses.of(source, self.class_weight)  # type: ignore[arg-type]
        return self._coded_problem(coded), coded.classes if len(coded.classes) > 2 else None

    def _coded_problem(self, coded: CodedClasses) -> Problem:
        k = len(coded.classes)
        loss, several = (LogisticLoss(), None) if k == 2 else (SoftmaxLoss(), k)
        return Problem(type(self).__name__, coded.source, loss, self._penalty(1.0), self.fit_intercept, several)

    def _penalty(self, strength: float) -> Penalty:
        if strength == 0:
            return NoPenalty()
        return L2(strength) if self.l1_ratio == 0 else ElasticNetPenalty(strength, self.l1_ratio)

    def predict_proba(self, X: TableLike) -> Reals:
        """P(class | x), (n, classes)."""
        self._check_fitted("coef_")
        none = np.zeros(len(self.classes_))
        return self._rows_by_scores(
            X, self._log_odds, lambda odds, chunk: rounded(posterior(odds, none), chunk.X.dtype)
        )

    def predict_log_proba(self, X: TableLike) -> Reals:
        """log P(class | x), (n, classes)."""
        self._check_fitted("coef_")
        none = np.zeros(len(self.classes_))
        return self._rows_by_scores(
            X, self._log_odds, lambda odds, chunk: rounded_logs(log_posterior(odds, none), chunk.X.dtype)
        )

    def predict_interval(self, X: TableLike, level: float = 0.95) -> Reals:
        """Intervals for P(class | x), (n, classes, 2): those of the log odds of each class against all others.

        Their errors follow from those of the coefficients, to first order (the delta method).
        """
        from scipy.special import expit, ndtri

        self._check_fitted("coef_")
        check_argument("predict_interval", "level", level, number=True, above=0, below=1)
        times, odds_of = float(ndtri((1 + level) / 2)), self._odds_of_rows()

        def intervals(chunk: Chunk) -> Reals:
            odds, variance = odds_of(chunk)
            half = times * np.sqrt(variance)
            return np.asarray(expit(np.stack([odds - half, odds + half], axis=2)), dtype=chunk.X.dtype)

        return self._rows(X, intervals)

    def _odds_of_rows(self) -> Callable[[Chunk], tuple[Floats, Floats]]:
        """What gives the log odds of each class against all others, (n, classes), and their variances."""
        at = Coefficients(self.coef_.T, self.intercept_)
        if self._several:
            inverse = self._differences(0)[1]
            return lambda chunk: odds_of_classes(chunk, at, inverse, self._centred)
        variances = self._variances_of_rows()

        def of_two(chunk: Chunk) -> tuple[Floats, Floats]:
            eta, variance = forth(chunk.X, at.slope, at.intercept)[:, 0], variances(dense(chunk))
            return np.column_stack([-eta, eta]), np.column_stack([variance, variance])

        return of_two

    def _log_odds(self, chunk: Chunk) -> Floats:
        """log P(class | x) but for a constant of each row, (n, classes), in double."""
        scores = forth(chunk.X, self.coef_.T, self.intercept_)
        if len(self.coef_) == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores[:, 0]])
        return scores


def _centred(found: Coefficients) -> Coefficients:
    """Of several classes the intercepts that sum to 0: a constant added to all of them changes nothing."""
    if found.slope.ndim == 1:
        return found
    return Coefficients(found.slope, found.intercept - found.intercept.mean())
