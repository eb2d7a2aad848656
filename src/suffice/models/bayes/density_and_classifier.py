"""A density beside a classifier: one model that classifies and says which rows it does not know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils.metaestimators import available_if

from ...backend.posteriors import rounded
from ...data import Chunk, Needs, Source
from ...engine import Outcome, Step, closed_form
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, Classifier, Estimator, estimator
from ...holds import instance, number, require
from ...params import learned, param
from ...typing import Flags, Labels, Reals, TableLike
from ..anomaly import DensityAnomaly
from ..anomaly.density_anomaly import density_param, label_param
from ..inner import columns_of, fitted_foreign, is_predictor, named, rows_for, speaking, takes_missing
from ..neighbors import KNeighborsClassifier

F = TypeVar("F", bound=Callable[..., object])


def _where_probable(method: F) -> F:
    """A method that is there where the classifier has probabilities."""
    has = available_if(lambda self: hasattr(getattr(self, "classifier_", self._classifier()), "predict_proba"))
    return cast(F, has(method))


@estimator
class DensityAndClassifier(Classifier):
    """A density and a classifier as one model of rows and classes: p(x, c) = p(x) P(c | x).

    The classifier, which need not be generative, learns P(c | x) and decides; the density learns p(x), whatever the
    classes are, and says which rows are unlike all those of the fit: those where log p(x) < t, the quantile below which
    the share `reject` of the weight lies. Of these outliers `predict` says `unknown`, where one is given. The objective
    is that of the density.

    Examples
    --------
    >>> import suffice as sf
    >>> from sklearn.linear_model import LogisticRegression
    >>> iris = sf.datasets.load("iris")
    >>> mixture, logistic = sf.GaussianMixture(3, random_state=0), LogisticRegression(max_iter=1000)
    >>> model = sf.DensityAndClassifier(mixture, logistic, unknown="?")
    >>> model.fit(iris.matrix(), iris["species"]).predict([[5.0, 3.4, 1.5, 0.2], [9.0, 9.0, 9.0, 9.0]]).tolist()
    ['setosa', '?']
    >>> model.predict_proba([[9.0, 9.0, 9.0, 9.0]]).round(2)
    array([[0., 0., 1.]])
    """

    needs = Needs(target="classes")
    compound = True

    density: object = density_param("What p(x)")
    classifier: object = param(
        None,
        positional=True,
        choices=(None,),
        accept=lambda model: is_predictor(model, is_classifier),
        allowed="a classifier",
        doc="What P(class | x) comes from, any classifier with scikit-learn's methods; None: `KNeighborsClassifier`.",
    )
    reject: float = param(
        0.05, number=True, at_least=0, at_most=0.5, doc="The share of the rows of the fit that count as outliers."
    )
    unknown: Any = label_param(
        "What `predict` says of outliers, text where classes are text, else a number; None: their class."
    )

    detector_: DensityAnomaly = learned("The fitted density with its threshold.", holds=instance(DensityAnomaly, d="d"))
    classifier_: Any = learned("The fitted classifier.", holds=instance(Estimator, d="d"))
    threshold_: float = learned("t, of log p(x).", holds=number(finite=False))

    def check_loaded(self) -> None:
        super().check_loaded()
        known = isinstance(self.classifier_, Classifier) and np.array_equal(self.classifier_.classes_, self.classes_)
        require(known, "classifier_ must be a fitted classifier of these classes")

    def _classifier(self) -> Any:
        return KNeighborsClassifier() if self.classifier is None else self.classifier

    def _needs(self) -> Needs:
        missing = DensityAnomaly(self.density)._needs().missing and takes_missing(self._classifier())
        return super()._needs().but(missing=missing)

    # -- learning -----------------------------------------------------------------------------------------------------
    def _learn(self, source: Source) -> Outcome[Attributes]:
        with named(source.needs.owner):
            return closed_form(lambda: self._solved(source))

    def _solved(self, source: Source) -> Step[Attributes]:
        classifier = clone(self._classifier())
        if isinstance(classifier, Estimator):
            classifier.fit_source(source)
        else:
            fitted_foreign(classifier, source, source.needs.owner)
        self._check_unknown(np.asarray(classifier.classes_))
        detector = DensityAnomaly(self.density, contamination=self.reject or 0.5).fit_source(source)
        threshold = detector.threshold_ if self.reject else -np.inf
        attributes = {
            "classes_": np.asarray(classifier.classes_),
            "classifier_": classifier,
            "detector_": detector,
            "threshold_": threshold,
        }
        return Step(attributes, float(detector.history_.objective[-1]))

    def _check_unknown(self, classes: Labels) -> None:
        """Refuse a label that classes cannot stand beside, or that is one of them."""
        if self.unknown is None:
            return
        owner, text = type(self).__name__, classes.dtype.kind in "UO"
        if isinstance(self.unknown, str) != text:
            kind = "text" if text else "a number"
            raise InvalidParameter(f"{owner}: unknown must be {kind}, as the classes are; got {self.unknown!r}.")
        if self.unknown in classes.tolist():
            raise InvalidData(f"{owner}: unknown={self.unknown!r} is a class of y; give outliers a label of their own.")

    # -- answers ------------------------------------------------------------------------------------------------------
    def predict(self, X: TableLike) -> Labels:
        """The class of each row that the classifier decides for; `unknown` for outliers, where it is given."""

        def classes(chunk: Chunk) -> Labels:
            found = np.asarray(self._asked("predict", chunk))
            if self.unknown is None:
                return found
            outlier, label = self._log_density(chunk) < self.threshold_, np.asarray([self.unknown])
            return np.where(outlier, label.astype(np.result_type(label, found)), found)

        return self._rows(X, classes)

    @_where_probable
    def predict_proba(self, X: TableLike) -> Reals:
        """P(class | x) of the classifier, (n, k), also of outliers."""
        return self._rows(X, lambda chunk: rounded(self._probability(chunk), chunk.X.dtype))

    @_where_probable
    def log_joint(self, X: TableLike) -> Reals:
        """log p(x, class) = log p(x) + log P(class | x), (n, k)."""

        def joint(chunk: Chunk) -> Reals:
            with np.errstate(divide="ignore"):
                log_posterior = np.log(np.asarray(self._probability(chunk), dtype=np.float64))
            return rounded(log_posterior + self._log_density(chunk)[:, None], chunk.X.dtype)

        return self._rows(X, joint)

    def score_samples(self, X: TableLike) -> Reals:
        """log p(x) of every row, (n,); the lower, the less like the rows of the fit."""
        return self._rows(X, self._log_density)

    def is_outlier(self, X: TableLike) -> Flags:
        """Whether a row is less likely than all but the share `reject` of those of the fit, (n,)."""
        return self._rows(X, lambda chunk: self._log_density(chunk) < self.threshold_)

    def _probability(self, chunk: Chunk) -> Reals:
        found: Reals = self._asked("predict_proba", chunk)
        return found

    def _asked(self, method: str, chunk: Chunk) -> Any:
        """What a method of the classifier says of some rows."""
        with speaking(self.classifier_):
            return getattr(self.classifier_, method)(rows_for(self.classifier_, chunk, columns_of(self)))

    def _log_density(self, chunk: Chunk) -> Reals:
        return self.detector_.score_samples(rows_for(self.detector_, chunk, columns_of(self)))
