"""What boosting by weights of rows shares, of classes and of numbers."""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from ...data import Needs
from ...engine import Outcome, iterate
from ...estimator import Attributes, Estimator, declares
from ...growth import Trees
from ...holds import floats, instance, lists, require, text
from ...params import learned, param
from ...randomness import random_state_param
from ...typing import EstimatorLike, Floats, RandomState
from ..cluster.alternation import memory_param
from ..inner import needs_around, takes_squares
from .boosting import Boosted, Boosting, kept_state
from .member_trees import MemberTrees, joined
from .members import importances

# The least share of the weight of a node that a weak learner splits: weights of boosting say how much a row counts
# against others, not how many rows it stands for.
ANY_SHARE: Final = 1e-9


@declares
class AdaBoost(MemberTrees):
    """Base: weak learners after one another, each on rows weighted by how wrong those before were."""

    n_estimators: int = param(50, integer=True, at_least=1, at_most=1_000_000, doc="How many rounds at the most.")
    learning_rate: float = param(1.0, number=True, above=0, at_most=1e6, doc="What every α is multiplied by.")
    by: str = param(
        "weights",
        choices=("weights", "sampling"),
        doc="Whether a learner gets rows with weights, or as many rows drawn by them with replacement.",
    )
    memory: int = memory_param("rows gathered from files or Dask, for learners but trees of histograms,")
    random_state: RandomState = random_state_param()

    estimators_: list[EstimatorLike] = learned("The weak learners.", holds=lists(instance(Estimator, d="d"), "t"))
    estimator_weights_: Floats = learned("The votes α of the learners, (t,).", holds=floats("t", at_least=0))
    estimator_errors_: Floats = learned(
        "Their errors ε on weighted rows, (t,).", holds=floats("t", at_least=0, at_most=1)
    )
    sample_weights_: Floats = learned(
        "What each row would weigh in the next round, (n,); they sum to 1.", holds=floats(None, at_least=0)
    )
    stop_reason_: str = learned("Why there are no more learners.", holds=text())

    compound = True
    small: ClassVar = {"n_estimators": 5}

    def check_loaded(self) -> None:
        super().check_loaded()
        require(len(self.estimators_), "estimators_ must hold a model")
        require(np.sum(self.estimator_weights_) > 0, "estimator_weights_ must not all be 0")
        require(all(hasattr(model, "history_") for model in self.estimators_), "the models inside must be fitted")

    @property
    def feature_importances_(self) -> Floats:
        """The importances of the columns, (d,): the mean of those of the learners by their votes."""
        check_is_fitted(self)
        own = [importances(model) for model in self.estimators_]
        return np.asarray(np.average(own, axis=0, weights=self.estimator_weights_))

    def _member_trees(self) -> Trees:
        said = [self._node_values(model) for model in self.estimators_]
        share = len(said) * self.estimator_weights_ / self.estimator_weights_.sum()
        values = [one * own for one, own in zip(share, said, strict=True)]
        d = self.n_features_in_
        return joined(self.estimators_, values, [np.arange(d)] * len(said), d)

    def _needs(self) -> Needs:
        return needs_around(self._inner(), self.needs, type(self).__name__)

    def _fit_needs(self) -> Needs:
        return self._needs().but(squares=takes_squares(self._inner()))

    def _boosted(self, boosting: Boosting, classes: int) -> Outcome[Attributes]:
        """What the rounds learn."""
        kept = kept_state(len(boosting.given), classes) if isinstance(self._inner(), Estimator) else None
        outcome = iterate(
            lambda run: boosting.start(),
            boosting.step,
            max_iter=self.n_estimators,
            snapshot=boosting.shown,
            kept=kept,
            rng=boosting.rng,
        )
        return outcome.then(_attributes)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = get_tags(self._inner()).input_tags.positive_only
        return tags


def _attributes(state: Boosted) -> Attributes:
    return {
        "estimators_": list(state.members),
        "estimator_weights_": np.array(state.alphas),
        "estimator_errors_": np.array(state.errors),
        "sample_weights_": state.weight,
        "stop_reason_": state.reason,
    }
