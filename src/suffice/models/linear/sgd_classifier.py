"""Linear classifiers by stochastic gradient descent."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from ... import params
from ...data import Chunk, Needs, Source
from ...engine import Outcome
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, declares, estimator
from ...holds import require
from ...losses import LOSSES, Loss
from ...params import param
from ...scikit_learn import JOBS, VERBOSE, Counterpart
from ...solvers import Coefficients
from ...typing import Labels, Reals, TableLike, TargetLike, WeightLike
from .classifier import LinearClassifier, by_class, shares
from .stochastic import SteppedModel, StochasticLinearModel
from .targets import CodedClasses, class_weights, coded


@declares
class StochasticClassifier(LinearClassifier, StochasticLinearModel):
    """Base: one predictor of signs for two classes, else one a class, each against all others."""

    needs = Needs(target="classes", scaled=True, one_hot=True, sparse=True)

    def check_loaded(self) -> None:
        super().check_loaded()
        require(self._slope.shape == self.coef_.shape, "_slope must have the shape of coef_")

    def _loss(self) -> Loss:
        raise TypeError(f"{type(self).__name__} does not define _loss")

    def _learn(self, source: Source) -> Outcome[Attributes]:
        known = CodedClasses.of(source, self.class_weight)  # type: ignore[arg-type]
        several = None if len(known.classes) == 2 else len(known.classes)
        return self._descended(known.source, self._loss(), several, partial(_shown, classes=known.classes))

    def partial_fit(
        self, X: TableLike, y: TargetLike = None, classes: TargetLike = None, *, sample_weight: WeightLike = None
    ) -> Self:
        """One epoch over these rows, from where the model stands; the first call must name all `classes`."""
        params.check(self)
        first = not hasattr(self, "classes_")
        if self.class_weight == "balanced":
            raise InvalidParameter(
                f"{type(self).__name__}: class_weight='balanced' needs all rows at once, which partial_fit has not; "
                "give a weight for each class."
            )
        if first and classes is None:
            raise InvalidParameter(f"{type(self).__name__}: classes must be passed on the first call to partial_fit.")
        known = np.unique(np.asarray(classes)) if first else self.classes_
        if not first and classes is not None and not np.array_equal(np.unique(np.asarray(classes)), known):
            raise InvalidParameter(
                f"{type(self).__name__}: classes={classes!r} is not the same as on the last call to partial_fit, was: "
                f"{known!r}."
            )
        if len(known) < 2:
            raise InvalidParameter(f"{type(self).__name__}: classes must name at least 2; got {classes!r}.")
        return self._adopt(lambda: self._further(self._open(X, y, sample_weight, reset=first), known))

    def _further(self, source: Source, classes: Labels) -> Outcome[Attributes]:
        each = class_weights(self.class_weight, classes, np.ones(len(classes)), type(self).__name__)  # type: ignore[arg-type]
        several = None if len(classes) == 2 else len(classes)
        source = source.mapped(partial(_known, classes=classes, owner=type(self).__name__))
        rows = source.mapped(partial(coded, classes=classes, each=each, signs=several is None))
        return self._one_epoch(rows, self._loss(), several, partial(_shown, classes=classes))


def _shown(found: Coefficients, classes: Labels) -> Attributes:
    return {**by_class(found), "classes_": classes}


def _known(chunk: Chunk, classes: Labels, owner: str) -> Chunk:
    """The chunk, where every label is among the classes."""
    unknown = np.setdiff1d(np.unique(chunk.y), classes)
    if unknown.size:
        raise InvalidData(f"{owner}: y has the class {str(unknown[0])!r}, which is not among classes={classes!r}.")
    return chunk


@estimator
class SGDClassifier(SteppedModel, StochasticClassifier):
    """A linear classifier by stochastic gradient descent: minimises Σ s ℓ(x·w + b, y) / n + α r(w).

    n is the number of rows: weights lengthen the steps, as in scikit-learn, and the strength beside the mean loss is
    λ = α n / Σ s. r is ½‖w‖², ‖w‖₁, or of the elastic net ρ‖w‖₁ + ½ (1 − ρ)‖w‖², where ρ is `l1_ratio`. An update
    takes the gradient at one row, or at `batch_size` of them: w ← w − η_t (ℓ' x + α w). With `loss="hinge"` it is a
    support vector machine and `learning_rate="pegasos"` its steps 1 / (α t); where a penalty is written α‖w‖², without
    the ½, that is 1 / (2 α t). Several classes are each learned against all others. Columns should be on one scale: a
    step that suits one of size 1 throws one of size 10⁸ far away, and a warning says so.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> X = sf.StandardScaler().fit_transform(iris.matrix())
    >>> model = sf.SGDClassifier(average=True, random_state=0).fit(X, iris["species"])
    >>> model.score(X, iris["species"]) > 0.9
    True
    """

    complexity = "-alpha"

    proposed = False

    counterpart: ClassVar = Counterpart("sklearn.linear_model", ignored={"n_jobs": JOBS, "verbose": VERBOSE})

    loss: object = param(
        "hinge",
        positional=True,
        names=LOSSES.only(lambda loss: "" if loss.target != "classes" else "it has one predictor for each class"),
        doc="The loss ℓ of the predictor and a sign, −1 or 1.",
    )

    def _loss(self) -> Loss:
        return self._named_loss(self.loss)

    def _has_probabilities(self) -> bool:
        if type(self._loss()).mean is not Loss.mean:
            return True
        raise AttributeError(
            f"{type(self).__name__}: loss={self.loss!r} has no probabilities; use loss='log_loss', or 'modified_huber'."
        )

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: TableLike) -> Reals:
        """P(class | x), (n, classes), of losses that have one: log_loss and modified_huber."""
        loss = self._loss()
        return self._rows_by_scores(X, self._scores, lambda scores, chunk: shares(loss, scores, chunk.X.dtype))

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: TableLike) -> Reals:
        """log P(class | x), (n, classes), where there are probabilities."""
        with np.errstate(divide="ignore"):  # a probability of 0 has no logarithm but −∞
            found: Reals = np.log(self.predict_proba(X))
        return found
