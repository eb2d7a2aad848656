"""Boosting: weak classifiers after one another, each looking hardest at the rows that those before got wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, cast

import numpy as np
from scipy.special import softmax
from sklearn.base import ClassNamePrefixFeaturesOutMixin, is_classifier
from sklearn.utils.validation import check_is_fitted

from ...backend.posteriors import rounded
from ...backend.weights import given_or_ones
from ...data import Chunk, Needs, Source
from ...engine import Outcome
from ...estimator import Attributes, Classifier, Transformer, estimator
from ...holds import require
from ...randomness import generator
from ...scikit_learn import Counterpart
from ...statistics import Counts
from ...typing import EstimatorLike, Floats, Labels, Reals, TableLike, TargetLike, WeightLike, Whole
from ..inner import columns_of, is_predictor, predictor_param
from ..tree import DecisionTreeClassifier
from .adaboost import ANY_SHARE, AdaBoost
from .boosting import ClassBoosting
from .member_trees import ExplainedTrees
from .members import Members, places, predicted


@estimator
class AdaBoostClassifier(ClassNamePrefixFeaturesOutMixin, AdaBoost, ExplainedTrees, Transformer, Classifier):  # type: ignore[misc]
    """Boosting of any classifier (AdaBoost; SAMME for several classes): ŷ(x) = argmax_c Σ_t α_t [f_t(x) = c].

    Round t fits the weak learner to rows of weights w, or to a sample drawn by them (`by="sampling"`), finds its
    error ε_t = Σ w_i [f_t(x_i) ≠ y_i], gives it the vote

        α_t = ½ (log((1 − ε_t) / ε_t) + log(k − 1)),

    times `learning_rate`, and multiplies the weights of rows that it got wrong by e^{2 α_t}. Of two classes that lowers
    the exponential loss Σ exp(−y F(x)) / n by a factor of 2 √(ε_t (1 − ε_t)), so that the training error is below

        ∏ 2 √(ε_t (1 − ε_t))  ≤  exp(−2 Σ (½ − ε_t)²).

    `history_` has the figures of each round: `weighted_error` (ε_t), `alpha`, `training_error`, and, of two classes at
    learning rate 1, `tight_bound` and `bound`. Boosting ends where a learner makes no error, which then decides alone,
    or is no better than chance; `stop_reason_` says so. `transform` gives the outputs of the weak learners, the
    features whose weighted sum decides. With `recording`, the weights of the
    rows after each round are in the trace.

    Examples
    --------
    >>> import suffice as sf
    >>> iris = sf.datasets.load("iris")
    >>> model = sf.AdaBoostClassifier(n_estimators=20, random_state=0).fit(iris.matrix(), iris["species"])
    >>> model.score(iris.matrix(), iris["species"])
    0.98
    >>> model.history_.metric("alpha")[:3].round(2)
    array([0.69, 1.1 , 1.37])
    """

    complexity = "n_estimators"

    counterpart: ClassVar = Counterpart("sklearn.ensemble")
    needs: ClassVar = Needs(target="classes")

    estimator: object = predictor_param(
        is_classifier,
        "The weak learner, of either library; None: a tree of one split, between at most 255 bins of a column.",
    )

    def check_loaded(self) -> None:
        super().check_loaded()
        for model in self.estimators_:
            require(is_classifier(model), "the models inside must be classifiers")
            require(np.isin(getattr(model, "classes_", ()), self.classes_).all(), "their classes must be known")

    @property
    def n_classes_(self) -> int:
        """How many classes there are."""
        check_is_fitted(self)
        return len(self.classes_)

    # -- learning ---------------------------------------------------------------------------------------------------
    def _inner(self) -> EstimatorLike:
        given = self.estimator
        known = is_predictor(given, is_classifier)  # what is no classifier, `fit` refuses
        if known:
            return cast(EstimatorLike, given)
        return DecisionTreeClassifier(
            max_depth=1, splitter="histogram", min_samples_split=ANY_SHARE, min_samples_leaf=0
        )

    def _learn(self, source: Source) -> Outcome[Attributes]:
        rng = generator(self.random_state)
        members = Members(self._inner(), source, type(self).__name__, self.memory)
        y = members.y
        given, classes = given_or_ones(members.weight, len(y)).astype(np.float64), Counts.of(y, members.weight).values
        codes, drawn = places(y, classes), self.by == "sampling"
        boosting = ClassBoosting(members, given, float(self.learning_rate), drawn, rng, codes, classes)
        return self._boosted(boosting, len(classes)).then(lambda found: {**found, "classes_": classes})

    # -- answers ----------------------------------------------------------------------------------------------------
    def _votes(self, chunk: Chunk) -> Iterator[Floats]:
        """What the learners for each class weigh after each round, (n, k)."""
        schema, every = columns_of(self), np.arange(len(chunk))
        votes = np.zeros((len(chunk), len(self.classes_)))
        for model, alpha in zip(self.estimators_, self.estimator_weights_, strict=True):
            votes[every, predicted(model, chunk, schema, self.classes_)] += alpha
            yield votes

    def _last(self, chunk: Chunk) -> Floats:
        for votes in self._votes(chunk):
            found = votes
        return found

    def _decided(self, votes: Floats) -> Floats:
        """Σ α (1 for the class, −1/(k − 1) for others) / Σ α, (n, k); of two classes their difference, (n,)."""
        k, total = votes.shape[1], np.maximum(votes.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        if k == 1:
            return np.ones(len(votes))
        shares = votes / total
        return 2 * (shares[:, 1] - shares[:, 0]) if k == 2 else np.asarray((k * shares - 1) / (k - 1))

    def _probable(self, votes: Floats) -> Floats:
        decided, k = self._decided(votes), votes.shape[1]
        if k == 1:
            return np.ones((len(votes), 1))
        return np.asarray(softmax(np.column_stack([-decided, decided]) / 2 if k == 2 else decided / (k - 1), axis=1))

    def _named(self, votes: Floats) -> Labels:
        return np.asarray(np.take(self.classes_, np.argmax(votes, axis=1)))

    def predict(self, X: TableLike) -> Labels:
        """The class with the largest vote; of equal ones the first in sorted order."""
        check_is_fitted(self)
        found: Labels = self._rows(X, lambda chunk: self._named(self._last(chunk)))
        return found

    def decision_function(self, X: TableLike) -> Reals:
        """The vote of each class, (n, k), from −1/(k − 1) to 1; of two their difference, from −2 to 2, (n,)."""
        check_is_fitted(self)
        found: Reals = self._rows(X, lambda chunk: rounded(self._decided(self._last(chunk)), chunk.X.dtype))
        return found

    def predict_proba(self, X: TableLike) -> Reals:
        """The probability of each class, (n, k): the softmax of the votes divided by k − 1."""
        check_is_fitted(self)
        found: Reals = self._rows(X, lambda chunk: rounded(self._probable(self._last(chunk)), chunk.X.dtype))
        return found

    def predict_log_proba(self, X: TableLike) -> Reals:
        """The logarithms of the probabilities, (n, k)."""
        return np.log(self.predict_proba(X))

    def transform(self, X: TableLike) -> Reals:
        """The outputs of the weak learners, (n, t): 1 for the second of two classes, −1 for the first.

        Of k classes each learner has k columns, 1 for the class and −1/(k − 1) for the others.
        """
        check_is_fitted(self)
        found: Reals = self._rows(X, self._outputs)
        return found

    def _outputs(self, chunk: Chunk) -> Reals:
        schema, k = columns_of(self), len(self.classes_)
        every = np.column_stack([predicted(model, chunk, schema, self.classes_) for model in self.estimators_])
        if k <= 2:
            return np.where(every == k - 1, 1, -1).astype(chunk.X.dtype)
        coded = np.where(every[:, :, None] == np.arange(k), 1.0, -1 / (k - 1))
        return coded.reshape(len(chunk), -1).astype(chunk.X.dtype)

    def _node_values(self, model: EstimatorLike) -> Floats:
        assert isinstance(model, DecisionTreeClassifier)
        said = places(model.classes_, self.classes_)[np.argmax(model.trees_.value[:, : len(model.classes_)], axis=1)]
        votes = np.zeros((len(said), len(self.classes_)))
        votes[np.arange(len(said)), said] = 1.0
        return self._decided(votes).reshape(len(said), -1)

    def _is_flat(self) -> bool:
        return len(self.classes_) < 3

    @property
    def _n_features_out(self) -> int:
        return len(self.estimators_) * (1 if len(self.classes_) <= 2 else len(self.classes_))

    # -- round by round ---------------------------------------------------------------------------------------------
    def _staged(self, X: TableLike) -> Iterator[Floats]:
        """The votes after each round; all rounds are asked once."""
        check_is_fitted(self)
        return self._added_up(self._rows(X, self._every))

    def _added_up(self, every: Whole) -> Iterator[Floats]:
        votes, rows = np.zeros((len(every), len(self.classes_))), np.arange(len(every))
        for j, alpha in enumerate(self.estimator_weights_):
            votes[rows, every[:, j]] += alpha
            yield votes

    def _every(self, chunk: Chunk) -> Whole:
        schema = columns_of(self)
        return np.column_stack([predicted(model, chunk, schema, self.classes_) for model in self.estimators_])

    def staged_predict(self, X: TableLike) -> Iterator[Labels]:
        """The predicted classes after each round."""
        return (self._named(votes) for votes in self._staged(X))

    def staged_decision_function(self, X: TableLike) -> Iterator[Floats]:
        """The decision function after each round."""
        return (self._decided(votes) for votes in self._staged(X))

    def staged_predict_proba(self, X: TableLike) -> Iterator[Floats]:
        """The probabilities after each round."""
        return (self._probable(votes) for votes in self._staged(X))

    def staged_score(self, X: TableLike, y: TargetLike, sample_weight: WeightLike = None) -> Iterator[float]:
        """The accuracy after each round."""
        return (self._score_of(y, found, sample_weight) for found in self.staged_predict(X))
