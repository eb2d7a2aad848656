"""What support vector machines for classes share: one against one, votes, probabilities."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.utils.metaestimators import available_if

from ...backend.smo import Programme, Solved
from ...backend.weights import given_or_ones
from ...data import Chunk, Needs, Source
from ...engine import Outcome
from ...errors import InvalidParameter, TimeLimit
from ...estimator import Attributes, Classifier, declares
from ...holds import floats, integers, require, sometimes
from ...observing import is_recorded
from ...params import learned, param
from ...randomness import generator, random_state_param
from ...resampling.calibration import Sigmoid, fold_numbers
from ...solvers.similarity import Similarity
from ...solvers.smo import NOTHING, Shown, State
from ...typing import Codes, Floats, Labels, RandomState, Reals, TableLike, Whole
from ..linear.targets import CodedClasses
from ..multiclass.coupling import coupled
from .class_pairs import ClassPairs, by_class, decision_columns, support_of, votes_of
from .decision_plane import DecisionPlane, unseen
from .support_vectors import SupportVectorMachine

_FOLDS = 5


@dataclass(frozen=True)
class _Found:
    """The support vectors by class, by their places, how many each class has, what they count, and the intercepts."""

    used: Whole
    of_class: Whole
    dual: Floats
    intercept: Floats


@declares
class SupportVectorClassifier(Classifier, SupportVectorMachine):
    """Base: a subclass gives the programmes of pairs of classes, where they start, and what follows from a solution."""

    needs = Needs(target="classes", scaled=True, one_hot=True, sparse=True)
    traced = ("plane",)

    class_weight: object = param(
        None,
        choices=(None, "balanced"),
        types=(dict,),
        doc="What a row of each class counts: numbers by class, or balanced, which gives all classes the same weight.",
    )
    probability: bool = param(
        False,
        choices=(True, False, "deprecated"),
        doc="Learn probabilities of decisions for rows left out of a fit, in 5 folds; `predict` is then the likeliest. "
        "What scikit-learn calls deprecated is False.",
    )
    decision_function_shape: str = param(
        "ovr", choices=("ovr", "ovo"), doc="Decisions of several classes: one a class, or one a pair of classes."
    )
    break_ties: bool = param(
        False,
        choices=(True, False),
        doc="Break ties of votes by the sum of the decisions, instead of for the first class.",
    )
    random_state: RandomState = random_state_param()

    read_late: ClassVar = ("decision_function_shape", "break_ties")

    n_iter_: Whole = learned(
        "How many pairs of variables moved, for each pair of classes.", holds=integers("decisions", at_least=0)
    )
    n_support_: Whole = learned("How many support vectors each class has, (k,).", holds=integers("k", at_least=0))
    class_weight_: Floats = learned("What a row of each class counts, (k,).", holds=floats("k"))
    probA_: Floats = learned(  # noqa: N815 (by scikit-learn's name)
        "The slopes of log-odds in decisions, one a pair of classes, with `probability`.",
        holds=sometimes(floats("decisions")),
    )
    probB_: Floats = learned("Their intercepts.", holds=sometimes(floats("decisions")))  # noqa: N815

    # ---- what a subclass says ----

    def _programme(self, pairs: ClassPairs, i: int, j: int) -> Programme:
        raise NotImplementedError

    def _start(self, programme: Programme, classes: tuple[object, object]) -> Floats:
        return np.zeros(len(programme))

    def _plane(self, found: Solved) -> tuple[Floats, float]:
        """What rows count in a decision, and its intercept."""
        raise NotImplementedError

    def _first_variables(self, pairs: ClassPairs, places: Whole) -> list[Floats] | None:
        """Where to begin, if not where `_start` says."""
        return None

    def _cost(self, weight: Floats) -> Floats:
        return weight

    # ---- learning ----

    def _learn(self, source: Source) -> Outcome[Attributes]:
        coded = CodedClasses.of(source, self.class_weight, signs=False)  # type: ignore[arg-type]
        chunk, places = _by_class(*self._gathered(coded.source))
        similarity, function = self._similarity(_without_costs(chunk, coded.each), places)
        pairs = self._pairs(chunk, len(coded.classes))
        plane = DecisionPlane.of(chunk.X, np.asarray(chunk.y), pairs.k, function, places) if is_recorded() else None
        shown = self._shown(plane, places)
        outcome = self._fitted(similarity, pairs, coded.classes, self._first_variables(pairs, places), shown)

        def attributes(state: State) -> Attributes:
            found = self._found(pairs, state)
            each = np.ones(len(coded.classes)) if coded.each is None else coded.each
            return {
                **self._support(chunk, places, found.used, function),
                "n_support_": found.of_class,
                "dual_coef_": found.dual,
                "intercept_": found.intercept,
                "classes_": coded.classes,
                "class_weight_": each,
                "n_iter_": np.array([one.pairs for one in state]),
                "fit_status_": int(outcome.history.status != "converged"),
            }

        found = outcome.then(attributes)
        if self.probability is True:
            found.state.update(self._calibrated(chunk, similarity, coded.classes))
        return found

    def _check_ties(self) -> None:
        if self.break_ties and self.decision_function_shape == "ovo":
            raise InvalidParameter(
                f"{type(self).__name__}: break_ties must be False where decision_function_shape='ovo'."
            )

    def _pairs(self, chunk: Chunk, k: int) -> ClassPairs:
        cost = self._cost(given_or_ones(chunk.weight, len(chunk)))
        return ClassPairs.of(np.asarray(chunk.y), k, cost)

    def _fitted(
        self,
        similarity: Similarity,
        pairs: ClassPairs,
        classes: Labels,
        start: Sequence[Floats] | None = None,
        shown: Shown = NOTHING,
    ) -> Outcome[State]:
        programmes = [self._programme(pairs, i, j) for i, j in pairs]
        start = start or [
            self._start(one, (str(classes[i]), str(classes[j]))) for one, (i, j) in zip(programmes, pairs, strict=True)
        ]
        return self._solved(similarity, programmes, start, shown)

    def _shown(self, plane: DecisionPlane | None, places: Whole) -> Shown:
        """What a trace has of a state: decisions over two columns, above 0 for the second class, and who supports."""
        if plane is None:
            return Shown(lambda state: unseen(type(self).__name__))

        def seen(state: State) -> Mapping[str, object]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of margins that are not there yet
                a, level = self._plane(state[0])
            support = np.zeros(len(a), dtype=bool)
            support[places] = a != 0
            return {"plane": plane.said([plane.at(-a, -level)], [support], [-1])}

        return Shown(seen, in_steps=True)

    def _found(self, pairs: ClassPairs, state: State) -> _Found:
        planes = list(map(self._plane, state))
        used, of_class, dual = support_of(pairs, [a for a, _ in planes])
        intercept = np.array([b for _, b in planes])
        if pairs.k == 2:  # decisions of two classes are above 0 for the second
            dual, intercept = -dual, -intercept
        return _Found(used, of_class, dual + 0.0, intercept + 0.0)

    def _calibrated(self, chunk: Chunk, similarity: Similarity, classes: Labels) -> Attributes:
        """The log-odds of each pair of classes, learned from decisions for rows left out of a fit."""
        code, k = np.asarray(chunk.y), len(classes)
        folds = fold_numbers(code, _FOLDS, generator(self.random_state), type(self).__name__, classes)
        weight = given_or_ones(chunk.weight, len(chunk))
        pairs = list(self._pairs(chunk, k))
        decisions = np.zeros((len(code), len(pairs)))
        try:
            for fold in range(int(folds.max()) + 1):
                test, train = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
                decisions[test] = self._left_out(chunk, similarity, train, test, classes)
        except (KeyboardInterrupt, TimeLimit):
            return {}
        slopes = []
        for p, (i, j) in enumerate(pairs):
            some = np.flatnonzero((code == i) | (code == j))
            slopes.append(Sigmoid.of(decisions[some, p], code[some] == i, weight[some]))
        sign = -1.0 if k == 2 else 1.0
        return {
            "probA_": np.array([sign * one.slope for one in slopes]),
            "probB_": np.array([one.level for one in slopes]),
        }

    def _left_out(self, chunk: Chunk, similarity: Similarity, train: Whole, test: Whole, classes: Labels) -> Floats:
        """Decisions for rows by a fit to others, (n, pairs), above 0 for the first class of each pair."""
        pairs = self._pairs(chunk.at(train), len(classes))
        found = self._found(pairs, self._fitted(similarity.only(train), pairs, classes).state)
        columns = decision_columns(found.dual, found.of_class)
        decisions = similarity.times(test, train[found.used], columns) + found.intercept
        return -decisions if len(classes) == 2 else decisions

    # ---- using it ----

    def check_loaded(self) -> None:
        super().check_loaded()
        k = len(self.classes_)
        require(k > 1, "classes_ must hold at least 2 classes")
        require(len(self.intercept_) == k * (k - 1) // 2, "intercept_ must have one number for each pair of classes")
        require(len(self.dual_coef_) == k - 1, "dual_coef_ must have a row less than there are classes")
        require(self.n_support_.sum() == len(self.support_), "n_support_ must count the support vectors")

    def _columns(self) -> Floats:
        return decision_columns(self.dual_coef_, self.n_support_)

    def _decisions(self, chunk: Chunk) -> Reals:
        """(n, pairs); of two classes above 0 for the second, else above 0 for the first of a pair."""
        found = self._weighted(chunk, self._columns()) + self.intercept_
        return np.asarray(found, dtype=chunk.X.dtype)

    def decision_function(self, X: TableLike) -> Reals:
        """The decisions for the rows: (n,) for two classes, where the second is predicted above 0; else (n, k).

        With `decision_function_shape="ovo"` they are (n, k (k − 1) / 2), in the order (0, 1), (0, 2), …, and above 0
        for the first class of a pair.
        """
        self._check_fitted("support_")
        k = len(self.classes_)

        def scores(chunk: Chunk) -> Reals:
            found = self._decisions(chunk)
            if k == 2:
                return found[:, 0]
            return by_class(found, k).astype(found.dtype) if self.decision_function_shape == "ovr" else found

        return self._rows(X, scores)

    def predict(self, X: TableLike) -> Labels:
        """The class of most votes, the first of equals unless `break_ties`; with `probability` the likeliest."""
        self._check_fitted("support_")
        self._check_ties()
        found: Labels = np.take(self.classes_, self._rows(X, self._codes))
        return found

    def _codes(self, chunk: Chunk) -> Codes:
        k, decisions = len(self.classes_), self._decisions(chunk)
        if hasattr(self, "probA_"):
            return np.asarray(np.argmax(self._shares(decisions), axis=1))
        if k == 2:
            return (decisions[:, 0] > 0).astype(np.intp)
        return np.asarray(np.argmax((by_class if self.break_ties else votes_of)(decisions, k), axis=1))

    def _has_probabilities(self) -> bool:
        if "probA_" in vars(self) or (self.probability is True and "support_" not in vars(self)):
            return True
        raise AttributeError(
            f"{type(self).__name__}: there are no probabilities; fit with probability=True, and let it come to its end."
        )

    def _shares(self, decisions: Reals) -> Floats:
        k = len(self.classes_)
        first = Sigmoid.chances(np.asarray(decisions, dtype=np.float64), self.probA_, self.probB_)
        return np.column_stack([first[:, 0], 1 - first[:, 0]]) if k == 2 else coupled(1 - first, k)

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: TableLike) -> Reals:
        """P(class | x), (n, k): the log-odds of all pairs of classes, made one distribution."""
        self._check_fitted("probA_")
        return self._rows(X, lambda chunk: self._shares(self._decisions(chunk)).astype(chunk.X.dtype, copy=False))

    @available_if(_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: TableLike) -> Reals:
        """The logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))


def _without_costs(chunk: Chunk, each: Floats | None) -> Chunk:
    """The rows with the weights that were given: the costs of classes say nothing about the scale of columns."""
    if each is None or chunk.weight is None:
        return chunk
    return Chunk(chunk.X, chunk.y, chunk.weight / each[np.asarray(chunk.y)], chunk.start, chunk.numbers)


def _by_class(chunk: Chunk, places: Whole) -> tuple[Chunk, Whole]:
    """The rows of one class after the other, so that the kernel among two of them lies side by side."""
    code = np.asarray(chunk.y)
    if np.all(code[1:] >= code[:-1]):
        return chunk, places
    order = np.argsort(code, kind="stable")
    return chunk.at(order), places[order]
