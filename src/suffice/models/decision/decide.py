"""Actions of least expected cost, from the probabilities of any classifier."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from sklearn.base import is_classifier

from ...data import Chunk, Source
from ...data.labels import Spellings
from ...data.rows import as_array
from ...engine import Step
from ...errors import InvalidData, InvalidParameter
from ...estimator import Attributes, estimator
from ...holds import instance, label_array, require
from ...params import are_numbers, learned, numbers, param
from ...resampling.cost_results import CostResult, cost_result, weights_for
from ...resampling.costs import Costs, CostsLike, expected_costs
from ...typing import Floats, Labels, Numbers, Reals, TableLike, TargetLike, WeightLike
from ..anomaly.density_anomaly import label_param
from ..around import AroundClassifier
from ..bayes import GaussianNB
from ..inner import predictor_param
from .cost_curve import CostCurve, cost_curve
from .rejection import RejectionCurve, rejection_curve


def _is_costs(value: object) -> bool:
    by_name = isinstance(value, str | Mapping | os.PathLike) or hasattr(value, "columns")
    return by_name or are_numbers(value, 2)


@estimator
class Decide(AroundClassifier):
    """The action of least expected cost, a(x) = argmin_a Σ_c P(c | x) C_ca, by the probabilities of any classifier.

    `costs` gives C_ca, what action a costs where class c is true; without them every error costs 1, and the action is
    the most probable class. Of two classes with costs of false alarms and misses alone, the action is the second class
    where P(second | x) exceeds `threshold_` = c_FP / (c_FP + c_FN). `doubt` is the cost of leaving a row to somebody
    else, an action of its own that is taken where it is cheaper than all others. Of equal costs the first action wins,
    and doubt comes last.

    Probabilities must be true for the costs to be: calibrate a model first that is over- or underconfident.

    Examples
    --------
    >>> import suffice as sf
    >>> crabs = sf.datasets.load("crabs")
    >>> X, y = crabs.matrix(["FL", "RW", "CL", "CW", "BD"]), crabs["sp"]
    >>> costs = {"B": {"keep": 0, "release": 1}, "O": {"keep": 20, "release": 0}}
    >>> model = sf.Decide(sf.LinearDiscriminantAnalysis(), costs, doubt=0.2).fit(X, y)
    >>> model.predict(X[[0, 150]]).tolist(), round(model.threshold_, 4)
    (['keep', 'release'], 0.0476)
    >>> print(model.cost(X, y).realised)
    0.001 [0, 0.00296]
    """

    instead = GaussianNB
    read_late: ClassVar = ("doubt",)

    model: object = predictor_param(
        is_classifier, "What P(class | x) comes from, any classifier with `predict_proba`; None: `GaussianNB`."
    )
    costs: CostsLike = param(
        None,
        positional=True,
        choices=(None,),
        accept=_is_costs,
        allowed="a matrix (classes, actions), a mapping of classes to mappings of actions to costs, a frame, or a file",
        doc="What each action costs where each class is true; None: 1 for every error.",
    )
    actions: object = param(
        None,
        choices=(None,),
        accept=lambda value: isinstance(value, list | tuple | np.ndarray),
        allowed="a list of names",
        doc="The names of the columns of a matrix of costs; None: the classes.",
    )
    doubt: float | None = param(None, number=True, choices=(None,), at_least=0, doc="What doubt costs; None: none.")
    doubt_label: object = label_param(
        'What `predict` says where it doubts; None: "doubt" beside actions of text, else −1.'
    )

    costs_: Costs = learned("The costs of actions where classes are true.", holds=instance(Costs))
    actions_: Labels = learned("The actions, (a,).", holds=label_array("a"))

    def check_loaded(self) -> None:
        super().check_loaded()
        require(np.array_equal(self.costs_.classes, self.classes_), "costs_ must be of these classes")
        require(np.array_equal(self.costs_.actions, self.actions_), "costs_ must be of these actions")

    # -- learning -----------------------------------------------------------------------------------------------------
    def _solved(self, source: Source) -> Step[Attributes]:
        if not hasattr(self._inner(), "predict_proba"):
            raise InvalidParameter(
                f"{type(self).__name__}: {type(self._inner()).__name__} has no predict_proba, and costs need "
                "probabilities; calibrate it, or take a model that has them."
            )
        model, objective = self._fitted_inner(source)
        classes = np.asarray(model.classes_)
        costs = Costs.of(self.costs, classes, self.actions, type(self).__name__)
        self._said_in_doubt(costs.actions)
        return Step({"classes_": classes, "model_": model, "costs_": costs, "actions_": costs.actions}, objective)

    def _said_in_doubt(self, actions: Labels) -> object:
        """What stands for doubt beside these actions; a label that one of them has is refused."""
        text = actions.dtype.kind in "UO"
        label = self.doubt_label if self.doubt_label is not None else "doubt" if text else -1
        if self.doubt is not None and (label in actions.tolist() or isinstance(label, str) != text):
            kind = "text" if text else "a number"
            raise InvalidParameter(
                f"{type(self).__name__}: doubt_label must be {kind} that is no action; got {label!r}. Give another one."
            )
        return label

    # -- answers ------------------------------------------------------------------------------------------------------
    @property
    def threshold_(self) -> float:
        """From which probability of the second of two classes its action is taken; NaN where no single one decides."""
        C = self.costs_.costs
        if C.shape != (2, 2):
            return float("nan")
        alarm, miss = C[0, 1] - C[0, 0], C[1, 0] - C[1, 1]
        return float(alarm / (alarm + miss)) if alarm >= 0 and miss >= 0 and alarm + miss > 0 else float("nan")

    def predict(self, X: TableLike, costs: object = None) -> Labels:
        """The action of least expected cost for each row, (n,).

        `costs` are those of each row, (n, k, a), in the order of `classes_` and `actions_`, in place of those of the
        fit: what a fraud costs depends on the amount.
        """
        self._check_fitted("model_")
        label = self._said_in_doubt(self.actions_)
        names = self.actions_ if self.doubt is None else _with(self.actions_, label)
        if costs is not None:
            return np.asarray(names[np.argmin(self.expected_costs(X, costs), axis=1)])
        found: Labels = self._rows(X, lambda chunk: names[np.argmin(self._expected(chunk), axis=1)])
        return found

    def expected_costs(self, X: TableLike, costs: object = None) -> Reals:
        """The expected cost of each action for each row, (n, a), by `costs` (n, k, a) of each row where they are given.

        That of doubt comes last, where there is doubt.
        """
        self._check_fitted("model_")
        if costs is None:
            return self._rows(X, lambda chunk: self._expected(chunk).astype(chunk.X.dtype))
        probability: Floats = self._rows(X, self._chances)
        return expected_costs(probability, self._tables(costs, len(probability)))

    def cost(
        self,
        X: TableLike,
        y: TargetLike,
        sample_weight: WeightLike = None,
        level: float = 0.95,
        costs: object = None,
    ) -> CostResult:
        """What the actions cost where y is true, beside what was expected, with intervals; `costs` as in `predict`."""
        self._check_fitted("model_")
        expected, codes = self.expected_costs(X, costs), self._codes_of(y)
        table = self._table() if costs is None else self._tables(costs, len(expected))
        return cost_result(expected, codes, self.costs_, table, sample_weight, level)

    def cost_curve(
        self, X: TableLike, y: TargetLike, sample_weight: WeightLike = None, points: int = 201, level: float = 0.95
    ) -> CostCurve:
        """What two classes cost whatever a false alarm and a miss do, over the share of a false alarm in both."""
        self._check_fitted("model_")
        probability: Floats = self._rows(X, self._chances)
        if len(self.classes_) != 2:
            raise InvalidData(
                f"{type(self).__name__}: a cost curve is of two classes, and there are {len(self.classes_)}; look at "
                "cost and rejection."
            )
        second = self.classes_.tolist()[1]
        return cost_curve(probability[:, 1], self._codes_of(y) == 1, second, sample_weight, points, level)

    def rejection(
        self, X: TableLike, y: TargetLike, sample_weight: WeightLike = None, level: float = 0.95
    ) -> RejectionCurve:
        """The cost of the rows that are decided, over the share that is left undecided, the most doubtful first."""
        self._check_fitted("model_")
        expected = self.expected_costs(X)[:, : len(self.actions_)]
        return rejection_curve(expected, self._codes_of(y), self.costs_, sample_weight, level)

    def _judged(self, y: TargetLike, predicted: Numbers, sample_weight: WeightLike) -> float:
        """Minus the mean cost of the actions, so that larger is better; with costs of 1 for errors, accuracy − 1."""
        places = {name: place for place, name in enumerate(self.actions_.tolist())}
        action = np.array([places.get(name, len(places)) for name in np.asarray(predicted).tolist()], dtype=np.intp)
        paid = self._table()[self._codes_of(y), action]
        return -float(np.average(paid, weights=weights_for(sample_weight, len(paid))))

    def _table(self) -> Floats:
        """What each action costs where each class is true, doubt last."""
        return self.costs_.with_doubt(self.doubt)

    def _tables(self, costs: object, n: int) -> Floats:
        """The costs of each row, (n, k, a), doubt last."""
        k, a = self.costs_.costs.shape
        found = numbers(type(self).__name__, "costs", costs, (n, k, a), "a cost for each row, class and action")
        if found.size and not found.min() >= 0:
            raise InvalidParameter(f"{type(self).__name__}: costs must be at least 0; got {found.min():g}.")
        if self.doubt is None:
            return found
        return np.concatenate([found, np.full((n, k, 1), self.doubt)], axis=2)

    def _codes_of(self, y: TargetLike) -> Labels:
        """The place of each label among the classes, (n,)."""
        owner = type(self).__name__
        labels = as_array(y, owner, "y must have one class a row")
        if labels.ndim != 1:
            raise InvalidData(f"{owner}: y must have one class a row; got shape {labels.shape}.")
        codes = np.searchsorted(self.classes_, labels) if labels.dtype.kind == self.classes_.dtype.kind else None
        if codes is not None and np.all(self.classes_[np.minimum(codes, len(self.classes_) - 1)] == labels):
            return codes
        known, given = Spellings(self.classes_.tolist()), labels.tolist()
        places = {label: known.place(label) for label in dict.fromkeys(given)}
        unknown = next((label for label, place in places.items() if place is None), None)
        if None in places.values():
            raise InvalidData(f"{owner}: y holds {unknown!r}, which is no class of the fit.")
        return np.array([places[label] for label in given], dtype=np.intp)

    def _expected(self, chunk: Chunk) -> Floats:
        return self.costs_.expected(self._chances(chunk), self.doubt)


def _with(actions: Labels, label: object) -> Labels:
    last = np.asarray([label], dtype=object if actions.dtype.kind == "O" else None)
    return np.concatenate([actions, last])
