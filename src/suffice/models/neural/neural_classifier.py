"""Neural networks for classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from ... import params
from ...data import Chunk, Needs, Source
from ...engine import Outcome
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, Classifier, estimator
from ...holds import label_array, require
from ...losses import LOSSES, Loss
from ...params import learned, param
from ...typing import Labels, Reals, TableLike, TargetLike, WeightLike
from ..linear.classifier import shares
from ..linear.targets import CodedClasses, class_weights, coded
from .objective import Objective
from .supervised import SupervisedNetwork

_CROSS_ENTROPY = "cross_entropy"


@estimator
class NeuralClassifier(Classifier, SupervisedNetwork):
    """A neural network for classes: minimises Σ w ℓ(f(x), y) / Σ w + ½ λ ‖W‖² over the layers of f by batches of rows.

    With the cross-entropy the last layer gives one number η a class, P(c | x) = exp η_c / Σ exp η, and
    ℓ = −log P(y | x). Other losses of classes or signs can take its place: one of signs has one output for two
    classes, else one a class against all others. Text columns, missing values and images (n, h, w[, c]) are taken as
    they are.

    Dense layers are computed with NumPy, all others with PyTorch (`pip install 'suffice[neural]'`). On the CPU the same
    seed gives the same bits for any number of threads of NumPy's part, and for a fixed number of PyTorch's.

    Examples
    --------
    >>> import suffice as sf
    >>> from suffice.layers import Dense
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.NeuralClassifier([Dense(16)], learning_rate=0.01, random_state=0)
    >>> model = model.fit(iris.matrix(), iris["species"])
    >>> model.score(iris.matrix(), iris["species"]) > 0.95
    True
    >>> print(model.plan_)
    layer    shape  parameters
    input        4
    1 Dense     16          80
    2 Dense      3          51
    total                  131
    """

    complexity = "-weight_decay"

    needs: ClassVar = Needs(target="classes", missing=True, categories=True)

    loss: object = param(
        _CROSS_ENTROPY,
        choices=(_CROSS_ENTROPY,),
        names=LOSSES.only(lambda loss: "" if loss.target != "numbers" else "it is a loss of numbers"),
        doc="The loss ℓ: the cross-entropy, or any other of classes or of signs.",
    )
    class_weight: object = param(
        None,
        choices=(None, "balanced"),
        types=(dict,),
        doc="What a row of each class counts: numbers by class, or balanced, which gives all classes the same weight.",
    )
    label_smoothing: float = param(
        0.0, number=True, at_least=0, below=1, doc="ε: the loss is (1 − ε) that of the label + ε its mean over all."
    )

    classes_: Labels = learned("The classes, sorted.", holds=label_array("k", distinct=True))

    def check_loaded(self) -> None:
        super().check_loaded()
        if hasattr(self, "_theta"):
            require(len(self.classes_) > 1, "classes_ must hold at least 2 classes")
            wanted = _outputs(self._loss, len(self.classes_))
            require(self.n_outputs_ == wanted, f"n_outputs_ must be {wanted} for {len(self.classes_)} classes")
            require(self._loss.target != "numbers", "_loss must be one of classes or signs")

    def _chosen_loss(self) -> Loss:
        name = "softmax" if self.loss == _CROSS_ENTROPY else self.loss
        return LOSSES.member(name, type(self).__name__, "loss")

    def _learn(self, source: Source) -> Outcome[Attributes]:
        loss = self._chosen_loss()
        known = CodedClasses.of(source, self.class_weight, signs=loss.target == "signs")  # type: ignore[arg-type]
        if self._goes_on() and not np.array_equal(known.classes, self.classes_):
            raise InvalidParameter(
                f"{type(self).__name__}: warm_start goes on with the classes of the last fit, "
                f"{self.classes_.tolist()}; y has {known.classes.tolist()}. Use warm_start=False."
            )
        objective = Objective(loss, _outputs(loss, len(known.classes)), self.label_smoothing)
        return self._trained_on(known.source, objective, self.max_iter, {"classes_": known.classes})

    def partial_fit(
        self, X: TableLike, y: TargetLike = None, classes: TargetLike = None, *, sample_weight: WeightLike = None
    ) -> Self:
        """One epoch over these rows, from where the net stands; the first call must name all `classes`.

        The first rows decide how columns are brought to one scale.
        """
        params.check(self)
        first, owner = not hasattr(self, "classes_"), type(self).__name__
        if self.class_weight == "balanced" or self.early_stopping:
            what = "class_weight='balanced'" if self.class_weight == "balanced" else "early_stopping=True"
            raise InvalidParameter(f"{owner}: {what} needs all rows at once, which partial_fit has not; use fit.")
        if first and classes is None:
            raise InvalidParameter(f"{owner}: classes must be passed on the first call to partial_fit.")
        known: Labels = np.unique(np.asarray(classes)) if first else self.classes_
        if not first and classes is not None and not np.array_equal(np.unique(np.asarray(classes)), known):
            raise InvalidParameter(
                f"{owner}: classes={classes!r} is not the same as on the last call to partial_fit, was: {known!r}."
            )
        if len(known) < 2:
            raise InvalidParameter(f"{owner}: classes must name at least 2; got {classes!r}.")
        return self._adopt(lambda: self._further(self._open(X, y, sample_weight, reset=first), known))

    def _further(self, source: Source, classes: Labels) -> Outcome[Attributes]:
        loss, owner = self._chosen_loss(), type(self).__name__
        each = class_weights(self.class_weight, classes, np.ones(len(classes)), owner)  # type: ignore[arg-type]
        signs = loss.target == "signs" and len(classes) == 2
        rows = source.mapped(partial(_known, classes=classes, owner=owner))
        rows = rows.mapped(partial(coded, classes=classes, each=each, signs=signs))
        objective = Objective(loss, _outputs(loss, len(classes)), self.label_smoothing)
        with self._going_on():
            return self._trained_on(rows, objective, 1, {"classes_": classes})

    def _coded(self, source: Source) -> Source:
        owner, classes = type(self).__name__, self.classes_
        signs = self._loss.target == "signs" and len(classes) == 2
        rows = source.mapped(partial(_known, classes=classes, owner=owner))
        return rows.mapped(partial(coded, classes=classes, each=None, signs=signs))

    # ---- predictions ----

    def decision_function(self, X: TableLike) -> Reals:
        """What the last layer gives, (n, classes); for two classes, (n,), by how much the second is above the first."""
        self._check_fitted("_theta")
        found: Reals = self._outputs(X, _scores(self.n_outputs_))
        return found

    def predict(self, X: TableLike) -> Labels:
        """The likeliest class."""
        scores = self.decision_function(X)
        code = (scores > 0).astype(np.intp) if scores.ndim == 1 else np.argmax(scores, axis=1)
        found: Labels = np.take(self.classes_, code)
        return found

    def _has_probabilities(self) -> bool:
        loss = self._chosen_loss()
        if type(loss).mean is not Loss.mean:
            return True
        raise AttributeError(
            f"{type(self).__name__}: loss={self.loss!r} has no probabilities; use loss='cross_entropy', or 'log_loss'."
        )

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: TableLike) -> Reals:
        """P(class | x), (n, classes), of losses that have one."""
        self._check_fitted("_theta")
        loss = self._loss
        found: Reals = self._outputs(X, lambda eta: shares(loss, eta, eta.dtype))
        return found

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: TableLike) -> Reals:
        """log P(class | x), (n, classes), where there are probabilities."""
        with np.errstate(divide="ignore"):  # a probability of 0 has no logarithm but −∞
            found: Reals = np.log(self.predict_proba(X))
        return found


def _outputs(loss: Loss, classes: int) -> int:
    return 1 if loss.target == "signs" and classes == 2 else classes


def _scores(outputs: int) -> Callable[[Reals], Reals]:
    if outputs == 2:
        return lambda eta: eta[:, 1] - eta[:, 0]
    return lambda eta: eta[:, 0] if outputs == 1 else eta


def _known(chunk: Chunk, classes: Labels, owner: str) -> Chunk:
    """The chunk, where every label is among the classes."""
    unknown: Labels = np.setdiff1d(np.unique(chunk.y), classes)
    if unknown.size:
        raise InvalidData(f"{owner}: y has the class {str(unknown[0])!r}, which is not among classes={classes!r}.")
    return chunk
