"""Sets of classes that hold the true one as often as they say."""

from __future__ import annotations

from typing import cast

import numpy as np
from sklearn.base import is_classifier

from ...backend.posteriors import rounded
from ...data import Chunk, Needs, Schema, Source
from ...data.labels import encode
from ...data.rows import as_array
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, Classifier, Estimator, estimator
from ...holds import choice, flag, instance, require
from ...params import learned, param
from ...typing import EstimatorLike, Flags, Floats, Labels, Reals, TableLike, TargetLike, WeightLike
from ..bayes import GaussianNB
from ..inner import ask, columns_of, predictor_param
from .base import Conformal
from .coverage import Coverage


@estimator
class ConformalClassifier(Classifier, Conformal):
    """Sets of classes, by any classifier with probabilities, that hold the true class with a stated probability.

    Rows that were left out of a fit say how little probability a true class may have: with `sets="least"` the score of
    class c is S = 1 − P(c | x), which gives the smallest sets, now and then an empty one; with "adaptive" it is the
    probability of all classes that are as likely as c or likelier, which gives larger sets to doubtful rows. A class is
    in the set of a new row if no more than a share `level` of those rows, one more counted, have smaller scores. With
    `by_class` each class is compared with its own rows, and holds its level for each. What is promised, and by which
    method, is as in `ConformalRegressor`; `guarantee_` has the figure.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> X, y = iris.matrix(["sepal_length", "sepal_width"]), iris["species"]
    >>> model = sf.ConformalClassifier(sf.LinearDiscriminantAnalysis(), level=0.9).fit(X, y)
    >>> model.predict_set(X[[0, 60, 110]]).astype(int)
    array([[1, 0, 0],
           [0, 1, 0],
           [0, 0, 1]])
    >>> print(model.coverage(X, y).inside.value > 0.85)
    True
    """

    needs = Needs(target="classes")
    instead = GaussianNB

    model: object = predictor_param(
        is_classifier, "What gives probabilities, any classifier with `predict_proba`; None: `GaussianNB`."
    )
    sets: str = param("least", choices=("least", "adaptive"), doc="Whether sets are to be small, or fit the doubt.")
    by_class: bool = param(False, choices=(True, False), doc="Whether each class is to be inside as often.")

    model_: Estimator = learned(
        "The classifier that predicts: fitted to the rows that split learns from, else to all.",
        holds=instance(Estimator, d="d"),
    )
    sets_: str = learned("What sets are to be, as it was asked for.", holds=choice("least", "adaptive"))
    by_class_: bool = learned("Whether each class has its own scores.", holds=flag())

    def check_loaded(self) -> None:
        super().check_loaded()
        kinds = len(self.classes_) if self.by_class_ else 1
        require(len(self.models_) * kinds == self.scores_.groups, "scores_ must be those of models_")
        known = all(
            isinstance(one, Classifier) and np.isin(one.classes_, self.classes_).all()
            for one in (*self.models_, self.model_)
        )
        require(known, "models_ must be fitted classifiers of these classes")

    # -- learning -----------------------------------------------------------------------------------------------------
    def _coded(self, y: Labels) -> tuple[Floats, Labels | None]:
        if not hasattr(self._inner(), "predict_proba"):
            raise InvalidParameter(
                f"{type(self).__name__}: {type(self._inner()).__name__} has no predict_proba; put it into "
                "Calibrated, or take a model that has probabilities."
            )
        classes, codes = encode(y)
        return codes.astype(np.float64), classes

    def _scores(
        self, models: tuple[Estimator, ...], rows: Chunk, targets: Floats, classes: Labels | None, schema: Schema
    ) -> Floats:
        assert classes is not None
        every = self._of_classes(models[0], rows, classes, schema, self.sets)
        return np.asarray(every[np.arange(len(every)), targets.astype(np.int64)])

    def _of_classes(self, model: Estimator, rows: Chunk, classes: Labels, schema: Schema, sets: str) -> Floats:
        """The score of every class for each row, (n, k)."""
        chance = np.zeros((len(rows), len(classes)))
        chance[:, np.searchsorted(classes, model.classes_)] = ask(model, "predict_proba", rows, schema)
        if sets == "least":
            return 1 - chance
        order = np.argsort(-chance, axis=1, kind="stable")
        sums = np.cumsum(np.take_along_axis(chance, order, axis=1), axis=1)
        found = np.empty_like(chance)
        np.put_along_axis(found, order, sums, axis=1)
        return found

    def _kinds(self, classes: Labels | None) -> int:
        return len(classes) if self.by_class and classes is not None else 1

    def _whole(self, rows: Chunk, source: Source) -> Attributes:
        return {"model_": self._fit(self._inner(), rows, source), "sets_": self.sets, "by_class_": self.by_class}

    def _fit(self, model: EstimatorLike, rows: Chunk, source: Source) -> Estimator:
        try:
            return super()._fit(model, rows, source)
        except InvalidData as error:
            learned_from, every = (len(np.unique(np.asarray(y))) for y in (rows.y, source.target()))
            if not learned_from == 1 < every:
                raise
            raise InvalidData(
                "the rows that are learned from are of one class, and all others are left out. Give more rows of "
                "these, or leave out the same share of each class with by_class=True."
            ) from error

    # -- answers ------------------------------------------------------------------------------------------------------
    def predict(self, X: TableLike) -> Labels:
        """The most probable class of each row, (n,)."""
        self._check_fitted("scores_")
        found: Labels = self._rows(X, lambda chunk: self.classes_[np.argmax(self._chances(chunk), axis=1)])
        return found

    def predict_proba(self, X: TableLike) -> Reals:
        """P(class | x) as the classifier says it, (n, k); 0 for a class that it has not seen."""
        self._check_fitted("scores_")
        return self._rows(X, lambda chunk: rounded(self._chances(chunk), chunk.X.dtype))

    def _chances(self, chunk: Chunk) -> Floats:
        return 1 - self._of_classes(self.model_, chunk, self.classes_, columns_of(self), "least")

    def predict_set(self, X: TableLike, level: float | None = None) -> Flags:
        """Whether each class is in the set of each row, (n, k), at the level of the fit or another."""
        self._check_fitted("scores_")
        wanted, k = self._asked_level(level), len(self.classes_)
        fits = np.arange(len(self.models_))

        def sets(chunk: Chunk) -> Flags:
            said = [self._of_classes(m, chunk, self.classes_, columns_of(self), self.sets_) for m in self.models_]
            every = np.stack(said, axis=2)  # (n, k, fits)
            groups = [fits * k + c if self.by_class_ else fits for c in range(k)]
            return np.column_stack([self.scores_.holds_class(every[:, c], groups[c], wanted) for c in range(k)])

        return cast(Flags, self._in_blocks(X, sets))

    def named_sets(self, X: TableLike, level: float | None = None) -> list[tuple[object, ...]]:
        """The classes in the set of each row, the most probable first."""
        inside, order = self.predict_set(X, level), np.argsort(-self.predict_proba(X), axis=1, kind="stable")
        names = self.classes_.tolist()
        return [tuple(names[c] for c in row if held[c]) for row, held in zip(order.tolist(), inside, strict=True)]

    def coverage(
        self, X: TableLike, y: TargetLike, sample_weight: WeightLike = None, level: float | None = None
    ) -> Coverage:
        """How many of these rows have their true class inside, and how many classes sets hold."""
        owner, inside = type(self).__name__, self.predict_set(X, level)
        truth = as_array(y, owner, "y must have one class a row")
        if truth.shape != (len(inside),):
            raise InvalidData(f"{owner}: y must have one class a row; got shape {truth.shape}.")
        held = (truth[:, None] == self.classes_) & inside
        return Coverage.of(held.any(axis=1), inside.sum(axis=1), sample_weight, self._asked_level(level), "size")
