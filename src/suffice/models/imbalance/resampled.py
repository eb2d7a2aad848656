"""A classifier that learns from rows drawn anew, and answers about rows as they are."""

from __future__ import annotations

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.metaestimators import available_if

from ...data import ArraySource, Chunk, Needs, Source
from ...data.labels import encode
from ...engine import Step
from ...estimator import Attributes, estimator
from ...params import param
from ...randomness import generator, random_state_param
from ...typing import Labels, RandomState, Reals, TableLike
from ..around import AroundClassifier
from ..bayes import GaussianNB
from ..cluster.alternation import memory_param
from ..inner import predictor_param
from .sampler import SAMPLERS, Rows, Sampler


@estimator
class Resampled(AroundClassifier):
    """A classifier fitted to rows whose classes have been given other sizes by a sampler; it answers about any rows.

    Only rows of the fit are drawn anew: in cross-validation and pipelines those that are held out stay as they are, so
    that what is measured holds for the classes as they come. Probabilities are those of the drawn rows, larger for
    small classes than in truth; with costs, `Decide` of a model of all rows is the better answer.

    Examples
    --------
    >>> import suffice as sf
    >>> crabs = sf.datasets.load("crabs")
    >>> X, y = crabs.matrix(["FL", "RW", "CL", "CW", "BD"])[:120], crabs["sp"][:120]  # 100 of B, 20 of O
    >>> recall = lambda model: float((model.fit(X, y).predict(X[100:]) == "O").mean())
    >>> recall(sf.GaussianNB()), recall(sf.Resampled(sf.GaussianNB(), "smote", random_state=0))
    (0.75, 0.85)
    """

    instead = GaussianNB

    model: object = predictor_param(is_classifier, "What learns from the drawn rows; None: `GaussianNB`.")
    sampler: object = param(
        "undersample", positional=True, names=SAMPLERS,
        doc="How classes get other sizes: a name, or `Undersample`, `Oversample` or `Smote`.",
    )  # fmt: skip
    random_state: RandomState = random_state_param()
    memory: int = memory_param("rows gathered from files or Dask")

    def _needs(self) -> Needs:
        return super()._needs().but(sparse=False)

    def _solved(self, source: Source) -> Step[Attributes]:
        chunk = source.in_memory if source.in_memory is not None else source.gather(self.memory)
        classes, codes = encode(np.asarray(chunk.y))
        sampler: Sampler = SAMPLERS.member(self.sampler, type(self).__name__, "sampler")
        drawn = sampler.drawn(Rows.of(chunk, codes, source.schema), generator(self.random_state))
        rows = ArraySource(Chunk(drawn.X, classes[drawn.codes], drawn.weight), source.schema, source.needs)
        model, objective = self._fitted_inner(rows)
        return Step({"classes_": np.asarray(model.classes_), "model_": model}, objective)

    def predict(self, X: TableLike) -> Labels:
        """What the classifier says of each row, (n,)."""
        self._check_fitted("model_")
        found: Labels = self._rows(X, lambda chunk: self._asked("predict", chunk))
        return found

    @available_if(lambda self: hasattr(getattr(self, "model_", self._inner()), "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: TableLike) -> Reals:
        """P(class | x) of the classifier, (n, k), for classes of the drawn sizes."""
        return super().predict_proba(X)
