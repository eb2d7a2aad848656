"""Inference for classifiers of two classes or of several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np

from ...data import Source
from ...errors import InvalidParameter
from ...estimator import declares
from ...holds import instance, sometimes
from ...params import derived
from ...solvers import Coefficients
from ...typing import Floats
from .class_inference import ClassInformation, gradient_products
from .classifier import LinearClassifier
from .coefficients import CoefficientTable
from .inference import Inference
from .inverse import Inverse
from .likelihood_tests import TestResult, chi_squared, wald
from .sandwich import Kind


@declares
class ClassInference(Inference, LinearClassifier):
    """Inference for two classes by one predictor, and for several by differences from a reference class.

    Of several classes only differences of coefficients are determined. `reference` is the class that they are taken
    from, by default the first of `classes_`; tests and deviances do not depend on it.
    """

    holds: ClassVar = {"_class_information": sometimes(instance(ClassInformation))}

    @property
    def _several(self) -> bool:
        return hasattr(self, "_class_information")

    def _reference(self, given: object) -> int:
        """The code of a reference class."""
        self._check_fitted("classes_")
        labels = self.classes_.tolist()
        if given is None:
            return 0
        if given not in labels:
            raise InvalidParameter(
                f"{type(self).__name__}: reference must be one of the classes, {', '.join(map(repr, labels[:8]))}; got "
                f"{given!r:.80}."
            )
        return int(labels.index(given))

    def _differences(self, reference: int) -> tuple[Floats, Inverse]:
        """Slopes and intercept of each other class less those of the reference, (k − 1, q), and how sure they are."""
        self._fit_sums  # noqa: B018 (refuses what was not fitted, or not so)
        k = len(self.classes_)
        found = np.column_stack([self.coef_, self.intercept_]) if self._centred else self.coef_
        inverse = self._class_information.inverse(k, reference, self._ridge)
        return np.delete(found - found[reference], reference, axis=0), inverse

    @property
    def _used(self) -> float:
        if not self._several:
            return super()._used
        return self._differences(0)[1].used

    @derived
    def covariance_(self) -> Floats:
        """The covariance of the slopes and, last, of the intercept, (p + 1, p + 1); of slopes alone without one.

        Of several classes that of the differences from the first class: those of the second, then of the third, ….
        """
        if not self._several:
            return super().covariance_
        return self._differences(0)[1].covariance

    @derived
    def standard_errors_(self) -> Floats:
        """Of the slopes, (1, d); of several classes those of the differences from the first, (classes − 1, d)."""
        if not self._several:
            return super().standard_errors_
        return self._errors(self.covariance_)[:, : self.n_features_in_]

    @derived
    def intercept_standard_error_(self) -> float | Floats:
        """Of the intercept; of several classes those of the differences from the first, (classes − 1,)."""
        if not self._several:
            return super().intercept_standard_error_
        return self._errors(self.covariance_)[:, -1] if self._centred else np.zeros(len(self.classes_) - 1)

    def _errors(self, covariance: Floats) -> Floats:
        return np.asarray(np.sqrt(np.diagonal(covariance)).reshape(len(self.classes_) - 1, -1))

    def coefficients(self, level: float = 0.95, *, reference: object = None) -> CoefficientTable:
        """Estimates with standard errors, z values, p values and confidence intervals.

        Of several classes these are differences from the `reference` class, by default the first: what a column does to
        log P(class) / P(reference).
        """
        code = self._reference(reference)
        if not self._several:
            found = super().coefficients(level)
            return found if code == 0 else _turned(found)
        return self._table(level, code, self._differences(code)[1].covariance)

    def _table(self, level: float, reference: int, covariance: Floats) -> CoefficientTable:
        estimate, error = self._differences(reference)[0], self._errors(covariance)
        if self._centred:
            estimate, error = (np.roll(one, 1, axis=1) for one in (estimate, error))
        labels = [str(label) for label in self.classes_]
        names = tuple(f"{label} against {labels[reference]}" for k, label in enumerate(labels) if k != reference)
        return CoefficientTable.made(self, level, estimate.T, error.T, np.full(len(names), np.inf), names)

    def odds_ratios(self, level: float = 0.95, *, reference: object = None) -> CoefficientTable:
        """exp of the coefficients and of their intervals: what one more of a column does to the odds.

        Of several classes those of each against the `reference` class, also called relative risk ratios. Standard
        errors, z and p are those of the logarithms.
        """
        return self.coefficients(level, reference=reference).exponentiated()

    def wald_test(self, columns: Sequence[int] | Sequence[str]) -> TestResult:
        """Whether the slopes of some columns, by number or name, are all 0, of all classes: wᵀ Σ⁻¹ w, chi-squared."""
        if not self._several:
            return super().wald_test(columns)
        estimate, inverse = self._differences(0)
        k, q = estimate.shape
        places = (np.arange(k)[:, None] * q + self._places(columns)).ravel()
        return chi_squared(wald(estimate.ravel()[places], inverse.covariance[np.ix_(places, places)]), len(places))

    def _robust_table(self, source: Source, kind: Kind, level: float, reference: object) -> CoefficientTable:
        code = self._reference(reference)
        if not self._several:
            found = super()._robust_table(source, kind, level, None)
            return found if code == 0 else _turned(found)
        if kind not in ("HC0", "HC1"):
            raise InvalidParameter(
                f"robust_coefficients: a row has a leverage in each of several classes, so that kind must be HC0 or "
                f"HC1; got {kind!r:.80}."
            )
        inverse = self._differences(code)[1]
        at = Coefficients(np.ascontiguousarray(self.coef_.T), self.intercept_)
        kept = np.delete(np.arange(len(self.classes_)), code)
        sums = partial(gradient_products, loss=self._loss_of_fit(), at=at, kept=kept, fit_intercept=self._centred)
        spread = self._same_rows(source, at).reduce(sums)
        factor = self._fit_sums.weight / self.degrees_of_freedom_ if kind == "HC1" else 1.0
        robust = replace(inverse, spread=factor * inverse.inverse @ spread @ inverse.inverse)
        return self._table(level, code, robust.covariance)


def _turned(table: CoefficientTable) -> CoefficientTable:
    """The table of the first class against the second."""
    return replace(table, estimate=-table.estimate, t=-table.t, low=-table.high, high=-table.low)
