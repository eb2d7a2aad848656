"""Models around another one, their parameter `model`, that are fitted in one round: what they have in common."""

from __future__ import annotations

from typing import ClassVar, cast

import numpy as np
from sklearn.base import clone

from ..backend.posteriors import rounded
from ..data import Chunk, Needs, Source
from ..engine import Outcome, Step, closed_form
from ..estimator import Attributes, Classifier, Estimator, declares
from ..holds import instance, require
from ..params import learned
from ..typing import EstimatorLike, Floats, Labels, Reals, TableLike
from .inner import ask, columns_of, fitted_foreign, named, needs_around


@declares
class Around(Estimator):
    """Base: a subclass declares `model`, says what stands for None, and solves."""

    compound = True
    instead: ClassVar[type[Estimator]]  # the model where none is given

    def _inner(self) -> EstimatorLike:
        """The model, not fitted."""
        given = vars(self)["model"]
        return cast(EstimatorLike, self.instead() if given is None else given)

    def _needs(self) -> Needs:
        return needs_around(self._inner(), super()._needs(), type(self).__name__)

    def _learn(self, source: Source) -> Outcome[Attributes]:
        with named(source.needs.owner):
            return closed_form(lambda: self._solved(source))

    def _solved(self, source: Source) -> Step[Attributes]:
        """The fitted attributes, and the objective."""
        raise TypeError(f"{type(self).__name__} does not define _solved")

    def _fitted_inner(self, source: Source) -> tuple[Estimator, float]:
        """A copy of the model, fitted to all rows, and the objective it ended at; 0 where it says none."""
        model = clone(self._inner())
        if isinstance(model, Estimator):
            return model, float(model.fit_source(source).history_.objective[-1])
        fitted_foreign(model, source, source.needs.owner)
        return cast(Estimator, model), 0.0


@declares
class AroundClassifier(Classifier, Around):
    """Base of those around a classifier, which is kept in `model_`."""

    needs = Needs(target="classes")

    model_: Estimator = learned("The fitted classifier.", holds=instance(Estimator, d="d"))

    def check_loaded(self) -> None:
        super().check_loaded()
        known = isinstance(self.model_, Classifier) and np.array_equal(self.model_.classes_, self.classes_)
        require(known, "model_ must be a fitted classifier of these classes")

    def predict_proba(self, X: TableLike) -> Reals:
        """P(class | x), (n, k)."""
        self._check_fitted("model_")
        return self._rows(X, lambda chunk: rounded(self._chances(chunk), chunk.X.dtype))

    def _chances(self, chunk: Chunk) -> Floats:
        """P(class | x) as the classifier says it, (n, k)."""
        return np.asarray(self._asked("predict_proba", chunk), dtype=np.float64)

    def _asked(self, method: str, chunk: Chunk) -> Labels:
        """What a method of the classifier says of some rows."""
        return ask(self.model_, method, chunk, columns_of(self))
